"""Open a group's next session, and carry forward what the latest one left open.

One transaction opens the session, records which player is which member, and records in the earlier
session where it was carried to. Knows neither HTTP nor tokens.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec

from engine.games.game import Game
from engine.values import Player
from ledger.events.event_types import CarriedForward, LedgerEvent, Member, PlayerJoined
from ledger.groups import groups
from ledger.groups.attendance import check_present, enroll_players
from ledger.groups.current_sessions import SessionsChanged
from ledger.groups.groups import Group, UnknownMember
from ledger.groups.open_balances import PlayedSession, load_played_sessions
from ledger.session import carry_forward, command_handlers
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
    grant: groups.LinkGrant | None = None  # of the link that the request came with

    def check_carry_forward(self, earlier: SessionState) -> None:
        carry_forward.check_carry_forward(earlier, self.game, self.currency)


def session_to_carry_forward(
    group: Group, read: Callable[[UUID], SessionState]
) -> PlayedSession | None:
    """Return the latest session that left something open which is not carried forward yet."""
    for group_session, session in reversed(load_played_sessions(group, read)):
        if carry_forward.has_open_amounts(session) and not session.carried_to:
            return group_session, session
    return None


def open_session(
    store: EventStore, new_session: NewSession, session_id: UUID, request: AppendRequest
) -> StoredReply:
    """Open the session, once per key. Raise UnknownGroup, UnknownMember, MemberHasLeft, KeyReused,
    WrongNumberOfPlayers (those who owe or are owed count too), and what `check_carry_forward`
    refuses with."""

    def decide(db: Connection) -> Decision:
        groups.lock_group(db, new_session.group_id, new_session.grant)
        group = groups.load_group(db, new_session.group_id)
        if new_session.carry and len(group.sessions) != session_count:
            raise SessionsChanged
        unknown = [member for member in new_session.seated if group.members.get(member) is None]
        if unknown:
            raise UnknownMember(unknown[0])
        check_present(group, new_session.seated)
        return _decide(db, store, new_session, session_id, group, earlier)

    while True:
        session_count, earlier = _find_session_to_carry(store, new_session)
        with suppress(SessionsChanged):
            return store.create(request, session_id, new_session.title, decide)


def _find_session_to_carry(
    store: EventStore, new_session: NewSession
) -> tuple[int, PlayedSession | None]:
    """Return how many sessions the group has, and which one to carry forward. Called before
    anything is locked: the holder of a lock must not wait for a connection that the requests
    waiting for that lock may hold."""
    if not new_session.carry:
        return 0, None
    with store.pool.connection() as db:
        group = groups.load_group(db, new_session.group_id)
    return len(group.sessions), session_to_carry_forward(group, store.load)


def _decide(
    db: Connection,
    store: EventStore,
    new_session: NewSession,
    session_id: UUID,
    group: Group,
    earlier: PlayedSession | None,
) -> Decision:
    carried_session = None
    members_by_player: dict[Player, Member] = {}
    members_carried: list[Member] = []
    if earlier is not None:
        group_session, session = earlier
        new_session.check_carry_forward(session)  # so that no open session is locked
        carried_session = _carry_forward(
            db, store, group_session.session_id, session_id, new_session
        )
        players_carried = carry_forward.players_with_open_amounts(carried_session)
        members_by_player = enroll_players(db, group, group_session, players_carried)
        members_carried = [members_by_player[player] for player in players_carried]
        group = groups.load_group(db, group.id)
    absent = (member for member in members_carried if member not in new_session.seated)
    members = (*new_session.seated, *absent)
    command_handlers.check_most_players(new_session.game, len(members))
    players = {member: f"p{place}" for place, member in enumerate(members, start=1)}
    names = tuple(PlayerName.new(p, group.members[member]) for member, p in players.items())
    groups.add_session(db, group, session_id, {p: member for member, p in players.items()})
    events = _opening_events(new_session, players, names)
    if carried_session is not None:
        new_players = {p: players[m] for p, m in members_by_player.items() if m in players}
        events.append(carry_forward.bring_forward(carried_session, new_players))
    return Decision(events=events, names=names)


def _carry_forward(
    db: Connection, store: EventStore, session_id: UUID, next_id: UUID, new_session: NewSession
) -> SessionState:
    """Record which session takes over what this one left open, and return this one after it."""

    def decide(session: SessionState) -> Decision:
        new_session.check_carry_forward(session)
        return Decision(events=(CarriedForward(to=str(next_id)),))

    # "circle" is the group: events are stored under the name that it had before version 1.0
    request = AppendRequest(key=f"carried forward to {next_id}", digest=next_id.bytes, by="circle")
    return store.append_in_transaction(db, session_id, request, decide)


def _opening_events(
    new_session: NewSession, players: dict[Member, Player], names: tuple[PlayerName, ...]
) -> list[LedgerEvent]:
    """Return the opening with those seated, then joins for those with open amounts only."""
    commitments = {name.player: _commitment(name) for name in names}
    seated = tuple(players[member] for member in new_session.seated)
    opening = command_handlers.open_session(
        new_session.game,
        new_session.options,
        currency=new_session.currency,
        players=seated,
        names=tuple(commitments[player] for player in seated),
        first_dealer=players[new_session.first_dealer],
    )
    joining = (player for player in commitments if player not in seated)
    return [opening, *(PlayerJoined(player=p, name=commitments[p]) for p in joining)]


def _commitment(name: PlayerName) -> str:
    """Return a commitment to the name; for an erased name, to a random salt that is not stored."""
    salted_name = PlayerName.new(name.player, "") if name.name is None else name
    return salted_name.commitment
