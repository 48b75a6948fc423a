"""A circle's next evening: its members take their seats, and what was left open lies there again.

One transaction opens the evening, writes down who is who, and says in the earlier evening where it
went on. Does not know shapes or tokens.
"""

import os
from collections.abc import Callable, Sequence
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
from ledger.groups.groups import Group, Member, UnknownGroup, UnknownMember
from ledger.session import carry_forward as carrying
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, PlayerName, StoredReply
from ledger.store.connection_pool import Connection
from ledger.store.event_store import EventStore

Render = Callable[[SessionState, dict[Player, str | None]], bytes]


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed before the first deal. `seated`: clockwise, the first dealer among them."""

    group_id: UUID
    game: Game[Any, Any]
    options: Any
    currency: str
    seated: Sequence[Member]
    first_dealer: Member
    title: str | None
    carry: bool  # go on with what the latest evening left open
    grant: circles.LinkGrant | None = None  # of whoever gathers them


def session_to_carry_forward(
    circle: Group, read: Callable[[UUID], SessionState]
) -> tuple[circles.GroupSession, SessionState] | None:
    """The latest evening that left something open with which no other has gone on."""
    for evening in reversed(circle.sessions):
        session = read(evening.session_id)
        if carrying.has_open_amounts(session) and not session.carried_to:
            return evening, session
    return None


def open_session(
    store: EventStore,
    gathering: NewSession,
    session_id: UUID,
    request: AppendRequest,
    render: Render,
) -> StoredReply:
    """Open the evening, once for a key. `render` is told what its players are called.

    UnknownGroup, UnknownMember, KeyReused, WrongNumberOfPlayers (those who are owed or owing count
    too), and what `carrying.check` refuses with.
    """
    session_count, earlier = _find_session_to_carry(store, gathering)

    def work(db: Connection) -> Decision:
        circles.check_grant(gathering.grant, circles.lock_group(db, gathering.group_id))
        circle = circles.load_group(db, gathering.group_id)
        if circle is None:
            raise UnknownGroup
        if gathering.carry and len(circle.sessions) != session_count:
            raise _SessionAdded
        unknown = [member for member in gathering.seated if circle.members.get(member) is None]
        if unknown:
            raise UnknownMember(unknown[0])
        decision = _decide(db, store, gathering, session_id, circle, earlier)
        names.update({name.player: name.name for name in decision.names})
        return decision

    names = dict[Player, str | None]()
    while True:
        try:
            return store.create(
                request,
                session_id,
                gathering.title,
                work,
                lambda session, _: render(session, names),
            )
        except _SessionAdded:
            session_count, earlier = _find_session_to_carry(store, gathering)


class _SessionAdded(Exception):
    """Another evening has come to the circle since it was looked for what to go on with."""


def _find_session_to_carry(
    store: EventStore, gathering: NewSession
) -> tuple[int, tuple[circles.GroupSession, SessionState] | None]:
    """How many evenings there are, and with which to go on.

    Before anything is locked: who holds a lock must not wait for a connection that those who wait
    for him have.
    """
    if not gathering.carry:
        return 0, None
    with store.pool.connection() as db:
        circle = circles.load_group(db, gathering.group_id)
    return (
        (len(circle.sessions), session_to_carry_forward(circle, store.load))
        if circle
        else (0, None)
    )


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
        check(session)  # an evening that is not over is never locked here
        before = store.carry_forward(db, evening.session_id, session_id, check)
        was = enroll_players(db, circle, evening, carrying.players_with_open_amounts(before))
        circle = circles.load_group(db, circle.id) or circle
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
    """The evening is opened by those who sit; who is only owed or owing comes after them."""
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
    """To his name; of an erased one nothing is left to commit to."""
    return chain.commit_to_name(os.urandom(16), "") if name.name is None else name.commitment
