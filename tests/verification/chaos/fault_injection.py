"""Everything a process does that others can see, counted, and one of it gone wrong.

A statement, a commit, a call to Redis, the reply to the phone: each passes through a `Fate`, which
lets the k-th one end in one of the ways in which things end. Knows nothing of evenings.
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
    "waits for itself",
    "waits for a rival",
]
R = TypeVar("R")


class Breakable(Protocol):
    """A connection to some server."""

    def cut(self) -> None: ...


class ProcessDied(BaseException):
    """The process is gone. Nothing may catch it, as nothing catches a SIGKILL."""


class FaultInjector:
    """Of one process: counts its effects, and has one of them end badly.

    Once dead it does nothing more, whatever `finally` or bare `except` would still like to do.
    """

    def __init__(self) -> None:
        self.connections: WeakSet[Breakable] = WeakSet()
        self.dead, self.generation = False, 1
        self.calm()

    def restart_process(self) -> None:
        """Another process takes the place of this one."""
        self.dead, self.generation = False, self.generation + 1
        self.calm()

    def counts_this_thread(self) -> bool:
        """Whether this is the thread whose effects are counted; others only die with it."""
        return self.thread == threading.get_ident()

    def calm(self) -> None:
        """Count from now on; nothing goes wrong."""
        self.strike(0, "raises")

    def strike(self, at: int, mode: Mode, meanwhile: Callable[[], object] = lambda: None) -> None:
        """The effect number `at` from now on. `meanwhile`: what happens before a delayed one."""
        self.effects: list[str] = []
        self.at, self.mode, self.meanwhile = at, mode, meanwhile
        self.struck, self.thread = False, threading.get_ident()

    def run_effect(
        self, name: str, effect: Callable[[], R], cut: Callable[[], object], error: Exception
    ) -> R:
        """Let one effect happen, or not. `cut`: what its connection does when nobody is there any
        more; `error`: what its caller is told."""
        if self.dead:
            cut()
            raise ProcessDied
        self.effects.append(name)
        if len(self.effects) != self.at:
            return effect()
        self.struck = True
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
        self.meanwhile()
        return effect()

    def die(self, cut: Callable[[], object] = lambda: None) -> NoReturn:
        """Every socket is closed, as the kernel does it: without a goodbye."""
        self.dead = True
        cut()
        for connection in list(self.connections):
            connection.cut()
        raise ProcessDied
