"""A process that forks while one of its threads starts a server: the child inherits nothing of the
server, and the thread does not wait for the child.

Each case runs in a process of its own, so that the threads of a test run never fork.
"""

import subprocess
import sys

import pytest

FORK_DURING_START = """
import os, signal, subprocess, threading
from contextlib import nullcontext
from ledger.embedded.fork_lock import fork_lock

MANY, started, all_started = 60, [], threading.Event()

def start():
    while len(started) < MANY:
        with {guard}:
            program = subprocess.Popen(["true"])
        program.wait()
        started.append(program)
    all_started.set()

threading.Thread(target=start, daemon=True).start()
children = []
while not all_started.is_set() and len(children) < MANY:
    child = os.fork()
    if not child:
        signal.pause()  # it lives on, as a server process does
    children.append(child)
in_time = all_started.wait({seconds})
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
os._exit(0 if in_time else 1)
"""

FORK_AFTER_START = """
import os, threading
from ledger.embedded.fork_lock import fork_lock

inside, leave, forked = (threading.Event() for _ in range(3))

def start():
    with fork_lock:
        inside.set()
        leave.wait()

def fork():
    child = os.fork()
    if not child:
        with fork_lock, fork_lock:  # is free there, and may be taken twice
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    forked.set()

threading.Thread(target=start, daemon=True).start()
inside.wait()
threading.Thread(target=fork, daemon=True).start()
assert not forked.wait(0.3)
leave.set()
assert forked.wait(30)
"""


def exit_code(script: str) -> int:
    return subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode


@pytest.mark.parametrize(
    ("guard", "seconds", "code"),
    [("fork_lock", 60, 0), ("nullcontext()", 2, 1)],
    ids=["locked", "unlocked"],
)
def test_a_program_start_does_not_wait_for_forked_children(
    guard: str, seconds: int, code: int
) -> None:
    """Without the lock it does: a child keeps the pipe that reports the end of the start open."""
    assert exit_code(FORK_DURING_START.format(guard=guard, seconds=seconds)) == code


def test_a_fork_waits_until_the_program_has_been_started() -> None:
    assert exit_code(FORK_AFTER_START) == 0
