"""The promised (floor) and the desired (aim) value of each figure of the bench.

A figure is a ratio to a reference measured in the same run, unless it has a unit of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Promise(NamedTuple):
    """What one figure must reach, or must not exceed unless `higher_is_better`."""

    title: str
    against: str
    higher_is_better: bool
    floor: float
    aim: float
    unit: str

    def meets(self, figure: float, bound: float) -> bool:
        return figure >= bound if self.higher_is_better else figure <= bound

    def bound(self, figure: float) -> str:
        """Return a bound as text, for instance `≥ 0.3 ×`."""
        return f"{'≥' if self.higher_is_better else '≤'} {figure:,.12g} {self.unit}"


def at_least(title: str, against: str, *, floor: float, aim: float, unit: str = "×") -> Promise:
    return Promise(title, against, True, floor, aim, unit)


def at_most(title: str, against: str, *, floor: float, aim: float, unit: str = "×") -> Promise:
    return Promise(title, against, False, floor, aim, unit)


ABSOLUTE = "(absolute)"

PROMISED: dict[str, Promise] = {
    "P1": at_least(
        "appends of one event, 8 writers",
        "psycopg, one row a commit, the same threads",
        floor=0.50,
        aim=0.65,
    ),
    "P2": at_least(
        "events of whole deals, 8 writers",
        "psycopg, as many rows a commit, the same threads",
        floor=0.45,
        aim=0.60,
    ),
    "P3": at_least(
        "actions by HTTP, 32 clients",
        "Flask echo that writes one row, same server and settings",
        floor=0.40,
        aim=0.60,
    ),
    "P4": at_most(
        "p50 of one action by HTTP, one client",
        "p50 of the Flask echo that writes one row",
        floor=2.2,
        aim=1.6,
    ),
    "P5": at_least(
        "rebuild of all projections",
        "reading and decoding them, as many processes",
        floor=0.30,
        aim=0.50,
    ),
    "P6 book": at_most(
        "p50 of an append in a book of many events",
        "the same in an empty book",
        floor=1.1,
        aim=1.0,
    ),
    "P6 evening": at_most(
        "p50 of an append in a very long evening",
        "the same in an empty book",
        floor=1.1,
        aim=1.0,
    ),
    "P7": at_most(
        "p99 from a won la vola to its settled legs",
        ABSOLUTE,
        floor=20,
        aim=10,
        unit="ms",
    ),
    "P8": at_least(
        "settlements drained by 4 workers",
        "bare RQ jobs, the same worker class",
        floor=1.3,
        aim=2,
    ),
    "P9": at_least(
        "verifying the chain as it is stored",
        "(absolute; beside it the hashes alone)",
        floor=800_000,
        aim=1_200_000,
        unit="events/s",
    ),
    "P10 time": at_most(
        "a statement of very many deals as CSV",
        "reading its rows",
        floor=1.8,
        aim=1.5,
    ),
    "P10 memory": at_most(
        "the most memory that it takes",
        "that of a tenth of the deals",
        floor=1.3,
        aim=1.1,
    ),
    "P11 one": at_least(
        "saves of one event, one client",
        "PyPI eventsourcing",
        floor=2,
        aim=3,
    ),
    "P11 ten": at_least(
        "saves of ten events, one client",
        "PyPI eventsourcing",
        floor=2,
        aim=3,
    ),
    "P11 get": at_least(
        "an evening read back from its events",
        "PyPI eventsourcing, repository.get",
        floor=5,
        aim=10,
    ),
    "P12 room": at_most(
        "room of an evening of 40 deals",
        ABSOLUTE,
        floor=130,
        aim=110,
        unit="kB",
    ),
    "P12 log": at_most(
        "write-ahead log of that evening",
        ABSOLUTE,
        floor=190,
        aim=150,
        unit="kB",
    ),
    "P13": at_most(
        "CPU to write that evening down",
        ABSOLUTE,
        floor=160,
        aim=120,
        unit="ms",
    ),
    "P14": at_most(
        "p99 of one action beside 16 PDF statements",
        "the same on a quiet server",
        floor=2,
        aim=1.3,
    ),
    "P15 rate": at_least(
        "answered when ten times too many come",
        "answered when as many come as can be",
        floor=0.6,
        aim=0.8,
    ),
    "P15 p99": at_most(
        "p99 of what is answered then",
        ABSOLUTE,
        floor=1,
        aim=0.5,
        unit="s",
    ),
}
