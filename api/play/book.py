"""The book while an evening is played: every word goes in under a key of its own, and just once.

Writes as a phone does, on the version last seen, and pays what a la vola made due. Knows no cards.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec

from api.preconditions import as_json
from api.state import receipt
from engine import commands as c
from engine import evening as evenings
from engine import events as e
from engine.game import Game, Legal
from engine.values import Player
from ledger import handling
from ledger.entries import Entry
from ledger.envelope import Recorded
from ledger.projections.payments import outstanding
from ledger.session import Session
from ledger.store import Store
from ledger.writing import Name, Request, Work

BY = "host.0"
"""Who opened the evening holds the first host's token."""


class Book:
    """One evening in the store, and how it stands now."""

    def __init__(self, store: Store, session: Session) -> None:
        self.store = store
        self.session = session

    @classmethod
    def begin(
        cls,
        store: Store,
        game: Game[Any, Any],
        agreed: Any,
        names: dict[Player, str],
        *,
        currency: str,
        title: str,
    ) -> Book:
        """Open the evening; whoever sits first deals first."""
        kept = tuple(Name(player=p, name=n, salt=os.urandom(16)) for p, n in names.items())
        opened = handling.opening(
            game,
            agreed,
            currency=currency,
            players=tuple(names),
            names=tuple(name.commitment for name in kept),
            first_dealer=next(iter(names)),
        )
        made = cls(store, Session(id=uuid4()))
        asked = made._asked((opened,), expected="any")
        work = Work(events=(opened,), names=kept)
        store.create(asked, made.session.id, title, work, made._receipt)
        return made

    @property
    def id(self) -> UUID:
        return self.session.id

    def legal(self) -> tuple[Legal, ...]:
        """Everything that may be done now, between deals as well."""
        at = self.session
        return evenings.legal(at.game, at.options, at.table, at.funds)

    def say(self, *commands: c.Command) -> tuple[Entry, ...]:
        """These actions, all or none; what happened. RuleViolation; Stale, if others write too."""
        return self._write(commands, lambda at: Work(events=handling.actions(at, commands)))

    def close(self, policy: e.Policy | None = None) -> tuple[Entry, ...]:
        """The evening ends. LeftoversToPlayFor when the table has agreed to play on."""
        return self._write(policy, lambda at: Work(events=handling.closure(at, policy)))

    def _write(self, what: object, work: Any) -> tuple[Entry, ...]:
        happened: tuple[Entry, ...] = ()

        def render(session: Session, recorded: tuple[Recorded, ...]) -> bytes:
            nonlocal happened
            happened = tuple(one.event for one in recorded)
            return self._receipt(session, recorded)

        asked = self._asked(what, expected=self.session.version)
        self.store.write(self.id, asked, work, render)
        self._settle()
        return happened

    def _asked(self, what: object, expected: Any) -> Request:
        digest = sha256(msgspec.json.encode(what)).digest()
        return Request(key=str(uuid4()), digest=digest, by=BY, expected=expected)

    def _receipt(self, session: Session, _: tuple[Recorded, ...]) -> bytes:
        self.session = session
        return as_json(receipt(session.version, session.hash, session.at))

    def _settle(self) -> None:
        """No worker need run; where one does, it may have been quicker."""
        due = outstanding(self.session.payments)
        for payment in due:
            self.store.settle(self.id, payment.id)
        if due:
            self.session = self.store.read(self.id)
