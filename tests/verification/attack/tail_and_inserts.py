"""Attacks that cut off the end of a history or insert events."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.verification.attack.corruption import event_attack
from tests.verification.attack.forger import Event, Forger, NotApplicable, number_events
from tests.verification.attack.stored_events import canonical_json


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
    return deepcopy(forger.original_events[:left])


@event_attack("the tail cut")
def cut_tail(forger: Forger) -> None:
    forger.replace_events(_without_tail(forger))


@event_attack("the tail cut and the head moved back")
def cut_tail_and_move_head(forger: Forger) -> None:
    remaining = _without_tail(forger)
    forger.replace_events(remaining)
    forger.move_head(remaining)


@event_attack("the tail cut, and everything rewritten to fit")
def cut_tail_and_rewrite(forger: Forger) -> None:
    forger.rewrite(_without_tail(forger))


@event_attack("the tail cut and replaced by another one")
def replace_tail(forger: Forger) -> None:
    remaining, length = _without_tail(forger), len(forger.original_events)
    while len(remaining) < length + forger.die.randint(0, 3):
        remaining.append(_transfer(forger, remaining[-1]))
    forger.rewrite(remaining)


def _transfer(forger: Forger, after: Event) -> Event:
    """Return a transfer, which could have happened at any time."""
    players = json.loads(forger.original_events[0].data)["players"]
    payer, payee = forger.die.sample(players, 2)
    fields = {"amount": forger.die.randint(1, 999), "payee": payee, "payer": payer}
    return Event(0, "transfer_recorded", 1, after.at + 1, "host.0", canonical_json(fields), b"")


@event_attack("an event inserted, not hashed")
def insert_event(forger: Forger) -> None:
    place = forger.die.randint(1, len(forger.original_events))
    events = deepcopy(forger.original_events)
    new = deepcopy(forger.die.choice(events[:place]))
    events.insert(place, new)
    number_events(events)
    forger.replace_events(events)


@event_attack("an event inserted, and everything hashed again")
def insert_event_and_hash_again(forger: Forger) -> None:
    place = (
        forger.die.randint(1, len(forger.original_events) - 1)
        if len(forger.original_events) > 1
        else 0
    )
    if not place:
        raise NotApplicable
    forger.keep_receipt(place + 1)
    events = deepcopy(forger.original_events)
    new = _transfer(forger, events[place - 1])
    new.at -= 1
    events.insert(place, new)
    forger.rewrite(events, keep_replies=True)


@event_attack("an event appended and hashed, the head left")
def append_without_head(forger: Forger) -> None:
    events = [*deepcopy(forger.original_events), _transfer(forger, forger.original_events[-1])]
    forger.replace_events(forger.hash_again(events))


@event_attack("an event appended and hashed, the projections left")
def append_without_projections(forger: Forger) -> None:
    events = [*deepcopy(forger.original_events), _transfer(forger, forger.original_events[-1])]
    forger.replace_events(forger.hash_again(events))
    forger.move_head(events)


@event_attack("an event appended without a stored reply")
def append_without_reply(forger: Forger) -> None:
    forger.rewrite(
        [*deepcopy(forger.original_events), _transfer(forger, forger.original_events[-1])]
    )


@event_attack("an event appended as if by the worker")
def append_as_worker(forger: Forger) -> None:
    new = _transfer(forger, forger.original_events[-1])
    new.by = "worker"
    forger.rewrite([*deepcopy(forger.original_events), new])
