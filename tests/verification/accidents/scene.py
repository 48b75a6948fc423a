"""The scene of an accident: a server with an embedded book on a stick, and a clock that moves."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.moved_clock import MODULE, MovedClock
from tests.support.pulled_disk import Stick
from tests.support.server_process import ServerProcess
from tests.support.supervised_server import EMBEDDED

STICK_MEBIBYTES = 512


@dataclass(frozen=True)
class Scene:
    """A server, its stick and its clock; the cause of an accident lasts `seconds`."""

    stick: Stick
    clock: MovedClock
    server: ServerProcess
    seconds: float

    @property
    def data(self) -> Path:
        return self.stick.place / "var"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a `vola` command use the book, with the right clock."""
        return {**EMBEDDED, "VOLA_DATA": f"{self.data}"}

    def cut_power(self) -> None:
        """Kill every process of the server at once; data not yet on the stick are lost."""
        processes = [psutil.Process(self.server.pid)]
        processes += processes[0].children(recursive=True)
        self.stick.pull()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(processes, 20)
        self.server.kill()


@contextmanager
def new_scene(folder: Path, seconds: float) -> Iterator[Scene]:
    """Yield a scene whose server does not run yet; it is stopped at the end of the `with`."""
    folder.mkdir()
    folder.chmod(0o755)  # the user who runs PostgreSQL must reach the stick and the clock
    with ExitStack() as stack:
        stick = Stick(folder / "image", folder / "stick", STICK_MEBIBYTES)
        stack.callback(stick.remove)
        clock = MovedClock(folder)
        place = {**EMBEDDED, "VOLA_DATA": f"{stick.place / 'var'}"}
        server = ServerProcess({**place, **clock.environment}, folder / "server.log", MODULE)
        stack.callback(stop_if_running, server)
        yield Scene(stick, clock, server, seconds)


def stop_if_running(server: ServerProcess) -> None:
    if server.is_running():
        server.stop(signal.SIGTERM)


def is_possible() -> bool:
    """Whether accidents can be staged here: root, Linux with loop devices, and a C compiler."""
    return Stick.is_possible() and MovedClock.is_possible()
