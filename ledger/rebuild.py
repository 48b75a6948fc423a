"""All projections folded anew from the events, beside the old ones, and then swapped in.

Nothing is settled, sent or rung on the way: only rows are made. Appends go on until the swap. All
cores fold, each some evenings at a time; whatever breaks off, the projections are as they were.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import psycopg

from ledger import crew, shadow
from ledger.crew import Crew
from ledger.database import Connection
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


def rebuild(
    owner_url: str,
    progress: Callable[[int], None] = lambda _: None,
    processes: int | None = None,
) -> Rebuilt:
    """Fold everything anew and swap. psycopg.Error when the role is not the owner.

    `processes`: as many as there are cores, unless told, and fewer for a small book.
    """
    shadow.drop_old(owner_url)  # of a rebuild whose readers stayed too long
    with psycopg.connect(owner_url, autocommit=True) as db:
        db.execute(ONE_AT_A_TIME)
        with db.transaction():
            made = shadow.make(db)
        wanted = _heads(db)
        written = _fold_all(db, owner_url, made, wanted, processes, progress)
        done = dict(wanted)
        with db.transaction():
            db.execute(HOLD_WRITERS)  # short: only what was appended meanwhile is left to fold
            moved = [head for head in _heads(db) if done.get(head[0]) != head[1]]
            if moved:
                written += shadow.fold_in(db, made, moved, again=True)
            done |= moved
            differed = shadow.swap(db)
    shadow.drop_old(owner_url)
    return Rebuilt(sessions=len(done), events=sum(done.values()), rows=written, differed=differed)


def _heads(db: Connection) -> Wanted:
    return [(session_id, version) for session_id, version in db.execute(HEADS)]


def _fold_all(
    db: Connection,
    owner_url: str,
    made: int,
    wanted: Wanted,
    processes: int | None,
    progress: Callable[[int], None],
) -> int:
    """By this process and its helpers; how many rows were made."""
    events = sum(version for _, version in wanted)
    most = min(processes or crew.cores(), 1 + events // WORTH_A_PROCESS)
    sessions = written = 0
    with Crew("ledger.rebuild", most - 1, {"url": owner_url, "shadow": made}) as others:
        for done, gave in others.share(_parts(wanted), partial(_fold, db, made)):
            sessions, written = sessions + done, written + gave
            progress(sessions)
    return written


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


def _fold(db: Connection, made: int, part: Wanted, again: bool) -> tuple[int, int]:
    """One part, for good; how many evenings, and how many rows."""
    with db.transaction():
        db.execute(NO_HURRY)
        return len(part), shadow.fold_in(db, made, part, again=again)


def _help(what: Any) -> Callable[[Any], tuple[int, int]]:
    """One of the helpers, with a connection of its own."""
    db = psycopg.connect(what["url"], autocommit=True)
    return lambda part: _fold(db, what["shadow"], msgspec.convert(part, Wanted), again=False)


if __name__ == "__main__":
    crew.serve(_help)
