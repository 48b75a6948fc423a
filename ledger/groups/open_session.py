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
from engine.game import Game
from engine.values import Player
from ledger import carrying, chain, circles, handling
from ledger.circles import Circle, Member, UnknownCircle, UnknownMember
from ledger.database import Connection
from ledger.entries import Entry
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Name, Reply, Request, Work

Render = Callable[[Session, dict[Player, str | None]], bytes]


class Gathering(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed before the first deal. `seated`: clockwise, the first dealer among them."""

    circle_id: UUID
    game: Game[Any, Any]
    options: Any
    currency: str
    seated: Sequence[Member]
    first_dealer: Member
    title: str | None
    carry: bool  # go on with what the latest evening left open
    right: circles.Right | None = None  # of whoever gathers them


def to_carry(
    circle: Circle, read: Callable[[UUID], Session]
) -> tuple[circles.Evening, Session] | None:
    """The latest evening that left something open with which no other has gone on."""
    for evening in reversed(circle.evenings):
        session = read(evening.session_id)
        if carrying.anything_open(session) and not session.carried_to:
            return evening, session
    return None


def gather(
    store: Store, gathering: Gathering, session_id: UUID, request: Request, render: Render
) -> Reply:
    """Open the evening, once for a key. `render` is told what its players are called.

    UnknownCircle, UnknownMember, KeyReused, WrongNumberOfPlayers (those who are owed or owing count
    too), and what `carrying.check` refuses with.
    """
    known, earlier = _known(store, gathering)

    def work(db: Connection) -> Work:
        circles.still(gathering.right, circles.lock(db, gathering.circle_id))
        circle = circles.read(db, gathering.circle_id)
        if circle is None:
            raise UnknownCircle
        if gathering.carry and len(circle.evenings) != known:
            raise _CameBetween
        unknown = [member for member in gathering.seated if circle.members.get(member) is None]
        if unknown:
            raise UnknownMember(unknown[0])
        done = _work(db, store, gathering, session_id, circle, earlier)
        names.update({name.player: name.name for name in done.names})
        return done

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
        except _CameBetween:
            known, earlier = _known(store, gathering)


class _CameBetween(Exception):
    """Another evening has come to the circle since it was looked for what to go on with."""


def _known(
    store: Store, gathering: Gathering
) -> tuple[int, tuple[circles.Evening, Session] | None]:
    """How many evenings there are, and with which to go on.

    Before anything is locked: who holds a lock must not wait for a connection that those who wait
    for him have.
    """
    if not gathering.carry:
        return 0, None
    with store.pool.connection() as db:
        circle = circles.read(db, gathering.circle_id)
    return (len(circle.evenings), to_carry(circle, store.read)) if circle else (0, None)


def _work(
    db: Connection,
    store: Store,
    gathering: Gathering,
    session_id: UUID,
    circle: Circle,
    earlier: tuple[circles.Evening, Session] | None,
) -> Work:
    def check(session: Session) -> None:
        carrying.check(session, gathering.game, gathering.currency)

    before, was = None, dict[Player, Member]()
    if earlier is not None:
        evening, session = earlier
        check(session)  # an evening that is not over is never locked here
        before = store.carry_forward(db, evening.session_id, session_id, check)
        was = circles.enrol(db, circle, evening, carrying.concerned(before))
        circle = circles.read(db, circle.id) or circle
    absent = (was[p] for p in (carrying.concerned(before) if before else ()))
    everybody = (*gathering.seated, *(m for m in absent if m not in gathering.seated))
    if len(everybody) > handling.MOST_PLAYERS:
        raise WrongNumberOfPlayers(
            count=len(everybody), least=gathering.game.seats[0], most=handling.MOST_PLAYERS
        )
    now: dict[Member, Player] = {m: f"p{place}" for place, m in enumerate(everybody, start=1)}
    names = tuple(_name(now[member], circle.members[member]) for member in everybody)
    circles.attend(db, circle, session_id, {now[member]: member for member in everybody})
    return Work(events=_events(gathering, now, names, before, was), names=names)


def _events(
    gathering: Gathering,
    now: dict[Member, Player],
    names: tuple[Name, ...],
    before: Session | None,
    was: dict[Player, Member],
) -> tuple[Entry, ...]:
    """The evening is opened by those who sit; who is only owed or owing comes after them."""
    committed = {name.player: _commitment(name) for name in names}
    seated = tuple(now[member] for member in gathering.seated)
    facts: list[Entry] = [
        handling.opening(
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
            facts += handling.joined(player, committed[player])
    if before is not None:
        facts.append(carrying.brought(before, {p: now[m] for p, m in was.items() if m in now}))
    return tuple(facts)


def _name(player: Player, name: str | None) -> Name:
    return Name(player=player, name=name, salt=None if name is None else os.urandom(16))


def _commitment(name: Name) -> str:
    """To his name; of an erased one nothing is left to commit to."""
    return chain.commitment(os.urandom(16), "") if name.name is None else name.commitment
