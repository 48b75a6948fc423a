"""Worker processes that share one job with the process that starts them.

A rebuild and an audit cut their work into batches and use every core. The calling process works
too, so one core is enough, and it repeats a batch whose worker was killed. Workers exit with the
process that started them, even when that is killed. Ctrl-C reaches only that process.
"""

import atexit
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.util import Finalize
from typing import Any, Self, TypeVar

import psycopg

from ledger.store.connection_pool import Connection

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def available_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


worker_connection: Connection
"""The connection of a worker process whose pool has `connect_worker` as initializer."""


def connect_worker(url: str, prepare: Callable[[Connection], object] = lambda _: None) -> None:
    """Open this worker's autocommit connection, which is closed when the process exits."""
    global worker_connection
    worker_connection = psycopg.connect(url, autocommit=True)
    Finalize(None, worker_connection.close, exitpriority=0)  # `atexit` does not run after a fork
    prepare(worker_connection)


class ProcessPool:
    """A `ProcessPoolExecutor` of `workers` processes, or none, inside a `with`. Every worker calls
    `initializer` with `arguments` before its first batch."""

    def __init__(self, workers: int, initializer: Callable[..., None], *arguments: Any) -> None:
        self._queue_size = 2 * workers  # so that a worker need not wait for its next batch
        self._executor: ProcessPoolExecutor | None = None
        if workers:
            # A spawned worker starts as `python -c`, which would import from the current folder.
            os.environ["PYTHONSAFEPATH"] = "1"
            self._executor = ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context(_start_method()),
                initializer=_start_worker,
                initargs=(initializer, arguments),
            )
            for _ in range(workers):
                self._submit(os.getpid)  # starts a worker now, not with the first batch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)

    def map_unordered(
        self,
        batches: Iterable[Batch],
        work_remotely: Callable[[Batch], Result],
        work_locally: Callable[[Batch], Result],
    ) -> Iterator[Result]:
        """Yield the result of every batch as soon as it is ready.

        `work_locally` is called in this process, also for a batch that a worker may have begun
        before it was killed. An exception of either function ends the iteration.
        """
        pending = deque(batches)
        running: dict[Future[Result], Batch] = {}
        while pending or running:
            while pending and len(running) < self._queue_size:
                future = self._submit(work_remotely, pending[0])
                if future is None:
                    break
                running[future] = pending.popleft()
            if pending:
                yield work_locally(pending.popleft())
            else:
                wait(running, return_when=FIRST_COMPLETED)
            for future in [future for future in running if future.done()]:
                batch = running.pop(future)
                was_killed = isinstance(future.exception(), BrokenProcessPool)
                yield work_locally(batch) if was_killed else future.result()

    def _submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result] | None:
        """Return None when a worker was killed: the executor takes no more batches then."""
        assert self._executor is not None
        # workers inherit the blocked SIGINT: Ctrl-C ends the parent, and they exit with it
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._executor.submit(work, *arguments)
        except BrokenProcessPool:
            return None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _start_method() -> str:
    """Return "fork" where that is safe: all modules are loaded in a forked worker, which starts in
    10 ms instead of 200. It inherits connections of its parent, but neither uses nor closes them.

    A lock that another thread held during the fork would stay locked in the worker, and libraries
    of macOS do not expect a fork.
    """
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if is_safe else "spawn"


def _start_worker(initializer: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a forked worker inherits the parent's handler
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    atexit.register(os._exit, 0)  # runs last, and skips the slow teardown of the interpreter
    initializer(*arguments)


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
