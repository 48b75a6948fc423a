"""A statement: the sessions it is of, their lines one by one, and what is printed with them.

`Statement` is what every format writes; `SessionStatement` and `GroupStatement` fill it. Reads no
request, so that it can be written while it is being sent.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from api.http.query_parameters import DEFAULT_TIME_ZONE
from api.i18n.translator import CachedTranslator
from api.statements.chart import Chart
from api.statements.context import StatementContext
from api.statements.group_entry import GroupEntry
from api.statements.printed_link.link import FIGURES_BYTES, StatementLink, history_digest
from api.statements.session_section import SessionSection, decimal_places
from api.statements.statement_query import StatementQuery
from api.statements.tables import AccountChanges, BalanceTable, Grid, Pairs, Result, SessionTable
from engine.values import Amount
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp, to_datetime
from ledger.projections.postings import Unit
from ledger.reporting.journal_query import read_lines
from ledger.reporting.statement import StatementLine, running_lines
from ledger.store.connection_pool import Pool


class Statement(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What all formats write. Names and titles are safe to show; each format escapes them further.

    An account of a session may have another name in the statement: see SessionSection.
    """

    query: StatementQuery
    context: StatementContext
    translator: CachedTranslator
    currency: str
    title: str | None
    subject: str  # the title, or the name of the game
    holder_name: str  # of the player or member, or the word for all of them
    holder_account: str | None  # None in a statement of all of them
    sections: tuple[SessionSection, ...]
    opening_balances: Mapping[str, Amount]  # before the period; an account not named had nothing
    closing_balances: Mapping[str, Amount]  # at the end of the period
    subject_id: UUID  # the session, or the group, whose key name the note is signed with
    names_by_account: Mapping[str, str | None]  # people's accounts; an erased name is None
    other_accounts: tuple[str, ...]  # that a journal declares first; bets as they come
    link_extent: dict[str, Any]  # of StatementLink: group, upto, session_count and unit
    notes: tuple[str, ...]  # the remarks under the last table
    period_note: str = ""  # how far results and balances go; empty without a period
    footer_mark: str  # printed on every sheet; contains no name
    verification_text: str  # how the whole can be checked, in one line
    time_format: str  # of a line's time on a page
    print_time_format: str  # and in print, where there is less room
    section_columns: tuple[str, ...] = ()  # before each line: which session it is of
    version: int | None = None  # if the whole statement has one
    entries: tuple[GroupEntry, ...] = ()  # of a group, beside its sessions; in no sum
    member_names: Mapping[Member, str | None] = {}  # of a group; an erased name is None
    subtitle: str = ""  # the game, where the title does not say it
    status_text: str = ""

    # the methods in which a session's and a group's statement differ

    @property
    def file_stem(self) -> str:
        """The name of a file of it, without the suffix."""
        raise NotImplementedError

    def head_pairs(self) -> Pairs:
        """Return what the first page shows beside the holder and the period."""
        raise NotImplementedError

    def section_heading(self, section: SessionSection) -> str:
        """Return the heading over a session's lines; empty where there is only one session."""
        return ""

    def section_pairs(self, section: SessionSection) -> Pairs:
        """Return the pairs under that heading."""
        return []

    def session_table(self) -> SessionTable | None:
        """Return the table of contents of a statement of many sessions."""
        return None

    def chart(self) -> Chart | None:
        raise NotImplementedError

    def account_changes(self) -> AccountChanges:
        """Return empty sums, to which a workbook adds each line for `grids`."""
        return AccountChanges({})

    def grids(self, changes: AccountChanges) -> list[Grid]:
        """Return who won and lost how much, deal by deal or session by session; and of a group what
        each entry changed."""
        raise NotImplementedError

    def balance_tables(self) -> Iterator[BalanceTable]:
        """Yield the tables at the end."""
        raise NotImplementedError

    def tables_apart(self) -> Iterator[BalanceTable]:
        """Yield those of them that are in no sum of the statement."""
        return iter(())

    def results(self) -> Iterator[Result]:
        raise NotImplementedError

    def json_head_and_foot(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a JSON document has before and after the lines."""
        raise NotImplementedError

    # the methods that both share

    def section_cells(self, section: SessionSection) -> dict[str, object]:
        """Return the values of `section_columns`."""
        values = section.number, str(section.session.id)
        return dict(zip(self.section_columns, values, strict=False))

    @property
    def unit(self) -> Unit:
        return self.query.unit

    @property
    def pool(self) -> Pool:
        return self.context.store.pool

    @cached_property
    def page_url(self) -> str:
        """The address, printed as a QR code, of the page that says whether it still holds."""
        link = self.printed_link.encode(self.context.link_secret)
        return f"{self.context.base_url}/statement/{link}"

    def section_url(self, section: SessionSection) -> str:
        """Return the same address, at one session of many."""
        return f"{self.page_url}#evening-{section.number}"

    @property
    def printed_link(self) -> StatementLink:
        """The link to this statement as it is now."""
        query = self.query
        balances = [sorted(x.items()) for x in (self.opening_balances, self.closing_balances)]
        current_sums = [sorted(section.sums.current.items()) for section in self.sections]
        figures = balances, current_sums, self.line_count, *self.line_times
        return StatementLink(
            subject=self.subject_id.bytes,
            **self.link_extent,
            holder=query.holder or "",
            since=query.since or "",
            until=query.until or "",
            zone="" if str(query.zone) == DEFAULT_TIME_ZONE else str(query.zone),
            language=self.translator.language,
            history=history_digest(section.session.hash for section in self.sections),
            figures=sha256(repr(figures).encode()).digest()[:FIGURES_BYTES],
        )

    def holder_results(self) -> list[Result]:
        """Return the results of the statement's holder; none in points."""
        if self.unit == "points":
            return []
        return [
            result for result in self.results() if self.holder_account in (None, result.account)
        ]

    @property
    def results_title(self) -> str:
        """What the results are called: those of one evening, or of all in a group's statement."""
        return self.translator("statement.result" if self.version is None else "statement.results")

    @property
    def opening_balance(self) -> Amount:
        """What the holder had before the period."""
        return self.opening_balances.get(self.holder_account or "", 0)

    @property
    def closing_balance(self) -> Amount:
        return self.closing_balances.get(self.holder_account or "", 0)

    @cached_property
    def line_count(self) -> int:
        return sum(section.sums.line_count for section in self.sections)

    @cached_property
    def line_times(self) -> tuple[int | None, int | None]:
        """The times of the first and the last line, in microseconds."""
        first_times = (section.sums.first_line_at for section in self.sections)
        last_times = (section.sums.last_line_at for section in self.sections)
        return min(filter(None, first_times), default=None), max(
            filter(None, last_times), default=None
        )

    @cached_property
    def updated_at(self) -> int:
        """The time of the last event that it could contain, in microseconds."""
        return max((section.session.at for section in self.sections), default=0)

    @cached_property
    def _has_fractions(self) -> bool:
        """Return whether a line has less than whole coins."""
        return any(section.sums.needs_minor_units for section in self.sections)

    @cached_property
    def holder_and_unit(self) -> str:
        """Whose statement it is, and what its amounts are in."""
        if self.unit == "points":
            return self.translator("statement.of_points", who=self.holder_name)
        unit, divisor = self.currency, 10**self.decimal_places
        if self.query.format == "csv" and not self.query.excel and divisor > 1:
            unit = f"1/{divisor} {unit}"  # programs get whole minor units
        return self.translator("statement.of", who=self.holder_name, currency=unit)

    @property
    def period_text(self) -> str:
        """The period as the query gave it."""
        if not self.query.has_period:
            return self.translator("statement.everything")
        return f"{self._bound_text(self.query.since)} – {self._bound_text(self.query.until)}"

    def _bound_text(self, bound: str | None) -> str:
        """Return a day in the order of the language, a moment as the query gave it."""
        is_day = bound is not None and len(bound) == len("2026-11-30")
        return self.translator.format_day(bound) if bound and is_day else bound or "…"

    @property
    def json_period(self) -> dict[str, str | None]:
        """The times of the first and the last line."""
        first, last = (format_timestamp(at) if at else None for at in self.line_times)
        return {"from": first, "to": last}

    @property
    def extent_text(self) -> str:
        """From the first line to the last: day, time and zone; a dash without lines."""
        pattern = f"{self.translator.day_pattern} %H:%M %Z"
        times = (self.format_time(at, pattern) for at in self.line_times if at)
        return " – ".join(times) or "–"

    def labelled_pairs(self, pairs: Pairs) -> list[tuple[str, str]]:
        """Return the pairs as text, with labels in place of the keys."""
        return [(self.translator(f"statement.{key}"), str(value)) for key, value in pairs]

    def worded_lines(self, section: SessionSection) -> Iterator[tuple[StatementLine, str]]:
        """Yield a session's lines, each with the sentence that explains it, read anew each time."""
        translator, query = self.section_translator(section), section.lines_query
        lines = read_lines(self.pool, section.session.rule_references, query, section.sums)
        for line in running_lines(lines, query.account, section.opening_balance):
            yield line, translator.explain_posting(line.explanation, self.currency)

    def section_translator(self, section: SessionSection) -> CachedTranslator:
        """Return a translator with the names of a session's players."""
        return CachedTranslator(self.translator.language, section.player_names)

    @cached_property
    def decimal_places(self) -> int:
        return decimal_places(self.currency, self.unit)

    def local_time(self, at: int) -> datetime:
        """Return a time in the statement's zone, without its offset: a workbook has no zones."""
        return self._in_zone(at).replace(microsecond=0, tzinfo=None)

    def repeated_hour_zone(self, at: int) -> str:
        """Return the zone of a time whose hour comes twice, as the clocks are set back; else ''."""
        time = self._in_zone(at)
        is_repeated = time.replace(fold=1 - time.fold).utcoffset() != time.utcoffset()
        return time.strftime("%Z") if is_repeated else ""

    def format_time(self, at: int, pattern: str) -> str:
        return self._in_zone(at).strftime(pattern)

    def format_line_time(self, at: int, pattern: str) -> str:
        """Return a time with its zone behind it, in an hour that comes twice or by the pattern."""
        zone = "" if "%Z" in pattern else self.repeated_hour_zone(at)
        return f"{self.format_time(at, pattern)} {zone}".rstrip()

    def format_day(self, at: int) -> str:
        return self.format_time(at, self.translator.day_pattern)

    def _in_zone(self, at: int) -> datetime:
        return to_datetime(at).astimezone(self.query.zone)

    def format_decimal(self, amount: Amount, point: str = ".") -> str:
        """Return an amount in whole coins, exact, as programs write it: `-12.50`."""
        if not self.decimal_places:
            return str(amount)
        coins, fraction = divmod(abs(amount), 10**self.decimal_places)
        return f"{'-' if amount < 0 else ''}{coins}{point}{fraction:0{self.decimal_places}}"

    def format_amount(self, amount: Amount, sign: bool = False) -> str:
        """Return an amount for people; all those of a column are written alike."""
        if self.unit == "points":
            return self.translator.format_number(amount, sign=sign)
        fixed = self._has_fractions
        return self.translator.format_money(amount, self.currency, sign=sign, fixed=fixed)
