"""Every movement that still stands, read from the book a page at a time, however long the evening.

Reads the journal and the events behind it as they stood at one version, whatever is appended or
undone meanwhile: no transaction stays open between two pages. Knows no language and no format.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import LiteralString, TypeVar
from uuid import UUID

import msgspec

from engine.values import Amount
from ledger import codec
from ledger.database import Connection, Pool, reading
from ledger.postings import BROUGHT, Posting, Unit
from ledger.statement import Line
from ledger.why import Reason, Rules, reasons

T = TypeVar("T")

PAGE_VERSIONS = 1000
"""So many versions are read at a time, whatever they moved: a page costs the same at the last deal
as at the first, however the server plans it."""
FOREVER = 2**62
"""Before and after every moment that a book can have."""

LAST_BEFORE = """
SELECT coalesce(max(version), 0) FROM vola.events
 WHERE session_id = %(session_id)s AND version <= %(upto)s AND at < %(moment)s
"""
SUMS = """
WITH lines AS (
  SELECT source, target, amount, (version > %(after)s)::int + (version > %(through)s)::int AS part
    FROM projections.journal j
   WHERE j.session_id = %(session_id)s AND j.version <= %(upto)s
     AND (j.undone_by IS NULL OR j.undone_by > %(upto)s)
     AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
     AND (%(brought)s OR 'brought' NOT IN (j.source, j.target)))
SELECT account, part, sum(change)::bigint
  FROM (SELECT target, part, amount FROM lines UNION ALL SELECT source, part, -amount FROM lines)
       AS moved (account, part, change)
 GROUP BY account, part
HAVING sum(change) <> 0
"""
"""Before the period, within it, and after it."""
EXTENT = """
SELECT count(*), coalesce(bool_or(j.amount %% %(coin)s <> 0), false), min(version), max(version)
  FROM projections.journal j
 WHERE j.session_id = %(session_id)s AND j.version > %(after)s AND j.version <= %(through)s
   AND (j.undone_by IS NULL OR j.undone_by > %(upto)s)
   AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
   AND (%(mine)s::text IS NULL OR %(mine)s::text IN (j.source, j.target))
   AND (%(brought)s OR 'brought' NOT IN (j.source, j.target))
"""
TIME = "SELECT at FROM vola.events WHERE session_id = %(session_id)s AND version = %(version)s"
PAGE = """
SELECT j.version, j.line, j.deal, e.type, e.schema, e.at, e.data
  FROM projections.journal j
  JOIN vola.events e ON e.session_id = j.session_id AND e.version = j.version
 WHERE j.session_id = %(session_id)s AND j.version > %(after)s AND j.version <= %(through)s
   AND (j.undone_by IS NULL OR j.undone_by > %(upto)s)
   AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
   AND (%(mine)s::text IS NULL OR %(mine)s::text IN (j.source, j.target))
 ORDER BY j.version, j.line
"""

Row = tuple[int, int, int | None, str, int, int, str]
"""A stored line: its version, its place among those of its event, its deal; and the event: type,
schema, microseconds and data."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which movements: of one account or of all, in one unit, up to a version, in a period that
    begins with `first` and ends before `end` (microseconds)."""

    session_id: UUID
    upto: int
    unit: Unit
    mine: str | None = None
    brought: bool = True  # with what was brought forward from an earlier evening
    coin: int = 1  # how many of the smallest units a whole coin has
    first: int = -FOREVER
    end: int = FOREVER

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "session_id": self.session_id,
            "upto": self.upto,
            "points": self.unit == "points",
            "mine": self.mine,
            "brought": self.brought,
            "coin": self.coin,
        }

    def tells(self, posting: Posting) -> bool:
        """Whether what a stored line moved is one of them."""
        return self.brought or BROUGHT not in (posting.source, posting.target)


class Sums(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before the first line is read. An account that is not named had nothing."""

    opening: dict[str, Amount]  # everything before the period
    closing: dict[str, Amount]  # with the period
    now: dict[str, Amount]  # with all that came after it, up to the version
    lines: int
    small: bool  # whether a line has less than whole coins
    first: int | None  # microseconds, of the first and the last line
    last: int | None
    after: int  # the lines are of versions behind this one
    through: int  # and up to this one


def sums(pool: Pool, wanted: Wanted) -> Sums:
    """Openings, closings and the extent of the period, added up where the lines are kept."""
    ask = wanted.parameters
    with pool.connection() as db:
        after, through = 0, wanted.upto
        if wanted.first != -FOREVER:
            after = _number(db, LAST_BEFORE, {**ask, "moment": wanted.first})
        if wanted.end != FOREVER:
            through = _number(db, LAST_BEFORE, {**ask, "moment": wanted.end})
        ask |= {"after": after, "through": max(after, through)}
        opening, closing, now = dict[str, Amount](), dict[str, Amount](), dict[str, Amount]()
        for account, part, change in sorted(db.execute(SUMS, ask).fetchall()):
            for kept in (opening, closing, now)[part:]:
                kept[account] = kept.get(account, 0) + change
        extent = db.execute(EXTENT, ask).fetchone()
        assert extent is not None
        count, small, begins, ends = extent
        times = [_number(db, TIME, {**ask, "version": v}) if v else None for v in (begins, ends)]
    return Sums(
        opening=opening,
        closing=closing,
        now=now,
        lines=count,
        small=small,
        first=times[0],
        last=times[1],
        after=begins - 1 if begins else after,
        through=ends or after,
    )


def moved(pool: Pool, rules: Rules, wanted: Wanted, sums: Sums) -> Iterator[Line]:
    """Every movement that is wanted, in order. Holds two pages at a time."""

    def explained(rows: list[Row]) -> list[Line]:
        lines, last, because = list[Line](), 0, tuple[Reason, ...]()
        for version, line, deal, kind, schema, at, data in rows:
            if version != last:  # an event's rows come one after the other; it is decoded once
                last, because = version, reasons(rules, version, codec.decode(kind, schema, data))
            if wanted.tells((reason := because[line - 1]).posting):
                lines.append(Line(version=version, at=at, deal=deal, kind=kind, reason=reason))
        return lines

    return chain.from_iterable(paged(pool, wanted, sums, explained))


def paged(pool: Pool, wanted: Wanted, sums: Sums, work: Callable[[list[Row]], T]) -> Iterator[T]:
    """What comes of each page of stored lines, those with what was brought forward among them.

    While one is worked on, the server reads the next. No connection is kept while the caller has
    what came of it: whoever reads slowly holds none.
    """
    page = list[Row]()
    for after in range(sums.after, sums.through, PAGE_VERSIONS):
        through = min(after + PAGE_VERSIONS, sums.through)
        with reading(pool) as db, db.pipeline():
            next_ = db.cursor(binary=True)  # many rows at once, for they are read faster
            next_.execute(PAGE, {**wanted.parameters, "after": after, "through": through})
            done = work(page)
            page = next_.fetchall()
        yield done
    yield work(page)


def _number(db: Connection, query: LiteralString, ask: Mapping[str, object]) -> int:
    row = db.execute(query, ask).fetchone()
    assert row is not None
    return int(row[0])
