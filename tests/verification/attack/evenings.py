"""Evenings of every game in a real store, as clients write them: what an attacker finds."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec

from api.preconditions import as_json
from api.state import event, receipt
from engine import commands as c
from engine import evening as evenings
from engine.errors import RuleViolation
from engine.games import GAMES
from ledger import chain, handling
from ledger.cards import Cards
from ledger.envelope import Recorded
from ledger.projections.deals import newest_first
from ledger.projections.payments import outstanding
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Name, Request, Work
from tests.attack.retelling import retold
from tests.engine.agreed import drawn
from tests.engine.anyone import Anyone

NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil", "Fia", "Göran", "Hedvig", "Ivar", "Jo")
LIKES = {"open_deal": 12, "result": 12, "tricks": 12, "declare": 4, "stay": 3}
"""What brings a deal to its end, and money with it, sooner than a card at a time would."""

FOR_MONEY = ("polskt_pass", "polskpas")

ERASE = """
UPDATE vola.players SET name = NULL, sounds = NULL, salt = NULL
 WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class Table:
    """One evening in the store, and a die that decides what happens."""

    def __init__(
        self,
        store: Store,
        die: Random,
        game: str | None = None,
        players: int | None = None,
        id: UUID | None = None,
    ) -> None:
        """One that is there already (`id`), or a new one."""
        self.store, self.die = store, die
        self.id: UUID = id or self._opened(game, players)
        self.anyone = Anyone(die)

    def _opened(self, game: str | None, players: int | None) -> UUID:
        die = self.die
        chosen = GAMES[game or die.choice((*GAMES, *FOR_MONEY))]
        seats = tuple(f"p{n}" for n in range(1, (players or die.choice(chosen.seats)) + 1))
        kept = self._names(seats)
        opened = handling.opening(
            chosen,
            msgspec.convert(drawn(chosen.options, die), chosen.options),
            currency="SEK",
            players=seats,
            names=tuple(chain.commitment(n.salt, n.name) for n in kept),
            first_dealer=die.choice(seats),
        )
        work = Work(events=(opened,), names=kept)
        asked = self._asked("host.0")
        return self.store.create(asked, uuid4(), "Fredag", work, told).session_id

    @property
    def session(self) -> Session:
        return self.store.read(self.id)

    def play(self, steps: int) -> None:
        """So many things happen, some of them refused."""
        for _ in range(steps):
            try:
                self._something()
            except (RuleViolation, ZeroDivisionError):
                continue  # it was not to be

    def _something(self) -> None:
        die, session = self.die, self.session
        due = outstanding(session.payments)
        if due and die.random() < 0.5:
            self.store.settle(self.id, die.choice(due).id)
            return
        match die.choices(
            ("act", "join", "transfer", "misdeal", "correct", "erase"), (30, 1, 2, 1, 4, 0.5)
        )[0]:
            case "act":
                self._act(session)
            case "join":
                player = handling.next_player(session)
                kept = self._names((player,))
                card = Cards(self.store.pool).card(self.id)
                if card and kept[0].name in card.names.values():
                    return  # he came to the circle another evening, and sits here
                commitment = chain.commitment(kept[0].salt, kept[0].name)
                self.write(lambda _: Work(events=handling.joined(player, commitment), names=kept))
            case "transfer":
                payer, payee = die.sample(session.table.players, 2)
                amount = die.randint(1, 5000)
                self.write(lambda s: Work(events=handling.transfer(s, payer, payee, amount, None)))
            case "misdeal":
                number = session.table.number
                self.write(lambda s: Work(events=handling.misdeal(s, number), remark="felgiv"))
            case "correct":
                self._correct(session)
            case "erase":
                with self.store.pool.connection() as db:
                    ask = {"session_id": self.id, "player": die.choice(session.table.players)}
                    db.execute(ERASE, ask)

    def _correct(self, session: Session) -> None:
        """Some deal was played otherwise, or never counted; gladly one that was corrected before.
        Later deals that cannot follow refuse it, or never counted either."""
        die = self.die
        closed = [deal for deal in newest_first(session.deals) if deal.status == "closed"]
        if not closed:
            return
        again = [deal for deal in closed if deal.before]
        number = die.choice(again if again and die.random() < 0.5 else closed).number
        actions = None if die.random() < 0.2 else retold(session, number, die)
        later = die.choice(("refuse", "void", "void"))
        self.write(
            lambda s: Work(events=handling.correction(s, number, actions, later), remark="fel")
        )

    def _act(self, session: Session) -> None:
        legal = evenings.legal(session.game, session.options, session.table, session.funds)
        said = self._quickly(legal) or self.anyone.next(legal)
        if said is None:
            self.close()
            return
        self.write(lambda s: Work(events=handling.actions(s, [said])))

    def _quickly(self, legal: Any) -> c.Command | None:
        ways = [way for way in legal if way.type in LIKES]
        if not ways or self.die.random() < 0.4:
            return None
        return self.anyone.say(self.die.choices(ways, [LIKES[way.type] for way in ways])[0])

    def close(self) -> None:
        policy = self.die.choice((None, "carry", "refund_bets", "split_equal"))
        self.write(lambda s: Work(events=handling.closure(s, policy)))

    def write(self, work: Any) -> None:
        by = self.die.choice(("host.0", "scorer.0"))
        self.store.write(self.id, self._asked(by), work, told)

    def _names(self, players: tuple[str, ...]) -> tuple[Name, ...]:
        """As people write them; told apart by where they sit."""
        return tuple(
            Name(player=p, name=NAMES[int(p[1:]) % len(NAMES)] + p[1:], salt=os.urandom(16))
            for p in players
        )

    def _asked(self, by: str) -> Request:
        digest = sha256(self.die.randbytes(8)).digest()
        return Request(key=str(uuid4()), digest=digest, by=by, expected="any")


def told(session: Session, recorded: tuple[Recorded, ...]) -> bytes:
    """An answer as far as an auditor reads it."""
    return as_json(
        {
            "events": [event(one) for one in recorded],
            "session": {"id": str(session.id), "version": session.version},
            "receipt": receipt(session.version, session.hash, session.at),
        }
    )


def play(store: Store, seed: str, game: str | None = None, steps: int = 40) -> UUID:
    """One evening of so many steps; most are closed in the end."""
    table = Table(store, Random(seed), game)
    table.play(table.die.randint(steps // 2, steps))
    if table.die.random() < 0.4:
        with suppress(RuleViolation):  # a deal is open, or the table plays on for what is left
            table.close()
    return table.id
