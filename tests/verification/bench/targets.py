"""What is promised of speed (floor) and wished for (aim), one line a figure.

A figure is a ratio to a reference that is taken in the same run, unless it has a unit of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Promise(NamedTuple):
    """`more`: whether more is better; else the figure is to stay below floor and aim."""

    title: str
    against: str
    floor: float
    aim: float
    higher_is_better: bool = True
    unit: str = "×"

    def meets(self, figure: float, bound: float) -> bool:
        return figure >= bound if self.higher_is_better else figure <= bound

    def bound(self, figure: float) -> str:
        """`≥ 0.3 ×`"""
        return f"{'≥' if self.higher_is_better else '≤'} {figure:,.12g} {self.unit}"


PROMISED: dict[str, Promise] = {
    "P1": Promise(
        "appends of one event, 8 writers",
        "pgbench, one INSERT of one row, 8 clients",
        *(0.30, 0.60),
    ),
    "P2": Promise(
        "events of whole deals, 8 writers",
        "pgbench, one INSERT of as many rows, 8 clients",
        *(0.35, 0.60),
    ),
    "P3": Promise(
        "actions by HTTP, 32 clients",
        "JSON echo: Flask, same server and settings",
        *(0.15, 0.30),
    ),
    "P4": Promise(
        "p50 of one action by HTTP, one client",
        "p50 of a bare pooled INSERT of one row",
        *(4, 2, False),
    ),
    "P5": Promise(
        "rebuild of all projections",
        "COPY vola.events TO STDOUT",
        *(0.25, 0.50),
    ),
    "P6 book": Promise(
        "p50 of an append in a book of many events",
        "the same in an empty book",
        *(1.3, 1.1, False),
    ),
    "P6 evening": Promise(
        "p50 of an append in a very long evening",
        "the same in an empty book",
        *(1.3, 1.1, False),
    ),
    "P7": Promise(
        "p99 from a won la vola to its settled legs",
        "(an absolute time)",
        *(500, 100, False, "ms"),
    ),
    "P8": Promise(
        "settlements drained by 4 workers",
        "bare RQ jobs, the same worker class",
        *(0.8, 1.0),
    ),
    "P9": Promise(
        "verifying the chain as it is stored",
        "(absolute; beside it the hashes alone)",
        *(300_000, 1_000_000, True, "events/s"),
    ),
    "P10 time": Promise(
        "a statement of very many deals as CSV",
        "reading its rows",
        *(3, 1.5, False),
    ),
    "P10 memory": Promise(
        "the most memory that it takes",
        "that of a tenth of the deals",
        *(1.3, 1.1, False),
    ),
    "P11 one": Promise(
        "saves of one event, one client",
        "PyPI eventsourcing",
        *(1.5, 3),
    ),
    "P11 ten": Promise(
        "saves of ten events, one client",
        "PyPI eventsourcing",
        *(1.5, 3),
    ),
    "P11 get": Promise(
        "an evening read back from its events",
        "PyPI eventsourcing, repository.get",
        *(3, 10),
    ),
}
