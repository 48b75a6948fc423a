"""All projections folded anew from the events, beside the old ones, and then swapped in.

Nothing is settled, sent or rung on the way: only rows are made. Appends go on until the swap. All
cores fold, each some evenings at a time; whatever breaks off, the projections are as they were.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from ledger import crew, shadow
from ledger.crew import Crew
from ledger.database import Connection, DatabaseUnfit
from ledger.shadow import Wanted

HEADS = "SELECT session_id, version FROM vola.heads ORDER BY session_id"
HOLD_WRITERS = "LOCK TABLE vola.heads IN SHARE ROW EXCLUSIVE MODE"
ONE_AT_A_TIME = "SELECT pg_advisory_lock(7316053)"  # and no audit meanwhile
NO_HURRY = "SET LOCAL synchronous_commit = off"
"""For what nobody reads until the swap, whose commit brings all that was written before to disk."""

EVENTS_AT_ONCE = 5_000
WORTH_A_PROCESS = 25_000
"""Events: so many are folded in the time that a process takes to begin."""


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    sessions: int
    events: int
    rows: int
    differed: int  # rows that were not as they should have been, or the other way round


class Part(msgspec.Struct, frozen=True, kw_only=True):
    shadow: int  # that it goes into
    evenings: Wanted


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    rows: int
    differed: dict[UUID, int]  # rows of each evening that has any


def rebuild(
    owner_url: str,
    progress: Callable[[int], None] = lambda _: None,
    processes: int | None = None,
) -> Rebuilt:
    """Fold everything anew and swap. psycopg.Error when the role is not the owner; DatabaseUnfit.

    `processes`: as many as there are cores, unless told, and fewer for a small book.
    """
    if not shadow.drop_old(owner_url):  # of a rebuild whose readers stayed too long
        raise DatabaseUnfit(
            "Somebody still reads the tables from before the last rebuild; try again later."
        )
    with psycopg.connect(owner_url, autocommit=True) as db:
        db.execute(ONE_AT_A_TIME)
        wanted = _heads(db)
        made, written, differed = _fold_all(db, owner_url, wanted, processes, progress)
        differed += shadow.nobodys(db)
        done = dict(wanted)
        with db.transaction():
            db.execute(HOLD_WRITERS)  # short: only what was appended meanwhile is left to do
            moved = [head for head in _heads(db) if done.get(head[0]) != head[1]]
            if moved:
                written += shadow.fold_in(db, made, moved, again=True)
            done |= moved
            for one, _ in moved:
                differed.pop(one, None)
            differed += shadow.differing(db, moved)
            shadow.swap(db)
    shadow.drop_old(owner_url)
    return Rebuilt(
        sessions=len(done),
        events=sum(done.values()),
        rows=written,
        differed=differed.total(),
    )


def _heads(db: Connection) -> Wanted:
    return [(session_id, version) for session_id, version in db.execute(HEADS)]


def _fold_all(
    db: Connection,
    owner_url: str,
    wanted: Wanted,
    processes: int | None,
    progress: Callable[[int], None],
) -> tuple[int, int, Counter[UUID]]:
    """By this process and its helpers, who begin while the shadow is made; which shadow, how many
    rows were made, and which differ."""
    events = sum(version for _, version in wanted)
    most = min(processes or crew.cores(), 1 + events // WORTH_A_PROCESS)
    sessions, rows, differed = 0, 0, Counter[UUID]()
    with Crew("ledger.rebuild", most - 1, owner_url) as others:
        with db.transaction():
            made = shadow.make(db)
        parts = (Part(shadow=made, evenings=evenings) for evenings in _parts(wanted))
        for answer in others.share(parts, partial(_fold, db)):
            folded = msgspec.convert(answer, Folded, from_attributes=True)
            sessions, rows = sessions + folded.sessions, rows + folded.rows
            differed.update(folded.differed)
            progress(sessions)
    return made, rows, differed


def _parts(wanted: Wanted) -> Iterator[Wanted]:
    """As many evenings as have about so many events together; a long one is alone."""
    part, events = Wanted(), 0
    for head in wanted:
        if part and events + head[1] > EVENTS_AT_ONCE:
            yield part
            part, events = Wanted(), 0
        part.append(head)
        events += head[1]
    if part:
        yield part


def _fold(db: Connection, part: Part, again: bool) -> Folded:
    """One part, for good.

    What differs is told of the moment after, while everybody writes on: whichever evening has moved
    by then is looked at once more before the swap.
    """
    with db.transaction():
        db.execute(NO_HURRY)
        rows = shadow.fold_in(db, part.shadow, part.evenings, again=again)
        differed = shadow.differing(db, part.evenings)
    return Folded(sessions=len(part.evenings), rows=rows, differed=dict(differed))


def _help(owner_url: Any) -> Callable[[Any], Folded]:
    """One of the helpers, with a connection of its own."""
    db = psycopg.connect(owner_url, autocommit=True)
    return lambda part: _fold(db, msgspec.convert(part, Part), again=False)


if __name__ == "__main__":
    crew.serve(_help)
