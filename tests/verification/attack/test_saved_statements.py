"""`vola audit --receipt STATEMENT`: made anew from the book and compared in everything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask

from api.cli import main as cli
from api.i18n.catalog import LANGUAGES
from api.representations.qr import svg
from api.statements import saved_statement_check
from engine.games.registry import GAMES
from ledger.audit import check_receipts
from ledger.audit.run import audit_session
from ledger.proofs import checkpoint as checkpoints
from ledger.proofs import statement_note
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from tests.support.api.forged_statements import (
    MUTATIONS,
    StatementAndExport,
    forge_statements,
    play_and_export,
)
from tests.support.api.group_client import GroupClient
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.session_client import FOUR, SessionClient
from tests.support.api.statement_queries import session_client_for, statement_queries
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls
from tests.support.proofs.statement_forgeries import FORGED, Doc
from tests.verification.attack.stored_sessions import play

OLDER = ("signature", "lang", "page", "results")
"""What no statement had in version 0.1."""


@pytest.fixture
def app(urls: DatabaseUrls) -> Iterator[Flask]:
    with app_over(urls) as made:
        yield made


@pytest.fixture
def evening(app: Flask) -> SessionClient:
    client = app.test_client()
    body = {"game": "polskt_pass", "players": FOUR, "options": {"stake": 10}, "title": "Fredag ♠"}
    made: Any = client.post("/v1/sessions", json=body, headers={"Idempotency-Key": "k" * 22}).json
    return SessionClient(client, made["id"], made["tokens"])


@pytest.fixture
def given(evening: SessionClient) -> StatementAndExport:
    return play_and_export(evening)


@pytest.fixture
def audited(
    app: Flask,
    urls: DatabaseUrls,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[Doc], tuple[int, list[str]]]:
    """The command, over the book: its exit code and what it found."""
    for name, url in (("", urls.app), ("OWNER_", urls.owner), ("AUDIT_", urls.audit)):
        monkeypatch.setenv(f"DATABASE_{name}URL", url)
    monkeypatch.setenv("VOLA_DATA", str(data))

    def command(doc: Doc) -> tuple[int, list[str]]:
        file = tmp_path / "statement.json"
        file.write_text(json.dumps(doc))
        code = cli.main(["audit", "--json", "--receipt", str(file)])
        said = capsys.readouterr().out.splitlines()
        return code, [json.loads(line)["code"] for line in said]

    return command  # fmt: skip


def test_what_the_book_gave_is_no_finding(
    given: StatementAndExport, audited: Callable[[Doc], tuple[int, list[str]]]
) -> None:
    assert audited(given.statement) == (0, [])
    assert audited(without_note(given.statement)) == (0, [])


@pytest.mark.parametrize("what", FORGED)
def test_every_kind_of_forgery_is_a_finding_with_and_without_the_note(
    given: StatementAndExport, audited: Callable[[Doc], tuple[int, list[str]]], what: str
) -> None:
    doc = deepcopy(given.statement)
    FORGED[what](doc)
    code, found = audited(doc)
    assert code == 1
    assert found[0] == "statement_wrong"
    if what not in (
        "another selection",
        "another clock",
        "another result",
    ):  # true all the same, or not there
        assert audited(without_note(doc)) == (1, ["statement_differs"])


def test_hundreds_of_changed_values_are_found(
    app: Flask, urls: DatabaseUrls, given: StatementAndExport
) -> None:
    forged = [*forge_statements(given, Random("audit"), MUTATIONS)][2 * len(FORGED) :]
    for where, doc in forged:
        assert found_in(app, urls, doc), where
    print(f"{len(forged)} changed statements, 0 missed")


def found_in(app: Flask, urls: DatabaseUrls, doc: Doc) -> list[str]:
    """What the command would find, or why it would refuse."""
    raw = json.dumps(doc).encode()
    try:
        receipts = check_receipts.read_receipts(raw)
    except check_receipts.NotAReceipt:
        return ["no receipt"]
    found = [one.code for _, one in saved_statement_check.check_saved_statement(app, raw)]
    if found:
        return found
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        return [
            x.code
            for one in receipts
            for x in audit_session(db, one.session_id or UUID(int=0), [one])
        ]


def without_note(doc: Doc) -> Doc:
    """As version 0.1 gave it."""
    made = {name: x for name, x in doc.items() if name not in OLDER}
    made["filters"] = {name: doc["filters"][name] for name in ("from", "to", "tz")}
    if doc.get("page"):
        made["receipt"] = {**doc["receipt"], "qr": svg(doc["receipt"]["url"])}
    return made


def test_signed_by_another_book_it_is_another_key(
    app: Flask, urls: DatabaseUrls, given: StatementAndExport
) -> None:
    doc, pen = deepcopy(given.statement), Ed25519PrivateKey.generate()
    session = UUID(doc["session"])
    del doc["checkpoint"]
    doc |= {"key": checkpoints.public_bytes(pen).hex(), "title": "Fredag ♠"}
    doc["signature"] = statement_note.sign_statement(
        pen, session, statement_note.statement_digest(doc)
    )
    assert found_in(app, urls, doc) == ["key_changed"]


def test_an_erased_name_and_newer_wording_are_no_finding(
    app: Flask, urls: DatabaseUrls, evening: SessionClient, given: StatementAndExport
) -> None:
    evening.write("/players/p2/name", method="DELETE", match="*")
    assert found_in(app, urls, given.statement) == []
    assert found_in(app, urls, without_note(given.statement)) == ["statement_differs"]


@pytest.mark.parametrize("game", GAMES)
def test_statements_of_every_game_language_and_period_are_no_finding(
    app: Flask, urls: DatabaseUrls, store: EventStore, game: str
) -> None:
    there = session_client_for(app, app.test_client(), play(store, "kept:1", game, 60))
    for number, query in enumerate(statement_queries(there, store, Random(game))):
        doc: Any = there.get(f"/statement{query}").json
        for one in (doc, *([without_note(doc)] if number % 5 == 0 else [])):
            raw = json.dumps(one).encode()
            assert [x for _, x in saved_statement_check.check_saved_statement(app, raw)] == [], (
                query
            )


def test_a_group_s_statements_are_no_finding_whatever_came_later(
    app: Flask, urls: DatabaseUrls
) -> None:
    circle = random_group_of_sessions(app, Random("kept"))
    given = [*group_statements(circle)]
    for doc in given:
        assert found_in(app, urls, doc) == []
    member = circle.state["members"][0]["id"]
    later = circle.gather(first_dealer=member, members=[m["id"] for m in circle.state["members"]])
    later.act({"type": "open_deal"}, {"type": "all_pass"})
    for doc in given:
        assert found_in(app, urls, doc) == []
        forged = deepcopy(doc)
        forged["opening"] += 1
        forged["closing"] += 1
        for line in forged["lines"]:
            if "balance" in line:
                line["balance"] += 1
        assert "statement_wrong" in found_in(app, urls, forged)
        del forged["signature"]
        assert found_in(app, urls, forged) == ["statement_differs"]
    print(f"{len(given)} statements of a group")


def group_statements(circle: GroupClient) -> Iterator[Doc]:
    members = [member["id"] for member in circle.state["members"]]
    for language, whose in zip(LANGUAGES, (None, *members), strict=False):
        query = f"&member={whose}" if whose else ""
        for currency in ("SEK", "DKK"):
            answer = circle.get(
                f"/statement?format=json&lang={language}{query}&currency={currency}"
            )
            if answer.status_code == 200:
                assert isinstance(answer.json, dict)
                yield answer.json
