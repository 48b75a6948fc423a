"""Attacks that cut off the end of a history or insert events."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.verification.attack.corruption import event_attack
from tests.verification.attack.forger import Event, Forger, NotApplicable
from tests.verification.attack.stored_events import canonical_json


def _without_tail(f: Forger) -> list[Event]:
    """Return the history without its last events, and keep a receipt of one of these."""
    ends = sorted({v for (v,) in f.db.execute(
        "SELECT version FROM vola.stored_replies WHERE session_id = %s",
        (f.id,)).fetchall()})  # fmt: skip
    ends = [end for end in ends if end < len(f.before)]
    if not ends:
        raise NotApplicable
    left = f.die.choice(ends)
    f.keep_receipt(left + 1)
    return deepcopy(f.before[:left])


@event_attack("the tail cut")
def cut_tail(f: Forger) -> None:
    f.replace(_without_tail(f))


@event_attack("the tail cut and the head moved back")
def cut_tail_and_move_head(f: Forger) -> None:
    remaining = _without_tail(f)
    f.replace(remaining)
    f.move_head(remaining)


@event_attack("the tail cut, and everything rewritten to fit")
def cut_tail_and_rewrite(f: Forger) -> None:
    f.rewrite(_without_tail(f))


@event_attack("the tail cut and replaced by another one")
def replace_tail(f: Forger) -> None:
    remaining, length = _without_tail(f), len(f.before)
    while len(remaining) < length + f.die.randint(0, 3):
        remaining.append(_transfer(f, remaining[-1]))
    f.rewrite(remaining)


def _transfer(f: Forger, after: Event) -> Event:
    """Return a transfer, which could have happened at any time."""
    players = json.loads(f.before[0].data)["players"]
    payer, payee = f.die.sample(players, 2)
    fields = {"amount": f.die.randint(1, 999), "payee": payee, "payer": payer}
    return Event(0, "transfer_recorded", 1, after.at + 1, "host.0", canonical_json(fields), b"")


@event_attack("an event inserted, not hashed")
def insert_event(f: Forger) -> None:
    place = f.die.randint(1, len(f.before))
    events = deepcopy(f.before)
    new = deepcopy(f.die.choice(events[:place]))
    events.insert(place, new)
    for number, e in enumerate(events, start=1):
        e.version = number
    f.replace(events)


@event_attack("an event inserted, and everything hashed again")
def insert_event_and_hash_again(f: Forger) -> None:
    place = f.die.randint(1, len(f.before) - 1) if len(f.before) > 1 else 0
    if not place:
        raise NotApplicable
    f.keep_receipt(place + 1)
    events = deepcopy(f.before)
    new = _transfer(f, events[place - 1])
    new.at -= 1
    events.insert(place, new)
    f.rewrite(events, answers=False)


@event_attack("an event appended and hashed, the head left")
def append_without_head(f: Forger) -> None:
    events = [*deepcopy(f.before), _transfer(f, f.before[-1])]
    f.replace(f.hash_again(events))


@event_attack("an event appended and hashed, the projections left")
def append_without_projections(f: Forger) -> None:
    events = [*deepcopy(f.before), _transfer(f, f.before[-1])]
    f.replace(f.hash_again(events))
    f.move_head(events)


@event_attack("an event appended without a stored reply")
def append_without_reply(f: Forger) -> None:
    f.rewrite([*deepcopy(f.before), _transfer(f, f.before[-1])])


@event_attack("an event appended as if by the worker")
def append_as_worker(f: Forger) -> None:
    new = _transfer(f, f.before[-1])
    new.by = "worker"
    f.rewrite([*deepcopy(f.before), new])
