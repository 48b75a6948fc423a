"""The sizes of a run: full ones for figures, and tiny ones for a smoke run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a run; `seconds` is the time of one side of one repetition."""

    repetitions: int = 5
    seconds: float = 4
    writers: int = 8
    clients: int = 32
    events: int = 150_000  # in a book that is rebuilt and verified
    many_events: int = 1_000_000
    long_evening_deals: int = 5000
    appends: int = 600  # of each kind in a repetition
    wins: int = 60  # of la vola in a repetition
    due_evenings: int = 1000  # evenings with a la vola due
    workers: int = 4
    statement_deals: int = 10_000
    saves: int = 1500  # of one event in a repetition
    loaded_events: int = 1000  # of the evening that is read back
    evenings: int = 20  # whose room and CPU are measured in a repetition
    pdfs: int = 16  # asked for at a time
    pdf_deals: int = 500
    writes: int = 200  # of one client beside long requests
    phones: int = 1600  # of the open-loop load


SMOKE = Sizes(
    repetitions=1,
    seconds=0.3,
    writers=2,
    clients=4,
    events=600,
    many_events=1200,
    long_evening_deals=60,
    appends=24,
    wins=3,
    due_evenings=6,
    workers=1,
    statement_deals=100,
    saves=20,
    loaded_events=60,
    evenings=1,
    pdfs=4,
    pdf_deals=12,
    writes=12,
    phones=80,
)
