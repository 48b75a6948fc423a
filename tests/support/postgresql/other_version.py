"""A PostgreSQL of another version than the bundled one, set up as by its operator.

`TEST_POSTGRES=/usr/lib/postgresql/15/bin make test` runs every test on it.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

from ledger.embedded.run_as import choose_identity
from tests.support.postgresql.cluster import Postgres
from tests.support.postgresql.standby import wait_until_reachable

PROGRAMS = os.environ.get("TEST_POSTGRES")
OLD = (15, 16)
"""Versions that Vola supports and does not bundle: the oldest, and the last before 18."""
DEBIAN = Path("/usr/lib/postgresql")
PROVISION = (
    "CREATE ROLE vola_owner LOGIN PASSWORD '{password}'",
    "CREATE ROLE vola_app LOGIN PASSWORD '{password}'",
    "CREATE ROLE vola_auditor LOGIN PASSWORD '{password}'",
    "CREATE DATABASE vola OWNER vola_owner",
)


def installed(major: int) -> Path | None:
    """Return the folder with this version's programs, Debian's or the wheel's, or None."""
    wheel = find_spec("pgserver")
    roots = (wheel.submodule_search_locations or ()) if wheel else ()
    for folder in (DEBIAN / str(major) / "bin", *(Path(root, "pginstall/bin") for root in roots)):
        program = str(folder / "postgres")
        if os.access(program, os.X_OK) and f") {major}." in _output([program, "--version"]):
            return folder
    return None


def missing(major: int) -> str:
    """Return what to install for this version."""
    return f"PostgreSQL {major} is not here to be tested on: apt-get install postgresql-{major}"


@contextmanager
def run_postgresql(programs: Path, folder: Path) -> Iterator[Postgres]:
    """Yield a server with the roles and the database of an embedded one."""
    folder.mkdir()
    password, password_file = secrets.token_hex(16), folder / "password"
    identity = choose_identity(folder, programs / "postgres")
    password_file.write_text(password)
    password_file.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with folder.with_suffix(".log").open("ab") as log:
        quiet = {"output": log.fileno(), "stdin": subprocess.DEVNULL}
        access = ["--username=postgres", f"--pwfile={password_file}", "--auth=scram-sha-256"]
        plain = ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        process = identity.launch(
            [str(programs / "initdb"), "-D", str(folder / "data"), *access, *plain], **quiet
        )
        assert process.wait(60) == 0, folder.with_suffix(".log").read_text()
        settings = (
            "max_connections=200",
            f"port={port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "jit=off",  # these three as ledger/embedded/postgresql.py sets them
            "log_error_verbosity=terse",
            "log_min_error_statement=panic",
        )
        flags = [word for setting in settings for word in ("-c", setting)]
        process = identity.launch(
            [str(programs / "postgres"), "-D", str(folder / "data"), *flags], **quiet
        )

        def url(role: str, database: str = "vola") -> str:
            return f"postgresql://{role}:{password}@127.0.0.1:{port}/{database}"

        try:
            wait_until_reachable(url("postgres", "postgres"))
            with psycopg.connect(url("postgres", "postgres"), autocommit=True) as db:
                for statement in PROVISION:
                    db.execute(statement.format(password=password))
            yield Postgres(
                owner_url=url("vola_owner"),
                app_url=url("vola_app"),
                audit_url=url("vola_auditor"),
                super_url=url("postgres", "postgres"),
                bin=programs,
            )
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
