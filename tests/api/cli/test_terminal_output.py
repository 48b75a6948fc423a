"""Commands print nothing that controls the terminal, whatever the database or a file contains."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support.api.command_line import invoke_vola, run_vola
from tests.support.ledger.store_session import play_e1

CONTROL_CHARACTERS = "\x1b]0;x\x07\x1b[2J\x9b31m\x7f\r\u202eadA\u2028x"
"""Characters that set the title, clear, colour, return, reverse direction and break the line."""
TAMPERING = """
UPDATE vola.sessions SET title = %(trap)s;
UPDATE vola.players SET name = %(trap)s WHERE player_id = 'p1';
UPDATE vola.players SET player_id = %(trap)s WHERE player_id = 'p4';
INSERT INTO vola.remarks (session_id, version, remark)
SELECT session_id, 1, %(trap)s FROM vola.sessions;
UPDATE projections.journal SET kind = %(trap)s;
UPDATE projections.payments SET status = 'due', payee = %(trap)s;
INSERT INTO vola.settlement_failures (session_id, attempts, reason, retry_at)
SELECT session_id, 1, %(trap)s, now() FROM vola.sessions
"""
HOSTILE_FILES = (
    '{"\\u001b[2J\\u202e": 1}',
    '{"format": "\\u001b[2J"}',
    '{"\x1b[2J": 1, "\x1b[2J": 2}',
    '["\x9b"]',
    "\x1b[2J",
)


def assert_printable(result):
    """Assert that the output is lines of printable characters."""
    for line in f"{result.stdout}{result.stderr}".split("\n"):
        assert line.isprintable(), ascii(line)
    return result


@pytest.fixture
def tampered_session(store, urls):
    """A session that a superuser of the database has tampered with."""
    session_id = play_e1(store)
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")
        for change in TAMPERING.split(";"):
            db.execute(change, {"trap": CONTROL_CHARACTERS})
    return session_id


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_audit_prints_findings_escaped(environment, tampered_session, options):
    result = assert_printable(invoke_vola("audit", *options, **environment))
    assert result.returncode == 1
    assert re.search(r"\\(x|u00)1b\]0;x.* has a name and never joined", result.stdout)
    assert "projection_differs" in result.stdout


def test_a_tampered_settlement_failure_is_printed_escaped(environment, tampered_session):
    result = assert_printable(invoke_vola("stuck", **environment))
    assert result.returncode == 1
    assert "\\x1b]0;x" in result.stdout


def test_an_export_on_a_terminal_equals_the_exported_file(environment, tampered_session, tmp_path):
    printed = assert_printable(run_vola("export", "--names", str(tampered_session), **environment))
    run_vola(
        "export", "--names", str(tampered_session), "-o", str(tmp_path / "file"), **environment
    )
    text = (tmp_path / "file").read_text("utf-8")
    assert json.loads(printed.stdout) == json.loads(text)
    assert json.loads(text)["title"] == CONTROL_CHARACTERS
    assert json.loads(text)["names"][0]["name"] == CONTROL_CHARACTERS


@pytest.mark.parametrize("text", HOSTILE_FILES, ids=ascii)
def test_a_hostile_file_is_refused_with_its_name_escaped(environment, tmp_path, text):
    file = tmp_path / "evening\x1b[2J.json"
    file.write_text(text, "utf-8")
    result = assert_printable(invoke_vola("import", str(file), **environment))
    assert result.returncode == 2
    assert "evening\\x1b[2J.json: " in result.stderr


@pytest.mark.parametrize("wrong", [("--lang", "\x1b[2J"), ("--seed", "\x1b[2J")])
def test_a_wrong_option_is_repeated_escaped(environment, wrong):
    assert "\\x1b[2J" in assert_printable(invoke_vola("demo", *wrong, **environment)).stderr


def test_an_export_is_written_privately_or_refused(environment, tampered_session, tmp_path):
    """An export can contain salts, and a full disk must not destroy an earlier file."""
    file = tmp_path / "kept.json"
    assert (
        run_vola(
            "export", "--names", str(tampered_session), "-o", str(file), **environment
        ).returncode
        == 0
    )
    assert file.stat().st_mode & 0o777 == 0o600
    full = Path("/dev/full")
    if full.exists():
        result = run_vola("export", str(tampered_session), "-o", str(full), **environment)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert full.is_char_device()


def test_a_closed_pipe_ends_the_export_silently(environment, tampered_session):
    """`vola export … | head`."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as closed:
        command = [sys.executable, "-m", "api.cli.main", "export", str(tampered_session)]
        result = subprocess.run(
            command, env={**os.environ, **environment}, stdout=closed, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("audit", "--help")])
def test_a_closed_pipe_ends_the_help_as_it_ends_a_command(arguments):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as closed:
        command = [sys.executable, "-m", "api.cli.main", *arguments]
        result = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (result.returncode, result.stderr) == (141, b"")


def test_an_export_is_utf_8_whatever_the_terminal_uses(environment, tampered_session):
    result = run_vola(
        "export", str(tampered_session), "--names", **environment, PYTHONIOENCODING="latin-1"
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("url", ["foo", "http://[", "http://127.0.0.1:abc", "http://ä ö"])
def test_an_invalid_url_is_reported(environment, url):
    result = invoke_vola("demo", "--url", url, **environment)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


def test_a_backup_with_an_impossible_name_is_reported(environment):
    result = invoke_vola("backup", "-o", "a" * 300, **environment)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
