"""Attacks that cut off the end of a history or insert events."""

from __future__ import annotations

from copy import deepcopy

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import (
    Event,
    Forger,
    NotApplicable,
    number_events,
)

ATTACKS = Attacks()


def _without_tail(forger: Forger) -> list[Event]:
    """Return the history without its last events, and keep a receipt of one of these."""
    ends = sorted(
        {
            v
            for (v,) in forger.db.execute(
                "SELECT version FROM vola.stored_replies WHERE session_id = %s",
                (forger.session_id,),
            ).fetchall()
        }
    )
    ends = [end for end in ends if end < len(forger.original_events)]
    if not ends:
        raise NotApplicable
    left = forger.die.choice(ends)
    forger.keep_receipt(left + 1)
    return forger.history()[:left]


@ATTACKS.register("the tail cut")
def cut_tail(forger: Forger) -> None:
    forger.replace_events(_without_tail(forger))


@ATTACKS.register("the tail cut and the head moved back")
def cut_tail_and_move_head(forger: Forger) -> None:
    remaining = _without_tail(forger)
    forger.replace_events(remaining)
    forger.move_head(remaining)


@ATTACKS.register("the tail cut, and everything rewritten to fit")
def cut_tail_and_rewrite(forger: Forger) -> None:
    forger.rewrite(_without_tail(forger))


@ATTACKS.register("the tail cut and replaced by another one")
def replace_tail(forger: Forger) -> None:
    remaining, length = _without_tail(forger), len(forger.original_events)
    while len(remaining) < length + forger.die.randint(0, 3):
        remaining.append(forger.make_transfer(remaining[-1]))
    forger.rewrite(remaining)


@ATTACKS.register("an event inserted, not hashed")
def insert_event(forger: Forger) -> None:
    place = forger.die.randint(1, len(forger.original_events))
    events = forger.history()
    new = deepcopy(forger.die.choice(events[:place]))
    events.insert(place, new)
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("an event inserted, and everything hashed again")
def insert_event_and_hash_again(forger: Forger) -> None:
    place = (
        forger.die.randint(1, len(forger.original_events) - 1)
        if len(forger.original_events) > 1
        else 0
    )
    if not place:
        raise NotApplicable
    forger.keep_receipt(place + 1)
    events = forger.history()
    new = forger.make_transfer(events[place - 1])
    new.at -= 1
    events.insert(place, new)
    forger.rewrite(events, keep_replies=True)


@ATTACKS.register("an event appended and hashed, the head left")
def append_without_head(forger: Forger) -> None:
    events = [*forger.history(), forger.make_transfer(forger.original_events[-1])]
    forger.replace_events(forger.hash_again(events))


@ATTACKS.register("an event appended and hashed, the projections left")
def append_without_projections(forger: Forger) -> None:
    events = [*forger.history(), forger.make_transfer(forger.original_events[-1])]
    forger.replace_events(forger.hash_again(events))
    forger.move_head(events)


@ATTACKS.register("an event appended without a stored reply")
def append_without_reply(forger: Forger) -> None:
    forger.rewrite([*forger.history(), forger.make_transfer(forger.original_events[-1])])


@ATTACKS.register("an event appended as if by the worker")
def append_as_worker(forger: Forger) -> None:
    new = forger.make_transfer(forger.original_events[-1])
    new.by = "worker"
    forger.rewrite([*forger.history(), new])
