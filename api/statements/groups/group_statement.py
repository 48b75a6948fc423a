"""The statement of a group, or of one of its members, over many sessions.

What one session left open and a later one carried forward is the same money: it is counted where it
was won or lost, and the lines that carry it forward are left out. So balances run on from session
to session, and together with pots and bets they add up to zero.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from api.statements.chart import MAX_POINTS, Chart
from api.statements.file_names import file_name
from api.statements.group_entry import GROUP_OPENING, GroupEntry
from api.statements.groups.imported_results import ImportedResults
from api.statements.groups.loaded_sessions import GroupExtent
from api.statements.session_section import BETS, GUEST, SessionSection
from api.statements.statement import Statement
from api.statements.tables import (
    AccountChanges,
    BalanceTable,
    Grid,
    GridRow,
    Pairs,
    Result,
    SessionTable,
    cost_rows,
)
from engine.values import Amount
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp
from ledger.projections.postings import POT

FILE_DAY = "%Y-%m-%d"


class GroupStatement(Statement, frozen=True, kw_only=True, dict=True):
    """`names_by_account` has the accounts of members and guests."""

    extent: GroupExtent
    imported: tuple[ImportedResults, ...]  # earlier evenings from files, in none of the sums

    @property
    def event_entries(self) -> list[GroupEntry]:
        """The events of the group itself."""
        return [entry for entry in self.entries if entry.number]

    @property
    def file_stem(self) -> str:
        sections = (*self.sections[:1], *self.sections[-1:])
        days = (self.format_time(section.session.opened_at, FILE_DAY) for section in sections)
        extent = " – ".join(dict.fromkeys(days))
        return file_name(self.title, extent, self.holder_account and self.holder_name)

    def head_pairs(self) -> Pairs:
        return [
            ("shown_at", self.page_url),
            ("verify", self.context.verify_url),
            ("key", self.context.key_words),
        ]

    def section_heading(self, section: SessionSection) -> str:
        ordinal = self.translator("statement.nth", number=section.number)
        day = self.format_day(section.session.opened_at)
        return f"{ordinal} · {section.display_title} · {day}"

    def section_pairs(self, section: SessionSection) -> Pairs:
        pairs: Pairs = [("goes_on", section.continued_number)] if section.continued_number else []
        pairs += [("late_deals", deals)] if (deals := section.marks.late_deals_text) else []
        pairs += [("costs", costs)] if (costs := self._costs_text(section)) else []
        return [
            *pairs,
            ("version", section.session.version),
            ("checksum", section.head_hash),
            ("shown_at", self.section_url(section)),
        ]

    def _costs_text(self, section: SessionSection) -> str:
        translator = self.section_translator(section)
        rows = cost_rows(section.session, section.marks.purposes, translator)
        return "; ".join(f"{label}: {amount}" for label, amount in rows)

    def session_table(self) -> SessionTable:
        amount_heads = ("result", "change", "balance") if self.holder_account else ()
        rows = [
            (
                str(section.number),
                section.display_title,
                self.format_line_time(section.session.opened_at, self.time_format),
                *self._holder_amounts(section),
            )
            for section in self.sections
        ]
        heads = ("evenings", "evening", "called", "when", *amount_heads)
        title, *translated = [self.translator(f"statement.{head}") for head in heads]
        return SessionTable(
            title=title, heads=translated, rows=rows, amount_columns=len(amount_heads)
        )

    def _holder_amounts(self, section: SessionSection) -> tuple[str, ...]:
        """Return the holder's result, change and balance in a session."""
        if not self.holder_account:
            return ()
        result = self._member_results(section).get(self.query.holder or "", 0)
        change = section.closing_balance - section.opening_balance
        return (
            self.format_amount(result, True),
            self.format_amount(change, True),
            self.format_amount(section.closing_balance),
        )

    def _member_results(self, section: SessionSection) -> dict[Member, Amount]:
        members = section.members or {}
        return {members[p]: amount for p, amount in section.results.items() if p in members}

    def chart(self) -> Chart | None:
        """Return the results so far, by session, of the member or of all members who took part;
        None without lines."""
        if not self.line_count or not self._member_columns:
            return None
        chart = Chart("over_evenings", "evening", self._member_columns, {}, steps=False)
        chart.add_point("", "")
        sessions_per_point = -(-len(self.sections) // MAX_POINTS)
        for count, section in enumerate(self.sections, start=1):
            for player, amount in section.results.items():
                chart.move(section.statement_account(f"player:{player}"), amount)
            if count % sessions_per_point == 0 or count == len(self.sections):
                day = self.format_day(section.session.opened_at)
                chart.add_point(day, str(section.number))
        return chart

    def grids(self, changes: AccountChanges) -> list[Grid]:
        session_grid = Grid(
            title="by_evening",
            heads=(("evening", 9), ("called", 30), ("when", 12), ("game", 16)),
            columns=(*self._member_columns.values(), *self._other_columns.values()),
            rows=map(self._grid_row, self.sections),
        )
        open_entries = [entry for entry in self.entries if entry.is_open_balance]
        if not open_entries:
            return [session_grid]
        concerned = {m for entry in open_entries for m, _ in entry.parts(self.query.holder)}
        members = [member for member in self.member_names if member in concerned]
        entry_grid = Grid(
            title="group_entries",
            heads=(("when", 12), ("why", 90)),
            columns=tuple(map(self.translator.player_name, members)),
            rows=(
                GridRow((x.local_day, x.sentence), tuple(x.changes.get(m, 0) for m in members))
                for x in open_entries
            ),
        )
        return [session_grid, entry_grid]

    def _grid_row(self, section: SessionSection) -> GridRow:
        """Return what a session changed for each member, for all guests, and on the table."""
        changes: Counter[str] = Counter()
        for balances, sign in ((section.sums.closing, 1), (section.sums.opening, -1)):
            for account, amount in balances.items():
                name = section.journal_account(account)
                kind = name.partition(":")[0]
                column = POT if name == BETS else kind if kind == GUEST else name
                changes[column] += sign * amount
        day = self.local_time(section.session.opened_at)
        cells = (section.number, section.display_title, day, section.session.game.name)
        columns = (*self._member_columns, *self._other_columns)
        return GridRow(cells, tuple(changes[account] for account in columns))

    @cached_property
    def _member_columns(self) -> Mapping[str, str]:
        return {result.account: result.name for result in self.holder_results()}

    @cached_property
    def _other_columns(self) -> Mapping[str, str]:
        """The columns beside a whole group's members, with which every row adds up to zero."""
        if self.holder_account:
            return {}
        has_guests = any(account.startswith(GUEST) for account in self.names_by_account)
        guests = {GUEST: self.translator("statement.others")} if has_guests else {}
        return {**guests, POT: self.translator("statement.on_tables")}

    def balance_tables(self) -> Iterator[BalanceTable]:
        results = list(self.results())
        rows = [(result.name, self.format_amount(result.amount, True)) for result in results]
        yield BalanceTable(name=self.results_title, rows=rows)
        rows = [(result.name, self.format_amount(result.due, True)) for result in results]
        if guests := self._closing_sum(GUEST):
            rows.append((self.translator("statement.others"), self.format_amount(guests, True)))
        on_tables = self.format_amount(self._closing_sum(POT, BETS))
        rows.append((self.translator("statement.on_tables"), on_tables))
        yield BalanceTable(name=self.translator("statement.balances"), rows=rows)
        yield from self.tables_apart()

    def tables_apart(self) -> Iterator[BalanceTable]:
        if parts := self._opening_parts:
            yield self._member_table(self.translator("statement.group_opening"), parts)
        for imported in self.imported:
            parts = [x for x in imported.results.items() if self.query.holder in (None, x[0])]
            if parts:
                yield self._member_table(imported.title(self.translator), parts)
        if events := self.event_entries:
            rows = [(event.sentence, self.format_day(event.at)) for event in events]
            yield BalanceTable(name=self.translator("statement.group_events"), rows=rows)

    @property
    def _opening_parts(self) -> list[tuple[Member, Amount]]:
        """What all entries had come to before the period."""
        openings = (entry for entry in self.entries if entry.kind == GROUP_OPENING)
        return [part for entry in openings for part in entry.parts(self.query.holder)]

    def _member_table(self, name: str, amounts: Iterable[tuple[Member, Amount]]) -> BalanceTable:
        player_name = self.translator.player_name
        rows = [(player_name(member), self.format_amount(x, True)) for member, x in amounts]
        return BalanceTable(name=name, rows=rows)

    def results(self) -> Iterator[Result]:
        sums: Counter[str] = Counter()
        for section in self.sections:
            for player, amount in section.results.items():
                sums[section.statement_account(f"player:{player}")] += amount
        for account in self.names_by_account:
            kind, _, member = account.partition(":")
            if kind == "member":  # who took part
                due = self.closing_balances.get(account, 0)
                yield Result(account, self.translator.player_name(member), sums[account], due)

    def json_head_and_foot(self) -> tuple[dict[str, Any], dict[str, Any]]:
        query = self.query
        head = {
            "group": str(self.subject_id),
            "name": self.subject,
            "member": query.holder,
            "currency": self.currency,
            "period": self.json_period,
            "filters": query.json_filters,
            "as_of": {
                "at": format_timestamp(self.extent.as_of),
                "sessions": self.extent.session_count,
                "events": self.extent.event_count,
            },
            "page": self.page_url,
            "verify": self.context.verify_url,
            **self.context.signing_key.json_fields(),
            "opening": self.opening_balance,
            "sessions": [self._json_session(section) for section in self.sections],
        }
        if self._opening_parts:
            head["group_opening"] = dict(self._opening_parts)
        if self.imported:
            head["imports"] = msgspec.to_builtins(self.imported)
        if self.event_entries:
            head["group_events"] = [
                {
                    "number": entry.number,
                    "at": format_timestamp(entry.at),
                    "type": entry.kind,
                    "changes": entry.changes,
                    "why": entry.sentence,
                }
                for entry in self.event_entries
            ]
        foot = {
            "closing": self.closing_balance,
            "results": {x.account.partition(":")[2]: x.amount for x in self.results()},
            "balances": {m: self.closing_balances.get(f"member:{m}", 0) for m in self.member_names},
            "others": self._closing_sum(GUEST),
            "on_tables": self._closing_sum(POT, BETS),
        }
        return head, foot

    def _json_session(self, section: SessionSection) -> dict[str, Any]:
        session, key, receipts = section.session, self.context.signing_key, self.context.receipts
        return {
            "number": section.number,
            "session": str(session.id),
            "title": section.title,
            "game": session.opening.game,
            "created_at": format_timestamp(session.opened_at),
            "status": session.status,
            "carried_from": session.brought_forward.session if session.brought_forward else None,
            "carried_to": session.carried_to,
            "version": session.version,
            "hash": section.head_hash,
            "receipt": self.context.receipt_url(session),
            "key": key.public_bytes.hex(),
            "checkpoint": receipts.sign_checkpoint(session.id, session.version, key).note,
            **receipts.cosigned_fields(session.id, session.version, key),
            "results": self._member_results(section),
            "opening": section.opening_balance,
            "closing": section.closing_balance,
        }

    def _closing_sum(self, *kinds: str) -> Amount:
        balances = self.closing_balances.items()
        return sum(amount for account, amount in balances if account.partition(":")[0] in kinds)
