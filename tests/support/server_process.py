"""`vola` commands as processes of their own: a server, a worker."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.app import RATE_LIMIT_FACTOR

VOLA = ("api.cli.main",)
LOG_CHARACTERS = 4000


class ModuleProcess:
    """A process of a Python module with arguments, by default `vola`, and a log of its output."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        module: Sequence[str] = VOLA,
    ) -> None:
        """`module` replaces `vola`; its own arguments come before the others."""
        self.command = [sys.executable, "-m", *module, *arguments]
        self.environment = {
            **os.environ,
            "VOLA_RATE_LIMITS": str(RATE_LIMIT_FACTOR),
            **environment,
        }
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def launch(self) -> None:
        """Start the process without waiting until it is ready."""
        with self.log.open("ab") as log_file:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log_file,
                stderr=log_file,
                start_new_session=True,
            )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def wait_until(self, check: Callable[[], object], seconds: float = 60) -> None:
        """Call `check` until it raises no OSError. Fail when the process ends or the time is up."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                check()
            except OSError:
                assert self.is_running(), self.log.read_text()
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.02)  # polling a port, with a deadline
            else:
                return

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send a signal and return the exit code. After 20 seconds kill the process.
        TimeoutExpired."""
        assert self.process is not None
        self.process.send_signal(number)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise


class ServerProcess(ModuleProcess):
    """`vola serve` on a free port: the server's processes, a worker and the outbox relay."""

    def __init__(
        self,
        environment: Mapping[str, str],
        log: Path,
        module: Sequence[str] = VOLA,
        *,
        certificate: Path | None = None,
    ) -> None:
        """With `certificate`, which `environment` sets too, the server is asked by HTTPS."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self.tls = ssl.create_default_context(cafile=certificate) if certificate else None
        super().__init__(["serve"], {**environment, "PORT": str(self.port)}, log, module)

    def start(self) -> ServerProcess:
        """Start the server and return it when it is ready; kill it if it does not become so."""
        self.launch()
        try:
            self.wait_until(self.check_ready)
        except BaseException:
            self.kill()
            raise
        return self

    def check_ready(self) -> None:
        """Raise an OSError while the server is not ready."""
        try:
            urllib.request.urlopen(f"{self.url}/readyz", timeout=3, context=self.tls).read()
        except urllib.error.HTTPError as error:
            error.close()
            raise


@contextmanager
def run_server(environment: Mapping[str, str], log: Path) -> Iterator[ServerProcess]:
    """Run a server inside the `with`. Print the end of its log if the block fails."""
    server = ServerProcess(environment, log).start()
    try:
        yield server
    except BaseException:
        print(log.read_text()[-LOG_CHARACTERS:], file=sys.stderr)
        raise
    finally:
        if server.is_running():
            server.stop()
