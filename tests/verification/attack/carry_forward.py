"""Attacks on what went over from one evening to another, everything sealed, folded and answered
anew: only the two evenings together, or the circle, can tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import UUID, uuid4

from tests.verification.attack.corruption import on_rows
from tests.verification.attack.forger import Event, Forger, Nothing
from tests.verification.attack.stored_events import canonical
from tests.verification.attack.tail_and_inserts import _transfer

ANSWERED = """
INSERT INTO vola.stored_replies (session_id, key, request, status, version, body)
VALUES (%s, %s, '', 201, %s, '{}')
"""
EVERYTHING = (
    *("vola.sessions", "vola.heads", "vola.events", "vola.players", "vola.remarks"),
    *(
        "vola.spellings",
        "vola.stored_replies",
        "vola.creation_keys",
        "vola.group_sessions",
        "vola.attendance",
    ),
    *("projections.pot", "projections.bets", "projections.balances", "projections.payments"),
    *("projections.scores", "projections.deals", "projections.journal"),
)


def _brought(events: list[Event]) -> tuple[Event, Any]:
    for e in events:
        if e.type == "brought_forward":
            return e, json.loads(e.data)
    raise Nothing


def _earlier(f: Forger) -> Forger:
    """The evening that this one goes on with, in the same hands."""
    _, said = _brought(f.before)
    return Forger(f.db, UUID(said["session"]), f.die, f.others)


def _says(name: str) -> Callable[[Callable[[Forger, Any], None]], None]:
    """What the later evening says that it began with, and all that came of it."""

    def named(change: Callable[[Forger, Any], None]) -> None:
        def plant(f: Forger) -> None:
            events = deepcopy(f.before)
            e, said = _brought(events)
            change(f, said)
            if said == json.loads(e.data):
                raise Nothing
            e.data = canonical(said)
            f.rewrite(events)

        on_rows(f"what was brought, sealed anew: {name}")(plant)

    return named


@_says("a bigger pot, somebody else has less")
def _(f: Forger, said: Any) -> None:
    amount, who = f.die.choice((1, 10, 1000)), f.die.choice(list(said["balances"]) or ["p1"])
    said["pot"] += amount
    said["balances"][who] = said["balances"].get(who, 0) - amount


@_says("from one balance to another")
def _(f: Forger, said: Any) -> None:
    if len(said["balances"]) < 2:
        raise Nothing
    one, other = f.die.sample(list(said["balances"]), 2)
    said["balances"][one] += 5
    said["balances"][other] -= 5


@_says("two balances swapped")
def _(f: Forger, said: Any) -> None:
    if len(said["balances"]) < 2:
        raise Nothing
    have = said["balances"]
    one, other = f.die.sample(list(have), 2)
    have[one], have[other] = have[other], have[one]


def _two_bets(f: Forger, said: Any) -> tuple[Any, Any]:
    if len(said["bets"]) < 2:
        raise Nothing
    one, other = f.die.sample(said["bets"], 2)
    return one, other


@_says("the owners of two bets swapped")
def _(f: Forger, said: Any) -> None:
    one, other = _two_bets(f, said)
    if len(one["by"]) != len(other["by"]):
        raise Nothing
    one["by"], other["by"] = other["by"], one["by"]


@_says("two bets in each other's turn")
def _(f: Forger, said: Any) -> None:
    one, other = _two_bets(f, said)
    one["bet"], other["bet"] = other["bet"], one["bet"]
    said["bets"].sort(key=lambda bet: bet["bet"])


@_says("a claim instead of a bet that was paid")
def _(f: Forger, said: Any) -> None:
    paid = [bet for bet in said["bets"] if bet["paid"]]
    if not paid:
        raise Nothing
    bet = f.die.choice(paid)
    bet["paid"] = False
    for owner in bet["by"]:
        said["balances"][owner] = said["balances"].get(owner, 0) + bet["each"]


@_says("another seal")
def _(f: Forger, said: Any) -> None:
    said["hash"] = f.die.randbytes(32).hex()


@_says("of another evening")
def _(f: Forger, said: Any) -> None:
    said["session"] = str(f.die.choice(f.others))


@_says("at another version")
def _(f: Forger, said: Any) -> None:
    said["version"] -= 1


@on_rows("what was brought came twice")
def twice(f: Forger) -> None:
    events = deepcopy(f.before)
    e, _ = _brought(events)
    events.insert(events.index(e) + 1, deepcopy(e))
    f.rewrite(events)


@on_rows("what was brought left out, and everything sealed anew")
def left_out(f: Forger) -> None:
    f.also.append(_earlier(f).id)
    f.rewrite([e for e in deepcopy(f.before) if e.type != "brought_forward"])


def _both(f: Forger, earlier: Forger, events: list[Event]) -> None:
    """Both histories anew, the later with the seal and version that the earlier has got."""
    earlier.rewrite(events)
    mine = deepcopy(f.before)
    e, said = _brought(mine)
    said |= {"hash": events[-1].hash.hex(), "version": events[-1].version}
    e.data = canonical(said)
    f.rewrite(mine)


@on_rows("it is said to have gone on in another evening, both sealed anew")
def elsewhere(f: Forger) -> None:
    earlier = _earlier(f)
    events = deepcopy(earlier.before)
    events[-1].data = canonical({"to": str(f.die.choice([*f.others, uuid4()]))})
    _both(f, earlier, events)


@on_rows("an event appended after it was carried forward, answered and sealed")
def appended(f: Forger) -> None:
    earlier = _earlier(f)
    new = _transfer(earlier, earlier.before[-1])
    earlier.run(ANSWERED, earlier.id, str(uuid4()), len(earlier.before) + 1)
    events = [*deepcopy(earlier.before), new]
    earlier.replace(earlier.seal(events))
    earlier.move_head(events)
    earlier.fold()


@on_rows("an event put in before it was carried forward, both sealed anew")
def inserted(f: Forger) -> None:
    earlier = _earlier(f)
    events = deepcopy(earlier.before)
    events.insert(-1, _transfer(earlier, events[-2]))
    f.also.append(earlier.id)
    _both(f, earlier, events)


@on_rows("two evenings written anew together, but for a receipt")
def together(f: Forger) -> None:
    earlier = _earlier(f)
    events = deepcopy(earlier.before)
    for e in events:
        e.at -= 1
    f.keep(_brought(f.before)[0].version)
    _both(f, earlier, events)


@on_rows("a second evening that goes on with the same")
def again(f: Forger) -> None:
    """A whole copy with a card, names and keys of its own."""
    _brought(f.before)
    copy = uuid4()
    for table in EVERYTHING:
        schema, name = table.split(".")
        columns = [c for (c,) in f.db.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = %s"
            " AND table_name = %s ORDER BY ordinal_position", (schema, name))]  # fmt: skip
        anew = {
            "session_id": "%(copy)s::uuid",
            "key": "key" if name == "stored_replies" else "key || '.'",
        }
        if name == "group_sessions":
            anew["number"] = (
                "(SELECT max(o.number) + 1 FROM vola.group_sessions o"
                "  WHERE o.group_id = group_sessions.group_id)"
            )
        wanted = ", ".join(anew.get(column, f'"{column}"') for column in columns)
        f.db.execute(
            f"INSERT INTO {table} SELECT {wanted} FROM {table} WHERE session_id = %(id)s",
            {"copy": copy, "id": f.id},
        )
    keys = ("UPDATE vola.stored_replies SET key = key || '.' WHERE session_id = %s AND key IN"
            " (SELECT left(key, -1) FROM vola.creation_keys WHERE session_id = %s)")  # fmt: skip
    f.run(keys, copy, copy)
    second = Forger(f.db, copy, f.die, f.others)
    second.rewrite(deepcopy(second.before))
    f.also.append(copy)


@on_rows("the evening that it goes on with is gone, with all that was ever kept of it")
def gone(f: Forger) -> None:
    earlier = _earlier(f)
    for table in EVERYTHING:
        f.db.execute(f"DELETE FROM {table} WHERE session_id = %s", (earlier.id,))


@on_rows("the head of the evening that it goes on with moved")
def moved(f: Forger) -> None:
    f.run("UPDATE vola.heads SET version = version + 1 WHERE session_id = %s",
          _earlier(f).id)  # fmt: skip
