"""The house under test: `vola serve` and `vola worker` as anybody runs them, on their own servers.

Whatever dies is started again, as a service manager would. Knows every process of it by what it
does, so that any one can be hit.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from random import Random

WORKERS = 3


class House:
    """One `vola serve`, one `vola worker -n 3`, a PostgreSQL and a Valkey, in one data folder."""

    def __init__(self, data: Path, planted: str = "") -> None:
        self.program = ["tests.chaos.planted", planted] if planted else ["api.cli"]
        self.data = data
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.environment = {
            **{k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")},
            "VOLA_DATA": str(data),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "VOLA_RATE_LIMITS": "off",
        }
        self.log = data / "house.log"
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.restarts: dict[str, int] = {"serve": 0, "worker": 0}
        self._stop = threading.Event()
        self._keepers: list[threading.Thread] = []

    def __enter__(self) -> House:
        self.data.mkdir(parents=True, exist_ok=True)
        for name, command in (("serve", ["serve"]), ("worker", ["worker", "-n", str(WORKERS)])):
            self._start(name, command)
            self.wait_until_ready()
            keeper = threading.Thread(target=self._keep, args=(name, command), daemon=True)
            keeper.start()
            self._keepers.append(keeper)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for keeper in self._keepers:
            keeper.join()
        for name in ("worker", "serve"):
            process = self.running[name]
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, name: str, command: list[str]) -> None:
        with self.log.open("ab") as out:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", *self.program, *command],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def _keep(self, name: str, command: list[str]) -> None:
        while not self._stop.wait(0.05):
            if self.running[name].poll() is not None:
                self.restarts[name] += 1
                self._start(name, command)

    def wait_until_ready(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while True:
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=3).read()
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"the house does not get ready: {self._last_words()}")
            time.sleep(0.05)

    def _last_words(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]

    # who is who

    def serve(self) -> list[int]:
        return [self.running["serve"].pid]

    def api(self) -> list[int]:
        """The server processes behind the port: forked from the one that holds it."""
        return [p for p in children(self.running["serve"].pid) if says(p, "serve")]

    def relays(self) -> list[int]:
        """Processes with a relay: the worker beside the server, and `vola worker` itself."""
        beside = [p for p in children(self.running["serve"].pid) if says(p, "worker")]
        return [*beside, self.running["worker"].pid]

    def workers(self) -> list[int]:
        """Those that only answer the doorbell."""
        return [p for p in children(self.running["worker"].pid) if says(p, "--no-relay")]

    def postmaster(self) -> list[int]:
        with suppress(OSError, ValueError, IndexError):
            return [int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])]
        return []

    def backends(self) -> list[int]:
        """The processes of PostgreSQL that serve somebody."""
        return [p for mother in self.postmaster() for p in children(mother) if says(p, "vola_")]

    def wal_writers(self) -> list[int]:
        return [p for m in self.postmaster() for p in children(m) if says(p, "walwriter")]

    def valkey(self) -> list[int]:
        with suppress(OSError, ValueError):
            return [int((self.data / "valkey" / "valkey.pid").read_text())]
        return []

    def one(self, pids: list[int], die: Random) -> int | None:
        return die.choice(pids) if pids else None

    # addresses

    def password(self, role: str) -> str:
        return str(json.loads((self.data / "postgres.passwords.json").read_text())[role])

    def url(self, role: str, database: str = "vola") -> str:
        port = (self.data / "postgres" / "postmaster.pid").read_text().splitlines()[3].strip()
        return (
            f"postgresql://{role}:{self.password(role)}@127.0.0.1:{port}/{database}"
            "?sslmode=disable&connect_timeout=5"
        )

    def redis_url(self) -> str:
        access = json.loads((self.data / "valkey.access.json").read_text())
        return f"redis://:{access['password']}@127.0.0.1:{access['port']}/0"


def children(pid: int) -> list[int]:
    """The processes that this one has started and that still live."""
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in found if alive(child)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def says(pid: int, word: str) -> bool:
    """Whether this word is in its command line."""
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def hit(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
