"""Processes that share one job (ledger/rebuild/process_pool.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from ledger.rebuild.process_pool import ProcessPool, available_cores
from tests.support.polling import wait_until

KILLED_PARENT = """
import os
from tests.ledger.rebuild.test_process_pool import identify, prepare
from ledger.rebuild.process_pool import ProcessPool

with ProcessPool(2, prepare) as pool:
    results = pool.map_unordered(range(8), identify, lambda batch: os.getpid())
    workers = {pid for pid in results} - {os.getpid()}
    print(*workers, flush=True)
    os.kill(os.getpid(), 9)
"""

START_METHOD = """
import sys, threading, time
from tests.ledger.rebuild.test_process_pool import is_inherited, prepare
from ledger.rebuild.process_pool import ProcessPool

sys.inherited = True
if {threads}:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
with ProcessPool(1, prepare) as pool:
    print(next(pool.map_unordered([0], is_inherited, is_inherited)))
"""


def prepare() -> None:
    """An initializer with nothing to do."""


def fail() -> None:
    raise ConnectionError


def identify(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def is_inherited(_: int) -> bool:
    return hasattr(sys, "inherited")


def kill_worker(batch: int) -> str:
    if batch == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{batch} remote"


def divide(batch: int) -> int:
    return 1 // batch


def test_without_workers_all_is_done_here() -> None:
    with ProcessPool(0, fail) as pool:
        results = list(pool.map_unordered([1, 2], divide, lambda batch: f"{batch} here"))
    assert results == ["1 here", "2 here"]


def test_workers_and_the_caller_share_the_batches() -> None:
    def slowly(batch: int) -> int:
        time.sleep(0.05)
        return os.getpid()

    with ProcessPool(1, prepare) as pool:
        workers = set(pool.map_unordered(range(100), identify, slowly))
    assert len(workers) == 2
    assert os.getpid() in workers


def test_batches_of_a_killed_worker_are_done_again() -> None:
    with ProcessPool(1, prepare) as pool:
        batches = [3, *range(4, 30)]
        results = list(pool.map_unordered(batches, kill_worker, lambda batch: batch))
        assert sorted(int(str(result).split()[0]) for result in results) == batches
        assert 3 in results
        assert list(pool.map_unordered([1], kill_worker, lambda batch: batch)) == [1]


def test_workers_that_cannot_start_are_not_needed() -> None:
    def slowly(batch: int) -> int:
        time.sleep(0.05)
        return batch

    with ProcessPool(2, fail) as pool:
        assert sorted(pool.map_unordered(range(30), divide, slowly)) == list(range(30))


def test_an_exception_in_a_worker_ends_the_iteration() -> None:
    def slowly(batch: int) -> int:
        time.sleep(0.05)
        return batch

    with pytest.raises(ZeroDivisionError), ProcessPool(1, prepare) as pool:
        for _ in pool.map_unordered([0] * 100, divide, slowly):
            pass


class InterruptingInitializer:
    """An initializer that sends its worker Ctrl-C while the worker is still starting: a spawned one
    while it loads the initializer, a forked one while it calls it."""

    def __call__(self) -> None:
        interrupt_this_process()

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return interrupt_this_process, ()


def interrupt_this_process() -> object:
    os.kill(os.getpid(), signal.SIGINT)
    return prepare


def test_ctrl_c_does_not_reach_a_worker_that_is_starting(capfd: pytest.CaptureFixture[str]) -> None:
    with ProcessPool(1, InterruptingInitializer()) as pool:
        workers = set(pool.map_unordered(range(3), identify, lambda _: os.getpid()))
    assert len(workers) == 2
    assert capfd.readouterr().err == ""
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_workers_exit_with_a_killed_parent() -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_PARENT], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    workers = [int(pid) for pid in killed.stdout.split()]
    assert workers
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in workers))


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
@pytest.mark.parametrize("threads", [False, True])
def test_only_a_process_without_threads_forks_its_workers(threads: bool) -> None:
    command = [sys.executable, "-c", START_METHOD.format(threads=threads)]
    is_forked = subprocess.check_output(command, text=True, timeout=60).strip()
    assert is_forked == str(not threads)


def test_at_least_one_core_is_available() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)
