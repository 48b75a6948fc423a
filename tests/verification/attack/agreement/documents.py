"""Documents that the API returns for random sessions, to be judged unchanged or forged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask

from engine.games.registry import GAMES
from ledger.proofs.signing_key import SigningKey, rotate_key
from ledger.store.event_store import EventStore
from tests.support.api.cosigning import (
    cosignature_body,
    put_cosignature,
    put_witness,
    witness_body,
)
from tests.support.api.group_client import GroupClient, list_sessions
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.session_client import SessionClient
from tests.support.api.statement_queries import session_client_for, statement_queries
from tests.support.proofs.exported_files import SignedBook
from tests.verification.attack.stored_sessions import play

Doc = dict[str, Any]
GROUP_EVERY, ROTATED_EVERY = 8, 9
STATEMENTS, RECEIPTS = 3, 3
WITNESS_NAMES = ("kortklubben", "bo", "vola.example", "p2")


@dataclass(frozen=True)
class Original:
    """A document as the API returned it, and what is needed to judge and to forge it."""

    kind: str
    document: bytes
    book: SignedBook
    key: str
    """The book's first public key, as a phone knows it that was there from the beginning."""
    export: bytes | None = None

    @property
    def fields(self) -> Doc:
        """A parsed copy of the document, which the caller may change."""
        fields: Doc = json.loads(self.document)
        return fields


class Library:
    """Random sessions of every game and of groups, while the book's key is rotated."""

    def __init__(self, app: Flask, owner_url: str, seed: str) -> None:
        self.app, self.owner_url, self.die, self.seed = app, owner_url, Random(seed), seed
        self.store: EventStore = app.extensions["store"]
        self.client = app.test_client()
        self.first_key = self.signing_key().public_bytes.hex()

    def signing_key(self) -> SigningKey:
        key: SigningKey = self.app.extensions["receipts"].signing_key()
        return key

    def originals(self) -> Iterator[list[Original]]:
        """Yield the documents of one session or group after another, without end."""
        number = 0
        while True:
            if number % ROTATED_EVERY == ROTATED_EVERY - 1:
                with psycopg.connect(self.owner_url) as db:
                    rotate_key(db)
            if number % GROUP_EVERY == 1:
                yield [*self._of_group(random_group_of_sessions(self.app, self.die))]
            game = [*GAMES][number % len(GAMES)]
            session_id = play(self.store, f"{self.seed}:{number}", game)
            yield [*self._of_session(session_client_for(self.app, self.client, session_id))]
            number += 1

    def _of_session(self, client: SessionClient) -> Iterator[Original]:
        last = client.version
        self._cosign(client)
        export = client.get("/export").data
        book = self._book(client, export)
        yield Original("export", export, book, self.first_key)
        labelled = client.get("/export?names=true").data
        yield Original("export with names", labelled, book, self.first_key)
        for _ in range(RECEIPTS):
            version = self.die.randint(1, last)
            path = f"/receipts/{version}?to={self.die.randint(version, last)}"
            yield Original("receipt", client.get(path).data, book, self.first_key)
        queries = [*statement_queries(client, self.store, self.die)]
        for query in self.die.sample(queries, STATEMENTS):
            document = client.get(f"/statement{query}").data
            yield Original("statement", document, book, self.first_key, export)

    def _cosign(self, client: SessionClient) -> None:
        """Cosign a random version with two phones, and let two other books witness random versions.

        Each of the two happens with probability 0.7."""
        if self.die.random() < 0.7:
            players = [player["id"] for player in client.state["players"]]
            version = self.die.randint(1, client.version)
            for player in self.die.sample(players, 2):
                body = cosignature_body(client, player, version)
                assert put_cosignature(client, body).status_code == 200
        if self.die.random() < 0.7:
            for name in self.die.sample(WITNESS_NAMES, 2):
                body = witness_body(client, name, self.die.randint(1, client.version))
                assert put_witness(client, body).status_code == 200

    def _of_group(self, group: GroupClient) -> Iterator[Original]:
        members = [member["id"] for member in group.state["members"]]
        numbered = {
            session.id: session_client_for(self.app, self.client, UUID(session.id))
            for session in list_sessions(group)
        }
        for session in numbered.values():
            self._cosign(session)
        for member in ("", *self.die.sample(members, 2)):
            query = f"&member={member}" if member else ""
            response = group.get(f"/statement?format=json&currency=SEK{query}")
            if response.status_code != 200:
                continue
            listed = [session["session"] for session in json.loads(response.data)["sessions"]]
            client = numbered[self.die.choice(listed)]
            export = client.get("/export").data
            book = self._book(client, export)
            yield Original("group statement", response.data, book, self.first_key, export)

    def _book(self, client: SessionClient, export: bytes) -> SignedBook:
        events = json.loads(export)["events"]
        return SignedBook.from_events(UUID(client.id), events, self.signing_key())
