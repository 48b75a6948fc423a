"""Attacks that rewrite a whole hash chain, so that only an earlier receipt reveals them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.event_fields import MONEY, add_amount, shift_share
from tests.verification.attack.forger import Event, Forger, NotApplicable, canonical_json

ATTACKS = Attacks()

Change = Callable[[Forger, list[Event]], int]
"""Changes the events, and returns the first version that has changed."""


def _rewritten_chain(name: str) -> Callable[[Change], None]:
    """Register an attack that rewrites chain, head, projections and stored replies."""

    def register(change: Change) -> None:
        def attack(forger: Forger) -> None:
            events = forger.history()
            forger.keep_receipt(change(forger, events))
            forger.rewrite(events)

        ATTACKS.register(f"the whole chain rewritten: {name}")(attack)

    return register


def leave_out(*types: str, after: int = 0) -> Change:
    """Return a change that removes a random event of these types, or of any type, with a version
    above `after`.

    It does not apply to the last event: without it the chain would only be shorter."""

    def change(forger: Forger, events: list[Event]) -> int:
        removed = forger.pick_event(*types, after=after)
        if removed.version == len(events):
            raise NotApplicable
        del events[removed.version - 1]
        return removed.version

    return change


def rewrite_fields(events: list[Event], original: Event, change: Callable[[Any], None]) -> int:
    """Change the fields of an event, written in canonical form, and return its version."""
    event = events[original.version - 1]
    fields = json.loads(event.data)
    change(fields)
    event.data = canonical_json(fields)
    return event.version


@_rewritten_chain("an amount")
def _(forger: Forger, events: list[Event]) -> int:
    def change_amount(fields: Any) -> None:
        if not add_amount(fields, forger.die.choice((1, 10, 1000))):
            raise NotApplicable

    return rewrite_fields(events, forger.pick_event(*MONEY), change_amount)


@_rewritten_chain("what a corrected deal comes to")
def _(forger: Forger, events: list[Event]) -> int:
    def change_amount(fields: Any) -> None:
        facts = [fact for rescored_deal in fields["rescored"] for fact in rescored_deal["facts"]]
        forger.die.shuffle(facts)
        if not any(add_amount(fact, forger.die.choice((1, 10, 1000))) for fact in facts):
            raise NotApplicable

    return rewrite_fields(events, forger.pick_event("deal_corrected"), change_amount)


_rewritten_chain("a correction left out")(leave_out("deal_corrected"))


@_rewritten_chain("a transfer's amount")
def _(forger: Forger, events: list[Event]) -> int:
    def change_amount(fields: Any) -> None:
        fields["amount"] += forger.die.randint(1, 999)

    return rewrite_fields(events, forger.pick_event("transfer_recorded"), change_amount)


@_rewritten_chain("a share of a cost")
def _(forger: Forger, events: list[Event]) -> int:
    return rewrite_fields(events, forger.pick_event("cost_recorded"), shift_share)


_rewritten_chain("a voided cost that counts again")(leave_out("cost_voided"))


@_rewritten_chain("a time")
def _(forger: Forger, events: list[Event]) -> int:
    for event in events:
        event.at -= 1
    return 1


@_rewritten_chain("who wrote it")
def _(forger: Forger, events: list[Event]) -> int:
    original = forger.pick_event()
    if original.by in ("worker", "circle"):
        raise NotApplicable
    of_one_request = [event for event in events if event.at == original.at]
    for event in of_one_request:
        event.by = {"host.0": "scorer.0", "scorer.0": "host.0"}.get(event.by, event.by)
    return of_one_request[0].version


@_rewritten_chain("a name's commitment")
def _(forger: Forger, events: list[Event]) -> int:
    def change_commitment(fields: Any) -> None:
        fields["names"][0] = forger.die.randbytes(32).hex()

    return rewrite_fields(events, events[0], change_commitment)


@_rewritten_chain("the spelling")
def _(forger: Forger, events: list[Event]) -> int:
    for event in events:
        event.data = json.dumps(json.loads(event.data), sort_keys=True)
    return 1


_rewritten_chain("an event left out")(leave_out(after=1))
