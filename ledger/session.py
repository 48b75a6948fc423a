"""One evening as its stream tells it: folded from the first event, never edited.

Immutable, so that a folded state can be kept and shared, and checked by its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never, get_args
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import correcting
from engine import evening as evenings
from engine.bets import Bets
from engine.evening import Evening
from engine.events import (
    DEEDS,
    OF_A_DEAL,
    BroughtForward,
    DealClosed,
    DealCorrected,
    DealOpened,
    are_of_a_deal,
)
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
from ledger.envelope import Recorded, Unreadable
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
        return conserved(self.balances, self.pot, self.bets, self.sheet, self.drawn)


def conserved(
    held: balances.Balances, lying: Amount, down: Bets, sheet: Sheet | None, drawn: Amount
) -> bool:
    """Players, pot and paid bets always add up to nothing; so do scores and the sheet."""
    money = sum(held.values()) + lying
    for bet in down:
        if bet.paid:
            money += bet.amount
    points = sum(sheet.scores.values()) if sheet else 0
    return money == points + drawn == 0


QUIET = (DEEDS & STILL) - bets.TOLD - payments.TOLD - scores.TOLD
"""What only the table and the deal hear of: three events of five."""

Noted = SessionOpened | TransferRecorded | CarriedForward | BroughtForward
"""What is kept as it was said."""
NOTED: frozenset[type] = frozenset(get_args(Noted))


def apply(session: Session, recorded: Recorded) -> tuple[Session, list[Line]]:
    """The session after one more event, and the journal lines to write."""
    return applied(session, (recorded,))


def applied(
    session: Session, history: Iterable[Recorded], *, played: bool = True
) -> tuple[Session, list[Line]]:
    """The session after more events, and the journal lines to write.

    Not `played`: where the table is of no interest, for it never decides what is booked.
    """
    lines = list[Line]()
    for told in _pieces(history):
        event = told[0].event
        if isinstance(event, Noted):
            session = _noted(session, told[0], event)
        evening = _played(session, told) if played else None
        session, more = _booked(session, told, evening)
        lines += more
    return session, lines


def _pieces(history: Iterable[Recorded]) -> Iterator[Sequence[Recorded]]:
    """The same in pieces: facts of one deal that follow each other are one, and anything else is
    by itself."""
    piece = list[Recorded]()
    for recorded in history:
        kind = type(recorded.event)
        if piece and (kind is DealOpened or kind not in OF_A_DEAL):
            yield piece
            piece = []
        piece.append(recorded)
        if kind is DealClosed or kind not in OF_A_DEAL:
            yield piece
            piece = []
    if piece:
        yield piece


def _played(session: Session, told: Sequence[Recorded]) -> Evening[Any]:
    """The table after these events."""
    facts = [recorded.event for recorded in told]
    if are_of_a_deal(facts):
        return evenings.after(session.game, session.table, facts)
    return _after(session, session.evening, facts[0])


def _after(session: Session, evening: Evening[Any] | None, event: Entry) -> Evening[Any]:
    if isinstance(event, SessionOpened):
        return evenings.begin(GAMES[event.game], _agreed(event), event.players, event.first_dealer)
    assert evening is not None, "the first event opens the session"
    match event:
        case PlayerJoined(player=player):
            return evenings.joined(evening, player)
        case PaymentSettled() | TransferRecorded() | CarriedForward():
            return evening
        case DealCorrected():
            return correcting.corrected(session.game, evening, event)
        case _:
            return evenings.evolve(session.game, evening, event)


def _booked(
    session: Session, told: Sequence[Recorded], evening: Evening[Any] | None
) -> tuple[Session, list[Line]]:
    """After these events, and what they move. Every version is added up, and the last one kept."""
    lines, acted, standing = list[Line](), session.acted, session.standing
    lying, down, held = session.pot, session.bets, session.balances
    owed, sheet, drawn = session.payments, session.sheet, session.drawn
    if type(told[0].event) in OF_A_DEAL:
        known = deals.further(session.deals, told)
    else:
        known = deals.apply(session.deals, told[0])
    for version, recorded in enumerate(told, session.version + 1):
        assert recorded.version == version, "a stream has no holes"
        event = recorded.event
        if not isinstance(event, PaymentSettled):
            acted = version
        if type(event) in QUIET:
            continue
        moved = postings(event)
        standing, more = journal.apply(standing, recorded, moved)
        lines += more
        if isinstance(event, DealCorrected):
            down = bets.told(session.brought, known)
        else:
            down = bets.apply(down, recorded)
        lying = pot.apply(lying, moved)
        held = balances.apply(held, recorded, moved)
        owed = payments.apply(owed, recorded)
        sheet, drawn = scores.apply(sheet, recorded), scores.draw(drawn, moved)
        assert conserved(held, lying, down, sheet, drawn), f"version {version} does not add up"
    last = told[-1]
    session = replace(
        session,
        version=last.version,
        acted=acted,
        hash=last.hash,
        at=last.at,
        evening=evening,
        pot=lying,
        bets=down,
        balances=held,
        payments=owed,
        sheet=sheet,
        drawn=drawn,
        deals=known,
        standing=standing,
    )
    return session, lines


def _noted(session: Session, recorded: Recorded, event: Noted) -> Session:
    match event:
        case SessionOpened(game=key, players=players):
            try:
                game, options = GAMES[key], _agreed(event)
            except (KeyError, msgspec.ValidationError):  # a game, or an option, of a newer version
                raise Unreadable(session.id, recorded.version, recorded.type) from None
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
