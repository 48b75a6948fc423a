"""`vola serve` and `vola worker` with embedded servers, restarted whenever they end.

It works as a service manager does, and lists the processes by their task, so that a test can send
signals to any of them.
"""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.support.process_tree import has_argument, list_children
from tests.support.server_process import VOLA, ModuleProcess, ServerProcess

WORKERS = 3
EMBEDDED = {"DATABASE_URL": "", "REDIS_URL": "", "HOST": "127.0.0.1"}


class SupervisedServer:
    """One `vola serve`, one `vola worker -n 3`, a PostgreSQL and a Valkey, in one data folder."""

    def __init__(self, data: Path, planted_bug: str = "") -> None:
        module = ("tests.verification.chaos.planted_bugs", planted_bug) if planted_bug else VOLA
        environment = {**EMBEDDED, "VOLA_DATA": str(data)}
        self.data = data
        self.log = data / "server.log"
        self.server = ServerProcess(environment, self.log, module)
        self.worker = ModuleProcess(["worker", "-n", str(WORKERS)], environment, self.log, module)
        self.restarts = {"serve": 0, "worker": 0}
        self._stop = threading.Event()
        self._supervisors: list[threading.Thread] = []

    @property
    def port(self) -> int:
        return self.server.port

    def set_environment(self, environment: dict[str, str]) -> None:
        for process in (self.server, self.worker):
            process.environment |= environment

    def __enter__(self) -> SupervisedServer:
        self.data.mkdir(parents=True, exist_ok=True)
        for name, process in (("serve", self.server), ("worker", self.worker)):
            process.launch()
            self.wait_until_ready()
            supervisor = threading.Thread(target=self._supervise, args=(name, process), daemon=True)
            supervisor.start()
            self._supervisors.append(supervisor)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for supervisor in self._supervisors:
            supervisor.join()
        for process in (self.worker, self.server):
            with suppress(subprocess.TimeoutExpired):
                process.stop(signal.SIGTERM)

    def _supervise(self, name: str, process: ModuleProcess) -> None:
        while not self._stop.wait(0.05):
            if not process.is_running():
                self.restarts[name] += 1
                process.launch()

    def wait_until_ready(self, seconds: float = 60) -> None:
        """Wait for the server. TimeoutError with the end of the log if it is not ready in time."""
        deadline = time.monotonic() + seconds
        while True:
            with suppress(OSError):
                self.server.check_ready()
                return
            if time.monotonic() > deadline:
                end = self.log.read_text(errors="replace")[-2000:]
                raise TimeoutError(f"the server does not get ready: {end}")
            time.sleep(0.05)

    # processes by their task

    def list_masters(self) -> list[int]:
        return [self.server.pid]

    def list_api_processes(self) -> list[int]:
        """Return the processes behind the port, which the master that holds it has forked."""
        return [p for p in list_children(self.server.pid) if has_argument(p, "serve")]

    def list_relays(self) -> list[int]:
        """Return the processes with an outbox relay: the server's worker and `vola worker`."""
        workers = [p for p in list_children(self.server.pid) if has_argument(p, "worker")]
        return [*workers, self.worker.pid]

    def list_workers(self) -> list[int]:
        """Return the workers that only take jobs from the queue."""
        return [p for p in list_children(self.worker.pid) if has_argument(p, "--no-relay")]

    def list_postmasters(self) -> list[int]:
        with suppress(OSError, ValueError, IndexError):
            return [int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])]
        return []

    def list_backends(self) -> list[int]:
        """Return the processes of PostgreSQL that serve one of Vola's connections."""
        return self._list_postgres_processes("vola_")

    def list_wal_writers(self) -> list[int]:
        return self._list_postgres_processes("walwriter")

    def _list_postgres_processes(self, word: str) -> list[int]:
        return [
            pid
            for postmaster in self.list_postmasters()
            for pid in list_children(postmaster)
            if has_argument(pid, word)
        ]

    def list_valkeys(self) -> list[int]:
        with suppress(OSError, ValueError):
            return [int((self.data / "valkey" / "valkey.pid").read_text())]
        return []

    # addresses

    def database_url(self, role: str, database: str = "vola") -> str:
        """Return the address of a database. Raise OSError while PostgreSQL starts."""
        password = json.loads((self.data / "postgres.passwords.json").read_text())[role]
        lines = (self.data / "postgres" / "postmaster.pid").read_text().splitlines()
        if len(lines) < 4:
            raise ConnectionError("PostgreSQL has not written its port yet")
        return (
            f"postgresql://{role}:{password}@127.0.0.1:{lines[3].strip()}/{database}"
            "?sslmode=disable&connect_timeout=5"
        )

    def redis_url(self) -> str:
        access = json.loads((self.data / "valkey.access.json").read_text())
        return f"redis://:{access['password']}@127.0.0.1:{access['port']}/0"
