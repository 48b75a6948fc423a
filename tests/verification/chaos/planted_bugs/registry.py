"""A planted bug, and the bugs of a module by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Plant = Callable[[], None]


@dataclass(frozen=True)
class Bug:
    """A bug: how it is planted, which faults reveal it, and which columns must show it."""

    plant: Plant
    faults: tuple[str, ...]
    columns: tuple[str, ...]
    pace: float  # seconds between two faults; in between, the server must work to show the bug


class Bugs(dict[str, Bug]):
    """The bugs that one module defines."""

    def register(
        self, *columns: str, faults: tuple[str, ...], pace: float = 0.5
    ) -> Callable[[Plant], Plant]:
        def register(plant: Plant) -> Plant:
            self[plant.__name__] = Bug(plant, faults, columns, pace)
            return plant

        return register
