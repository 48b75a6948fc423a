"""The statement of a group, or of one of its members, over many sessions.

What one session left open and a later one carried forward is the same money: it is counted where it
was won or lost, and the lines that carry it forward are left out. So balances run on from session
to session, and together with pots and bets they add up to zero.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from api.statements.chart import MAX_POINTS, Chart
from api.statements.file_names import file_name
from api.statements.group_entry import opening_parts, shown_member_name
from api.statements.groups.group_event_lines import GroupEventLine
from api.statements.groups.imported_results import ImportedResults
from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from api.statements.tables import (
    AccountChanges,
    BalanceTable,
    Grid,
    GridRow,
    Pairs,
    SessionTable,
    cost_rows,
)
from engine.values import Amount, Player
from ledger.events.event_types import Member
from ledger.events.timestamps import format_timestamp
from ledger.projections.postings import POT

BETS, GUEST = "bets", "guest"
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


class GroupStatement(Statement, frozen=True, kw_only=True, dict=True):
    """`names_by_account` has the accounts of members and guests."""

    members: tuple[Member, ...]
    attendance: Mapping[int, Mapping[Player, Member]]  # by the number of the session
    as_of: int  # microseconds: the statement contains nothing later
    json_extent: Mapping[str, str | int]  # as far as it goes: see loaded_sessions.GroupExtent
    verify_url: str  # the page that checks exports, receipts and statements
    imported: tuple[ImportedResults, ...]  # earlier evenings from files, in none of the sums
    imported_names: Mapping[Member, str]
    event_lines: tuple[GroupEventLine, ...]  # of the group itself, in none of the sums either

    @property
    def file_stem(self) -> str:
        days = dict.fromkeys(
            self.format_time(section.session.opened_at, DAY) for section in self.sections
        )
        extent = " – ".join(dict.fromkeys([*days][:1] + [*days][-1:]))
        return file_name(self.title, extent, self.holder_account and self.holder_name)

    def section_cells(self, section: SessionSection) -> tuple[object, ...]:
        return section.number, str(section.session.id)

    def statement_account(self, section: SessionSection, account: str) -> str:
        """Return the account: a member has one for all sessions, a guest one for each session."""
        return member_account(self.attendance[section.number], section.number, account)

    def journal_account(self, section: SessionSection, account: str) -> str:
        return journal_account(self.statement_account(section, account))

    def head_pairs(self) -> Pairs:
        return [
            ("shown_at", self.page_url),
            ("verify", self.verify_url),
            ("key", self.context.key_words),
        ]

    def section_heading(self, section: SessionSection) -> str:
        ordinal = self.translator("statement.nth", number=section.number)
        day = self.format_time(section.session.opened_at, DAY)
        return f"{ordinal} · {section.display_title} · {day}"

    def section_pairs(self, section: SessionSection) -> Pairs:
        pairs: Pairs = [("goes_on", section.continued_number)] if section.continued_number else []
        pairs += [("late_deals", deals)] if (deals := section.marks.late_deals_text) else []
        pairs += [("costs", costs)] if (costs := self._costs_text(section)) else []
        seal, url = section.head_hash, self.section_url(section)
        return [*pairs, ("version", section.session.version), ("seal", seal), ("shown_at", url)]

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
                self.format_time(section.session.opened_at, MINUTE),
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
        members = self.attendance[section.number]
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
                chart.move(self.statement_account(section, f"player:{player}"), amount)
            if count % sessions_per_point == 0 or count == len(self.sections):
                day = self.format_time(section.session.opened_at, DAY)
                chart.add_point(day, str(section.number))
        return chart

    def result_grid(self, changes: AccountChanges) -> Grid:
        return Grid(
            title="by_evening",
            heads=(("evening", 9), ("called", 30), ("when", 12), ("game", 16)),
            columns=(*self._member_columns.values(), *self._other_columns.values()),
            rows=map(self._grid_row, self.sections),
        )

    def _grid_row(self, section: SessionSection) -> GridRow:
        """Return what a session changed for each member, for all guests, and on the table."""
        changes = Counter[str]()
        for balances, sign in ((section.sums.closing, 1), (section.sums.opening, -1)):
            for account, amount in balances.items():
                name = self.journal_account(section, account)
                kind = name.partition(":")[0]
                column = POT if name == BETS else kind if kind == GUEST else name
                changes[column] += sign * amount
        day = self.local_time(section.session.opened_at)
        cells = (section.number, section.display_title, day, section.session.game.name)
        columns = (*self._member_columns, *self._other_columns)
        return GridRow(cells, tuple(changes[account] for account in columns))

    @cached_property
    def _member_columns(self) -> Mapping[str, str]:
        holder = self.holder_account
        return {account: n for account, n in self._member_names() if holder in (None, account)}

    @cached_property
    def _other_columns(self) -> Mapping[str, str]:
        """The columns beside a whole group's members, with which every row adds up to zero."""
        if self.holder_account:
            return {}
        has_guests = any(account.startswith(GUEST) for account in self.names_by_account)
        guests = {GUEST: self.translator("statement.others")} if has_guests else {}
        return {**guests, POT: self.translator("statement.on_tables")}

    def balance_tables(self) -> Iterator[BalanceTable]:
        rows = [(name, self.format_amount(amount, True)) for _, name, amount in self.results()]
        yield BalanceTable(name=self.results_title, rows=rows)
        rows = [
            (name, self.format_amount(self.closing_balances.get(account, 0), True))
            for account, name in self._member_names()
        ]
        if guests := self._closing_sum(GUEST):
            rows.append((self.translator("statement.others"), self.format_amount(guests, True)))
        on_tables = self.format_amount(self._closing_sum(POT, BETS))
        rows.append((self.translator("statement.on_tables"), on_tables))
        yield BalanceTable(name=self.translator("statement.balances"), rows=rows)
        yield from self.tables_apart()

    def tables_apart(self) -> Iterator[BalanceTable]:
        if parts := opening_parts(self.entries, self.holder_account):
            translator = self.translator
            rows = [(p.shown_name(translator), self.format_amount(p.amount, True)) for p in parts]
            yield BalanceTable(name=self.translator("statement.group_opening"), rows=rows)
        for imported in self.imported:
            rows = [
                (self.imported_names[member], self.format_amount(amount, True))
                for member, amount in imported.results.items()
                if self.query.holder in (None, member)
            ]
            if rows:
                yield BalanceTable(name=imported.title(self.translator), rows=rows)
        if self.event_lines:
            rows = [(line.sentence, self.format_time(line.at, DAY)) for line in self.event_lines]
            yield BalanceTable(name=self.translator("statement.group_events"), rows=rows)

    def results(self) -> Iterator[tuple[str, str, Amount]]:
        sums = Counter[str]()
        for section in self.sections:
            for player, amount in section.results.items():
                sums[self.statement_account(section, f"player:{player}")] += amount
        for account, name in self._member_names():
            yield account, name, sums[account]

    def json_head_and_foot(self) -> tuple[dict[str, Any], dict[str, Any]]:
        query = self.query
        head = {
            "group": str(self.subject_id),
            "name": self.subject,
            "member": query.holder,
            "currency": self.currency,
            "period": self.json_period,
            "filters": query.json_filters,
            "as_of": self.json_extent,
            "page": self.page_url,
            "verify": self.verify_url,
            **self.context.signing_key.json_fields(),
            "opening": self.opening_balance,
            "sessions": [self._json_session(section) for section in self.sections],
        }
        if parts := opening_parts(self.entries, self.holder_account):
            head["group_opening"] = {part.member: part.amount for part in parts}
        if self.imported:
            head["imports"] = msgspec.to_builtins(self.imported)
        if self.event_lines:
            head["group_events"] = [line.json_fields() for line in self.event_lines]
        foot = {
            "closing": self.closing_balance,
            "results": {account.partition(":")[2]: amount for account, _, amount in self.results()},
            "balances": {m: self.closing_balances.get(f"member:{m}", 0) for m in self.members},
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

    def _member_names(self) -> Iterator[tuple[str, str]]:
        """Yield the accounts of members who took part, with their names."""
        for account, name in self.names_by_account.items():
            kind, _, member = account.partition(":")
            if kind == "member":
                yield account, shown_member_name(name, member, self.translator)

    def _closing_sum(self, *kinds: str) -> Amount:
        balances = self.closing_balances.items()
        return sum(amount for account, amount in balances if account.partition(":")[0] in kinds)


def member_account(members: Mapping[Player, Member], number: int, account: str) -> str:
    """Return the account in a group's statement of an account in its session of this number."""
    kind, _, player = account.partition(":")
    if kind != "player":
        return account
    member = members.get(player)
    return f"member:{member}" if member else f"guest:{number}.{player}"


def journal_account(account: str) -> str:
    """Return one account for all bets: they get new numbers when they are carried forward."""
    return BETS if account.startswith("bet:") else account
