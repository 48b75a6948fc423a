"""The promised (floor) and the desired (aim) value of each figure of the bench.

A figure is a ratio to a reference measured in the same run, unless it has a unit of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Promise(NamedTuple):
    """What one figure must reach; unless `higher_is_better`, it must not exceed floor and aim."""

    title: str
    against: str
    floor: float
    aim: float
    higher_is_better: bool = True
    unit: str = "×"

    def meets(self, figure: float, bound: float) -> bool:
        return figure >= bound if self.higher_is_better else figure <= bound

    def bound(self, figure: float) -> str:
        """Return a bound as text, for instance `≥ 0.3 ×`."""
        return f"{'≥' if self.higher_is_better else '≤'} {figure:,.12g} {self.unit}"


ABSOLUTE = "(absolute)"

PROMISED: dict[str, Promise] = {
    "P1": Promise(
        "appends of one event, 8 writers",
        "psycopg, one row a commit, the same threads",
        *(0.50, 0.65),
    ),
    "P2": Promise(
        "events of whole deals, 8 writers",
        "psycopg, as many rows a commit, the same threads",
        *(0.45, 0.60),
    ),
    "P3": Promise(
        "actions by HTTP, 32 clients",
        "Flask echo that writes one row, same server and settings",
        *(0.40, 0.60),
    ),
    "P4": Promise(
        "p50 of one action by HTTP, one client",
        "p50 of the Flask echo that writes one row",
        *(2.2, 1.6, False),
    ),
    "P5": Promise(
        "rebuild of all projections",
        "reading and decoding them, as many processes",
        *(0.30, 0.50),
    ),
    "P6 book": Promise(
        "p50 of an append in a book of many events",
        "the same in an empty book",
        *(1.1, 1.0, False),
    ),
    "P6 evening": Promise(
        "p50 of an append in a very long evening",
        "the same in an empty book",
        *(1.1, 1.0, False),
    ),
    "P7": Promise(
        "p99 from a won la vola to its settled legs",
        ABSOLUTE,
        *(20, 10, False, "ms"),
    ),
    "P8": Promise(
        "settlements drained by 4 workers",
        "bare RQ jobs, the same worker class",
        *(1.3, 2),
    ),
    "P9": Promise(
        "verifying the chain as it is stored",
        "(absolute; beside it the hashes alone)",
        *(800_000, 1_200_000, True, "events/s"),
    ),
    "P10 time": Promise(
        "a statement of very many deals as CSV",
        "reading its rows",
        *(1.8, 1.5, False),
    ),
    "P10 memory": Promise(
        "the most memory that it takes",
        "that of a tenth of the deals",
        *(1.3, 1.1, False),
    ),
    "P11 one": Promise(
        "saves of one event, one client",
        "PyPI eventsourcing",
        *(2, 3),
    ),
    "P11 ten": Promise(
        "saves of ten events, one client",
        "PyPI eventsourcing",
        *(2, 3),
    ),
    "P11 get": Promise(
        "an evening read back from its events",
        "PyPI eventsourcing, repository.get",
        *(5, 10),
    ),
    "P12 room": Promise(
        "room of an evening of 40 deals",
        ABSOLUTE,
        *(130, 110, False, "kB"),
    ),
    "P12 log": Promise(
        "write-ahead log of that evening",
        ABSOLUTE,
        *(190, 150, False, "kB"),
    ),
    "P13": Promise(
        "CPU to write that evening down",
        ABSOLUTE,
        *(160, 120, False, "ms"),
    ),
    "P14": Promise(
        "p99 of one action beside 16 PDF statements",
        "the same on a quiet server",
        *(2, 1.3, False),
    ),
    "P15 rate": Promise(
        "answered when ten times too many come",
        "answered when as many come as can be",
        *(0.6, 0.8),
    ),
    "P15 p99": Promise(
        "p99 of what is answered then",
        ABSOLUTE,
        *(1, 0.5, False, "s"),
    ),
}
