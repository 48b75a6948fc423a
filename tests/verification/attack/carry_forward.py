"""Attacks on what one session carries forward to another.

The attacker also rewrites hashes, projections and replies, so that only the two sessions together,
or the group, reveal the attack.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import UUID, uuid4

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Event, Forger, NotApplicable, canonical_json

ATTACKS = Attacks()

INSERT_REPLY = """
INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
VALUES (%s, %s, '', 201, %s, 1)
"""
SESSION_TABLES = (
    *("vola.sessions", "vola.heads", "vola.events", "vola.players", "vola.remarks"),
    *(
        "vola.spellings",
        "vola.stored_replies",
        "vola.creation_keys",
        "vola.group_sessions",
        "vola.attendance",
    ),
    *("projections.payments", "projections.journal"),
)


def _brought_forward(events: list[Event]) -> tuple[Event, Any]:
    for event in events:
        if event.type == "brought_forward":
            return event, json.loads(event.data)
    raise NotApplicable


def _predecessor(forger: Forger) -> Forger:
    """Return a forger of the session that this one continues."""
    _, fields = _brought_forward(forger.original_events)
    return Forger(forger.db, UUID(fields["session"]), forger.die, forger.other_ids)


def _rewritten_opening(name: str) -> Callable[[Callable[[Forger, Any], None]], None]:
    """Register an attack on the `brought_forward` event, which says how the later session began."""

    def register(change: Callable[[Forger, Any], None]) -> None:
        def plant(forger: Forger) -> None:
            events = forger.history()
            event, fields = _brought_forward(events)
            change(forger, fields)
            if fields == json.loads(event.data):
                raise NotApplicable
            event.data = canonical_json(fields)
            forger.rewrite(events)

        ATTACKS.register(f"brought forward, hashed again: {name}")(plant)

    return register


@_rewritten_opening("a bigger pot, somebody else has less")
def _(forger: Forger, fields: Any) -> None:
    amount, player = (
        forger.die.choice((1, 10, 1000)),
        forger.die.choice(list(fields["balances"]) or ["p1"]),
    )
    fields["pot"] += amount
    fields["balances"][player] = fields["balances"].get(player, 0) - amount


@_rewritten_opening("from one balance to another")
def _(forger: Forger, fields: Any) -> None:
    if len(fields["balances"]) < 2:
        raise NotApplicable
    first, second = forger.die.sample(list(fields["balances"]), 2)
    fields["balances"][first] += 5
    fields["balances"][second] -= 5


@_rewritten_opening("two balances swapped")
def _(forger: Forger, fields: Any) -> None:
    if len(fields["balances"]) < 2:
        raise NotApplicable
    have = fields["balances"]
    first, second = forger.die.sample(list(have), 2)
    have[first], have[second] = have[second], have[first]


def _two_bets(forger: Forger, fields: Any) -> tuple[Any, Any]:
    if len(fields["bets"]) < 2:
        raise NotApplicable
    first, second = forger.die.sample(fields["bets"], 2)
    return first, second


@_rewritten_opening("the owners of two bets swapped")
def _(forger: Forger, fields: Any) -> None:
    first, second = _two_bets(forger, fields)
    if len(first["by"]) != len(second["by"]):
        raise NotApplicable
    first["by"], second["by"] = second["by"], first["by"]


@_rewritten_opening("two bets in each other's turn")
def _(forger: Forger, fields: Any) -> None:
    first, second = _two_bets(forger, fields)
    first["bet"], second["bet"] = second["bet"], first["bet"]
    fields["bets"].sort(key=lambda bet: bet["bet"])


@_rewritten_opening("a claim instead of a bet that was paid")
def _(forger: Forger, fields: Any) -> None:
    paid = [bet for bet in fields["bets"] if bet["paid"]]
    if not paid:
        raise NotApplicable
    bet = forger.die.choice(paid)
    bet["paid"] = False
    for owner in bet["by"]:
        fields["balances"][owner] = fields["balances"].get(owner, 0) + bet["each"]


@_rewritten_opening("another hash")
def _(forger: Forger, fields: Any) -> None:
    fields["hash"] = forger.die.randbytes(32).hex()


@_rewritten_opening("of another evening")
def _(forger: Forger, fields: Any) -> None:
    fields["session"] = str(forger.die.choice(forger.other_ids))


@_rewritten_opening("at another version")
def _(forger: Forger, fields: Any) -> None:
    fields["version"] -= 1


@ATTACKS.register("what was brought forward came twice")
def duplicate_brought_forward(forger: Forger) -> None:
    events = forger.history()
    event, _ = _brought_forward(events)
    events.insert(events.index(event) + 1, deepcopy(event))
    forger.rewrite(events)


@ATTACKS.register("what was brought forward left out, everything hashed again")
def omit_brought_forward(forger: Forger) -> None:
    forger.also_audited_ids.append(_predecessor(forger).session_id)
    forger.rewrite([event for event in forger.history() if event.type != "brought_forward"])


def _rewrite_both(forger: Forger, earlier: Forger, events: list[Event]) -> None:
    """Rewrite both histories; the later one cites the new hash and version of the earlier one."""
    earlier.rewrite(events)
    later_events = forger.history()
    event, fields = _brought_forward(later_events)
    fields |= {"hash": events[-1].hash.hex(), "version": events[-1].version}
    event.data = canonical_json(fields)
    forger.rewrite(later_events)


@ATTACKS.register("carried forward to another evening, both hashed again")
def change_successor(forger: Forger) -> None:
    earlier = _predecessor(forger)
    events = earlier.history()
    events[-1].data = canonical_json({"to": str(forger.die.choice([*forger.other_ids, uuid4()]))})
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("an event appended after the carry-forward, answered and hashed")
def append_after_carry_forward(forger: Forger) -> None:
    earlier = _predecessor(forger)
    new = earlier.make_transfer(earlier.original_events[-1])
    earlier.execute(
        INSERT_REPLY, earlier.session_id, str(uuid4()), len(earlier.original_events) + 1
    )
    events = [*earlier.history(), new]
    earlier.replace_events(earlier.hash_again(events))
    earlier.move_head(events)
    earlier.rebuild_projections()


@ATTACKS.register("an event inserted before the carry-forward, both hashed again")
def insert_before_carry_forward(forger: Forger) -> None:
    earlier = _predecessor(forger)
    events = earlier.history()
    events.insert(-1, earlier.make_transfer(events[-2]))
    forger.also_audited_ids.append(earlier.session_id)
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("two evenings rewritten together, but for a receipt")
def rewrite_both_sessions(forger: Forger) -> None:
    earlier = _predecessor(forger)
    events = earlier.history()
    for event in events:
        event.at -= 1
    forger.keep_receipt(_brought_forward(forger.original_events)[0].version)
    _rewrite_both(forger, earlier, events)


@ATTACKS.register("a second evening that continues the same one")
def add_second_successor(forger: Forger) -> None:
    """Copy the session with metadata, names and keys of its own."""
    _brought_forward(forger.original_events)
    copy = uuid4()
    for table in SESSION_TABLES:
        schema, name = table.split(".")
        columns = [
            c
            for (c,) in forger.db.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = %s"
                " AND table_name = %s ORDER BY ordinal_position",
                (schema, name),
            )
        ]
        replacements = {
            "session_id": "%(copy)s::uuid",
            "key": "key" if name == "stored_replies" else "key || '.'",
        }
        if name == "group_sessions":
            replacements["number"] = (
                "(SELECT max(o.number) + 1 FROM vola.group_sessions o"
                "  WHERE o.group_id = group_sessions.group_id)"
            )
        expressions = ", ".join(replacements.get(column, f'"{column}"') for column in columns)
        forger.db.execute(
            f"INSERT INTO {table} SELECT {expressions} FROM {table} WHERE session_id = %(id)s",
            {"copy": copy, "id": forger.session_id},
        )
    keys = (
        "UPDATE vola.stored_replies SET key = key || '.' WHERE session_id = %s AND key IN"
        " (SELECT left(key, -1) FROM vola.creation_keys WHERE session_id = %s)"
    )
    forger.execute(keys, copy, copy)
    second = Forger(forger.db, copy, forger.die, forger.other_ids)
    second.rewrite(second.history())
    forger.also_audited_ids.append(copy)


@ATTACKS.register("the evening that it continues is gone, with every row of it")
def delete_predecessor(forger: Forger) -> None:
    earlier = _predecessor(forger)
    for table in SESSION_TABLES:
        forger.db.execute(f"DELETE FROM {table} WHERE session_id = %s", (earlier.session_id,))


@ATTACKS.register("the head of the evening that it continues moved")
def move_head_of_predecessor(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.heads SET version = version + 1 WHERE session_id = %s",
        _predecessor(forger).session_id,
    )
