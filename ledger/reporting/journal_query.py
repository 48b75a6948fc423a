"""The query that makes a statement (`PAGE`): read the journal lines in effect at one version.

The result stays the same whatever is appended or undone between two pages, without a transaction
that stays open. Language and format are added in api/statements.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, LiteralString, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import asdict, replace

from engine.values import Amount
from ledger.events import codec
from ledger.projections.postings import Unit
from ledger.reporting.posting_reasons import Explanation, RuleReferences, explain_event
from ledger.reporting.statement import StatementLine
from ledger.store.connection_pool import Pool, autocommit_connection, fetch_value

T = TypeVar("T")

PAGE_VERSIONS = 1000
"""Versions per page, with or without postings, so that the last page costs as much as the first."""
FOREVER = 2**62
"""Later than any recorded time; negated, earlier."""

LAST_VERSION_BEFORE = """
SELECT coalesce(max(version), 0) FROM vola.events
 WHERE session_id = %(session_id)s AND version <= %(version)s AND at < %(moment)s
"""
SUMS = """
WITH lines AS NOT MATERIALIZED (  -- reading them twice is faster than storing them
  SELECT source, target, amount, (version > %(after)s)::int + (version > %(through)s)::int AS part
    FROM projections.journal j
   WHERE j.session_id = %(session_id)s AND j.version <= %(version)s
     AND (j.undone_by IS NULL OR j.undone_by > %(version)s)
     AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
     AND (%(with_brought_forward)s OR 'brought' NOT IN (j.source, j.target)))
SELECT account, part, sum(change)::bigint
  FROM (SELECT target, part, amount FROM lines UNION ALL SELECT source, part, -amount FROM lines)
       AS moved (account, part, change)
 GROUP BY account, part
HAVING sum(change) <> 0
"""
"""Sums by account and part: 0 before the period, 1 within it, 2 after it."""
EXTENT = """
SELECT count(*), coalesce(bool_or(j.amount %% %(coin_units)s <> 0), false),
       min(version), max(version)
  FROM projections.journal j
 WHERE j.session_id = %(session_id)s AND j.version > %(after)s AND j.version <= %(through)s
   AND (j.undone_by IS NULL OR j.undone_by > %(version)s)
   AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
   AND (%(account)s::text IS NULL OR %(account)s::text IN (j.source, j.target))
   AND (%(with_brought_forward)s OR 'brought' NOT IN (j.source, j.target))
"""
TIME = "SELECT at FROM vola.events WHERE session_id = %(session_id)s AND version = %(line_version)s"
LINES_IN_ORDER = """
  FROM projections.journal j
  JOIN vola.events e ON e.session_id = j.session_id AND e.version = j.version
 WHERE j.session_id = %(session_id)s AND j.version > %(after)s AND j.version <= %(through)s
   AND (j.undone_by IS NULL OR j.undone_by > %(version)s)
   AND (j.source = 'sheet' OR starts_with(j.source, 'score:')) = %(points)s
   AND (%(account)s::text IS NULL OR %(account)s::text IN (j.source, j.target))
   AND (%(with_brought_forward)s OR 'brought' NOT IN (j.source, j.target))
 ORDER BY j.version, j.line
"""
DATA_ONCE = """
CASE row_number() OVER (PARTITION BY j.version ORDER BY j.line) WHEN 1 THEN e.data END
"""
PAGE = f"SELECT j.version, j.line, j.deal, e.type, e.schema, e.at, {DATA_ONCE} {LINES_IN_ORDER}"
POSTINGS_PAGE = f"SELECT e.at, j.deal, e.type, j.source, j.target, j.amount {LINES_IN_ORDER}"

JournalRow = tuple[int, int, int | None, str, int, int, str | None]
"""A stored line: its version, its place among those of its event, its deal; and the event: type,
schema, microseconds and data. Only the first line of an event has the data: that of a correction of
many deals is of megabytes, and has a line for each thing that it moves."""
PostingRow = tuple[int, int | None, str, str, str, Amount]
"""A line in a chart: microseconds, the deal, the event's type; source, target and amount."""


class JournalQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The lines to read: of one account or all, in one unit, up to a version, in a period. The
    period begins with `start` and ends before `end` (microseconds)."""

    session_id: UUID
    version: int
    unit: Unit
    account: str | None = None
    with_brought_forward: bool = True  # with what was brought forward from an earlier session
    coin_units: int = 1  # how many of the smallest units a whole coin has
    start: int = -FOREVER
    end: int = FOREVER

    @property
    def parameters(self) -> dict[str, object]:
        return {**asdict(self), "points": self.unit == "points"}


class JournalSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Sums and extent of the period. An account that is not named is at 0."""

    opening: dict[str, Amount]  # everything before the period
    closing: dict[str, Amount]  # with the period
    current: dict[str, Amount]  # with all that came after it, up to the version
    line_count: int
    needs_minor_units: bool  # whether some amount is not a whole number of coins
    first_line_at: int | None  # microseconds, of the first and the last line
    last_line_at: int | None
    after_version: int  # the lines are of versions after this one
    through_version: int  # and up to this one


def summarize_journal(pool: Pool, query: JournalQuery) -> JournalSummary:
    """Return opening and closing balances and the extent of the period, added up in SQL."""
    parameters = query.parameters
    with pool.connection() as db:

        def version_before(moment: int) -> int:
            return int(fetch_value(db, LAST_VERSION_BEFORE, {**parameters, "moment": moment}))

        after_version = 0 if query.start == -FOREVER else version_before(query.start)
        through_version = query.version if query.end == FOREVER else version_before(query.end)
        parameters |= {"after": after_version, "through": max(after_version, through_version)}
        opening: dict[str, Amount] = {}
        closing: dict[str, Amount] = {}
        current: dict[str, Amount] = {}
        for account, part, change in sorted(db.execute(SUMS, parameters).fetchall()):
            for balances in (opening, closing, current)[part:]:
                balances[account] = balances.get(account, 0) + change
        ((count, needs_minor_units, first_version, last_version),) = db.execute(EXTENT, parameters)
        times = [
            fetch_value(db, TIME, {**parameters, "line_version": v}) if v else None
            for v in (first_version, last_version)
        ]
    return JournalSummary(
        opening=opening,
        closing=closing,
        current=current,
        line_count=count,
        needs_minor_units=needs_minor_units,
        first_line_at=times[0],
        last_line_at=times[1],
        after_version=first_version - 1 if first_version else after_version,
        through_version=last_version or after_version,
    )


def read_lines(
    pool: Pool, rules: RuleReferences, query: JournalQuery, sums: JournalSummary
) -> Iterator[StatementLine]:
    """Yield the lines of the query in order, holding two pages at a time."""

    def explained(rows: list[JournalRow]) -> list[StatementLine]:
        lines: list[StatementLine] = []
        explanations: tuple[Explanation, ...] = ()
        for version, line, deal, kind, schema, at, data in rows:
            if data is not None:
                event = codec.decode(kind, schema, data)
                explanations = explain_event(rules, version, event)
            explanation = explanations[line - 1]
            lines.append(
                StatementLine(version=version, at=at, deal=deal, kind=kind, explanation=explanation)
            )
        return lines

    return chain.from_iterable(read_pages(pool, query, sums, explained))


def read_postings(pool: Pool, query: JournalQuery, sums: JournalSummary) -> Iterator[PostingRow]:
    """Yield what the lines of the query move, in order, without decoding their events. Lines that
    bring forward are not left out."""
    whole_query = replace(query, with_brought_forward=True)
    pages: Iterator[list[PostingRow]] = read_pages(pool, whole_query, sums, list, POSTINGS_PAGE)
    return chain.from_iterable(pages)


def read_pages(
    pool: Pool,
    query: JournalQuery,
    sums: JournalSummary,
    process_rows: Callable[[list[Any]], T],
    page_query: LiteralString = PAGE,
) -> Iterator[T]:
    """Yield the result of `process_rows` for each page of rows.

    While a page is processed, the server reads the next, so the first result is that of no rows. No
    connection is held while the caller uses a result, so that a slow reader does not keep one.
    """
    page: list[Any] = []
    for after in range(sums.after_version, sums.through_version, PAGE_VERSIONS):
        through_version = min(after + PAGE_VERSIONS, sums.through_version)
        with autocommit_connection(pool) as db, db.pipeline():
            cursor = db.cursor(binary=True)  # reads many rows faster
            cursor.execute(
                page_query, {**query.parameters, "after": after, "through": through_version}
            )
            processed = process_rows(page)
            page = cursor.fetchall()
        yield processed
    yield process_rows(page)
