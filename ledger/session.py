"""One evening as its stream tells it: folded from the first event, never edited.

Immutable, so that a folded state can be kept and shared, and checked by its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import correcting
from engine import evening as evenings
from engine.bets import Bets
from engine.evening import Evening
from engine.events import BroughtForward, DealCorrected
from engine.game import Game
from engine.games import GAMES
from engine.points import Sheet
from engine.values import Amount, Player
from ledger import chain
from ledger.entries import (
    CarriedForward,
    PaymentSettled,
    PlayerJoined,
    SessionOpened,
    TransferRecorded,
)
from ledger.envelope import Recorded
from ledger.postings import postings
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
        on_bets = sum(bet.amount for bet in self.bets if bet.paid)
        points = sum(self.sheet.scores.values()) if self.sheet else 0
        return sum(self.balances.values()) + self.pot + on_bets == points + self.drawn == 0


def apply(session: Session, recorded: Recorded) -> tuple[Session, list[Line]]:
    """The session after one more event, and the journal lines to write."""
    event = recorded.event
    assert recorded.version == session.version + 1, "a stream has no holes"
    moved = postings(event)
    standing, lines = journal.apply(session.standing, recorded, moved)
    match event:
        case SessionOpened(game=key, players=players, first_dealer=dealer):
            game = GAMES[key]
            options = msgspec.convert(event.options, game.options)
            session = replace(
                session,
                begun=recorded.at,
                opened=event,
                options=options,
                sheet=game.scoring.begin(options, players) if game.scoring else None,
                evening=evenings.begin(game, options, players, dealer),
            )
            begun = session.sheet.scores if session.sheet else {}
            assert event.start == begun, "the sheet begins as the game says"
        case PlayerJoined(player=player):
            session = replace(session, evening=evenings.joined(session.table, player))
        case PaymentSettled():
            pass
        case TransferRecorded():
            session = replace(session, paid=balances.paid(session.paid, event))
        case CarriedForward(to=other):
            session = replace(session, carried_to=other)
        case DealCorrected():
            evening = correcting.corrected(session.game, session.table, event)
            session = replace(session, evening=evening)
        case _:
            if isinstance(event, BroughtForward):
                session = replace(session, brought=event)
            evening = evenings.evolve(session.game, session.table, event)
            session = replace(session, evening=evening)
    session = replace(
        session,
        version=recorded.version,
        acted=session.acted if isinstance(event, PaymentSettled) else recorded.version,
        hash=recorded.hash,
        at=recorded.at,
        pot=pot.apply(session.pot, moved),
        bets=bets.apply(session.bets, recorded),
        balances=balances.apply(session.balances, recorded, moved),
        payments=payments.apply(session.payments, recorded),
        sheet=scores.apply(session.sheet, recorded),
        drawn=scores.draw(session.drawn, moved),
        deals=deals.apply(session.deals, recorded),
        standing=standing,
    )
    if isinstance(event, DealCorrected):
        session = replace(session, bets=bets.told(session.brought, session.deals))
    assert session.conserved, f"version {session.version} does not add up"
    return session, lines


def fold(session: Session, history: Iterable[Recorded]) -> Session:
    for recorded in history:
        session, _ = apply(session, recorded)
    return session
