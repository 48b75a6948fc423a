"""A PostgreSQL that follows another, made as its operator would make one."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from ledger.servers import Postgres
from ledger.servers.identity import settle


@contextmanager
def following(leader: Postgres, folder: Path) -> Iterator[Callable[[str], str]]:
    """What gives an address at the leader as one at its follower."""
    folder.mkdir()
    program = leader.bin / "postgres"
    identity = settle(folder, program)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with folder.with_suffix(".log").open("ab") as log:
        quiet = {"output": log.fileno(), "stdin": subprocess.DEVNULL}
        into = ["-R", "-c", "fast", "-D", str(folder / "data"), "-d", leader.super_url]
        copied = identity.launch([str(leader.bin / "pg_basebackup"), *into], **quiet)
        assert copied.wait(60) == 0
        told = ("max_connections=200", f"port={port}", "unix_socket_directories=")
        flags = [word for setting in told for word in ("-c", setting)]
        process = identity.launch([str(program), "-D", str(folder / "data"), *flags], **quiet)

        def there(url: str) -> str:
            return url.replace(f":{urlsplit(url).port}/", f":{port}/")

        try:
            _reached(there(leader.super_url))
            yield there
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _reached(url: str) -> None:
    """Once it takes anybody in."""
    until = time.monotonic() + 60
    while True:
        try:
            return psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until, "the follower does not come"
            time.sleep(0.05)  # polling a server, with a deadline
