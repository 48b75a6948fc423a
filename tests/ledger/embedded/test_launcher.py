"""The embedded servers: the first user starts them, the last stops them, and a kill does no harm.

Real servers on real folders, and real kills.
"""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg
import pytest
import redis

from ledger.embedded import valkey
from ledger.embedded.launcher import free_port
from ledger.embedded.postgresql import PostgreSQLServer
from tests.support.ledger.embedded_servers import (
    REPOSITORY,
    WAIT_SECONDS,
    accepts_queries,
    copy_folder,
    has_exited,
    kill_server,
    ping_valkey,
    postmaster_pid,
    query_value,
    server_user,
)
from tests.support.polling import wait_until
from tests.support.postgresql.cluster import Postgres, postgres


@pytest.fixture(scope="module")
def server_folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_folder(data, tmp_path_factory.mktemp("running") / "var")


@pytest.fixture(scope="module")
def server(server_folder: Path) -> Iterator[Postgres]:
    with postgres(server_folder) as server:
        yield server


def test_a_new_folder_gets_a_cluster_that_each_role_can_enter(tmp_path: Path) -> None:
    # A long path with characters that a shell or a socket path could not take.
    data = tmp_path / 'Köket\'s, "var" $HOME' / ("x" * 90)
    start_time = time.monotonic()
    with postgres(data) as server:
        assert time.monotonic() - start_time < 10, "cold start, with a margin for busy machines"
        query = "SELECT current_user::text"
        assert query_value(server.owner_url, query) == "vola_owner"
        assert query_value(server.app_url, query) == "vola_app"
        assert query_value(server.audit_url, query) == "vola_auditor"
        assert query_value(server.super_url, query) == "postgres"
        assert (server.bin / "pg_dump").exists()
        assert query_value(server.super_url, "SHOW unix_socket_directories") == ""
    assert not accepts_queries(server.app_url)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("data_checksums", "on"),
        ("server_encoding", "UTF8"),
        ("TimeZone", "UTC"),
        ("listen_addresses", "127.0.0.1"),
    ],
)
def test_settings_keep_committed_data_durable(
    server: Postgres, setting: LiteralString, value: str
) -> None:
    assert query_value(server.app_url, f"SELECT current_setting('{setting}')") == value


def test_only_the_owner_creates_tables(server: Postgres) -> None:
    for url in (server.app_url, server.audit_url):
        for query in ("CREATE TABLE mine ()", "CREATE TEMP TABLE mine ()", "CREATE SCHEMA mine"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                query_value(url, query)
    with psycopg.connect(server.owner_url) as connection:
        connection.execute("CREATE TABLE ours (a int)")
        connection.rollback()


def test_no_role_enters_another_database(server: Postgres) -> None:
    for url in (server.owner_url, server.app_url, server.audit_url):
        for database in ("postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                query_value(url, "SELECT 1", dbname=database)


def test_a_wrong_password_is_refused(server: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError):
        query_value(server.super_url, "SELECT 1", password="postgres")
    with pytest.raises(psycopg.OperationalError):
        query_value(server.super_url, "SELECT 1", password="")


def test_secrets_are_readable_by_the_owner_alone(server_folder: Path, server: Postgres) -> None:
    passwords = server_folder / "postgres.passwords.json"
    assert stat.S_IMODE(passwords.stat().st_mode) == 0o600
    assert stat.S_IMODE((server_folder / "postgres").stat().st_mode) == 0o700
    assert stat.S_IMODE((server_folder / "postgres.log").stat().st_mode) == 0o600
    secrets = json.loads(passwords.read_text()).values()
    assert len(set(secrets)) == 4
    command_line = Path(f"/proc/{postmaster_pid(server_folder)}/cmdline")
    if command_line.exists():
        assert not any(secret in command_line.read_text() for secret in secrets)
    assert not any(secret in (server_folder / "postgres.log").read_text() for secret in secrets)
    assert not any(secret in repr(server) for secret in secrets)


def test_the_server_outlives_its_first_user_and_stops_with_the_last(data: Path) -> None:
    with ExitStack() as stack:
        with postgres(data) as first:
            start_time = time.monotonic()
            second = stack.enter_context(postgres(data))
            assert time.monotonic() - start_time < 1
            assert second == first
        assert accepts_queries(second.app_url)
    assert not accepts_queries(second.app_url)


def test_the_last_user_stops_the_server(data: Path) -> None:
    with server_user("postgres", data) as guest:
        url = guest.url()
        with postgres(data) as joined:
            assert joined.app_url == url
            pid = postmaster_pid(data)
            guest.leave()
            assert accepts_queries(url)
    assert not accepts_queries(url)
    assert not (data / "postgres" / "postmaster.pid").exists()
    wait_until(lambda: has_exited(pid))


def test_an_exception_stops_the_server(data: Path) -> None:
    with pytest.raises(KeyboardInterrupt), postgres(data) as server:
        raise KeyboardInterrupt
    assert not accepts_queries(server.app_url)


def test_a_killed_postmaster_comes_back_with_every_committed_row(data: Path) -> None:
    with postgres(data) as before:
        with psycopg.connect(before.owner_url) as connection:
            connection.execute("CREATE TABLE kept (a int)")
            connection.execute("INSERT INTO kept VALUES (1), (2), (3)")
        # It is a child of this process, so it stays a zombie with its number in postmaster.pid.
        kill_server(postmaster_pid(data))
        with postgres(data) as after:
            assert after == before, "the same port, so that clients can connect again"
            assert query_value(after.owner_url, "SELECT sum(a) FROM kept") == 6


def test_a_postmaster_stopped_from_outside_comes_back_at_its_port(
    data: Path,
) -> None:
    """A clean stop leaves no postmaster.pid to read the port from."""
    with postgres(data) as before:
        process = psutil.Process(postmaster_pid(data))
        process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + WAIT_SECONDS
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
        with postgres(data) as after:
            assert after == before


def test_a_postmaster_that_ignores_a_stop_signal_is_stopped_by_force(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL 18 hangs in "stopping" when the stop signal arrives while it recovers from the
    crash of one of its processes; here a sleeping process has the same effect."""
    short_waits = ((signal.SIGINT, 0.2), *PostgreSQLServer.stopping[1:])
    with postgres(data) as before, psycopg.connect(before.owner_url) as db:
        db.execute("CREATE TABLE survivors AS SELECT 6 AS a")
        db.commit()
        os.kill(db.info.backend_pid, signal.SIGSTOP)
        os.kill(postmaster_pid(data), signal.SIGINT)
        deadline = time.monotonic() + WAIT_SECONDS
        while not PostgreSQLServer(data).is_ending():
            assert time.monotonic() < deadline
        monkeypatch.setattr(PostgreSQLServer, "stopping", short_waits)
        with postgres(data) as after:
            assert after == before
            assert query_value(after.owner_url, "SELECT a FROM survivors") == 6


def test_a_killed_user_leaves_a_server_to_join_and_stop(data: Path) -> None:
    with server_user("postgres", data) as ada, server_user("postgres", data) as bo:
        url = ada.url()
        assert bo.url() == url
        ada.kill()
        bo.kill()
    assert accepts_queries(url)
    with postgres(data) as server:
        assert server.app_url == url
    assert not accepts_queries(url)


def test_a_killed_user_and_a_killed_server_do_no_harm(data: Path) -> None:
    with server_user("postgres", data) as guest:
        guest.url()
        pid = postmaster_pid(data)
        guest.kill()
        kill_server(pid)
    with postgres(data) as server:
        assert accepts_queries(server.app_url)


def test_a_process_that_reuses_the_pid_is_not_the_server(data: Path) -> None:
    stale = data / "postgres" / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n1\n5432\n/tmp\n127.0.0.1\n\nready\n")
    with postgres(data) as server:
        assert accepts_queries(server.app_url)


def test_an_interrupted_first_start_is_repeated(tmp_path: Path) -> None:
    with server_user("postgres", tmp_path) as guest:
        wait_until((tmp_path / "postgres.new" / "cluster" / "base" / "1").exists)
        guest.kill()
    assert not (tmp_path / "postgres").exists()
    with postgres(tmp_path) as server:
        assert accepts_queries(server.app_url)
    assert not (tmp_path / "postgres.new").exists()


def test_two_users_that_race_for_a_new_folder_share_one_server(tmp_path: Path) -> None:
    with server_user("postgres", tmp_path) as ada, server_user("postgres", tmp_path) as bo:
        url = ada.url()
        assert url == bo.url()
        assert accepts_queries(url)
        ada.leave()
        assert accepts_queries(url)
        bo.leave()
        assert not accepts_queries(url)


def test_a_forked_child_cannot_stop_its_parents_server(data: Path) -> None:
    forks = """
import os, sys
from pathlib import Path
from ledger.embedded import postgres
parent, data = os.getpid(), Path(sys.argv[1])
with postgres(data):
    if os.fork() == 0:
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 3
    os.kill(int((data / "postgres/postmaster.pid").read_text().split()[0]), 0)
    child = os.fork()          # a child that outlives its parent does not keep the server up
    if child == 0:
        sys.stdin.readline()
        os._exit(0)
print((data / "postgres/postmaster.pid").exists())
"""
    command = [sys.executable, "-c", forks, str(data)]
    result = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, input="\n", check=False
    )
    assert (result.stdout, result.stderr) == ("False\n", "")


def test_a_recreated_folder_gets_new_servers(copy: Path) -> None:
    with ExitStack() as stack:
        with postgres(copy) as old, valkey(copy) as old_valkey:
            shutil.rmtree(copy)
            new = stack.enter_context(postgres(copy))
            new_valkey = stack.enter_context(valkey(copy))
        assert accepts_queries(new.app_url)
        assert ping_valkey(new_valkey.url)
        assert not accepts_queries(old.app_url)
        with pytest.raises(redis.ConnectionError):
            ping_valkey(old_valkey.url)


def test_a_lost_port_is_replaced(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        for module in ("postgresql", "valkey_server"):
            answer = iter([listener.getsockname()[1]])
            monkeypatch.setattr(
                f"ledger.embedded.{module}.free_port",
                lambda wanted, answer=answer: next(answer, free_port()),
            )
        with postgres(data) as server, valkey(data) as started:
            assert accepts_queries(server.app_url)
            assert ping_valkey(started.url)
