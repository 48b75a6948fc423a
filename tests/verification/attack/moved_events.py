"""Attacks that delete or swap stored events, or take them from another session."""

from __future__ import annotations

from uuid import uuid4

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import (
    DELETE_EVENTS,
    Event,
    Forger,
    NotApplicable,
    number_events,
)

ATTACKS = Attacks()

DELETE_EVENT = "DELETE FROM vola.events WHERE session_id = %s AND version = %s"
MOVE_EVENT = "UPDATE vola.events SET session_id = %s WHERE session_id = %s AND version = %s"
COPY_EVENTS = """
INSERT INTO vola.events SELECT %s, version, type, schema, at, "by", data, hash
  FROM vola.events WHERE session_id = %s
"""
COPY_HEAD = """
UPDATE vola.heads h
   SET version = o.version, conflict_version = o.conflict_version, at = o.at, hash = o.hash
  FROM vola.heads o WHERE h.session_id = %s AND o.session_id = %s
"""


@ATTACKS.register("an event in the middle deleted")
def delete_middle_event(forger: Forger) -> None:
    event = forger.pick_event()
    if event.version == len(forger.original_events):
        raise NotApplicable
    forger.execute(DELETE_EVENT, forger.session_id, event.version)


@ATTACKS.register("the first event deleted")
def delete_first_event(forger: Forger) -> None:
    forger.execute(DELETE_EVENT, forger.session_id, 1)


@ATTACKS.register("an event deleted and the later ones moved up")
def delete_and_renumber(forger: Forger) -> None:
    removed = forger.pick_event(after=1).version
    events = [event for event in forger.history() if event.version != removed]
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("all events deleted")
def delete_all_events(forger: Forger) -> None:
    forger.execute(DELETE_EVENTS, forger.session_id)


def _swap_two_events(forger: Forger) -> tuple[list[Event], int]:
    """Return the history with two different events swapped, and the version of the first.

    The opening stays first. Raise NotApplicable if the two events are equal."""
    events = forger.history()
    if len(events) < 3:
        raise NotApplicable
    first, second = sorted(forger.die.sample(range(1, len(events)), 2))
    if events[first].data == events[second].data and events[first].type == events[second].type:
        raise NotApplicable
    events[first], events[second] = events[second], events[first]
    return events, first + 1


@ATTACKS.register("two events swapped")
def swap_events(forger: Forger) -> None:
    events, _ = _swap_two_events(forger)
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("two events swapped, and everything hashed again")
def swap_events_and_hash_again(forger: Forger) -> None:
    events, first_version = _swap_two_events(forger)
    times = sorted(event.at for event in events)
    for event, at in zip(events, times, strict=True):
        event.at = at
    forger.keep_receipt(first_version)
    forger.rewrite(events)


@ATTACKS.register("an event of another evening put in its place")
def take_event_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    version = forger.pick_event().version
    forger.execute(DELETE_EVENT, forger.session_id, version)
    forger.execute(COPY_EVENTS + " AND version = %s", forger.session_id, other_id, version)


@ATTACKS.register("the whole history of another evening put in its place")
def take_history_of_another_session(forger: Forger) -> None:
    other_id = forger.die.choice(forger.other_ids)
    forger.execute(DELETE_EVENTS, forger.session_id)
    forger.execute(COPY_EVENTS, forger.session_id, other_id)
    forger.execute(COPY_HEAD, forger.session_id, other_id)


@ATTACKS.register("an event given to an evening that nobody knows")
def move_event_to_unknown_session(forger: Forger) -> None:
    version = forger.pick_event().version
    forger.execute(MOVE_EVENT, uuid4(), forger.session_id, version)
