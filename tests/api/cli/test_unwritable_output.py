"""Files that fail while they are read, and outputs that are closed or full: no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from ledger.store.event_store import EventStore
from ledger.transfer.backup import open_backup
from ledger.transfer.backup_file import BackupRefused
from tests.support.api.command_line import invoke_vola, run_vola
from tests.support.databases import DatabaseUrls
from tests.support.ledger.store_session import play_e1

UNREADABLE = "/proc/self/mem"
"""A file that can be opened, but whose first byte cannot be read."""
ERROR_OUTPUTS = {"full": "2>/dev/full", "closed": "2>&-"}

needs_unreadable_file = pytest.mark.skipif(
    not Path(UNREADABLE).exists(), reason="only Linux has this file"
)
needs_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
each_error_output = pytest.mark.parametrize("error_output", ERROR_OUTPUTS)


def run_redirected(
    command: list[str], redirection: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command of `vola` through a shell that redirects or closes an output."""
    vola = (sys.executable, "-m", "api.cli.main", *command)
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *vola],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@needs_unreadable_file
@pytest.mark.parametrize("option", ["file", "--export", "--receipt"])
def test_verify_names_a_file_that_fails_while_it_is_read(option: str, tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    files = [UNREADABLE] if option == "file" else ["empty.json", option, UNREADABLE]
    result = subprocess.run(
        [sys.executable, "-m", "api.verify.program.main", *files],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"Cannot read {UNREADABLE}: Input/output error.\n"


@needs_unreadable_file
def test_restore_names_a_file_that_fails_while_it_is_read() -> None:
    with (
        pytest.raises(BackupRefused, match=f"Cannot read {UNREADABLE}: Input/output error"),
        open_backup(Path(UNREADABLE)),
    ):
        pass


def test_restore_says_which_command_reads_an_export(tmp_path: Path) -> None:
    export = tmp_path / "book.zip"
    export.write_bytes(b"PK\3\4")
    with (
        pytest.raises(BackupRefused, match=r"no backup of Vola.*`vola import`"),
        open_backup(export),
    ):
        pass


def test_import_says_which_command_reads_a_backup(
    environment: dict[str, str], tmp_path: Path
) -> None:
    backup = tmp_path / "book.dump"
    backup.write_bytes(b"PGDMP\1\x10\0\4\x08")
    result = invoke_vola("import", str(backup), **environment)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"vola: {backup}: This is a backup, which `vola restore` reads.\n"


@each_error_output
def test_an_audit_needs_no_error_output(
    error_output: str, environment: dict[str, str], store: EventStore
) -> None:
    """Exit code 1 would mean findings."""
    play_e1(store)
    result = run_redirected(["audit"], ERROR_OUTPUTS[error_output], environment)
    assert (result.returncode, result.stdout) == (0, "1 session, no findings\n")


@each_error_output
def test_findings_are_told_by_the_exit_code_without_an_error_output(
    error_output: str, environment: dict[str, str], store: EventStore, urls: DatabaseUrls
) -> None:
    play_e1(store)
    with psycopg.connect(urls.super) as db:
        db.execute("DELETE FROM projections.journal")
    result = run_redirected(["audit"], ERROR_OUTPUTS[error_output], environment)
    assert result.returncode == 1


@each_error_output
def test_a_demo_is_recorded_without_an_error_output(
    error_output: str, environment: dict[str, str]
) -> None:
    nowhere = {**environment, "PORT": "1"}
    result = run_redirected(["demo", "--deals", "1"], ERROR_OUTPUTS[error_output], nowhere)
    assert result.returncode == 0


@each_error_output
def test_an_archive_is_written_without_an_error_output(
    error_output: str, environment: dict[str, str], store: EventStore, tmp_path: Path
) -> None:
    play_e1(store)
    file = tmp_path / "book.zip"
    command = ["export", "--all", str(file)]
    result = run_redirected(command, ERROR_OUTPUTS[error_output], environment)
    assert (result.returncode, file.exists()) == (0, True)


@each_error_output
def test_a_refusal_without_an_error_output_keeps_its_exit_code(
    error_output: str, environment: dict[str, str]
) -> None:
    for command in (["import", "missing.json"], ["export", str(UUID(int=1))]):
        result = run_redirected(command, ERROR_OUTPUTS[error_output], environment)
        assert (result.returncode, result.stdout) == (2, "")


def test_an_export_to_a_closed_output_is_refused(
    environment: dict[str, str], store: EventStore
) -> None:
    session_id = play_e1(store)
    result = run_redirected(["export", str(session_id)], ">&-", environment)
    assert result.returncode == 2
    assert result.stderr == "vola: Cannot write the export: the standard output is closed.\n"


@needs_full_disk
def test_what_was_imported_or_restored_is_named_when_its_output_fails(
    environment: dict[str, str], store: EventStore, tmp_path: Path
) -> None:
    session_id = play_e1(store)
    backup, exported = tmp_path / "book.dump", tmp_path / "evening.json"
    assert run_vola("backup", "-o", str(backup), **environment).returncode == 0
    export = ["export", str(session_id), "--names", "-o", str(exported)]
    assert run_vola(*export, **environment).returncode == 0
    for command, done in (
        (["restore", str(backup)], f"{backup} is restored, but"),
        (["import", str(exported)], f"{exported} is imported, but"),
    ):
        new_book = {"DATABASE_URL": "", "VOLA_DATA": str(tmp_path / command[0])}
        result = run_redirected(command, ">/dev/full", new_book)
        assert result.returncode == 2
        assert result.stderr == (
            f"vola: {done} the output cannot be written: No space left on device.\n"
        )


def test_a_name_that_the_output_cannot_show_is_escaped(
    environment: dict[str, str], store: EventStore, tmp_path: Path
) -> None:
    play_e1(store)
    file = str(tmp_path / "5€.dump")
    result = run_vola("backup", "-o", file, **environment, PYTHONIOENCODING="latin-1")
    assert result.returncode == 0, result.stderr
    assert "5\\u20ac.dump: 1 session, " in result.stdout


@needs_full_disk
@pytest.mark.parametrize(
    ("command", "done"),
    [
        (["key", "--rotate"], "The key is rotated, but"),
        (["rebuild"], "The tables are as the events say, but"),
    ],
)
def test_what_was_rotated_or_rebuilt_is_named_when_its_output_fails(
    command: list[str], done: str, environment: dict[str, str]
) -> None:
    """Whoever believed that nothing was done would rotate the key once more."""
    result = run_redirected(command, ">/dev/full", environment)
    assert result.returncode == 2
    assert result.stderr == f"vola: {done} the output cannot be written: No space left on device.\n"


@needs_full_disk
def test_a_witness_blames_no_file_of_its_own_for_its_output(tmp_path: Path) -> None:
    link = f"http://127.0.0.1:1/#/s/{UUID(int=1)}/{'t' * 43}"
    result = run_redirected(["witness", "--once", link], ">/dev/full", {"VOLA_DATA": str(tmp_path)})
    assert result.returncode == 2
    assert result.stderr == "vola: The system refused: No space left on device.\n"
