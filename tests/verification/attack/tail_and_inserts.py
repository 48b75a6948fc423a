"""Attacks that cut off the end of a history or insert events."""

from __future__ import annotations

from dataclasses import replace

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Event, Forger, NotApplicable, number_events

ATTACKS = Attacks()

REPLY_VERSIONS = """
SELECT DISTINCT version FROM vola.stored_replies
 WHERE session_id = %s AND version < %s ORDER BY version
"""


def _without_tail(forger: Forger) -> list[Event]:
    """Return the history up to a random stored reply, and keep a receipt of a later event."""
    (last_version,) = forger.pick_row(
        REPLY_VERSIONS, forger.session_id, len(forger.original_events)
    )
    forger.keep_receipt(last_version + 1)
    return forger.history()[:last_version]


@ATTACKS.register("the tail cut")
def cut_tail(forger: Forger) -> None:
    forger.replace_events(_without_tail(forger))


@ATTACKS.register("the tail cut and the head moved back")
def cut_tail_and_move_head(forger: Forger) -> None:
    forger.replace_events(_without_tail(forger), move_head=True)


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
    events = forger.history()
    place = forger.die.randint(1, len(events))
    events.insert(place, replace(forger.die.choice(events[:place])))
    number_events(events)
    forger.replace_events(events)


@ATTACKS.register("an event inserted, and everything hashed again")
def insert_event_and_hash_again(forger: Forger) -> None:
    events = forger.history()
    if len(events) < 2:
        raise NotApplicable
    place = forger.die.randint(1, len(events) - 1)
    forger.keep_receipt(place + 1)
    transfer = forger.make_transfer(events[place - 1])
    transfer.at -= 1
    events.insert(place, transfer)
    forger.rewrite(events, keep_replies=True)


def _with_transfer(forger: Forger) -> list[Event]:
    """Return the history with a transfer appended."""
    events = forger.history()
    return [*events, forger.make_transfer(events[-1])]


@ATTACKS.register("an event appended and hashed, the head left")
def append_without_head(forger: Forger) -> None:
    forger.replace_events(forger.hash_again(_with_transfer(forger)))


@ATTACKS.register("an event appended and hashed, the projections left")
def append_without_projections(forger: Forger) -> None:
    forger.replace_events(forger.hash_again(_with_transfer(forger)), move_head=True)


@ATTACKS.register("an event appended without a stored reply")
def append_without_reply(forger: Forger) -> None:
    forger.rewrite(_with_transfer(forger))


@ATTACKS.register("an event appended as if by the worker")
def append_as_worker(forger: Forger) -> None:
    events = _with_transfer(forger)
    events[-1].by = "worker"
    forger.rewrite(events)
