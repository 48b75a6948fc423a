"""Histories written anew all through, so that only somebody who kept a receipt can tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy

from tests.verification.attack.corruption import on_rows
from tests.verification.attack.forger import Event, Forger, Nothing
from tests.verification.attack.stored_events import MONEY, add, canonical


def _everywhere(name: str) -> Callable[[Callable[[Forger, list[Event]], int]], None]:
    """The whole chain written anew, head, projections and answers with it: only a receipt tells."""

    def named(change: Callable[[Forger, list[Event]], int]) -> None:
        def plant(f: Forger) -> None:
            events = deepcopy(f.before)
            f.keep(change(f, events))
            f.rewrite(events)

        on_rows(f"the whole chain written anew: {name}")(plant)

    return named


@_everywhere("an amount")
def _(f: Forger, events: list[Event]) -> int:
    e = events[f.event(*MONEY).version - 1]
    said = json.loads(e.data)
    if not add(said, f.die.choice((1, 10, 1000))):
        raise Nothing
    e.data = canonical(said)
    return e.version


@_everywhere("what a corrected deal comes to")
def _(f: Forger, events: list[Event]) -> int:
    e = events[f.event("deal_corrected").version - 1]
    said = json.loads(e.data)
    told = [fact for again in said["rescored"] for fact in again["facts"]]
    f.die.shuffle(told)
    if not any(add(fact, f.die.choice((1, 10, 1000))) for fact in told):
        raise Nothing
    e.data = canonical(said)
    return e.version


@_everywhere("a correction left out")
def _(f: Forger, events: list[Event]) -> int:
    gone = f.event("deal_corrected")
    if gone.version == len(events):
        raise Nothing
    del events[gone.version - 1]
    return gone.version


@_everywhere("a transfer's amount")
def _(f: Forger, events: list[Event]) -> int:
    e = events[f.event("transfer_recorded").version - 1]
    said = json.loads(e.data)
    said["amount"] += f.die.randint(1, 999)
    e.data = canonical(said)
    return e.version


@_everywhere("a time")
def _(f: Forger, events: list[Event]) -> int:
    for e in events:
        e.at -= 1
    return 1


@_everywhere("who wrote it")
def _(f: Forger, events: list[Event]) -> int:
    e = events[f.event().version - 1]
    if e.by in ("worker", "circle"):
        raise Nothing
    at = e.at
    for one in events:  # all that was answered together
        if one.at == at:
            one.by = {"host.0": "scorer.0", "scorer.0": "host.0"}.get(one.by, one.by)
    return min(one.version for one in events if one.at == at)


@_everywhere("a name's commitment")
def _(f: Forger, events: list[Event]) -> int:
    said = json.loads(events[0].data)
    said["names"][0] = f.die.randbytes(32).hex()
    events[0].data = canonical(said)
    return 1


@_everywhere("the spelling")
def _(f: Forger, events: list[Event]) -> int:
    for e in events:
        e.data = json.dumps(json.loads(e.data), sort_keys=True)
    return 1


@_everywhere("an event left out")
def _(f: Forger, events: list[Event]) -> int:
    gone = f.event(after=1)
    if gone.version == len(events):
        raise Nothing
    del events[gone.version - 1]
    return gone.version
