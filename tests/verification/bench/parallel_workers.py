"""Several processes, or threads of one process, that start together and do the same work."""

from __future__ import annotations

import gc
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

Ready = Callable[[], Any]
"""A function that a process calls when it is prepared; it returns when all processes are."""

WARM = 20
START_SECONDS = 60.0
"""How long a thread waits for the others, one of which may have failed."""


def run_threads(
    ready: Ready, count: int, seconds: float, steps: Callable[[], Iterator[int]]
) -> float:
    """Return the work per second that `count` threads of this process do together. Each goes
    through its own `steps`, and each step yields the amount of its work."""
    begin = threading.Barrier(count, timeout=START_SECONDS)

    def run_steps() -> float:
        mine = steps()
        for _ in range(WARM):
            next(mine)
        begin.wait()
        began, count_done = time.perf_counter(), 0
        while time.perf_counter() < began + seconds:
            count_done += next(mine)
        return count_done / (time.perf_counter() - began)

    ready()
    with ThreadPoolExecutor(count) as executor:
        rates = [executor.submit(run_steps) for _ in range(count)]
    return sum(rate.result() for rate in rates)


class WorkerProcesses:
    """`count` processes, which live until the end of the `with` and may keep what they load."""

    def __init__(self, count: int) -> None:
        spawned = multiprocessing.get_context("spawn")
        self._barrier = spawned.Barrier(count)  # kept, or it is freed before they receive it
        self._connections: list[Connection] = []
        self._processes = []
        for _ in range(count):
            ours, theirs = spawned.Pipe()
            process = spawned.Process(target=_serve, args=(theirs, self._barrier.wait), daemon=True)
            process.start()
            theirs.close()
            self._connections.append(ours)
            self._processes.append(process)

    def run(self, function: Callable[..., float], *arguments: Any) -> list[float]:
        """Call `function(ready, *arguments)`, a function of a module, in each process.

        Return what each returned, or raise what one of them raised."""
        for connection in self._connections:
            connection.send((function, arguments))
        results = [connection.recv() for connection in self._connections]
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return results

    def __enter__(self) -> WorkerProcesses:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.join(10)
            process.terminate()


def freeze_loaded_objects() -> None:
    """Exempt what is loaded by now from garbage collection, as a process of the server does."""
    if not gc.get_freeze_count():
        gc.freeze()


def _serve(connection: Connection, ready: Ready) -> None:
    while True:
        try:
            function, arguments = connection.recv()
        except EOFError:
            return
        freeze_loaded_objects()
        try:
            connection.send(function(ready, *arguments))
        except Exception as failed:
            connection.send(failed)
