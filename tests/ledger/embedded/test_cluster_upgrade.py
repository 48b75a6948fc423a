"""A cluster of an older PostgreSQL is moved to the bundled one, whole or not at all.

Real old clusters with the frozen book of 0.1; `make upgrades` kills at every step.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from ledger.embedded import ServerFailed, last_upgrade
from ledger.embedded.cluster import MAJOR, SERVER_SETTINGS, Cluster, find_program
from ledger.embedded.cluster_upgrade.old_programs import find_old_postgres
from ledger.embedded.cluster_upgrade.table_digest import TableDigest, digest_tables
from ledger.embedded.cluster_upgrade.temporary_server import UNTIL_INPUT_ENDS, temporary_server
from ledger.embedded.launcher import free_port
from ledger.embedded.private_files import log_part
from ledger.embedded.run_as import choose_identity
from ledger.embedded.server_process import find_process
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.earlier_books import DUMPS
from tests.support.ledger.embedded_servers import (
    assert_start_fails,
    copy_folder,
)
from tests.support.polling import wait_until
from tests.support.postgresql.cluster import postgres
from tests.support.postgresql.older_cluster import make_older_cluster
from tests.support.upgrades.kill_points import start_until

OLD_FOLDER = re.compile(r"postgres\.16-\d{4}-\d{2}-\d{2}")
RIGHTS = """
SELECT c.oid::regclass::text, c.relowner::regrole::text, a.grantee::regrole::text, a.privilege_type
  FROM pg_class c LEFT JOIN aclexplode(c.relacl) a ON a.grantee <> c.relowner
 WHERE c.relnamespace IN ('vola'::regnamespace, 'projections'::regnamespace, 'public'::regnamespace)
 ORDER BY 1, 2, 3, 4
"""
"""The owner of each table and index, and others' rights; newer versions give owners more."""
NO_SERVERS = {"DATABASE_URL": "", "REDIS_URL": ""}
STEPS = {
    "before the restore": "bin/pg_restore",
    "between the two renames": "os.rename {data}/postgres.new/cluster",
}


@dataclass(frozen=True)
class OldBook:
    """A data folder of PostgreSQL 16, which Vola bundles as well, and digests of its tables."""

    data: Path
    rows: dict[str, TableDigest]


@pytest.fixture(scope="module")
def old_book(tmp_path_factory: pytest.TempPathFactory) -> OldBook:
    data = tmp_path_factory.mktemp("sixteen") / "var"
    rows = make_older_cluster(data, 16, DUMPS[0])
    assert rows
    return OldBook(data, rows)


@pytest.fixture
def var(old_book: OldBook, tmp_path: Path) -> Path:
    """A copy of the data folder."""
    return copy_folder(old_book.data, tmp_path / "var")


def book_url(super_url: str) -> str:
    return super_url.replace("/postgres?", "/vola?")


def rows_of(super_url: str) -> dict[str, TableDigest]:
    return digest_tables(book_url(super_url), lambda count: None)


def old_program() -> Path:
    program = find_old_postgres(16, None)
    assert program
    return program


def major_of(folder: Path) -> str:
    return (folder / "PG_VERSION").read_text().strip()


def old_folders(data: Path) -> list[Path]:
    return [path for path in data.iterdir() if OLD_FOLDER.fullmatch(path.name)]


def content_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def assert_moved(data: Path, expected: dict[str, TableDigest]) -> None:
    """Assert that the book is complete on the bundled version, and the old folder kept."""
    with postgres(data) as server:
        assert rows_of(server.super_url) == expected
    assert major_of(data / "postgres") == MAJOR
    assert [major_of(folder) for folder in old_folders(data)] == ["16"]
    assert not (data / "postgres.new").exists()


def test_a_book_made_with_the_distribution_s_postgresql_moves(tmp_path: Path) -> None:
    """Since 15.20 its columns carry an option that the bundled pg_dump would write down."""
    data = tmp_path / "var"
    rows = make_older_cluster(data, 15, DUMPS[0])
    if rows is None:
        pytest.skip("PostgreSQL 15 is not installed here")
    with postgres(data) as server:
        assert rows_of(server.super_url) == rows


def test_commands_that_start_together_move_and_audit_the_book_once(var: Path) -> None:
    command = [sys.executable, "-m", "api.cli.main", "audit"]
    settings = {"VOLA_DATA": str(var), "VOLA_OLD_POSTGRES": str(old_program().parent)}
    environment = {**os.environ, **settings, **NO_SERVERS}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, env=environment, **pipes) for _ in "ab"]
    outputs = [process.communicate() for process in processes]
    assert [stdout for stdout, _ in outputs] == ["12 sessions, no findings\n"] * 2, outputs
    messages = "".join(stderr for _, stderr in outputs)
    assert re.search(r"from PostgreSQL 16 to 18: 30 tables with 1\d{3} rows, each", messages)
    (old_folder,) = old_folders(var)
    assert f"The audit of 12 sessions found nothing. The old folder {old_folder} stays" in messages
    assert last_upgrade(var) is None
    assert len(list((var / "migration-backups").glob("vola-*.dump"))) == 1, (
        "before the tables changed"
    )


def test_rows_owners_rights_and_passwords_are_those_of_the_old_book(var: Path) -> None:
    with postgres(var) as new, psycopg.connect(book_url(new.super_url)) as db:
        new_rows, new_rights = rows_of(new.super_url), db.execute(RIGHTS).fetchall()
        for url in (new.owner_url, new.app_url, new.audit_url):
            psycopg.connect(url).close()
    (old_folder,) = old_folders(var)
    (var / "postgres").rename(var / "new")
    old_folder.rename(var / "postgres")
    old = Cluster(var, old_program())
    with log_part(var / "postgres.log") as log:
        settings = (old.program, old.folder, SERVER_SETTINGS, log.descriptor, log)
        with temporary_server(*settings) as port:
            url = old.url("postgres", port, "vola")
            assert digest_tables(url, lambda count: None) == new_rows
            with psycopg.connect(url) as db:
                assert db.execute(RIGHTS).fetchall() == new_rights
    rows, _ = new_rows["vola.events"]
    assert rows > 100


def test_a_newer_folder_is_refused_and_stays_as_it_is(var: Path) -> None:
    (var / "postgres" / "PG_VERSION").write_text("19\n")
    before = content_of(var / "postgres")
    result = run_vola("audit", VOLA_DATA=str(var), **NO_SERVERS)
    assert_refused(result, "was made by PostgreSQL 19", "newer than the 18", "run the Vola")
    assert content_of(var / "postgres") == before


def test_without_programs_of_the_old_version_the_ways_out_are_named(var: Path) -> None:
    (var / "postgres" / "PG_VERSION").write_text("13\n")
    before = content_of(var / "postgres")
    result = run_vola("audit", VOLA_DATA=str(var), **NO_SERVERS)
    words = ("made by PostgreSQL 13", "now brings 18", "VOLA_OLD_POSTGRES", "`vola restore`")
    assert_refused(result, *words)
    assert content_of(var / "postgres") == before


def test_a_setting_that_names_no_programs_of_that_version_is_refused(
    var: Path, tmp_path: Path
) -> None:
    bundled = find_program("postgres").parent
    for folder, words in ((bundled, "PostgreSQL 18"), (tmp_path, "no program postgres")):
        result = run_vola("audit", VOLA_DATA=str(var), VOLA_OLD_POSTGRES=str(folder), **NO_SERVERS)
        assert_refused(result, f"VOLA_OLD_POSTGRES names {folder}", words, "needs 16")
    assert old_folders(var) == []


def test_a_disk_with_too_little_space_is_reported_before_anything(var: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=120m,mode=755", "tmpfs"]
    disk = var.with_name("disk")
    disk.mkdir()
    if os.geteuid() or subprocess.run([*mount, str(disk)], capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        copy_folder(var, disk / "var")
        before = content_of(disk / "var" / "postgres")
        result = run_vola("serve", VOLA_DATA=str(disk / "var"), **NO_SERVERS)
        assert_refused(result, "to PostgreSQL 18 needs", "MB are free; free some space")
        assert content_of(disk / "var" / "postgres") == before
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_an_old_book_that_cannot_be_read_stays_where_it_is(var: Path) -> None:
    for path in (var / "postgres" / "base").glob("*/1259"):  # pg_class
        path.write_bytes(b"\1" * 8192)
    with pytest.raises(ServerFailed, match=r"postgres\.log|failed"):
        assert_start_fails(var)
    assert major_of(var / "postgres") == "16"
    assert sorted(path.name for path in var.glob("postgres*") if path.is_dir()) == ["postgres"]


def test_a_server_that_crashed_is_recovered_by_its_own_version_first(
    var: Path, old_book: OldBook
) -> None:
    program, folder = old_program(), var / "postgres"
    flags = [f"--port={free_port()}", "--unix_socket_directories=", "--fsync=off"]
    with log_part(var / "postgres.log") as log:
        process = choose_identity(folder, program).launch(
            [str(program), "-D", str(folder), *flags],
            stdin=subprocess.DEVNULL,
            output=log.descriptor,
        )
    pid_file = folder / "postmaster.pid"
    wait_until(lambda: pid_file.exists() and "ready" in pid_file.read_text())
    process.kill()
    process.wait()
    wait_until(lambda: find_process(program, folder) is None)  # a child may outlive it for a moment
    assert_moved(var, old_book.rows)


def test_an_old_server_ends_even_if_its_starter_died_at_once(var: Path) -> None:
    program, folder = old_program(), var / "postgres"
    flags = [f"--port={free_port()}", "--unix_socket_directories="]
    shell = ["/bin/sh", "-c", UNTIL_INPUT_ENDS, "sh"]
    with log_part(var / "postgres.log") as log:
        process = choose_identity(folder, program).launch(
            [*shell, str(program), "-D", str(folder), *flags],
            stdin=subprocess.DEVNULL,
            output=log.descriptor,
        )
    process.wait(20)
    assert not (folder / "postmaster.pid").exists()


@pytest.mark.parametrize("step", STEPS)
def test_a_start_that_is_killed_is_made_up_for_by_the_next(
    var: Path, old_book: OldBook, step: str
) -> None:
    assert start_until(var, pattern=STEPS[step].format(data=var)).killed
    assert (var / "postgres").exists() == (step != "between the two renames")
    assert_moved(var, old_book.rows)
