"""A process that splits itself in two while one of its threads starts a server: the half that goes
on by itself has nothing of the server's, and the thread does not wait for it.

Each meeting is held in a process of its own: nobody forks among the threads of a test run.
"""

import subprocess
import sys

import pytest

MEETING = """
import os, signal, subprocess, threading
from contextlib import nullcontext
from ledger.servers.forking import apart

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

WAITING = """
import os, threading
from ledger.servers.forking import apart

inside, leave, forked = (threading.Event() for _ in range(3))

def start():
    with apart:
        inside.set()
        leave.wait()

def fork():
    child = os.fork()
    if not child:
        with apart, apart:  # is free there, and may be taken twice
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


def ended_with(script: str) -> int:
    return subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode


@pytest.mark.parametrize(
    ("guard", "seconds", "code"), [("apart", 60, 0), ("nullcontext()", 2, 1)], ids=["ours", "none"]
)
def test_who_starts_programs_does_not_wait_for_children_forked_meanwhile(
    guard: str, seconds: int, code: int
) -> None:
    """And does, without: a child keeps the pipe on which the end of the beginning is told."""
    assert ended_with(MEETING.format(guard=guard, seconds=seconds)) == code


def test_a_fork_waits_until_the_program_has_been_started() -> None:
    assert ended_with(WAITING) == 0
