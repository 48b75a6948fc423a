"""Honest evenings over the API, with phones that write, look, lose their storage and return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import psycopg
from flask import Flask
from flask.testing import FlaskClient

from ledger.proofs.signing_key import rotate_key
from ledger.store.event_store import EventStore
from tests.support.api.cosigning import cosignature_body, put_cosignature
from tests.support.api.session_client import SessionClient
from tests.support.api.statement_queries import session_client_for
from tests.support.browser.javascript_engine import JavaScriptEngine
from tests.verification.attack.group_sessions import open_chain
from tests.verification.attack.phones.phone import HostView, Phone
from tests.verification.attack.stored_sessions import Table, close_some, open_table

GROUP_SHARE = 0.2
PHONES = (1, 2, 2, 3, 4)
MAX_ROUNDS = 6
LOST_STORAGE, NEW_PHONE, EXPORT_CHECKED, LOST_REPLY = 0.08, 0.1, 0.1, 0.15
ROTATIONS = 12
"""The approximate number of times that the book's key is rotated in a run."""
RETURNING = 0.25
"""The share of evenings after which phones return to an earlier evening."""


@dataclass
class Looks:
    """What honest phones did, and the alarms they raised."""

    evenings: int = 0
    phones: int = 0
    looks: int = 0
    requests: int = 0
    events: Counter[str] = field(default_factory=Counter)
    false_alarms: list[str] = field(default_factory=list)

    def __add__(self, other: Looks) -> Looks:
        return Looks(**{name: getattr(self, name) + getattr(other, name) for name in vars(self)})


@dataclass
class Evening:
    """A session, the phones at its table, and what each of them kept at various moments."""

    table: Table
    client: SessionClient
    phones: list[Phone]
    moments: list[Phone] = field(default_factory=list)
    saved_receipts: list[str] = field(default_factory=list)


class Host:
    """The real host: the API over a database."""

    def __init__(
        self, app: Flask, owner_url: str, engine: JavaScriptEngine, seed: str, evenings: int
    ) -> None:
        self.app, self.engine, self.die = app, engine, Random(seed)
        self.store: EventStore = app.extensions["store"]
        self.client: FlaskClient = app.test_client()
        self.owner_url, self.seed, self.evenings = owner_url, seed, evenings
        self.looks = Looks()
        self.earlier: list[Evening] = []

    def play(self) -> Iterator[Evening]:
        """Yield each evening when it has been played and every phone has looked at its end."""
        while self.looks.evenings < self.evenings:
            name = f"{self.seed}:{self.looks.evenings}"
            if self.die.random() < GROUP_SHARE:
                for table in open_chain(self.store, name, self.evenings - self.looks.evenings):
                    yield self._play_at(table)
            else:
                table = open_table(self.store, Random(name))
                evening = self._play_at(table)
                close_some(table)
                self._look_all(evening)
                yield evening

    def view(self, client: SessionClient) -> HostView:
        """Return what the API shows of a session, with a function that requests its answers."""
        state: Any = client.get().json

        def answer(path: str) -> Any:
            self.looks.requests += 1
            response = client.get(path)
            is_unknown = (response.json or {}).get("code") == "unknown_version"
            return response.json if response.status_code == 200 or is_unknown else None

        return HostView(client.id, state["version"], state["players"], answer)

    def _play_at(self, table: Table) -> Evening:
        die = self.die
        client = session_client_for(self.app, self.client, table.id)
        phones = [Phone(self.engine) for _ in range(die.choice(PHONES))]
        evening = Evening(table, client, phones)
        table.after_write = lambda: self._keep_receipt(evening)
        self.looks.evenings += 1
        self.looks.phones += len(phones)
        self.looks.events["carried forward"] += table.session.brought_forward is not None
        for _ in range(die.randint(2, MAX_ROUNDS)):
            table.play(die.randint(1, 14))
            self._disturb(evening)
            for phone in die.sample(evening.phones, die.randint(1, len(evening.phones))):
                self._look(evening, phone)
        self._look_all(evening)
        if self.earlier and die.random() < RETURNING:
            returned = self.earlier.pop(die.randrange(len(self.earlier)))
            returned.table.play(die.choice((0, 0, 3)))
            self.looks.events["returned to"] += 1
            self._look_all(returned)
        self.earlier.append(evening)
        self._count(table)
        return evening

    def _keep_receipt(self, evening: Evening) -> None:
        """Let a random phone keep the receipt of the last write, unless its reply was lost."""
        if self.die.random() < LOST_REPLY:
            return
        session = evening.table.session
        receipt = {"version": session.version, "hash": session.hash.hex()}
        self.die.choice(evening.phones).keep_receipt(receipt)

    def _disturb(self, evening: Evening) -> None:
        """Let random things happen outside the game: lost storage, new phones, names, cosignatures,
        key rotations."""
        die, client, events = self.die, evening.client, self.looks.events
        if die.random() < LOST_STORAGE:
            die.choice(evening.phones).lose_storage()
            events["storage lost"] += 1
        if die.random() < NEW_PHONE:
            evening.phones.append(Phone(self.engine))
            self.looks.phones += 1
        player = die.choice(evening.table.session.table.players)
        if die.random() < 0.05:
            response = client.write(f"/players/{player}/name", method="DELETE", match="*")
            events["name erased"] += response.status_code == 200
        if die.random() < 0.08:
            name = {"name": f"Disa{die.randint(1, 10)}"}
            path = f"/players/{player}/name"
            response = client.write(path, name, method="PUT", match="*")
            events["name corrected"] += response.status_code == 200
        if die.random() < 0.15:
            body = cosignature_body(client, player, evening.table.session.version)
            events["cosigned"] += put_cosignature(client, body).status_code == 200
        if die.random() < ROTATIONS / (4 * self.evenings):
            with psycopg.connect(self.owner_url) as db:
                rotate_key(db)
            events["key rotated"] += 1

    def _look_all(self, evening: Evening) -> None:
        for phone in evening.phones:
            self._look(evening, phone)

    def _look(self, evening: Evening, phone: Phone) -> None:
        view = self.view(evening.client)
        evening.moments.append(phone.copy())
        reason = phone.look(view)
        if reason is None and self.die.random() < EXPORT_CHECKED:
            reason = self._check_files(evening, phone, view)
        self.looks.looks += 1
        evening.moments.append(phone.copy())
        is_behind = phone.newest_version < view.version or phone.record["receipts"]
        if reason is not None or is_behind:
            cause = reason or "not proven to the end"
            self.looks.false_alarms.append(f"{self.seed}: session {evening.table.id}: {cause}")

    def _check_files(self, evening: Evening, phone: Phone, view: HostView) -> str | None:
        """Check the whole evening, and compare it on `/verify` with a random saved receipt."""
        client, saved = evening.client, evening.saved_receipts
        text = client.get("/export").get_data(as_text=True)
        saved.append(client.get(f"/receipts/{view.version}").get_data(as_text=True))
        self.looks.events["whole evening checked"] += 1
        return phone.check_export(view.players, text) or phone.compare_files(
            text, self.die.choice(saved)
        )

    def _count(self, table: Table) -> None:
        session = table.session
        stored = self.store.load_events(table.id, 0, session.version)
        kinds = Counter(event.type for event in stored)
        self.looks.events["undone"] += kinds["action_undone"] + kinds["correction_undone"]
        self.looks.events["deals corrected or voided"] += (
            kinds["deal_corrected"] + kinds["deal_voided"]
        )
