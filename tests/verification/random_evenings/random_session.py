"""One evening whose steps can all be repeated, and the fewest of them that show a fault.

The steps are written as they would be sent to a server.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.errors import RuleViolation
from engine.games.registry import GAMES
from tests.support.engine import invariants
from tests.support.engine.random_player import command
from tests.support.ledger.memory_store import Book

Step = dict[str, Any]
"""An action as it is sent; or `{"settle": n}`, the n-th payment due; or `{"misdeal": 1}`."""


@dataclass
class RandomSession:
    """One evening whose steps can all be repeated."""

    game: str
    seats: int
    dealer: str
    joined: int
    options: dict[str, Any]
    steps: list[Step] = field(default_factory=list)

    def book(self) -> Book:
        book = Book(self.seats, self.dealer, GAMES[self.game], **self.options)
        for _ in range(self.joined):
            book.join()
        return book

    def as_document(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "players": self.seats,
            "first_dealer": self.dealer,
            "joined": self.joined,
            "options": self.options,
            "actions": self.steps,
        }


def take_step(book: Book, step: Step) -> None:
    match step:
        case {"settle": number}:
            book.settle(book.due[number % len(book.due)])
        case {"misdeal": _}:
            book.misdeal()
        case _:
            fields = {name: value for name, value in step.items() if name != "type"}
            book.act(command(step["type"], fields))


def shorten(session: RandomSession, kind: type[Exception], seconds: float = 20) -> list[Step]:
    """Return the fewest steps found that still fail in the same way, with every check."""
    steps, until = list(session.steps), time.monotonic() + seconds
    if not does_fail(session, steps, kind):
        return steps
    size = max(1, len(steps) // 2)
    while size and time.monotonic() < until:
        for end in range(len(steps), 0, -size):
            fewer = steps[: max(0, end - size)] + steps[end:]
            if len(fewer) < len(steps) and does_fail(session, fewer, kind):
                steps = fewer
                break
        else:
            size //= 2
    return steps


def does_fail(session: RandomSession, steps: list[Step], kind: type[Exception]) -> bool:
    """Return whether these steps fail in this way; steps that the rules refuse are skipped."""
    book, die = session.book(), Random(0)
    try:
        for step in steps:
            check_step(book, step, die)
            try:
                take_step(book, step)
            except (RuleViolation, ZeroDivisionError, IndexError):
                continue
        invariants.check_closing(book)
        invariants.check_repeated_commands(book)
        invariants.check_undo_to_start(book)
        invariants.check_play_can_go_on(book)
    except Exception as fault:
        return type(fault) is kind
    return False


def check_step(book: Book, step: Step, die: Random) -> None:
    invariants.check_play_can_go_on(book)
    invariants.session_document(book.session)
    invariants.check_listed_are_accepted(book, die)
    invariants.check_accepted_are_listed(book, die, 30)
    if "type" in step:
        try:
            invariants.check_undo(book, command(step["type"], step))
        except RuleViolation:
            return
