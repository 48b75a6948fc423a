"""A document that a person has kept is evidence of all that it says, but only unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

import psycopg
import pytest

from ledger.audit import check_receipts
from ledger.audit.run import audit_session
from ledger.store.database_snapshot import database_snapshot
from tests.support.api.session_client import SessionClient
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS

PASSED: list[dict[str, Any]] = [{"type": "open_deal"}, {"type": "all_pass"}]
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def session(urls: DatabaseUrls) -> Iterator[SessionClient]:
    with app_over(urls) as app:
        client = app.test_client()
        opened = client.post(
            "/v1/sessions",
            json={"game": "polskt_pass", "players": FOUR_PLAYERS, "currency": "SEK"},
            headers={"Idempotency-Key": "the evening that is kept"},
        ).json
        assert opened is not None
        session = SessionClient(client, opened["id"], opened["tokens"])
        session.act(*PASSED)
        yield session


@pytest.fixture
def receipt(session: SessionClient) -> Any:
    """The signed receipt of version 2, of a session at version 4."""
    return session.get("/receipts/2").json


def audit_findings(
    urls: DatabaseUrls, session: SessionClient, document: object
) -> list[tuple[str, int | None]]:
    receipts = check_receipts.read_receipts(json.dumps(document).encode())
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        return [
            (problem.code, problem.version)
            for problem in audit_session(db, UUID(session.id), receipts)
        ]


def test_every_document_with_a_receipt_can_be_audited(
    urls: DatabaseUrls, session: SessionClient, receipt: Any
) -> None:
    answer: Any = session.act(*PASSED).json
    for document in (
        receipt,
        answer,
        answer["receipt"],
        session.get("/export").json,
        session.get("/statement").json,
        session.get("/statement?player=p2").json,
    ):
        assert audit_findings(urls, session, document) == []


def test_a_signed_receipt_shows_how_far_the_evening_had_come(
    urls: DatabaseUrls, session: SessionClient, receipt: Any
) -> None:
    with psycopg.connect(urls.super) as db:  # reset to version 2
        db.execute("SET session_replication_role = replica")
        db.execute("DELETE FROM vola.events WHERE version > 2")
        db.execute(
            "UPDATE vola.heads SET version = 2, conflict_version = 2, hash = e.hash, at = e.at"
            "  FROM vola.events e WHERE e.version = 2"
        )
    assert audit_findings(urls, session, receipt) == [("tail_missing", 4)]


def test_the_hash_of_a_statement_without_a_time_is_checked(
    urls: DatabaseUrls, session: SessionClient
) -> None:
    statement: Any = session.get("/statement").json
    assert "at" not in statement
    statement.update(hash="0" * 64, checkpoint=None)
    assert audit_findings(urls, session, statement) == [("rewritten", 4)]


def test_a_whole_response_names_the_session_of_its_receipt(session: SessionClient) -> None:
    answer = session.act(*PASSED).json
    (receipt,) = check_receipts.read_receipts(json.dumps(answer).encode())
    assert receipt.session_id == UUID(session.id)


def test_a_byte_order_mark_before_a_receipt_is_no_fault(receipt: Any) -> None:
    text = json.dumps(receipt)
    marked = check_receipts.read_receipts(text.encode("utf-8-sig"))
    assert marked == check_receipts.read_receipts(text.encode())


CHANGES: dict[str, Change] = {
    "half a version": lambda it: it.update(version=2.5),
    "a version as text": lambda it: it.update(version="2"),
    "a version beyond all": lambda it: it.update(version=10**300),
    "a seal in capitals": lambda it: it.update(hash=it["hash"].upper()),
    "a time in other words": lambda it: it.update(at=it["at"].replace("Z", "+00:00")),
    "no checkpoint at all": lambda it: it.update(checkpoint="x"),
    "another's checkpoint": lambda it: it.update(checkpoint=it["head"]["checkpoint"]),
    "another's key": lambda it: it.update(key="0" * 64),
    "another time": lambda it: it.update(at="2026-11-21T19:30:00.000000Z"),
    "another head": lambda it: it["head"].update(hash="0" * 64),
    "a head that is none": lambda it: it.update(head={"version": 4}),
    "another evening": lambda it: it.update(session="00000000-0000-4000-8000-000000000000"),
    "no evening": lambda it: it.pop("session"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_receipt_is_refused(receipt: dict[str, Any], change: Change) -> None:
    changed = deepcopy(receipt)
    change(changed)
    with pytest.raises(check_receipts.NotAReceipt):
        check_receipts.read_receipts(json.dumps(changed).encode())


@pytest.mark.parametrize(
    "text",
    [
        b'{"version": 1, "version": 2, "hash": "' + b"0" * 64 + b'"}',
        b"[" * 100_000 + b"]" * 100_000,
        b'{"format": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"version": 1e300, "hash": "' + b"0" * 64 + b'"}',
        b'{"version": NaN, "hash": "' + b"0" * 64 + b'"}',
        b"\xef\xbb\xbf{}",
        b"\xff",
    ],
)
def test_a_file_that_no_server_wrote_is_no_receipt(text: bytes) -> None:
    with pytest.raises(check_receipts.NotAReceipt):
        check_receipts.read_receipts(text)
