"""A host sees when the book was last backed up; the others at the table do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from ledger.operations.automatic_backups import AttemptRecord, AutomaticBackups
from ledger.store import connection_pool
from tests.support.api.session_client import SessionClient, create_session
from tests.support.databases import DatabaseUrls
from tests.support.player_names import FOUR_PLAYERS

NEWEST = "vola-000002-20261126T181500Z.dump"
MADE_AT = "2026-11-26T18:15:00.000000Z"


@pytest.fixture
def backups(tmp_path: Path) -> AutomaticBackups:
    backups = AutomaticBackups(tmp_path)
    backups.folder.mkdir()
    return backups


@pytest.fixture
def backed_up_app(urls: DatabaseUrls, backups: AutomaticBackups) -> Iterator[Flask]:
    pool = connection_pool.open_pool(urls.app, size=2)
    yield create_app(pool, backups=backups)
    pool.close()


@pytest.fixture
def session(backed_up_app: Flask) -> SessionClient:
    return create_session(
        backed_up_app.test_client(), {"game": "polskt_pass", "players": FOUR_PLAYERS}
    )


def backup_status(session: SessionClient) -> tuple[Any, ...]:
    answer = session.get("/backup")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    return tuple(answer.json[name] for name in ("automatic", "created_at", "failing"))


def test_the_newest_backup_is_shown_and_a_failure(
    session: SessionClient, backups: AutomaticBackups
) -> None:
    assert backup_status(session) == (True, None, False)
    for name in ("vola-000001-20361126T181500Z.dump", NEWEST, "vola-20361126T181500Z.dump"):
        (backups.folder / name).touch()
    assert backup_status(session) == (True, MADE_AT, False), "the newest by its number"
    backups.write_record(AttemptRecord(written=2, failed=1, is_failing=True))
    assert backup_status(session) == (True, MADE_AT, True)


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_only_a_host_is_shown_it(session: SessionClient, role: str) -> None:
    answer = session.get("/backup", role=role)
    assert (answer.status_code, answer.json["code"]) == (403, "role_too_low")


def test_a_book_on_another_server_makes_no_backups_by_itself(open_session: Any) -> None:
    assert backup_status(open_session()) == (False, None, False)


def test_attempts_and_failures_are_counted(backed_up_app: Flask, backups: AutomaticBackups) -> None:
    (backups.folder / NEWEST).touch()
    backups.write_record(AttemptRecord(written=5, failed=2))
    lines = backed_up_app.test_client().get("/metrics").text.splitlines()
    assert "vola_backups_total 5.0" in lines
    assert "vola_backups_failed_total 2.0" in lines
    assert "vola_last_backup_timestamp_seconds 1.7957169e+09" in lines


def test_a_book_without_backups_has_no_metrics_of_them(app: Flask) -> None:
    assert "vola_backups" not in app.test_client().get("/metrics").text
