"""Effects of a process that others can see: they are counted, and one of them can be made to fail.

A statement, a commit, a call to Redis, the reply to the phone: each passes through a
`FaultInjector`, which lets the k-th one fail in one of the modes. Knows nothing of evenings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal, NoReturn, Protocol, TypeVar
from weakref import WeakSet

Mode = Literal[
    "dies before",
    "dies after",
    "raises",
    "loses the answer",
    "waits for a duplicate",
    "waits for a rival",
]
R = TypeVar("R")


class Breakable(Protocol):
    """A connection to some server."""

    def cut(self) -> None: ...


class ProcessDied(BaseException):
    """The process has died. Nothing may catch this, as nothing catches a SIGKILL."""


class FaultInjector:
    """The faults of one process: it counts the effects, and makes one of them fail.

    A dead process has no more effects, not even in a `finally` or a bare `except`.
    """

    def __init__(self) -> None:
        self.connections: WeakSet[Breakable] = WeakSet()
        self.dead, self.generation = False, 1
        self.disarm()

    def restart_process(self) -> None:
        """Put a new process in the place of this one."""
        self.dead, self.generation = False, self.generation + 1
        self.disarm()

    def counts_this_thread(self) -> bool:
        """Return whether this thread's effects are counted; other threads only die with it."""
        return self.thread == threading.get_ident()

    def disarm(self) -> None:
        """Count from now on, and let nothing fail."""
        self.arm(0, "raises")

    def arm(self, at: int, mode: Mode, before_effect: Callable[[], object] = lambda: None) -> None:
        """Make effect number `at` from now on fail; call `before_effect` before a delayed one."""
        self.effects: list[str] = []
        self.at, self.mode, self.before_effect = at, mode, before_effect
        self.was_injected, self.thread = False, threading.get_ident()

    def run_effect(
        self, name: str, effect: Callable[[], R], cut: Callable[[], object], error: Exception
    ) -> R:
        """Run one effect, unless it must fail. `cut` cuts its connection when the process dies;
        the caller gets `error` when the effect fails."""
        if self.dead:
            cut()
            raise ProcessDied
        self.effects.append(name)
        if len(self.effects) != self.at:
            return effect()
        self.was_injected = True
        match self.mode:
            case "raises":
                raise error
            case "dies before":
                self.die(cut)
            case "dies after":
                effect()
                self.die(cut)
            case "loses the answer":
                effect()
                cut()
                raise error
        self.before_effect()
        return effect()

    def die(self, cut: Callable[[], object] = lambda: None) -> NoReturn:
        """Close every socket as the kernel does: without a closing message. Raise ProcessDied."""
        self.dead = True
        cut()
        for connection in list(self.connections):
            connection.cut()
        raise ProcessDied
