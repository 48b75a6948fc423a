"""`vola audit --receipt`: what somebody kept, against the book, from the command line."""

import json

import psycopg
import pytest

from ledger.events.timestamps import format_timestamp
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.ledger.store_session import play_e1


@pytest.fixture
def kept(store, tmp_path):
    """An evening, and the file in which somebody has its last receipt."""
    session_id = play_e1(store, deals=2)
    stood = store.load(session_id)
    said = {"version": stood.version, "hash": stood.hash.hex(), "at": format_timestamp(stood.at)}
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps({"events": [], "receipt": said}))
    return session_id, file, said


def test_a_valid_receipt_is_no_finding(environment, kept):
    session_id, file, _ = kept
    done = run_vola("audit", str(session_id), "--receipt", str(file), **environment)
    assert (done.returncode, done.stdout) == (0, "1 sessions, no findings\n")


def test_a_receipt_that_does_not_hold_is_a_finding(environment, kept):
    session_id, file, said = kept
    later = {**said, "version": said["version"] + 1}
    file.write_text(json.dumps(later))
    done = run_vola("audit", str(session_id), "--json", "--receipt", str(file), **environment)
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == "tail_missing"


def test_a_receipt_of_an_evening_that_is_gone_altogether_is_a_finding(environment, kept, urls):
    session_id, file, said = kept
    file.write_text(json.dumps({"session": str(session_id), **said}))
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        for table in ("sessions", "heads", "events", "players", "stored_replies", "creation_keys"):
            db.execute(f"DELETE FROM vola.{table}")
        for table in ("pot", "bets", "balances", "payments", "deals", "journal"):
            db.execute(f"DELETE FROM projections.{table}")
    assert run_vola("audit", **environment).returncode == 0, "who kept nothing cannot know"
    done = run_vola("audit", "--receipt", str(file), **environment)
    assert done.returncode == 1
    assert str(session_id) in done.stdout


def test_a_receipt_that_names_no_evening_needs_one(environment, kept):
    assert_refused(run_vola("audit", "--receipt", str(kept[1]), **environment), "name the session")


def test_a_receipt_of_another_evening_is_refused(environment, kept):
    session_id, file, said = kept
    other = "00000000-0000-4000-8000-000000000000"
    file.write_text(json.dumps({"session": other, **said}))
    assert_refused(run_vola("audit", str(session_id), "--receipt", str(file), **environment), other)


@pytest.mark.parametrize("content", [None, "no receipt"])
def test_a_file_that_is_no_receipt_is_said(environment, tmp_path, content):
    file = tmp_path / "none.json"
    if content:
        file.write_text(content)
    done = run_vola("audit", "--receipt", str(file), **environment)
    assert_refused(done, str(file))
