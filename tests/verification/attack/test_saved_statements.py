"""`vola audit --receipt STATEMENT` computes the statement again and compares everything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask

from api.cli import main as cli
from api.i18n.catalog import LANGUAGES
from api.representations.qr import svg
from api.statements import saved_statement_check
from engine.games.registry import GAMES
from ledger.proofs import checkpoint as checkpoints
from ledger.proofs import statement_note
from ledger.store.event_store import EventStore
from tests.support.api.forged_statements import (
    MUTATIONS,
    StatementAndExport,
    forge_statements,
    play_and_export,
)
from tests.support.api.group_client import GroupClient
from tests.support.api.http_client import new_key
from tests.support.api.random_group import random_group_of_sessions
from tests.support.api.session_client import SessionClient
from tests.support.api.statement_queries import session_client_for, statement_queries
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS
from tests.support.proofs import server_verdict
from tests.support.proofs.statement_forgeries import FORGERIES, Doc
from tests.verification.attack.stored_sessions import play

OLDER = ("signature", "lang", "page", "results")
"""The fields that statements did not have in version 0.1."""


@pytest.fixture(scope="module")
def urls(module_urls: DatabaseUrls) -> DatabaseUrls:
    """A database for these tests alone, with the book's key and only their sessions."""
    return module_urls


@pytest.fixture(scope="module")
def app(module_app: Flask) -> Flask:
    return module_app


def open_evening(app: Flask, **more: Any) -> SessionClient:
    client = app.test_client()
    body = {
        "game": "polskt_pass",
        "players": FOUR_PLAYERS,
        "options": {"stake": 10},
        "title": "Fredag ♠",
        **more,
    }
    created: Any = client.post(
        "/v1/sessions", json=body, headers={"Idempotency-Key": new_key()}
    ).json
    return SessionClient(client, created["id"], created["tokens"])


@pytest.fixture(scope="module")
def statement_and_export(app: Flask) -> StatementAndExport:
    """The statement and export of one evening, which no test changes afterwards."""
    return play_and_export(open_evening(app))


@pytest.fixture
def audited(
    app: Flask,
    urls: DatabaseUrls,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[Doc], tuple[int, list[str]]]:
    """Return a function that runs the command and returns its exit code and the findings' codes."""
    for name, url in (("", urls.app), ("OWNER_", urls.owner), ("AUDIT_", urls.audit)):
        monkeypatch.setenv(f"DATABASE_{name}URL", url)
    monkeypatch.setenv("VOLA_DATA", str(data))

    def command(doc: Doc) -> tuple[int, list[str]]:
        file = tmp_path / "statement.json"
        file.write_text(json.dumps(doc))
        code = cli.main(["audit", "--json", "--receipt", str(file)])
        lines = capsys.readouterr().out.splitlines()
        return code, [json.loads(line)["code"] for line in lines]

    return command  # fmt: skip


def test_an_unchanged_statement_is_no_finding(
    statement_and_export: StatementAndExport, audited: Callable[[Doc], tuple[int, list[str]]]
) -> None:
    assert audited(statement_and_export.statement) == (0, [])
    assert audited(without_note(statement_and_export.statement)) == (0, [])


@pytest.mark.parametrize("kind", FORGERIES)
def test_every_forgery_is_found_with_and_without_the_note(
    statement_and_export: StatementAndExport,
    audited: Callable[[Doc], tuple[int, list[str]]],
    kind: str,
) -> None:
    doc = deepcopy(statement_and_export.statement)
    FORGERIES[kind](doc)
    code, codes = audited(doc)
    assert code == 1
    assert codes[0] == "statement_wrong"
    if kind not in (
        "another selection",
        "another clock",
        "another result",
    ):  # still true, or absent without the note
        assert audited(without_note(doc)) == (1, ["statement_differs"])


def test_changed_values_are_found(
    app: Flask, urls: DatabaseUrls, statement_and_export: StatementAndExport
) -> None:
    forged = [*forge_statements(statement_and_export, Random("audit"), MUTATIONS // 2)][
        2 * len(FORGERIES) :
    ]
    for place, doc in forged:
        assert audit_codes(app, urls, doc), place
    print(f"{len(forged)} changed statements, 0 missed")


@pytest.mark.parametrize(
    "change",
    [{"balances": 5}, {"scores": 5, "balances": True}, {"page": "x" * 5000}, {"page": "\ud800"}],
)
def test_a_value_that_no_statement_can_have_is_a_finding(
    statement_and_export: StatementAndExport,
    audited: Callable[[Doc], tuple[int, list[str]]],
    change: Doc,
) -> None:
    doc = {**without_note(statement_and_export.statement), **change}
    doc["receipt"] = {**doc["receipt"], "qr": "another drawing"}
    assert audited(doc) == (1, ["statement_differs"])


def audit_codes(app: Flask, urls: DatabaseUrls, doc: Doc) -> list[str]:
    return server_verdict.audit_codes(app, urls, json.dumps(doc).encode())


def without_note(doc: Doc) -> Doc:
    """Return the statement in the form of version 0.1."""
    old_statement = {name: x for name, x in doc.items() if name not in OLDER}
    old_statement["filters"] = {name: doc["filters"][name] for name in ("from", "to", "tz")}
    if doc.get("page"):
        old_statement["receipt"] = {**doc["receipt"], "qr": svg(doc["receipt"]["url"])}
    return old_statement


def test_signed_by_another_book_it_is_another_key(
    app: Flask, urls: DatabaseUrls, statement_and_export: StatementAndExport
) -> None:
    doc, pen = deepcopy(statement_and_export.statement), Ed25519PrivateKey.generate()
    session = UUID(doc["session"])
    del doc["checkpoint"]
    doc |= {"key": checkpoints.public_bytes(pen).hex(), "title": "Fredag ♠"}
    doc["signature"] = checkpoints.sign_note(
        pen, session, statement_note.statement_body(session, statement_note.statement_digest(doc))
    )
    assert audit_codes(app, urls, doc) == ["key_changed"]


def test_a_name_erased_since_and_reworded_text_are_no_finding(
    app: Flask, urls: DatabaseUrls
) -> None:
    evening = open_evening(app)
    statement = play_and_export(evening).statement
    evening.write("/players/p2/name", method="DELETE", match="*")
    assert audit_codes(app, urls, statement) == []
    assert audit_codes(app, urls, without_note(statement)) == ["statement_differs"]


def test_an_amount_of_chips_with_a_plain_space_is_no_finding(
    app: Flask, urls: DatabaseUrls
) -> None:
    """As earlier versions wrote it; nobody has signed the words."""
    evening = open_evening(app, currency="chips")
    evening.act({"type": "open_deal"}, {"type": "all_pass"})
    statement: Any = evening.get("/statement?format=json").json
    text = json.dumps(without_note(statement), ensure_ascii=False)
    assert "10\xa0marker" in text
    assert audit_codes(app, urls, json.loads(text.replace("\xa0", " "))) == []


def test_the_earlier_reference_of_points_paid_is_no_finding(app: Flask, urls: DatabaseUrls) -> None:
    evening = open_evening(app, game="knektpass", options={"point_value": 100})
    stay, *passes = ("p2", "p3", "p4", "p1")
    declarations = [{"type": "pass", "player": player} for player in passes]
    evening.act({"type": "open_deal"}, {"type": "stay", "player": stay}, *declarations)
    assert evening.write("/closure", {}, match="*").status_code == 201
    statement: Any = evening.get("/statement?unit=money&format=json").json
    text = json.dumps(without_note(statement), ensure_ascii=False)
    assert "(§4.4)" in text
    assert audit_codes(app, urls, json.loads(text.replace("(§4.4)", "(point_value)"))) == []


@pytest.mark.parametrize("game", GAMES)
def test_statements_of_every_game_language_and_period_are_no_finding(
    app: Flask, urls: DatabaseUrls, store: EventStore, game: str
) -> None:
    client = session_client_for(app, app.test_client(), play(store, "kept:1", game, 60))
    for number, query in enumerate(statement_queries(client, store, Random(game))):
        doc: Any = client.get(f"/statement{query}").json
        for variant in (doc, *([without_note(doc)] if number % 5 == 0 else [])):
            raw = json.dumps(variant).encode()
            assert [x for _, x in saved_statement_check.check_saved_statement(app, raw)] == [], (
                query
            )


def test_a_group_s_statements_are_no_finding_whatever_came_later(
    app: Flask, urls: DatabaseUrls
) -> None:
    group = random_group_of_sessions(app, Random("kept"))
    statements = [*group_statements(group)]
    for doc in statements:
        assert audit_codes(app, urls, doc) == []
    member = group.state["members"][0]["id"]
    new_session = group.open_session(
        first_dealer=member, members=[m["id"] for m in group.state["members"]]
    )
    new_session.act({"type": "open_deal"}, {"type": "all_pass"})
    for doc in statements:
        assert audit_codes(app, urls, doc) == []
        forged = deepcopy(doc)
        forged["opening"] += 1
        forged["closing"] += 1
        for line in forged["lines"]:
            if "balance" in line:
                line["balance"] += 1
        assert "statement_wrong" in audit_codes(app, urls, forged)
        del forged["signature"]
        assert audit_codes(app, urls, forged) == ["statement_differs"]
    print(f"{len(statements)} statements of a group")


def group_statements(group: GroupClient) -> Iterator[Doc]:
    members = [member["id"] for member in group.state["members"]]
    for language, member in zip(LANGUAGES, (None, *members), strict=False):
        query = f"&member={member}" if member else ""
        for currency in ("SEK", "DKK"):
            answer = group.get(f"/statement?format=json&lang={language}{query}&currency={currency}")
            if answer.status_code == 200:
                assert isinstance(answer.json, dict)
                yield answer.json
