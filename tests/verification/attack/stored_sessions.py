"""Random sessions of every game in a real store, written as clients write them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec

from engine import commands
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from engine.session.legal import legal_actions
from ledger.access.name_spelling import NameTaken, check_name_is_free
from ledger.events import hash_chain as chain
from ledger.groups.attendance import enroll_newcomer
from ledger.projections.deals import newest_first
from ledger.projections.la_vola_payments import due_payments
from ledger.session import command_handlers
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, PlayerName
from ledger.store.event_store import EventStore
from tests.support.engine.every_option import draw_options
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.store_session import settle_payment
from tests.verification.attack.random_correction import draw_correction
from tests.verification.attack.random_cost import draw_cost

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil", "Fia", "Göran", "Hedvig", "Ivar", "Jo")
ENDING_WEIGHTS = {"open_deal": 12, "result": 12, "tricks": 12, "declare": 4, "stay": 3}
"""The weights of actions that end a deal, and so move money, sooner than single cards."""

FOR_MONEY = ("polskt_pass", "polskpas")

COST_SHARE = 0.08
"""The probability that a shared cost is recorded or changed before a step. A separate die decides
this, so that costs do not change how a seed is played."""

ERASE = """
UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class Table:
    """One session in the store, played at random."""

    def __init__(self, store: EventStore, die: Random, session_id: UUID) -> None:
        self.store, self.die, self.id = store, die, session_id
        self.cost_die = copy(die)
        self.after_write: Callable[[], None] = lambda: None  # a client's, not a worker's
        self.player = RandomPlayer(die)

    @property
    def session(self) -> SessionState:
        return self.store.load(self.id)

    def play(self, steps: int) -> None:
        """Try `steps` random steps; the rules refuse some of them."""
        for _ in range(steps):
            try:
                if self.cost_die.random() < COST_SHARE:
                    self._take_cost_step()
                self._take_step()
            except (RuleViolation, ZeroDivisionError):
                continue

    def _take_step(self) -> None:
        die, session = self.die, self.session
        due = due_payments(session.payments)
        if due and die.random() < 0.5:
            settle_payment(self.store, self.id, die.choice(due).id)
            return
        match die.choices(
            ("act", "join", "transfer", "misdeal", "correct", "erase"), (30, 1, 2, 1, 4, 0.5)
        )[0]:
            case "act" if session.table.closed:
                self.write(
                    lambda session: Decision(events=command_handlers.reopen_session(session))
                )
            case "act":
                self._act(session)
            case "join":
                player = command_handlers.next_player_id(session)
                names = _numbered_names((player,))
                try:
                    with self.store.pool.connection() as db:
                        check_name_is_free(db, self.id, player, names[0].name)
                except NameTaken:
                    return  # somebody at this table has the name, or had it
                commitment = chain.commit_to_name(names[0].salt, names[0].name)
                self.write(
                    lambda _: Decision(
                        events=command_handlers.join_player(player, commitment),
                        names=names,
                        in_transaction=lambda db: enroll_newcomer(
                            db, self.id, player, names[0].name
                        ),
                    )
                )
            case "transfer":
                payer, payee = die.sample(session.table.players, 2)
                amount = die.randint(1, 5000)
                self.write(
                    lambda session: Decision(
                        events=command_handlers.record_transfer(session, payer, payee, amount, None)
                    )
                )
            case "misdeal":
                number = session.table.deal_number
                self.write(
                    lambda session: Decision(
                        events=command_handlers.void_open_deal(session, number), remark="felgiv"
                    )
                )
            case "correct":
                self._correct(session)
            case "erase":
                with self.store.pool.connection() as db:
                    operands = {"session_id": self.id, "player": die.choice(session.table.players)}
                    db.execute(ERASE, operands)

    def _take_cost_step(self) -> None:
        with suppress(RuleViolation):  # played for points alone, or closed
            decide = draw_cost(self.session, self.cost_die)
            request = new_request(self.cost_die, self.cost_die.choice(("host.0", "scorer.0")))
            self.store.append(self.id, request, decide)
            self.after_write()

    def _correct(self, session: SessionState) -> None:
        """Correct or void a random deal, preferably one that was corrected before.

        If later deals no longer fit, the correction is refused or they are voided too."""
        die = self.die
        closed = [deal for deal in newest_first(session.deals) if deal.status == "closed"]
        if not closed:
            return
        corrected_before = [deal for deal in closed if deal.superseded]
        number = die.choice(
            corrected_before if corrected_before and die.random() < 0.5 else closed
        ).number
        actions = None if die.random() < 0.2 else draw_correction(session, number, die)
        later_policy = die.choice(("refuse", "void", "void"))
        self.write(
            lambda session: Decision(
                events=command_handlers.correct_deal(session, number, actions, later_policy),
                remark="fel",
            )
        )

    def _act(self, session: SessionState) -> None:
        legal = legal_actions(session.table, session.funds)
        command = self._ending_command(legal) or self.player.choose_command(legal)
        if command is None:
            self.close()
            return
        self.write(
            lambda session: Decision(events=command_handlers.record_actions(session, [command]))
        )

    def _ending_command(self, legal: Any) -> commands.Command | None:
        """Return a random command that ends a deal, or None if there is none, and otherwise with
        probability 0.4."""
        ending = [action for action in legal if action.type in ENDING_WEIGHTS]
        if not ending or self.die.random() < 0.4:
            return None
        weights = [ENDING_WEIGHTS[action.type] for action in ending]
        return self.player.say(self.die.choices(ending, weights)[0])

    def close(self) -> None:
        policy = self.die.choice((None, "carry", "refund_bets", "split_equal"))
        self.write(lambda session: Decision(events=command_handlers.close_session(session, policy)))

    def write(self, decision: Any) -> None:
        by = self.die.choice(("host.0", "scorer.0"))
        self.store.append(self.id, new_request(self.die, by), decision)
        self.after_write()


def open_table(
    store: EventStore, die: Random, game: str | None = None, players: int | None = None
) -> Table:
    """Open a session of this game, or of a random one, for as many players, or any number."""
    chosen = GAMES[game or die.choice((*GAMES, *FOR_MONEY))]
    seats = tuple(f"p{n}" for n in range(1, (players or die.choice(chosen.player_counts)) + 1))
    names = _numbered_names(seats)
    opened = command_handlers.open_session(
        chosen,
        msgspec.convert(draw_options(chosen.options_type, die), chosen.options_type),
        currency="SEK",
        players=seats,
        names=tuple(chain.commit_to_name(name.salt, name.name) for name in names),
        first_dealer=die.choice(seats),
    )
    decision = Decision(events=(opened,), names=names)
    session_id = store.create(new_request(die), uuid4(), "Fredag", decision).session_id
    return Table(store, die, session_id)


def _numbered_names(players: tuple[str, ...]) -> tuple[PlayerName, ...]:
    """Return names that are unique because they end with the seat number."""
    return tuple(
        PlayerName(
            player=player,
            name=NAMES[int(player[1:]) % len(NAMES)] + player[1:],
            salt=os.urandom(16),
        )
        for player in players
    )


def new_request(die: Random, by: str = "host.0") -> AppendRequest:
    """Return a request with a body of its own."""
    digest = sha256(die.randbytes(8)).digest()
    return AppendRequest(key=str(uuid4()), digest=digest, by=by, expected_version="any")


def play(store: EventStore, seed: str, game: str | None = None, steps: int = 40) -> UUID:
    """Play one session of about `steps` steps; some are closed at the end."""
    table = open_table(store, Random(seed), game)
    table.play(table.die.randint(steps // 2, steps))
    close_some(table)
    return table.id


def close_some(table: Table) -> None:
    """Close the session with probability 0.4; it may be reopened."""
    if table.die.random() < 0.4:
        with suppress(RuleViolation):  # a deal is open, or leftovers are still played for
            table.close()
            table.play(table.die.choice((0, 0, 3)))  # some sessions go on after they were closed
