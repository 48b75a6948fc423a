"""An evening kept in memory: what the store does, without a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from uuid import UUID

from engine import commands as c
from engine import evening as evenings
from engine.game import Game
from engine.games import polskt_pass
from engine.values import Player
from ledger import handling
from ledger.entries import Entry, PaymentSettled
from ledger.envelope import Recorded, record
from ledger.projections import payments
from ledger.projections.journal import Line
from ledger.session import Session, apply
from tests.engine.walk import next_action

ID = UUID(int=7)
SECOND = 1_000_000


class Book:
    """Events one after the other, the session they add up to, and every journal line."""

    def __init__(
        self,
        players: int = 4,
        first_dealer: Player = "p1",
        game: Game[Any, Any] = polskt_pass.GAME,
        **options: Any,
    ) -> None:
        self.session = Session(id=ID)
        self.history: list[Recorded] = []
        self.lines: dict[tuple[int, int], Line] = {}
        self.watch: Callable[[], None] = lambda: None  # called at every version
        ids = tuple(f"p{number}" for number in range(1, players + 1))
        self.write(
            handling.opening(
                game,
                game.options(**options),
                currency="SEK",
                players=ids,
                names=("",) * players,
                first_dealer=first_dealer,
            )
        )

    def write(self, *entries: Entry) -> Sequence[Recorded]:
        session = self.session
        at = (session.version + 1) * SECOND
        written = record(
            ID, entries, version=session.version, before=session.hash, at=at, by="host.0"
        )
        for recorded in written:
            self.session, lines = apply(self.session, recorded)
            self.lines.update(((line.version, line.line), line) for line in lines)
            self.history.append(recorded)
            self.watch()
        return written

    def act(self, *commands: c.Command) -> Sequence[Recorded]:
        return self.write(*handling.actions(self.session, commands))

    def undo(self) -> Sequence[Recorded]:
        return self.act(c.Undo())

    def misdeal(self) -> Sequence[Recorded]:
        return self.write(*handling.misdeal(self.session, self.session.table.number))

    def correct(self, deal: int, *actions: c.Command, later: Any = "refuse") -> Sequence[Recorded]:
        """The deal was really played like this."""
        return self.write(*handling.correction(self.session, deal, actions, later))

    def never(self, deal: int, later: Any = "refuse") -> Sequence[Recorded]:
        """The deal never counted."""
        return self.write(*handling.correction(self.session, deal, None, later))

    def join(self) -> Player:
        player = handling.next_player(self.session)
        self.write(*handling.joined(player, "0" * 64))
        return player

    def transfer(self, payer: Player, payee: Player, amount: int) -> None:
        self.write(*handling.transfer(self.session, payer, payee, amount, None))

    def close(self, policy: Any = None) -> None:
        self.write(*handling.closure(self.session, policy))

    @property
    def due(self) -> tuple[payments.Payment, ...]:
        return payments.outstanding(self.session.payments)

    def settle(self, *legs: payments.Payment) -> None:
        """As a worker does, leg by leg; all that are due unless some are named."""
        for leg in legs or self.due:
            self.write(
                PaymentSettled(
                    payment=leg.id,
                    deal=leg.deal,
                    payer=leg.payer,
                    payee=leg.payee,
                    amount=leg.amount,
                    reverses=leg.reverses,
                )
            )

    @property
    def legal(self) -> Any:
        session = self.session
        return evenings.legal(session.game, session.options, session.table, session.funds)

    @property
    def bets(self) -> list[tuple[tuple[Player, ...], int]]:
        """In playing order: who laid it, how much."""
        session = self.session
        order = session.game.bets(session.options, session.table.table)
        return [(bet.by, bet.amount) for bet in order]

    @property
    def balances(self) -> list[int]:
        return list(self.session.balances.values())


class Walk:
    """A random evening in a book, somebody doing something at every step."""

    STEPS = ("play",) * 40 + ("settle",) * 5 + ("reseat", "misdeal") * 3 + ("transfer", "join")

    def __init__(self, book: Book, die: Random) -> None:
        self.book = book
        self.die = die

    def step(self) -> str:
        """Do one thing if it can be done now; its name, or nothing."""
        kind = self.die.choice(self.STEPS)
        return kind if getattr(self, kind)() is not False else ""

    def play(self) -> Any:
        legal = self.book.legal
        if not legal:
            return False
        return self.book.act(next_action(legal, self.die))

    def settle(self) -> Any:
        due = self.book.due
        return self.book.settle(self.die.choice(due)) if due else False

    def transfer(self) -> Any:
        payer, payee = self.die.sample(self.book.session.table.players, 2)
        return self.book.transfer(payer, payee, self.die.randint(1, 100))

    def join(self) -> Any:
        return self.book.join() if len(self.book.session.table.players) < 7 else False

    def reseat(self) -> Any:
        """Any order of whom we know; the die may choose the dealer, too."""
        table = self.book.session.table
        count = self.die.randint(3, min(5, len(table.players)))
        seats = tuple(self.die.sample(table.players, count))
        dealer = self.die.choice((None, *seats))
        return False if table.open else self.book.act(c.Reseat(players=seats, dealer=dealer))

    def misdeal(self) -> Any:
        return self.book.misdeal() if self.book.session.table.open else False
