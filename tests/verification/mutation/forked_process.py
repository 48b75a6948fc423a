"""A forked process that runs tests on a mutant: its limits, and the fate its exit code tells."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Literal

Fate = Literal["killed", "survived", "timeout", "not_patchable"]
SURVIVED, KILLED, NOT_PATCHABLE = 0, 1, 7  # exit codes
WALL_SECONDS = 20
"""For each test: only an endless wait takes longer, even on a machine that others use as well."""


def fork(run: Callable[[], int]) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = KILLED
    try:
        code = run()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def wait_for(pid: int) -> Fate:
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return "timeout"
    fates: dict[int, Fate] = {SURVIVED: "survived", NOT_PATCHABLE: "not_patchable"}
    return fates.get(os.waitstatus_to_exitcode(status), "killed")


def limit_all_tests(tests: int, seconds: float) -> None:
    """Limit the tests to five times what they take on sound code; longer means a timeout."""
    limit = int(4 + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 60 + WALL_SECONDS * tests)


def limit_one_test(seconds: float) -> None:
    """Limit a single test in the same way, so that an endless one is stopped early. The test may
    have to make shared fixtures, which it did not when it was timed: hence the extra seconds."""
    _, limit = resource.getrlimit(resource.RLIMIT_CPU)
    cpu_limit = int(time.process_time() + 8 + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (min(cpu_limit, limit), limit))
    signal.setitimer(signal.ITIMER_REAL, 3 * WALL_SECONDS)


def silence_output(log: Path = Path(os.devnull)) -> None:
    null, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT)
    for descriptor, target in enumerate((null, output, output)):
        os.dup2(target, descriptor)
