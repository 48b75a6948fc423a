"""The book of every released version opens in this version, adds up and can be continued.

`tests.support.frozen_book` made each `tests/golden/book-*` with the version in its name; the files
never change.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.api.command_line import run_vola
from tests.support.api.http_client import RemoteSession, ask
from tests.support.proofs.verifier import verify
from tests.support.renamed_fields import RENAMED_FIELDS
from tests.support.server_process import run_server

BOOKS = sorted((Path(__file__).parent / "golden").glob("book-*"))
WORDS = {"text", "why", "detail", "name", "qr", "url"}
"""Sentences and URLs, which a version can improve."""
GROWING = {"legal_actions"}
"""Members that list what is possible next, to which a version can add."""


@dataclass
class RestoredBook:
    """A frozen book, restored and served by this version."""

    frozen: Path
    environment: dict[str, str]
    url: str

    def evenings(self) -> Iterator[tuple[str, Any, RemoteSession]]:
        """Yield each session's name, its frozen state and a client with its host token."""
        for file in sorted(self.frozen.glob("*/seen.json.gz")):
            frozen_state = json.loads(gzip.decompress(file.read_bytes()))
            phone = RemoteSession(
                self.url,
                frozen_state["state"]["id"],
                frozen_state["tokens"]["host"],
                frozen_state["tokens"],
            )
            yield file.parent.name, frozen_state, phone

    def evening(self, name: str) -> RemoteSession:
        return next(phone for session_name, _, phone in self.evenings() if session_name == name)


@pytest.fixture(scope="module", params=BOOKS, ids=lambda path: path.name)
def restored_book(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestoredBook]:
    data = tmp_path_factory.mktemp("restored")
    environment = {"VOLA_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}
    result = run_vola("restore", str(request.param / "book.dump"), **environment)
    assert result.returncode == 0, result.stderr
    with run_server(environment, data / "server.log") as server:
        yield RestoredBook(request.param, environment, server.url)


def differences(frozen: Any, now: Any, place: str = "") -> Iterator[str]:
    """Yield members of `frozen` that differ in `now` or are missing; more members are allowed."""
    match frozen, now:
        case dict(), dict():
            for key in frozen.keys() - WORDS - GROWING:
                today = RENAMED_FIELDS.get(key, key)
                yield from differences(frozen[key], now.get(today), f"{place}/{key}")
        case list(), list() if len(frozen) == len(now):
            for index, (before, after) in enumerate(zip(frozen, now, strict=True)):
                yield from differences(before, after, f"{place}/{index}")
        case _ if frozen != now:
            yield f"{place}: {frozen!r} was, {now!r} is"


def test_an_audit_of_a_frozen_book_has_no_findings(restored_book: RestoredBook) -> None:
    result = run_vola("audit", **restored_book.environment)
    assert result.stdout.splitlines()[0].endswith("no findings"), result.stdout


def test_a_rebuild_of_a_frozen_book_changes_nothing(restored_book: RestoredBook) -> None:
    assert (
        run_vola("rebuild", **restored_book.environment).stdout.strip().endswith("nothing differed")
    )


def test_every_session_has_its_frozen_state_at_every_version(restored_book: RestoredBook) -> None:
    for name, frozen_state, phone in restored_book.evenings():
        for version, state in enumerate(frozen_state["states"], start=1):
            now = phone.get(f"?at={version}").json
            assert list(differences(state, now)) == [], (name, version)


def test_every_deal_has_its_frozen_record_and_postings(restored_book: RestoredBook) -> None:
    for name, frozen_state, phone in restored_book.evenings():
        for deal in frozen_state["deals"]:
            now = phone.get(f"/deals/{deal['number']}").json
            # today the deals of a correction list only the payments of their own version
            parts = ("dealer", "status", "actions", *(() if deal["before"] else ("postings",)))
            for part in parts:
                assert list(differences(deal[part], now[part])) == [], (name, deal["number"])


def test_every_statement_has_its_frozen_lines_and_sums(restored_book: RestoredBook) -> None:
    for name, _, phone in restored_book.evenings():
        for file in (restored_book.frozen / name).glob("statement-*.json"):
            frozen = json.loads(file.read_bytes())
            query = f"player={frozen['player']}&format=json&at={frozen['version']}"
            now = phone.get(f"/statement?{query}").json
            for part in ("opening", "lines", "closing", "balances", "pot", "scores", "bets"):
                assert list(differences(frozen[part], now[part])) == [], file


def test_every_export_has_the_same_bytes_of_events(restored_book: RestoredBook) -> None:
    for name, _, phone in restored_book.evenings():
        frozen = json.loads((restored_book.frozen / name / "export.json").read_bytes())
        now = phone.get("/export").json["events"]
        assert now[: len(frozen["events"])] == frozen["events"], name


def test_frozen_files_still_verify(restored_book: RestoredBook) -> None:
    for name, _, phone in restored_book.evenings():
        session_folder = restored_book.frozen / name
        receipt = (session_folder / "receipt.json").read_bytes()
        for kind in ("export", "export-names"):
            export = (session_folder / f"{kind}.json").read_bytes()
            assert verify.verify_document(export, receipt)[:2] == (0, "export"), name
        assert verify.verify_document(phone.get("/export").raw, receipt)[:2] == (0, "export"), name
        for statement in session_folder.glob("statement-*.json"):
            raw, export = (
                statement.read_bytes(),
                (session_folder / "export-names.json").read_bytes(),
            )
            # 0.1 did not sign its statements
            signed = json.loads(raw).get("signature") is not None
            alone, remade = ("statement", "remade") if signed else ("adds_up", "figures")
            assert verify.verify_document(raw, receipt)[1] == alone, statement
            assert verify.verify_document(raw, receipt, export=export)[1] == remade, statement


def test_files_that_an_earlier_key_signed_still_verify(restored_book: RestoredBook) -> None:
    """The book's present key follows from the earlier one; 0.1 and 0.2 could not change theirs."""
    for name, _, phone in restored_book.evenings():
        for file in (restored_book.frozen / name).glob("*-earlier-key.json"):
            export, earlier = phone.get("/export"), file.read_bytes()
            assert export.json["key"] != json.loads(earlier)["key"]
            assert verify.verify_document(export.raw, earlier)[:2] == (0, "export"), file


def test_every_confirmation_and_objection_is_still_there(restored_book: RestoredBook) -> None:
    for name, frozen_state, phone in restored_book.evenings():
        for part in ("cosignatures", "objections"):
            frozen, now = frozen_state.get(part, {}), phone.get(f"/{part}").json
            assert list(differences(frozen, now)) == [], (name, part)


def test_a_frozen_export_can_be_imported(restored_book: RestoredBook, tmp_path: Path) -> None:
    elsewhere = {"VOLA_DATA": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    files = [str(path) for path in sorted(restored_book.frozen.glob("*/export-names.json"))]
    result = run_vola("import", *files, **elsewhere)
    assert result.returncode == 0, (result.stdout, result.stderr)
    audit = run_vola("audit", **elsewhere)
    assert audit.stdout.splitlines()[0].endswith("no findings"), audit.stdout


def test_a_frozen_failed_settlement_is_settled_now(restored_book: RestoredBook) -> None:
    state = restored_book.evening("settlement_failure").settled()
    assert {payment["status"] for payment in state["payments"]} == {"settled"}


def test_a_frozen_group_opens_new_sessions(restored_book: RestoredBook) -> None:
    frozen_group = json.loads((restored_book.frozen / "group.json").read_bytes())
    group_url = f"{restored_book.url}/v1/groups/{frozen_group['group']['id']}"
    right = {"Authorization": f"Bearer {frozen_group['tokens']['host']}"}
    now = ask(f"{group_url}/standings", headers=right).json
    assert list(differences(frozen_group["standings"], now)) == []


def test_a_frozen_session_can_be_played_and_undone(restored_book: RestoredBook) -> None:
    phone = restored_book.evening("corrections")
    before = phone.state()
    opening = [{"type": "open_deal"}] if before["deal"]["phase"] == "waiting" else []
    actions = [*opening, {"type": "all_pass"}]
    played = phone.act(*actions)
    assert played.status == 201, played.raw
    for _ in actions:
        undone = phone.act({"type": "undo"})
        assert undone.status == 201, undone.raw
    assert undone.json["session"]["balances"] == before["balances"]
    assert phone.get("/audit").json["clean"]
