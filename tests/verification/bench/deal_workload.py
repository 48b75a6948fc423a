"""The workload of the bench: evenings of four players, whose pot and bets come and go.

Every other deal is recorded trick by trick, the others by their result, so that a deal has seven to
ten events, as in real evenings.
"""

from __future__ import annotations

import gc
from functools import cache
from uuid import UUID

from engine import commands
from engine.events import DealOpened
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import RecordedEvent
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, PlayerName
from ledger.store.event_store import EventStore
from ledger.store.session_ids import new_session_id
from tests.support.ledger.memory_store import Book
from tests.support.player_names import FOUR_NAMES


def deal_actions(number: int) -> tuple[commands.Command, ...]:
    """Return the actions of deal `number`; the first deal is 0."""
    declarer, winner, loser = (f"p{1 + n % 4}" for n in (number, number // 2, number // 2 + 1))
    opening = commands.OpenDeal(), commands.Declare(players=(declarer,))
    if number % 2:
        return *opening, commands.Result(winner=winner)
    return *opening, *(
        commands.Trick(winner=trick_winner)
        for trick_winner in (winner, loser, winner, loser, winner)
    )


@cache
def play_deals(deals: int) -> Book:
    """Return an evening of `deals` deals, in memory."""
    book = Book(4)
    for number in range(deals):
        book.act(*deal_actions(number))
    return book


@cache
def deal_events(deals: int) -> tuple[LedgerEvent, ...]:
    return tuple(recorded.event for recorded in play_deals(deals).history)


@cache
def events_by_deal(deals: int) -> tuple[tuple[RecordedEvent, ...], ...]:
    """Return the events of each deal of `play_deals(deals)`."""
    events: list[list[RecordedEvent]] = []
    for recorded in play_deals(deals).history[1:]:
        if isinstance(recorded.event, DealOpened):
            events.append([])
        events[-1].append(recorded)
    return tuple(map(tuple, events))


def append_request(key: str) -> AppendRequest:
    return AppendRequest(
        key=key, digest=b"asked", by="host.0", access_version=0, expected_version="any"
    )


def open_session(store: EventStore) -> UUID:
    """Open an evening in the store with the event that opens `play_deals`. Return its id."""
    session_id = new_session_id()
    names = tuple(
        PlayerName(player=f"p{place}", name=name, salt=bytes(16))
        for place, name in enumerate(FOUR_NAMES, 1)
    )
    work = Decision(events=deal_events(0), names=names)
    store.create(append_request(f"{session_id} 0"), session_id, None, work)
    return session_id


def append(store: EventStore, session_id: UUID, key: str, events: tuple[LedgerEvent, ...]) -> None:
    """Append events that were decided before."""
    store.append(session_id, append_request(key), lambda _: Decision(events=events))


def play_deal(store: EventStore, session_id: UUID, number: int) -> None:
    """Play a whole deal, decided on the current state of the evening."""

    def decide(session: SessionState) -> Decision:
        return Decision(events=command_handlers.record_actions(session, deal_actions(number)))

    store.append(session_id, append_request(f"deal {number}"), decide)


def clear_caches() -> None:
    """Free what one row has cached, so that the next row's garbage collections do not scan it."""
    for cached in (play_deals, deal_events, events_by_deal):
        cached.cache_clear()
    gc.collect()
