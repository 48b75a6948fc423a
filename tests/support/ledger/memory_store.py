"""A session in memory: what the event store does, without a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from uuid import UUID

from engine import commands as c
from engine.games.game import Game
from engine.games.polskt_pass import decider as polskt_pass
from engine.session.legal import legal_actions
from engine.values import Player
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import RecordedEvent, record_events
from ledger.projections import balances
from ledger.projections import la_vola_payments as payments
from ledger.projections.journal import JournalLine
from ledger.session import command_handlers as handling
from ledger.session import cost_commands
from ledger.session.session_state import SessionState, apply_event
from tests.support.engine.random_walk import next_action
from tests.support.worked_evenings import E1, lines

ID = UUID(int=7)
SECOND = 1_000_000


class Book:
    """The events of a session, their folded state and every journal line."""

    def __init__(
        self,
        players: int = 4,
        first_dealer: Player = "p1",
        game: Game[Any, Any] = polskt_pass.GAME,
        currency: str = "SEK",
        **options: Any,
    ) -> None:
        self.session = SessionState(id=ID)
        self.history: list[RecordedEvent] = []
        self.lines: dict[tuple[int, int], JournalLine] = {}
        self.watch: Callable[[], None] = lambda: None  # called at every version
        ids = tuple(f"p{number}" for number in range(1, players + 1))
        self.write(
            handling.open_session(
                game,
                game.options_type(**options),
                currency=currency,
                players=ids,
                names=("",) * players,
                first_dealer=first_dealer,
            )
        )

    def write(self, *entries: LedgerEvent) -> Sequence[RecordedEvent]:
        session = self.session
        at = (session.version + 1) * SECOND
        written = record_events(
            ID, entries, version=session.version, previous_hash=session.hash, at=at, by="host.0"
        )
        for recorded in written:
            self.session, lines = apply_event(self.session, recorded)
            self.lines.update(((line.version, line.line), line) for line in lines)
            self.history.append(recorded)
            self.watch()
        return written

    def act(self, *commands: c.Command) -> Sequence[RecordedEvent]:
        return self.write(*handling.record_actions(self.session, commands))

    def undo(self) -> Sequence[RecordedEvent]:
        return self.act(c.Undo())

    def misdeal(self) -> Sequence[RecordedEvent]:
        return self.write(*handling.void_open_deal(self.session, self.session.table.deal_number))

    def correct(
        self, deal: int, *actions: c.Command, later_deals: Any = "refuse"
    ) -> Sequence[RecordedEvent]:
        """Correct a deal to these actions."""
        return self.write(*handling.correct_deal(self.session, deal, actions, later_deals))

    def void_deal(self, deal: int, later_deals: Any = "refuse") -> Sequence[RecordedEvent]:
        """Void a closed deal."""
        return self.write(*handling.correct_deal(self.session, deal, None, later_deals))

    def join(self) -> Player:
        player = handling.next_player_id(self.session)
        self.write(*handling.join_player(player, "0" * 64))
        return player

    def transfer(self, payer: Player, payee: Player, amount: int) -> None:
        self.write(*handling.record_transfer(self.session, payer, payee, amount, None))

    def record_cost(self, payer: Player, amount: int, **parts: int) -> None:
        """Record a cost, borne by everybody unless `parts` say otherwise."""
        self.write(*cost_commands.record_cost(self.session, payer, amount, parts or None))

    def correct_cost(self, number: int, payer: Player, amount: int, **parts: int) -> None:
        session = self.session
        self.write(*cost_commands.correct_cost(session, number, payer, amount, parts or None))

    def void_cost(self, number: int) -> None:
        self.write(*cost_commands.void_cost(self.session, number))

    def close(self, policy: Any = None) -> None:
        self.write(*handling.close_session(self.session, policy))

    def reopen(self) -> None:
        self.write(*handling.reopen_session(self.session))

    @property
    def due(self) -> tuple[payments.Payment, ...]:
        return payments.due_payments(self.session.payments)

    def settle(self, *legs: payments.Payment) -> None:
        """Settle the named payments, or all that are due, one by one as a worker does."""
        for leg in legs or self.due:
            self.write(leg.settlement)

    @property
    def legal(self) -> Any:
        session = self.session
        return legal_actions(session.table, session.funds)

    @property
    def bets(self) -> list[tuple[tuple[Player, ...], int]]:
        """Return the owners and the amount of each bet, in playing order."""
        session = self.session
        order = session.game.bets(session.table.game_state)
        return [(bet.by, bet.amount) for bet in order]

    @property
    def balances(self) -> list[int]:
        return list(self.session.balances.values())


class Walk:
    """Random steps in a book: actions of play, settlements, transfers, joins and reseatings."""

    STEPS = ("play",) * 40 + ("settle",) * 5 + ("reseat", "misdeal") * 3 + ("transfer", "join")

    def __init__(self, book: Book, die: Random) -> None:
        self.book = book
        self.die = die

    def step(self) -> str:
        """Do one random thing if it is possible now; return its name or an empty string."""
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
        """Reseat the players in any order, sometimes with a random dealer."""
        table = self.book.session.table
        count = self.die.randint(3, min(5, len(table.players)))
        seats = tuple(self.die.sample(table.players, count))
        dealer = self.die.choice((None, *seats))
        return (
            False if table.deal_is_open else self.book.act(c.Reseat(players=seats, dealer=dealer))
        )

    def misdeal(self) -> Any:
        return self.book.misdeal() if self.book.session.table.deal_is_open else False


def is_balanced(session: SessionState) -> bool:
    """Return whether the money adds up to zero, and the points as well."""
    return balances.is_balanced(
        session.balances, session.pot, session.bets, session.sheet, session.sheet_balance
    )


def play_random_book(steps: int, seed: int, players: int = 4, **agreed: Any) -> Book:
    """Return a session after random steps."""
    book = Book(players, **agreed)
    walk = Walk(book, Random(seed))
    for _ in range(steps):
        walk.step()
    return book


def play_e1_book() -> Book:
    """Return the book of the seven deals of E1, every payment settled."""
    book = Book()
    for line in lines(E1):
        book.act(*line.commands())
        book.settle()
    return book
