"""A PostgreSQL replica of another server, set up as an operator would."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from ledger.embedded.run_as import choose_identity
from tests.support.polling import wait_until
from tests.support.postgresql.cluster import Postgres


@contextmanager
def run_replica(primary: Postgres, folder: Path) -> Iterator[Callable[[str], str]]:
    """Yield a function that maps a URL of the primary to the same database on its replica."""
    folder.mkdir()
    program = primary.bin / "postgres"
    identity = choose_identity(folder, program)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with folder.with_suffix(".log").open("ab") as log:
        quiet = {"output": log.fileno(), "stdin": subprocess.DEVNULL}
        backup_options = ["-R", "-c", "fast", "-D", str(folder / "data"), "-d", primary.super_url]
        backup_program = str(primary.bin / "pg_basebackup")
        copied = identity.launch([backup_program, *backup_options], **quiet)
        assert copied.wait(60) == 0
        settings = ("max_connections=200", f"port={port}", "unix_socket_directories=")
        flags = [word for setting in settings for word in ("-c", setting)]
        process = identity.launch([str(program), "-D", str(folder / "data"), *flags], **quiet)

        def replica_url(url: str) -> str:
            return url.replace(f":{urlsplit(url).port}/", f":{port}/")

        try:
            wait_until_reachable(replica_url(primary.super_url))
            yield replica_url
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def wait_until_reachable(url: str) -> None:
    wait_until(lambda: is_reachable(url), lambda: "the server accepts no connections")


def is_reachable(url: str) -> bool:
    """Return whether the server accepts connections."""
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
