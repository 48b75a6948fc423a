"""Attacks on the event that says what a session brought forward from an earlier one.

The attacker also rewrites hashes, projections and replies, so that only the two sessions together,
or the group, reveal the attack.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Event, Forger, NotApplicable, canonical_json

ATTACKS = Attacks()


def find_brought_forward(events: list[Event]) -> tuple[Event, Any]:
    """Return the `brought_forward` event and its fields. Raise NotApplicable if there is none."""
    for event in events:
        if event.type == "brought_forward":
            return event, json.loads(event.data)
    raise NotApplicable


def find_predecessor(forger: Forger) -> Forger:
    """Return a forger of the session that this one continues."""
    _, fields = find_brought_forward(forger.original_events)
    return Forger(forger.db, UUID(fields["session"]), forger.die, forger.other_ids)


def _rewritten_fields(name: str) -> Callable[[Callable[[Forger, Any], None]], None]:
    """Register a change of the event's fields; the attack then rewrites the whole session."""

    def register(change: Callable[[Forger, Any], None]) -> None:
        def attack(forger: Forger) -> None:
            events = forger.history()
            event, fields = find_brought_forward(events)
            change(forger, fields)
            if fields == json.loads(event.data):
                raise NotApplicable
            event.data = canonical_json(fields)
            forger.rewrite(events)

        ATTACKS.register(f"brought forward, hashed again: {name}")(attack)

    return register


@_rewritten_fields("a bigger pot, somebody else has less")
def _(forger: Forger, fields: Any) -> None:
    amount = forger.die.choice((1, 10, 1000))
    player = forger.die.choice(list(fields["balances"]) or ["p1"])
    fields["pot"] += amount
    fields["balances"][player] = fields["balances"].get(player, 0) - amount


@_rewritten_fields("from one balance to another")
def _(forger: Forger, fields: Any) -> None:
    if len(fields["balances"]) < 2:
        raise NotApplicable
    first, second = forger.die.sample(list(fields["balances"]), 2)
    fields["balances"][first] += 5
    fields["balances"][second] -= 5


@_rewritten_fields("two balances swapped")
def _(forger: Forger, fields: Any) -> None:
    if len(fields["balances"]) < 2:
        raise NotApplicable
    balances = fields["balances"]
    first, second = forger.die.sample(list(balances), 2)
    balances[first], balances[second] = balances[second], balances[first]


def _two_bets(forger: Forger, fields: Any) -> tuple[Any, Any]:
    if len(fields["bets"]) < 2:
        raise NotApplicable
    first, second = forger.die.sample(fields["bets"], 2)
    return first, second


@_rewritten_fields("the owners of two bets swapped")
def _(forger: Forger, fields: Any) -> None:
    first, second = _two_bets(forger, fields)
    if len(first["by"]) != len(second["by"]):
        raise NotApplicable
    first["by"], second["by"] = second["by"], first["by"]


@_rewritten_fields("two bets in each other's turn")
def _(forger: Forger, fields: Any) -> None:
    first, second = _two_bets(forger, fields)
    first["bet"], second["bet"] = second["bet"], first["bet"]
    fields["bets"].sort(key=lambda bet: bet["bet"])


@_rewritten_fields("a claim instead of a bet that was paid")
def _(forger: Forger, fields: Any) -> None:
    paid = [bet for bet in fields["bets"] if bet["paid"]]
    if not paid:
        raise NotApplicable
    bet = forger.die.choice(paid)
    bet["paid"] = False
    for owner in bet["by"]:
        fields["balances"][owner] = fields["balances"].get(owner, 0) + bet["each"]


@_rewritten_fields("another hash")
def _(forger: Forger, fields: Any) -> None:
    fields["hash"] = forger.die.randbytes(32).hex()


@_rewritten_fields("of another evening")
def _(forger: Forger, fields: Any) -> None:
    fields["session"] = str(forger.die.choice(forger.other_ids))


@_rewritten_fields("at another version")
def _(forger: Forger, fields: Any) -> None:
    fields["version"] -= 1


@ATTACKS.register("what was brought forward came twice")
def duplicate_brought_forward(forger: Forger) -> None:
    events = forger.history()
    event, _ = find_brought_forward(events)
    events.insert(events.index(event) + 1, replace(event))
    forger.rewrite(events)


@ATTACKS.register("what was brought forward left out, everything hashed again")
def omit_brought_forward(forger: Forger) -> None:
    forger.also_audited_ids.append(find_predecessor(forger).session_id)
    forger.rewrite([event for event in forger.history() if event.type != "brought_forward"])
