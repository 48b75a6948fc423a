"""One evening as its stream tells it: folded from the first event, never edited.

Immutable, so that a folded state can be kept and shared, and checked by its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never, cast
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import correcting
from engine import evening as evenings
from engine.bets import Bets
from engine.evening import Evening
from engine.events import DEEDS, BroughtForward, DealCorrected, Event
from engine.game import Game
from engine.games import GAMES
from engine.points import Sheet
from engine.values import Amount, Player
from ledger import chain
from ledger.entries import (
    CarriedForward,
    Entry,
    PaymentSettled,
    PlayerJoined,
    SessionOpened,
    TransferRecorded,
)
from ledger.envelope import Recorded
from ledger.garbage import let_lie
from ledger.postings import STILL, postings
from ledger.projections import balances, bets, deals, journal, payments, pot, scores
from ledger.projections.journal import Line


class Session(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What is true at one version."""

    id: UUID
    version: int = 0
    begun: int = 0  # microseconds, UTC
    acted: int = 0  # the last version that makes an older If-Match stale: not a settled payment
    hash: bytes = chain.FIRST
    at: int = 0
    opened: SessionOpened | None = None
    brought: BroughtForward | None = None  # from an earlier evening
    carried_to: str | None = None  # the evening that goes on where this one ended
    paid: balances.Balances = balances.NONE  # by transfers: what each has paid, less what he got
    options: Any = None
    evening: Evening[Any] | None = None
    pot: Amount = pot.EMPTY
    bets: Bets = bets.NONE
    balances: balances.Balances = balances.NONE
    payments: payments.Payments = payments.NONE
    sheet: Sheet | None = scores.NONE
    drawn: Amount = scores.UNDRAWN
    deals: deals.Deals | None = deals.NONE
    standing: journal.Standing | None = journal.NONE

    @property
    def opening(self) -> SessionOpened:
        assert self.opened is not None, "the first event opens the session"
        return self.opened

    @property
    def game(self) -> Game[Any, Any]:
        return GAMES[self.opening.game]

    @property
    def rules(self) -> Mapping[str, str]:
        """The paragraph behind each reason, by what was agreed."""
        return self.game.rules(self.options)

    @property
    def table(self) -> Evening[Any]:
        assert self.evening is not None, "the first event opens the session"
        return self.evening

    @property
    def status(self) -> str:
        return "closed" if self.table.closed else "open"

    def funds(self, player: Player) -> Amount:
        """A balance with every payment that is still due counted as paid."""
        due = payments.outstanding(self.payments)
        owed = sum(p.amount * ((p.payee == player) - (p.payer == player)) for p in due)
        return self.balances[player] + owed

    @property
    def for_money(self) -> bool:
        """Whether money changes hands; in a game for points only with a `point_value`."""
        return self.game.scoring is None or getattr(self.options, "point_value", None) is not None

    @property
    def conserved(self) -> bool:
        """Players, pot and paid bets always add up to nothing; so do scores and the sheet."""
        money = sum(self.balances.values()) + self.pot
        if self.bets:
            money += sum([bet.amount for bet in self.bets if bet.paid])
        points = sum(self.sheet.scores.values()) if self.sheet else 0
        return money == points + self.drawn == 0


QUIET = (DEEDS & STILL) - bets.TOLD - payments.TOLD - scores.TOLD - deals.UNTOLD
"""What only the table and the deal hear of: three events of five."""

Noted = SessionOpened | TransferRecorded | CarriedForward | BroughtForward
"""What is kept as it was said."""


def apply(session: Session, recorded: Recorded) -> tuple[Session, list[Line]]:
    """The session after one more event, and the journal lines to write."""
    return applied(session, (recorded,))


def applied(
    session: Session, history: Iterable[Recorded], *, played: bool = True
) -> tuple[Session, list[Line]]:
    """The session after more events, and the journal lines to write.

    Not `played`: where the table is of no interest, for it never decides what is booked.
    """
    lines, quiet = list[Line](), list[Recorded]()
    for recorded in history:
        if type(recorded.event) in QUIET:
            quiet.append(recorded)
            continue
        if quiet:
            session, quiet = _quietly(session, quiet, played), []
        evening = _played(session, recorded.event) if played else None
        session, more = _booked(session, recorded, evening)
        lines += more
    return _quietly(session, quiet, played) if quiet else session, lines


def _quietly(session: Session, told: Sequence[Recorded], played: bool) -> Session:
    """Nothing is booked meanwhile, so what comes of it is all that anybody asks for."""
    evening, game = session.evening, session.game if played else None
    for version, recorded in enumerate(told, session.version + 1):
        assert recorded.version == version, "a stream has no holes"
        if game:
            assert evening is not None, "the first event opens the session"
            evening = evenings.evolve(game, evening, cast(Event, recorded.event))
    last = told[-1]
    session = replace(
        session,
        version=last.version,
        acted=last.version,
        hash=last.hash,
        at=last.at,
        evening=evening,
        deals=deals.gone_on(session.deals, told),
    )
    assert session.conserved, f"version {last.version} does not add up"
    return session


def _played(session: Session, event: Entry) -> Evening[Any]:
    """The table after this event."""
    match event:
        case SessionOpened(game=key, players=players, first_dealer=dealer):
            return evenings.begin(GAMES[key], _agreed(event), players, dealer)
        case PlayerJoined(player=player):
            return evenings.joined(session.table, player)
        case PaymentSettled() | TransferRecorded() | CarriedForward():
            return session.table
        case DealCorrected():
            return correcting.corrected(session.game, session.table, event)
        case _:
            return evenings.evolve(session.game, session.table, event)


def _booked(
    session: Session, recorded: Recorded, evening: Evening[Any] | None
) -> tuple[Session, list[Line]]:
    """After this event, and what it moves."""
    event, version = recorded.event, recorded.version
    assert version == session.version + 1, "a stream has no holes"
    if isinstance(event, Noted):
        session = _noted(session, recorded, event)
    moved = postings(event)
    standing, lines = journal.apply(session.standing, recorded, moved)
    told = deals.apply(session.deals, recorded)
    if isinstance(event, DealCorrected):
        down = bets.told(session.brought, told)
    else:
        down = bets.apply(session.bets, recorded)
    session = replace(
        session,
        version=version,
        acted=session.acted if isinstance(event, PaymentSettled) else version,
        hash=recorded.hash,
        at=recorded.at,
        evening=evening,
        pot=pot.apply(session.pot, moved),
        bets=down,
        balances=balances.apply(session.balances, recorded, moved),
        payments=payments.apply(session.payments, recorded),
        sheet=scores.apply(session.sheet, recorded),
        drawn=scores.draw(session.drawn, moved),
        deals=told,
        standing=standing,
    )
    assert session.conserved, f"version {version} does not add up"
    return session, lines


def _noted(session: Session, recorded: Recorded, event: Noted) -> Session:
    match event:
        case SessionOpened(game=key, players=players):
            game, options = GAMES[key], _agreed(event)
            sheet = game.scoring.begin(options, players) if game.scoring else None
            assert event.start == (sheet.scores if sheet else {}), "it begins as the game says"
            return replace(session, begun=recorded.at, opened=event, options=options, sheet=sheet)
        case TransferRecorded():
            return replace(session, paid=balances.paid(session.paid, event))
        case CarriedForward(to=other):
            return replace(session, carried_to=other)
        case BroughtForward():
            return replace(session, brought=event)
    assert_never(event)


def _agreed(opened: SessionOpened) -> Any:
    return msgspec.convert(opened.options, GAMES[opened.game].options)


def fold(session: Session, history: Iterable[Recorded]) -> Session:
    with let_lie():
        return applied(session, history)[0]
