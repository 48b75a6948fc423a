"""Processes of our own that share one piece of work: who has done his part gets another.

What they are is a module that calls `serve`. Whoever asks works, too; so one core is enough, and a
part whose process has died is done by who asked. Knows nothing of what the work is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self

import msgspec

MODULE = (sys.executable, "-P", "-m")
"""How a module of ours is begun: whatever lies in the current folder is not taken for it."""

Part = Any
Answer = Any


def cores() -> int:
    """How many this process may use."""
    mine = getattr(os, "sched_getaffinity", None)
    return len(mine(0)) if mine else os.cpu_count() or 1


class Crew:
    """So many processes of `module`, each told `what` it is about; they end with this block, or
    with who began it, however that ends: they read until there is nobody to read from."""

    def __init__(self, module: str, count: int, what: object) -> None:
        self._hands = [
            subprocess.Popen(  # noqa: S603
                [*MODULE, module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # who does the part again fails at it aloud
            )
            for _ in range(count)
        ]
        self._what = what
        self._drivers: list[Thread | None] = [None] * count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in self._hands:
            hand.kill()  # one that has no part has nothing to lose, nor has a work that failed
            hand.wait()
        for driver in self._drivers:
            if driver:
                driver.join()
        for hand in self._hands:
            for pipe in (hand.stdin, hand.stdout):
                assert pipe is not None
                with suppress(OSError):  # what it was still to be told, it is not
                    pipe.close()

    def share(
        self, parts: Iterable[Part], work: Callable[[Part, bool], Answer]
    ) -> Iterator[Answer]:
        """The answers, as they come. `work` is done here, and told whether somebody may have begun
        the part before."""
        todo, answers = deque(parts), SimpleQueue[tuple[Part, Answer | None]]()
        left = len(todo)
        for place, (hand, before) in enumerate(zip(self._hands, self._drivers, strict=True)):
            first = None if before else self._what
            given = (hand, before, first, todo, answers)
            self._drivers[place] = driver = Thread(target=_drive, args=given, daemon=True)
            driver.start()
        for _ in range(left):
            try:
                if answers.empty():
                    yield work(todo.popleft(), False)
                    continue
            except IndexError:
                pass  # all are begun: what is left is to wait
            part, answer = answers.get()
            yield work(part, True) if answer is None else answer


def _drive(
    hand: subprocess.Popen[bytes],
    before: Thread | None,
    what: object | None,
    todo: deque[Part],
    answers: SimpleQueue[tuple[Part, Answer | None]],
) -> None:
    """Give it parts as long as there are any and it answers; before the first, `what` they are.

    One at a time: who drove it `before` may still wait for it to begin, and of two who read from
    one pipe either may lose the other's line.
    """
    if before:
        before.join()
    if what is not None and _asked(hand, what) is None:
        return
    while todo:
        try:
            part = todo.popleft()
        except IndexError:
            return
        answer = _asked(hand, part)
        answers.put((part, answer))
        if answer is None:
            return


def _asked(hand: subprocess.Popen[bytes], question: object) -> Answer | None:
    """What it answers; nothing if it has ended."""
    assert hand.stdin is not None
    assert hand.stdout is not None
    try:
        hand.stdin.write(msgspec.json.encode(question) + b"\n")
        hand.stdin.flush()
        return msgspec.json.decode(hand.stdout.readline())
    except (OSError, msgspec.DecodeError):  # of no line at all, or of half a line
        return None


def serve(begin: Callable[[Any], Callable[[Part], Answer]]) -> None:
    """Do what is asked for until nobody asks any more. `begin` is given what it is about."""
    work: Callable[[Part], Answer] | None = None
    for line in sys.stdin.buffer:
        asked = msgspec.json.decode(line)
        if work is None:
            work, answer = begin(asked), True
        else:
            answer = work(asked)
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
