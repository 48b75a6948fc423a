"""Run tests on the servers of Debian 12: PostgreSQL 15, the oldest supported, and Redis 7.

    python -m tests.support.debian_servers tests/ledger tests/api tests/workers

Starts both for this one run, from the packages postgresql-15 and redis-server.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import redis

from tests.support.memory_folder import use_memory_folder
from tests.support.polling import wait_until
from tests.support.postgresql import other_version

MAJOR = 15
REDIS_DATABASES = 64


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments on both servers; return its exit code, or 2 if one of them
    is not installed."""
    programs, redis_program = other_version.installed(MAJOR), shutil.which("redis-server")
    if programs is None or redis_program is None:
        install = f"apt-get install postgresql-{MAJOR} redis-server"
        print(f"Debian's servers are not here: {install}", file=sys.stderr)
        return 2
    with ExitStack() as opened:
        opened.callback(use_memory_folder())
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="vola-debian-")))
        postgresql = other_version.run_postgresql(programs, folder / "postgresql")
        cluster = opened.enter_context(postgresql)
        redis_url = opened.enter_context(run_redis(redis_program))
        servers = {
            "TEST_DATABASE_URL": cluster.super_url,
            "TEST_DATABASE_LOGS": str(folder),
            "TEST_REDIS_URL": redis_url,
        }
        command = [sys.executable, "-m", "pytest", "--numprocesses=auto", *arguments]
        return subprocess.run(command, env={**os.environ, **servers}).returncode


@contextmanager
def run_redis(program: str) -> Iterator[str]:
    """Yield the URL of a Redis that stores nothing."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = {"port": port, "bind": "127.0.0.1", "save": "", "databases": REDIS_DATABASES}
    options = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as process:
        try:
            url = f"redis://127.0.0.1:{port}"
            wait_until(lambda: _is_reachable(url), lambda: "Redis accepts no connections")
            yield url
        finally:
            process.terminate()


def _is_reachable(url: str) -> bool:
    try:
        return bool(redis.from_url(url).ping())
    except redis.exceptions.ConnectionError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
