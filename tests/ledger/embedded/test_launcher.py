"""Vola's own servers: who comes first starts them, and no kill leaves a mess behind.

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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg
import pytest
import redis
from psycopg.conninfo import make_conninfo

from ledger.servers import Postgres, postgres, valkey
from ledger.servers.listening import free_port, socket_path
from ledger.servers.postgresql import PostgreSQL

REPOSITORY = Path(__file__).parents[2]
WAIT_SECONDS = 20

VISITOR = """
import sys
from pathlib import Path
from ledger import servers
with getattr(servers, sys.argv[1])(Path(sys.argv[2])) as server:
    print(getattr(server, "app_url", "") or server.url, flush=True)
    sys.stdin.readline()
"""


class Visitor:
    """Another process that uses a server until it is told to leave, or killed."""

    def __init__(self, server: str, data: Path) -> None:
        command = [sys.executable, "-c", VISITOR, server, str(data)]
        self.process = subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def url(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate("\n", timeout=WAIT_SECONDS)
        assert self.process.returncode == 0


@contextmanager
def visitor(server: str, data: Path) -> Iterator[Visitor]:
    guest = Visitor(server, data)
    try:
        yield guest
    finally:
        guest.kill()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose cluster is whole and stopped, and left so by each test."""
    data = tmp_path_factory.mktemp("data")
    with postgres(data):
        pass
    return data


@pytest.fixture
def copy(data: Path, tmp_path: Path) -> Path:
    """One that a test may damage."""
    return copy_of(data, tmp_path / "var")


@pytest.fixture(scope="module")
def server_folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of(data, tmp_path_factory.mktemp("running") / "var")


@pytest.fixture(scope="module")
def server(server_folder: Path) -> Iterator[Postgres]:
    with postgres(server_folder) as server:
        yield server


def copy_of(data: Path, folder: Path) -> Path:
    subprocess.run(["cp", "-a", data, folder], check=True)  # keeps the owners, unlike copytree
    return folder


def ask(url: str, query: LiteralString, **more: str) -> object:
    with psycopg.connect(make_conninfo(url, **more)) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


def postmaster(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def answers(url: str) -> bool:
    try:
        return ask(url, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


def until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not claim():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def test_a_new_folder_gets_a_cluster_that_each_role_can_enter(tmp_path: Path) -> None:
    # Long, and with everything that a shell or a socket path would trip over.
    data = tmp_path / 'Köket\'s, "var" $HOME' / ("x" * 90)
    begun = time.monotonic()
    with postgres(data) as server:
        assert time.monotonic() - begun < 10, "cold start, with a margin for busy machines"
        who = "SELECT current_user::text"
        assert ask(server.owner_url, who) == "vola_owner"
        assert ask(server.app_url, who) == "vola_app"
        assert ask(server.audit_url, who) == "vola_auditor"
        assert ask(server.super_url, who) == "postgres"
        assert (server.bin / "pg_dump").exists()
    assert not answers(server.app_url)
    assert not socket_path(data).exists()


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
def test_what_is_committed_stays_committed(
    server: Postgres, setting: LiteralString, value: str
) -> None:
    assert ask(server.app_url, f"SELECT current_setting('{setting}')") == value


def test_only_the_owner_makes_tables(server: Postgres) -> None:
    for url in (server.app_url, server.audit_url):
        for query in ("CREATE TABLE mine ()", "CREATE TEMP TABLE mine ()", "CREATE SCHEMA mine"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ask(url, query)
    with psycopg.connect(server.owner_url) as connection:
        connection.execute("CREATE TABLE ours (a int)")
        connection.rollback()


def test_no_role_enters_another_database(server: Postgres) -> None:
    for url in (server.owner_url, server.app_url, server.audit_url):
        for database in ("postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                ask(url, "SELECT 1", dbname=database)


def test_no_password_no_entry(server: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError):
        ask(server.super_url, "SELECT 1", password="postgres")
    with pytest.raises(psycopg.OperationalError):
        ask(server.super_url, "SELECT 1", password="")


def test_secrets_are_nobody_elses(server_folder: Path, server: Postgres) -> None:
    passwords = server_folder / "postgres.passwords.json"
    assert stat.S_IMODE(passwords.stat().st_mode) == 0o600
    assert stat.S_IMODE((server_folder / "postgres").stat().st_mode) == 0o700
    assert stat.S_IMODE((server_folder / "postgres.log").stat().st_mode) == 0o600
    secrets = json.loads(passwords.read_text()).values()
    assert len(set(secrets)) == 4
    seen = Path(f"/proc/{postmaster(server_folder)}/cmdline")
    if seen.exists():
        assert not any(secret in seen.read_text() for secret in secrets)
    assert not any(secret in (server_folder / "postgres.log").read_text() for secret in secrets)
    assert not any(secret in repr(server) for secret in secrets)


def test_the_server_outlives_the_first_and_stops_with_the_last(data: Path) -> None:
    with ExitStack() as stays:
        with postgres(data) as first:
            begun = time.monotonic()
            second = stays.enter_context(postgres(data))
            assert time.monotonic() - begun < 1
            assert second == first
        assert answers(second.app_url)
    assert not answers(second.app_url)


def test_the_last_to_leave_stops_it(data: Path) -> None:
    with visitor("postgres", data) as guest:
        url = guest.url()
        with postgres(data) as joined:
            assert joined.app_url == url
            pid = postmaster(data)
            guest.leave()
            assert answers(url)
    assert not answers(url)
    assert not (data / "postgres" / "postmaster.pid").exists()
    assert gone(pid)


def test_an_error_inside_stops_it_too(data: Path) -> None:
    with pytest.raises(KeyboardInterrupt), postgres(data) as server:
        raise KeyboardInterrupt
    assert not answers(server.app_url)


def test_a_killed_postmaster_comes_back_with_every_committed_row(data: Path) -> None:
    with postgres(data) as before:
        with psycopg.connect(before.owner_url) as connection:
            connection.execute("CREATE TABLE kept (a int)")
            connection.execute("INSERT INTO kept VALUES (1), (2), (3)")
        # Our own child, so it stays a zombie with its number in postmaster.pid.
        kill_server(postmaster(data))
        with postgres(data) as after:
            assert after == before, "the same port, so that old connections can be made again"
            assert ask(after.owner_url, "SELECT sum(a) FROM kept") == 6


def test_a_postmaster_that_somebody_else_stops_properly_comes_back_where_it_was(
    data: Path,
) -> None:
    """A clean stop leaves no postmaster.pid to read the port from."""
    with postgres(data) as before:
        process = psutil.Process(postmaster(data))
        process.send_signal(signal.SIGINT)
        gone_by = time.monotonic() + WAIT_SECONDS
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < gone_by
        with postgres(data) as after:
            assert after == before


def test_a_postmaster_that_was_told_to_stop_and_never_does_is_stopped_less_gently(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL 18 told to stop while it recovers from a crash of one of its processes says
    "stopping" for ever; here a process that sleeps makes it do so. Seed night2, fault 1774."""
    soon = ((signal.SIGINT, 0.2), *PostgreSQL.stopping[1:])
    with postgres(data) as before, psycopg.connect(before.owner_url) as db:
        db.execute("CREATE TABLE kept_still AS SELECT 6 AS a")
        db.commit()
        os.kill(db.info.backend_pid, signal.SIGSTOP)
        os.kill(postmaster(data), signal.SIGINT)
        said_by = time.monotonic() + WAIT_SECONDS
        while not PostgreSQL(data).ending():
            assert time.monotonic() < said_by
        monkeypatch.setattr(PostgreSQL, "stopping", soon)
        with postgres(data) as after:
            assert after == before
            assert ask(after.owner_url, "SELECT a FROM kept_still") == 6


def test_a_killed_user_leaves_a_server_to_join_and_stop(data: Path) -> None:
    with visitor("postgres", data) as one, visitor("postgres", data) as two:
        url, also = one.url(), two.url()
        assert url == also
        one.kill()
        two.kill()
    assert answers(url)
    with postgres(data) as server:
        assert server.app_url == url
    assert not answers(url)


def test_everybody_and_the_server_killed_at_once(data: Path) -> None:
    with visitor("postgres", data) as guest:
        guest.url()
        pid = postmaster(data)
        guest.kill()
        kill_server(pid)
    with postgres(data) as server:
        assert answers(server.app_url)


def test_a_process_that_got_the_old_number_is_not_the_server(data: Path) -> None:
    stale = data / "postgres" / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n1\n5432\n/tmp\n127.0.0.1\n\nready\n")
    with postgres(data) as server:
        assert answers(server.app_url)


def test_a_first_start_killed_halfway_is_begun_again(tmp_path: Path) -> None:
    with visitor("postgres", tmp_path) as guest:
        until((tmp_path / "postgres.new" / "cluster" / "base" / "1").exists)
        guest.kill()
    assert not (tmp_path / "postgres").exists()
    with postgres(tmp_path) as server:
        assert answers(server.app_url)
    assert not (tmp_path / "postgres.new").exists()


def test_two_that_race_for_a_new_folder_share_one_server(tmp_path: Path) -> None:
    with visitor("postgres", tmp_path) as one, visitor("postgres", tmp_path) as two:
        url = one.url()
        assert url == two.url()
        assert answers(url)
        one.leave()
        assert answers(url)
        two.leave()
        assert not answers(url)


def test_a_forked_child_cannot_stop_its_parents_server(data: Path) -> None:
    forks = """
import os, sys
from pathlib import Path
from ledger.servers import postgres
parent, data = os.getpid(), Path(sys.argv[1])
with postgres(data):
    if os.fork() == 0:
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 3
    os.kill(int((data / "postgres/postmaster.pid").read_text().split()[0]), 0)
    left = os.fork()          # and one that stays behind does not keep the server up
    if left == 0:
        sys.stdin.readline()
        os._exit(0)
print((data / "postgres/postmaster.pid").exists())
"""
    command = [sys.executable, "-c", forks, str(data)]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, input="\n", check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_folder_made_anew_belongs_to_its_new_users(copy: Path) -> None:
    with ExitStack() as stays:
        with postgres(copy) as old, valkey(copy) as old_bell:
            shutil.rmtree(copy)
            new = stays.enter_context(postgres(copy))
            new_bell = stays.enter_context(valkey(copy))
        assert answers(new.app_url)
        assert rings(new_bell.url)
        assert not answers(old.app_url)
        with pytest.raises(redis.ConnectionError):
            rings(old_bell.url)


def test_a_lost_port_is_replaced(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for module in ("postgresql", "valkey_server"):
            answer = iter([taken.getsockname()[1]])
            monkeypatch.setattr(
                f"ledger.servers.{module}.free_port",
                lambda wanted, answer=answer: next(answer, free_port(None)),
            )
        with postgres(data) as server, valkey(data) as bell:
            assert answers(server.app_url)
            assert rings(bell.url)


def rings(url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        return bool(client.ping())


def kill_server(pid: int) -> None:
    """Kill it and wait until it is dead, since whoever comes in between joins a dying server."""
    os.kill(pid, signal.SIGKILL)
    until(lambda: gone(pid))


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
