"""Histories that the host rewrites, starting at an event that the phone has seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy

from tests.support.proofs.exported_files import Doc
from tests.verification.attack.event_fields import MONEY, add_amount
from tests.verification.attack.forger import NotApplicable, canonical_json
from tests.verification.attack.phones.dishonest_host import Attempt, Hosts

REWRITTEN = Hosts()
Change = Callable[[Attempt, list[Doc], int], object]


def register_rewriting(variant: str, first: int = 1) -> Callable[[Change], None]:
    """Register a change of the events at a version; afterwards, everything is hashed and signed
    again."""

    def register(change: Change) -> None:
        def host(attempt: Attempt) -> str | None:
            version, events = attempt.draw_seen_version(first), attempt.history()
            change(attempt, events, version)
            forged = attempt.forge_book(events)
            seen_hashes = [
                book.events[: attempt.seen_version][-1]["hash"] for book in (attempt.book, forged)
            ]
            if len(forged.events) >= attempt.seen_version and len({*seen_hashes}) == 1:
                raise NotApplicable  # two events were equal: nothing that the phone saw has changed
            return attempt.look_somehow(forged)

        REWRITTEN[variant] = host

    return register


@register_rewriting("an amount")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    change_amount(attempt, events, version)


def change_amount(attempt: Attempt, events: list[Doc], version: int) -> None:
    """Change an amount at this version or before it. Raise NotApplicable if there is none."""
    for event in reversed(events[:version]):
        fields = json.loads(event["data"])
        if event["type"] in MONEY and add_amount(fields, attempt.die.choice((-1, 1, 100, 10**6))):
            event["data"] = canonical_json(fields)
            return
    raise NotApplicable


@register_rewriting("who wrote an event")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    event = events[version - 1]
    event["by"] = "scorer.0" if event["by"] == "host.0" else "host.0"


@register_rewriting("when an event was")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    events[version - 1]["at"] += attempt.die.choice((-1, 1, 10**9))


@register_rewriting("every time")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    for event in events:
        event["at"] -= 1


@register_rewriting("how an event is spelled")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    event = events[version - 1]
    event["data"] = json.dumps(json.loads(event["data"]), sort_keys=True, indent=1)


@register_rewriting("an event left out", first=2)
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    del events[version - 1]


@register_rewriting("an event put in", first=2)
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    events.insert(version - 1, attempt.make_transfer(events[version - 2]))


@register_rewriting("an event repeated", first=2)
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    events.insert(version - 1, dict(events[version - 2]))


@register_rewriting("two events exchanged", first=2)
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    events[version - 2], events[version - 1] = events[version - 1], events[version - 2]


@register_rewriting("an event of another kind")
def _(attempt: Attempt, events: list[Doc], version: int) -> None:
    event = events[version - 1]
    event["type"] = "all_passed" if event["type"] == "deal_voided" else "deal_voided"


@REWRITTEN.register("an amount, all hashes left as they were")
def _(attempt: Attempt) -> str | None:
    """Only a check of the whole evening finds this, because a phone keeps hashes only."""
    events = attempt.history()
    change_amount(attempt, events, attempt.draw_seen_version())
    unhashed = copy(attempt.book)
    unhashed.events = events
    return attempt.check_export(unhashed)
