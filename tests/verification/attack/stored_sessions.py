"""Evenings of every game in a real store, as clients write them: what an attacker finds."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec

from api.http.responses import encode_json
from api.representations.session import event_view, receipt_view
from engine import commands as c
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from engine.session.legal import legal_actions
from ledger.access.session_metadata import SessionMetadataStore
from ledger.events import hash_chain as chain
from ledger.events.recorded_event import RecordedEvent
from ledger.groups.groups import enroll_newcomer
from ledger.projections.deals import newest_first
from ledger.projections.payments import due_payments
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState
from ledger.store.append_request import AppendRequest, Decision, PlayerName
from ledger.store.event_store import EventStore
from tests.support.engine.every_option import drawn
from tests.support.engine.random_player import RandomPlayer
from tests.verification.attack.random_correction import retold

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil", "Fia", "Göran", "Hedvig", "Ivar", "Jo")
LIKES = {"open_deal": 12, "result": 12, "tricks": 12, "declare": 4, "stay": 3}
"""What brings a deal to its end, and money with it, sooner than a card at a time would."""

FOR_MONEY = ("polskt_pass", "polskpas")

ERASE = """
UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class Table:
    """One evening in the store, and a die that decides what happens."""

    def __init__(
        self,
        store: EventStore,
        die: Random,
        game: str | None = None,
        players: int | None = None,
        id: UUID | None = None,
    ) -> None:
        """One that is there already (`id`), or a new one."""
        self.store, self.die = store, die
        self.id: UUID = id or self._opened(game, players)
        self.anyone = RandomPlayer(die)

    def _opened(self, game: str | None, players: int | None) -> UUID:
        die = self.die
        chosen = GAMES[game or die.choice((*GAMES, *FOR_MONEY))]
        seats = tuple(f"p{n}" for n in range(1, (players or die.choice(chosen.player_counts)) + 1))
        kept = self._names(seats)
        opened = handling.open_session(
            chosen,
            msgspec.convert(drawn(chosen.options_type, die), chosen.options_type),
            currency="SEK",
            players=seats,
            names=tuple(chain.commit_to_name(n.salt, n.name) for n in kept),
            first_dealer=die.choice(seats),
        )
        work = Decision(events=(opened,), names=kept)
        asked = self._asked("host.0")
        return self.store.create(asked, uuid4(), "Fredag", work, told).session_id

    @property
    def session(self) -> SessionState:
        return self.store.load(self.id)

    def play(self, steps: int) -> None:
        """So many things happen, some of them refused."""
        for _ in range(steps):
            try:
                self._something()
            except (RuleViolation, ZeroDivisionError):
                continue  # it was not to be

    def _something(self) -> None:
        die, session = self.die, self.session
        due = due_payments(session.payments)
        if due and die.random() < 0.5:
            self.store.settle(self.id, die.choice(due).id)
            return
        match die.choices(
            ("act", "join", "transfer", "misdeal", "correct", "erase"), (30, 1, 2, 1, 4, 0.5)
        )[0]:
            case "act" if session.table.closed:
                self.write(lambda s: Decision(events=handling.reopen_session(s)))
            case "act":
                self._act(session)
            case "join":
                player = handling.next_player_id(session)
                kept = self._names((player,))
                card = SessionMetadataStore(self.store.pool).load(self.id)
                if card and kept[0].name in card.names.values():
                    return  # he came to the circle another evening, and sits here
                commitment = chain.commit_to_name(kept[0].salt, kept[0].name)
                self.write(
                    lambda _: Decision(
                        events=handling.join_player(player, commitment),
                        names=kept,
                        in_transaction=lambda db: enroll_newcomer(
                            db, self.id, player, kept[0].name
                        ),
                    )
                )
            case "transfer":
                payer, payee = die.sample(session.table.players, 2)
                amount = die.randint(1, 5000)
                self.write(
                    lambda s: Decision(
                        events=handling.record_transfer(s, payer, payee, amount, None)
                    )
                )
            case "misdeal":
                number = session.table.deal_number
                self.write(
                    lambda s: Decision(events=handling.void_open_deal(s, number), remark="felgiv")
                )
            case "correct":
                self._correct(session)
            case "erase":
                with self.store.pool.connection() as db:
                    ask = {"session_id": self.id, "player": die.choice(session.table.players)}
                    db.execute(ERASE, ask)

    def _correct(self, session: SessionState) -> None:
        """Some deal was played otherwise, or never counted; gladly one that was corrected before.
        Later deals that cannot follow refuse it, or never counted either."""
        die = self.die
        closed = [deal for deal in newest_first(session.deals) if deal.status == "closed"]
        if not closed:
            return
        again = [deal for deal in closed if deal.superseded]
        number = die.choice(again if again and die.random() < 0.5 else closed).number
        actions = None if die.random() < 0.2 else retold(session, number, die)
        later = die.choice(("refuse", "void", "void"))
        self.write(
            lambda s: Decision(
                events=handling.correct_deal(s, number, actions, later), remark="fel"
            )
        )

    def _act(self, session: SessionState) -> None:
        legal = legal_actions(session.game, session.options, session.table, session.funds)
        said = self._quickly(legal) or self.anyone.choose_command(legal)
        if said is None:
            self.close()
            return
        self.write(lambda s: Decision(events=handling.record_actions(s, [said])))

    def _quickly(self, legal: Any) -> c.Command | None:
        ways = [way for way in legal if way.type in LIKES]
        if not ways or self.die.random() < 0.4:
            return None
        return self.anyone.say(self.die.choices(ways, [LIKES[way.type] for way in ways])[0])

    def close(self) -> None:
        policy = self.die.choice((None, "carry", "refund_bets", "split_equal"))
        self.write(lambda s: Decision(events=handling.close_session(s, policy)))

    def write(self, work: Any) -> None:
        by = self.die.choice(("host.0", "scorer.0"))
        self.store.append(self.id, self._asked(by), work, told)

    def _names(self, players: tuple[str, ...]) -> tuple[PlayerName, ...]:
        """As people write them; told apart by where they sit."""
        return tuple(
            PlayerName(player=p, name=NAMES[int(p[1:]) % len(NAMES)] + p[1:], salt=os.urandom(16))
            for p in players
        )

    def _asked(self, by: str) -> AppendRequest:
        digest = sha256(self.die.randbytes(8)).digest()
        return AppendRequest(key=str(uuid4()), digest=digest, by=by, expected_version="any")


def told(session: SessionState, recorded: tuple[RecordedEvent, ...]) -> bytes:
    """An answer as far as an auditor reads it."""
    return encode_json(
        {
            "events": [event_view(one) for one in recorded],
            "session": {"id": str(session.id), "version": session.version},
            "receipt": receipt_view(session.version, session.hash, session.at),
        }
    )


def play(store: EventStore, seed: str, game: str | None = None, steps: int = 40) -> UUID:
    """One evening of so many steps; most are closed in the end, some were before."""
    table = Table(store, Random(seed), game)
    table.play(table.die.randint(steps // 2, steps))
    if table.die.random() < 0.4:
        with suppress(RuleViolation):  # a deal is open, or the table plays on for what is left
            table.close()
            table.play(table.die.choice((0, 0, 3)))  # it may have been too early
    return table.id
