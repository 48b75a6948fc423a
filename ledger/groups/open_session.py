"""Open a group's next session, and carry forward what the latest one left open.

One transaction opens the session, records which player is which member, and records in the earlier
session where it was carried to. Knows neither HTTP nor tokens.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec

from engine.errors import WrongNumberOfPlayers
from engine.games.game import Game
from engine.values import Player
from ledger.events import hash_chain as chain
from ledger.events.event_types import LedgerEvent
from ledger.groups import groups as circles
from ledger.groups.attendance import enroll_players
from ledger.groups.groups import Group, Member, UnknownMember
from ledger.session import carry_forward as carrying
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, PlayerName, StoredReply
from ledger.store.connection_pool import Connection
from ledger.store.event_store import EventStore


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed before the first deal. `seated` is clockwise and includes the first dealer."""

    group_id: UUID
    game: Game[Any, Any]
    options: Any
    currency: str
    seated: Sequence[Member]
    first_dealer: Member
    title: str | None
    carry: bool  # carry forward what the latest session left open
    grant: circles.LinkGrant | None = None  # of the link that the request came with


def session_to_carry_forward(
    circle: Group, read: Callable[[UUID], SessionState]
) -> tuple[circles.GroupSession, SessionState] | None:
    """Return the latest session that left something open which is not carried forward yet."""
    for evening in reversed(circle.sessions):
        session = read(evening.session_id)
        if carrying.has_open_amounts(session) and not session.carried_to:
            return evening, session
    return None


def open_session(
    store: EventStore, gathering: NewSession, session_id: UUID, request: AppendRequest
) -> StoredReply:
    """Open the session, once per key.

    UnknownGroup, UnknownMember, KeyReused, WrongNumberOfPlayers (those who are owed or owing count
    too), and what `check_carry_forward` refuses with.
    """

    def work(db: Connection) -> Decision:
        circles.check_grant(gathering.grant, circles.lock_group(db, gathering.group_id))
        circle = circles.load_group(db, gathering.group_id)
        if gathering.carry and len(circle.sessions) != session_count:
            raise _SessionAdded
        unknown = [member for member in gathering.seated if circle.members.get(member) is None]
        if unknown:
            raise UnknownMember(unknown[0])
        return _decide(db, store, gathering, session_id, circle, earlier)

    while True:
        session_count, earlier = _find_session_to_carry(store, gathering)
        with suppress(_SessionAdded):
            return store.create(request, session_id, gathering.title, work)


class _SessionAdded(Exception):
    """Another session was added to the group after the session to carry forward was chosen."""


def _find_session_to_carry(
    store: EventStore, gathering: NewSession
) -> tuple[int, tuple[circles.GroupSession, SessionState] | None]:
    """Return how many sessions the group has, and which one to carry forward.

    Called before anything is locked: the holder of a lock must not wait for a connection that the
    requests waiting for that lock may hold.
    """
    if not gathering.carry:
        return 0, None
    with store.pool.connection() as db:
        circle = circles.load_group(db, gathering.group_id)
    return len(circle.sessions), session_to_carry_forward(circle, store.load)


def _decide(
    db: Connection,
    store: EventStore,
    gathering: NewSession,
    session_id: UUID,
    circle: Group,
    earlier: tuple[circles.GroupSession, SessionState] | None,
) -> Decision:
    def check(session: SessionState) -> None:
        carrying.check_carry_forward(session, gathering.game, gathering.currency)

    before, was = None, dict[Player, Member]()
    if earlier is not None:
        evening, session = earlier
        check(session)  # a session that is not closed is never locked here
        before = store.carry_forward(db, evening.session_id, session_id, check)
        was = enroll_players(db, circle, evening, carrying.players_with_open_amounts(before))
        circle = circles.load_group(db, circle.id)
    absent = (was[p] for p in (carrying.players_with_open_amounts(before) if before else ()))
    members = (*gathering.seated, *(m for m in absent if m not in gathering.seated))
    if len(members) > handling.MAX_PLAYERS:
        raise WrongNumberOfPlayers(
            count=len(members), least=gathering.game.player_counts[0], most=handling.MAX_PLAYERS
        )
    now: dict[Member, Player] = {m: f"p{place}" for place, m in enumerate(members, start=1)}
    names = tuple(_name(now[member], circle.members[member]) for member in members)
    circles.add_session(db, circle, session_id, {now[member]: member for member in members})
    return Decision(events=_events(gathering, now, names, before, was), names=names)


def _events(
    gathering: NewSession,
    now: dict[Member, Player],
    names: tuple[PlayerName, ...],
    before: SessionState | None,
    was: dict[Player, Member],
) -> tuple[LedgerEvent, ...]:
    """Return the opening with those seated, then joins for those with open amounts only."""
    committed = {name.player: _commitment(name) for name in names}
    seated = tuple(now[member] for member in gathering.seated)
    facts: list[LedgerEvent] = [
        handling.open_session(
            gathering.game,
            gathering.options,
            currency=gathering.currency,
            players=seated,
            names=tuple(committed[player] for player in seated),
            first_dealer=now[gathering.first_dealer],
        )
    ]
    for player in committed:
        if player not in seated:
            facts += handling.join_player(player, committed[player])
    if before is not None:
        facts.append(
            carrying.bring_forward(before, {p: now[m] for p, m in was.items() if m in now})
        )
    return tuple(facts)


def _name(player: Player, name: str | None) -> PlayerName:
    return PlayerName(player=player, name=name, salt=None if name is None else os.urandom(16))


def _commitment(name: PlayerName) -> str:
    """Return a commitment to the name; for an erased name, to a random salt that is not stored."""
    return chain.commit_to_name(os.urandom(16), "") if name.name is None else name.commitment
