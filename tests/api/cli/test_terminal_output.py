"""What the commands print steers no terminal, whatever stands in the book or in a file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.api.test_cli import vola
from tests.ledger.evening import play_e1

TRAP = "\x1b]0;x\x07\x1b[2J\x9b31m\x7f\r\u202eadA\u2028x"
"""Titles a window, empties it, paints it, goes back, turns the line round, begins another."""
CHANGES = """
UPDATE vola.sessions SET title = %(trap)s;
UPDATE vola.players SET name = %(trap)s WHERE player_id = 'p1';
UPDATE vola.players SET player_id = %(trap)s WHERE player_id = 'p4';
INSERT INTO vola.remarks (session_id, version, remark)
SELECT session_id, 1, %(trap)s FROM vola.sessions;
UPDATE projections.journal SET kind = %(trap)s;
UPDATE projections.payments SET status = 'due', payee = %(trap)s;
INSERT INTO vola.stuck (session_id, tries, reason, again)
SELECT session_id, 1, %(trap)s, now() FROM vola.sessions
"""
FILES = (
    '{"\\u001b[2J\\u202e": 1}',
    '{"format": "\\u001b[2J"}',
    '{"\x1b[2J": 1, "\x1b[2J": 2}',
    '["\x9b"]',
    "\x1b[2J",
)


def harmless(done):
    """Nothing but lines that can be read."""
    for line in f"{done.stdout}{done.stderr}".split("\n"):
        assert line.isprintable(), ascii(line)
    return done


@pytest.fixture
def environment(urls, data):
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(data),
    }


@pytest.fixture
def trapped(store, urls):
    """An evening into which somebody with the database's own rights has written."""
    session_id = play_e1(store)
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")
        for change in CHANGES.split(";"):
            db.execute(change, {"trap": TRAP})
    return session_id


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_audit_names_what_it_found_in_signs_that_can_be_read(environment, trapped, form):
    done = harmless(vola("audit", *form, **environment))
    assert done.returncode == 1
    assert re.search(r"\\(x|u00)1b\]0;x.* has a name and never came", done.stdout)
    assert "projection_differs" in done.stdout


def test_a_reason_why_it_sticks_that_was_written_by_somebody_else(environment, trapped):
    done = harmless(vola("stuck", **environment))
    assert done.returncode == 1
    assert "\\x1b]0;x" in done.stdout


def test_an_export_on_a_terminal_says_the_same_as_in_a_file(environment, trapped, tmp_path):
    told = harmless(vola("export", "--names", str(trapped), **environment))
    vola("export", "--names", str(trapped), "-o", str(tmp_path / "file"), **environment)
    kept = (tmp_path / "file").read_text("utf-8")
    assert json.loads(told.stdout) == json.loads(kept)
    assert json.loads(kept)["title"] == TRAP
    assert json.loads(kept)["names"][0]["name"] == TRAP


@pytest.mark.parametrize("text", FILES, ids=ascii)
def test_a_file_that_somebody_has_sent(environment, tmp_path, text):
    file = tmp_path / "evening\x1b[2J.json"
    file.write_text(text, "utf-8")
    done = harmless(vola("import", str(file), **environment))
    assert done.returncode == 2
    assert "evening\\x1b[2J.json: " in done.stderr


@pytest.mark.parametrize("wrong", [("\x1b[2J",), ("polskt_pass", "--option", "\x1b[2J=1")])
def test_what_was_typed_is_repeated_in_signs_that_can_be_read(environment, wrong):
    assert "\\x1b[2J" in harmless(vola("play", *wrong, **environment)).stderr


def test_an_export_goes_where_it_is_told_to_or_says_why_not(environment, trapped, tmp_path):
    """Salts may be in it; and what was there before is not lost when the disk is full."""
    file = tmp_path / "kept.json"
    assert vola("export", "--names", str(trapped), "-o", str(file), **environment).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    full = Path("/dev/full")
    if full.exists():
        done = vola("export", str(trapped), "-o", str(full), **environment)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert full.is_char_device()


def test_who_stops_reading_is_told_nothing(environment, trapped):
    """`vola export … | head`."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as closed:
        command = [sys.executable, "-m", "api.cli", "export", str(trapped)]
        done = subprocess.run(
            command, env={**os.environ, **environment}, stdout=closed, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_export_is_utf_8_whatever_the_terminal_speaks(environment, trapped):
    done = vola("export", str(trapped), "--names", **environment, PYTHONIOENCODING="latin-1")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("url", ["foo", "http://[", "http://127.0.0.1:abc", "http://ä ö"])
def test_an_address_that_is_none_is_said(environment, url):
    done = vola("demo", "--url", url, **environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_backup_with_an_impossible_name_is_said(environment):
    done = vola("backup", "-o", "a" * 300, **environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
