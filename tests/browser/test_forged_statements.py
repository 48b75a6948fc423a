"""The browser accepts no forged statement, of any kind or with one of hundreds of changed values,
alone or with the export; and it accuses no genuine one."""

from __future__ import annotations

import json
from random import Random

import pytest
from flask import Flask

from engine.games.registry import GAMES
from ledger.store.event_store import EventStore
from tests.support.api.forged_statements import (
    MUTATIONS,
    StatementAndExport,
    forge_statements,
    play_and_export,
)
from tests.support.api.session_client import create_session
from tests.support.api.statement_queries import session_client_for, statement_queries
from tests.support.app import app_over
from tests.support.browser.phone import Phone
from tests.support.browser.verify_page import judge_vectors
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs.statement_forgeries import FORGERIES
from tests.support.proofs.tampered_exports import Vector
from tests.support.proofs.verifier import verify
from tests.verification.attack.stored_sessions import play


@pytest.fixture
def evening(app: Flask) -> StatementAndExport:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS, "options": {"stake": 10}}
    title = "Fredag ♠ 👩\u200d👩\u200d👧"
    return play_and_export(create_session(app.test_client(), {**body, "title": title}))


def vector(label: str, doc: object, export: bytes | None = None) -> Vector:
    return Vector(label, json.dumps(doc).encode(), export=export)


def test_page_and_program_reject_every_forged_statement(
    phone: Phone, evening: StatementAndExport
) -> None:
    phone.page.goto(f"{phone.url}/verify")
    forged = [*forge_statements(evening, Random("browser"), MUTATIONS)]
    vectors = [vector(label, doc) for label, doc in forged]
    vectors += [vector(label, doc, evening.export) for label, doc in forged[: len(FORGERIES) * 2]]
    for sample, verdict in zip(vectors, judge_vectors(phone.page, vectors), strict=True):
        assert verdict[0] != 0, sample.way
        assert verdict == verify.verify_document(sample.document, export=sample.export), sample.way
    print(f"{len(vectors)} forged statements, 0 missed")


def test_the_browser_recomputes_statements_of_every_game(
    phone: Phone, urls: DatabaseUrls, store: EventStore
) -> None:
    vectors: list[Vector] = []
    with app_over(urls) as app:
        for game in GAMES:
            session = session_client_for(app, app.test_client(), play(store, "browser:1", game, 60))
            export = session.get("/export").data
            for query in statement_queries(session, store, Random(game)):
                document = session.get(f"/statement{query}").data
                vectors.append(Vector(query, document, export=export))
    phone.page.goto(f"{phone.url}/verify")
    for sample, verdict in zip(vectors, judge_vectors(phone.page, vectors), strict=True):
        assert verdict[:2] == (0, "remade"), sample.way
    print(f"{len(vectors)} statements, 0 false alarms")
