"""An audit of many evenings by all cores, each looking at the same moment of the book."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
import psycopg
from psycopg import sql

from ledger import crew
from ledger.audit import ONE_SNAPSHOT, audit
from ledger.auditing.findings import Finding
from ledger.auditing.kept import Kept
from ledger.crew import Crew
from ledger.database import Connection

EXPORT = "SELECT pg_export_snapshot()"
IMPORT = "SET TRANSACTION SNAPSHOT {}"

EVENINGS_AT_ONCE = 4
WORTH_A_PROCESS = 16
"""So many evenings are audited in the time that a process takes to begin."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Some evenings, each with the receipts that were kept of it."""

    place: int
    evenings: list[tuple[UUID, list[Kept]]]


Found = tuple[int, list[list[Finding]]]
"""Of which part, and of each of its evenings."""


def audited(
    db: Connection,
    url: str,
    wanted: Sequence[UUID],
    receipts: Mapping[UUID, Sequence[Kept]],
    processes: int | None = None,
) -> Iterator[tuple[UUID, list[Finding]]]:
    """The findings of each, in the order in which they are wanted. `db` is inside a `snapshot`, and
    `url` leads to the same server."""
    parts = [
        Part(
            place=place,
            evenings=[
                (one, list(receipts.get(one, ())))
                for one in wanted[place : place + EVENINGS_AT_ONCE]
            ],
        )
        for place in range(0, len(wanted), EVENINGS_AT_ONCE)
    ]
    most = min(processes or crew.cores(), 1 + len(wanted) // WORTH_A_PROCESS)
    what = {"url": url, "snapshot": _exported(db) if most > 1 else ""}
    early, next_place = dict[int, list[list[Finding]]](), 0
    with Crew("ledger.auditing.together", most - 1, what) as others:
        for answer in others.share(parts, lambda part, _: _audit(db, part)):
            place, findings = msgspec.convert(answer, Found)
            early[place] = findings
            while (found := early.pop(next_place, None)) is not None:
                yield from zip(wanted[next_place:], found, strict=False)
                next_place += EVENINGS_AT_ONCE


def _audit(db: Connection, part: Part) -> Found:
    return part.place, [audit(db, one, receipts) for one, receipts in part.evenings]


def _exported(db: Connection) -> str:
    row = db.execute(EXPORT).fetchone()
    assert row is not None
    return str(row[0])


def _help(what: Any) -> Callable[[Any], Found]:
    """One of the helpers, with a connection of its own."""
    db = psycopg.connect(what["url"])
    db.execute(ONE_SNAPSHOT)
    db.execute(sql.SQL(IMPORT).format(sql.Literal(what["snapshot"])))
    return lambda part: _audit(db, msgspec.convert(part, Part))


if __name__ == "__main__":
    crew.serve(_help)
