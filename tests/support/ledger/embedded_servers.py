"""Embedded servers from outside: processes that use them, and whether they run."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg
import pytest
import redis
from psycopg.conninfo import make_conninfo

from ledger.embedded import postgres
from tests.support.polling import wait_until

REPOSITORY = Path(__file__).parents[3]
WAIT_SECONDS = 20

USER_SCRIPT = """
import sys
from pathlib import Path
from ledger import embedded as servers
with getattr(servers, sys.argv[1])(Path(sys.argv[2])) as server:
    print(getattr(server, "app_url", "") or server.url, flush=True)
    sys.stdin.readline()
"""


class ServerUser:
    """Another process that uses a server until it leaves or is killed."""

    def __init__(self, server: str, data: Path) -> None:
        command = [sys.executable, "-c", USER_SCRIPT, server, str(data)]
        self.process = subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def url(self) -> str:
        """Wait for the server and return its URL."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate("\n", timeout=WAIT_SECONDS)
        assert self.process.returncode == 0


@contextmanager
def server_user(server: str, data: Path) -> Iterator[ServerUser]:
    """Yield another process that uses `server`, and kill it at the end."""
    user = ServerUser(server, data)
    try:
        yield user
    finally:
        user.kill()


def copy_folder(data: Path, folder: Path) -> Path:
    subprocess.run(["cp", "-a", data, folder], check=True)  # keeps the owners, unlike copytree
    return folder


def query_value(url: str, query: LiteralString, **parameters: str) -> object:
    """Return the first value of the first row, or `None`."""
    with psycopg.connect(make_conninfo(url, **parameters)) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


def postmaster_pid(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def valkey_pid(data: Path) -> int:
    return int((data / "valkey" / "valkey.pid").read_text())


def accepts_queries(url: str) -> bool:
    try:
        return query_value(url, "SELECT 1") == 1
    except psycopg.OperationalError:
        return False


def ping_valkey(url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        return bool(client.ping())


def kill_server(pid: int) -> None:
    """Kill a process and wait for its end, since a new user would join the dying server."""
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: has_exited(pid))


def has_exited(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def assert_start_fails(data: Path) -> None:
    """Start PostgreSQL and fail the test if it starts."""
    with postgres(data):
        pytest.fail("PostgreSQL started")
