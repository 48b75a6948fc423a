"""The PostgreSQL that comes with Vola, which stores every session.

Its settings, its start and its health; launcher.py explains how processes share it and how it
survives one that is killed. Knows no table.
"""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ledger.embedded.cluster import MAJOR, SERVER_SETTINGS, Cluster, find_program, setting_flags
from ledger.embedded.cluster_upgrade.upgrade import upgrade_cluster
from ledger.embedded.errors import ServerFailed
from ledger.embedded.launcher import Server, free_port, keep_running
from ledger.embedded.private_files import LogPart, write_private
from ledger.embedded.run_as import choose_identity
from ledger.embedded.server_process import is_running, running_pid

SETTINGS = SERVER_SETTINGS | {
    # these three keep what is committed
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "wal_compression": "on",
    "jit": "off",
    "cluster_name": "vola",
    "log_checkpoints": "off",
}


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL 18: the libpq URL of each role on the database `vola`."""

    owner_url: str = field(repr=False)
    app_url: str = field(repr=False)
    audit_url: str = field(repr=False)


@contextmanager
def postgres(
    data: Path, old_programs: Path | None = None, *, must_exist: bool = False
) -> Iterator[Postgres]:
    """Keep the PostgreSQL of the folder `data` running inside the `with`. Create it if there is
    none, unless it `must_exist`.

    The cluster is in `data/postgres`, its passwords beside it with mode 0600. A cluster of an older
    PostgreSQL is upgraded first, with the programs in the folder `old_programs` or those that are
    found. After a crash it comes back on the port it had, if that is still free. Raise
    ServerFailed.
    """
    server = PostgreSQLServer(data, old_programs, must_exist=must_exist)
    with keep_running(server):
        yield Postgres(
            owner_url=server.url("vola_owner"),
            app_url=server.url("vola_app"),
            audit_url=server.url("vola_auditor"),
        )


def has_postgres(data: Path) -> bool:
    """Whether a PostgreSQL was ever created in this folder."""
    return PostgreSQLServer(data).cluster.exists


class PostmasterStatus(NamedTuple):
    """What a server has written into postmaster.pid, as far as it can be read."""

    pid: int | None
    port: int | None
    state: str


def _number(line: str) -> int | None:
    with suppress(ValueError):
        return int(line)
    return None


class PostgreSQLServer(Server):
    """The PostgreSQL on `data/postgres`."""

    name = "postgres"
    # Fast shutdown, then immediate (recovers at the next start), then SIGKILL. An immediate
    # shutdown gives its own processes five seconds; wait for that.
    stopping = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))

    def __init__(
        self, data: Path, old_programs: Path | None = None, *, must_exist: bool = False
    ) -> None:
        super().__init__(data, find_program("postgres"))
        self._must_exist = must_exist
        self._old_programs = old_programs
        self.cluster = Cluster(self.data, self.program)
        self._port = 0

    def start(self, server_lock: int, log: LogPart) -> subprocess.Popen[bytes]:
        if self._must_exist and not self.cluster.exists:
            raise ServerFailed(f"There is no book in {self.data}.")
        self.cluster.ensure(server_lock, log)
        self._remove_stale_pid_file()
        if self.cluster.major < int(MAJOR):
            upgrade_cluster(self.cluster, self._old_programs, server_lock, log)
        identity = choose_identity(self.folder, self.program)
        flags = setting_flags(SETTINGS | {"port": str(self._choose_port())})
        return identity.launch(
            [str(self.program), "-D", str(self.folder), *flags],
            stdin=subprocess.DEVNULL,
            output=log.descriptor,
            keep=[server_lock],
        )

    def pid(self) -> int | None:
        return self._status().pid

    def is_ready(self) -> bool:
        status = self._status()
        if self.cluster.is_being_upgraded:
            return False  # what runs there is the old server, for the upgrade alone
        if status.state != "ready" or status.port is None or not self._is_running(status):
            return False
        self._port = status.port
        return True

    def is_ending(self) -> bool:
        return self._status().state == "stopping"

    def is_lost(self) -> bool:
        """Whether postmaster.pid was changed or removed: it has no state, or no id of a running
        server. Without its id PostgreSQL ends within a minute; without its state it runs on."""
        status = self._status()
        return not status.state or not self._is_running(status)

    def url(self, role: str) -> str:
        """Return the libpq URL of `role`, once is_ready() has returned true."""
        return self.cluster.url(role, self._port, "vola")

    def _status(self) -> PostmasterStatus:
        """Read the lines: pid, folder, start, port, socket folder, address, memory, state."""
        text = ""
        with suppress(FileNotFoundError):
            text = (self.folder / "postmaster.pid").read_text(encoding="utf-8", errors="replace")
        lines = [*text.splitlines(), *[""] * 8]
        pid = _number(lines[0].removeprefix("-"))  # negative in single-user mode
        return PostmasterStatus(pid, _number(lines[3]), lines[7].strip())

    def _is_running(self, status: PostmasterStatus) -> bool:
        return status.pid is not None and is_running(status.pid, self.folder)

    def _choose_port(self) -> int:
        """Return the port of the last start if it is free, so that old URLs stay valid."""
        port_file, last_port = self.data / "postgres.port", 0
        with suppress(OSError, ValueError):
            last_port = int(port_file.read_text(encoding="utf-8"))
        port = free_port(last_port)
        write_private(port_file, f"{port}\n")
        return port

    def _remove_stale_pid_file(self) -> None:
        """Remove the postmaster.pid of a server that was killed: PostgreSQL would take a zombie, or
        any process that has its number now, for that server."""
        pid_file = self.folder / "postmaster.pid"
        if not pid_file.exists():
            return
        if (pid := running_pid(self.pid(), self.program, self.folder)) is not None:
            raise ServerFailed(
                f"A PostgreSQL that Vola did not start (process {pid}) runs in {self.folder}: "
                "stop it first."
            )
        pid_file.unlink()
