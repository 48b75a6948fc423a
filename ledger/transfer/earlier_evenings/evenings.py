"""The evenings in a table: results by member, differences that do not add up, and rows that cannot
be read. Everything is reported, skipped rows too; no amount is changed."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date as Date
from typing import Literal, NamedTuple

import msgspec

from engine.values import MAX_AMOUNT, Amount
from ledger.events.event_types import Currency, Member
from ledger.groups.group_events import ImportedEvening, MemberAmount, add_up
from ledger.transfer.csv_table.amounts import DecimalSign, find_decimal_sign, read_amount
from ledger.transfer.csv_table.columns import is_total
from ledger.transfer.csv_table.dates import read_date
from ledger.transfer.csv_table.refusals import Reason, TableRefusal
from ledger.transfer.csv_table.table import CsvRow, CsvTable
from ledger.transfer.earlier_evenings.mapping import ColumnMapping, check_mapping

MAX_RESULTS = 20_000
"""The most results of one import: a thousand evenings of twenty people."""

SkipReason = Literal["total", "no_amounts", "chosen"]


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What a person has decided about the names and rows of a table."""

    members: Mapping[str, Member | None]  # by the name in the file; None: not a member
    omitted_rows: Collection[int] = ()
    differences: Mapping[int, Member] = {}
    """Who bears the difference of an evening, by the evening's first row."""


class EarlierEvening(msgspec.Struct, frozen=True, kw_only=True):
    """An evening in the table. `difference` is what its results add up to, 0 once a member bears
    it; `borne` is what that member was given for it."""

    rows: tuple[int, ...]
    date: str
    results: tuple[MemberAmount, ...]
    difference: Amount
    borne: MemberAmount | None = None


class SkippedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that is no result: of totals, without amounts, or left out by a person's choice."""

    row: int
    reason: SkipReason


class NameInTable(msgspec.Struct, frozen=True, kw_only=True):
    """A name, the member that it stands for, and what it has won in all."""

    name: str
    member: Member | None
    evenings: int
    total: Amount


class EarlierEvenings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a table says under a mapping, and what cannot be read of it."""

    evenings: tuple[EarlierEvening, ...] = ()
    names: tuple[NameInTable, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    faults: tuple[TableRefusal, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether there is something to import, and all of it adds up."""
        adds_up = not any(evening.difference for evening in self.evenings)
        return bool(self.as_imported()) and adds_up and not self.faults

    def as_imported(self) -> tuple[ImportedEvening, ...]:
        """Return the evenings as an event has them, without those of no member."""
        return tuple(
            ImportedEvening(date=evening.date, results=evening.results)
            for evening in self.evenings
            if evening.results
        )


_Result = tuple[str, Amount]
"""A name, and what it won."""


class _ReadEvening(NamedTuple):
    """An evening before names are replaced by members."""

    day: str
    rows: list[int]
    results: list[_Result]


def names_in(table: CsvTable, mapping: ColumnMapping) -> tuple[str, ...]:
    """Return the names in the headings of a wide table, or in the player column of a long one."""
    if mapping.layout == "wide":
        return tuple(dict.fromkeys(map(table.heading, mapping.amount_columns)))
    if not mapping.player:
        return ()
    cells = (row.cells[mapping.player - 1] for row in table.rows if not is_total(row))
    return tuple(dict.fromkeys(cell for cell in cells if cell))


def read_evenings(
    table: CsvTable, mapping: ColumnMapping, currency: Currency, choices: Choices
) -> EarlierEvenings:
    """Return the evenings of a table, in the order of their first rows. Raises nothing: what cannot
    be read is in `faults`."""
    skipped: list[SkippedRow] = []
    rows: list[CsvRow] = []
    for row in table.rows:
        if row.number in choices.omitted_rows:
            skipped.append(SkippedRow(row=row.number, reason="chosen"))
        elif is_total(row):
            skipped.append(SkippedRow(row=row.number, reason="total"))
        else:
            rows.append(row)
    try:
        check_mapping(table, mapping)
        cells = (
            ((row.number, column), row.cells[column - 1])
            for row in rows
            for column in mapping.amount_columns
        )
        decimal_sign = find_decimal_sign(cells, currency)
    except TableRefusal as refusal:
        return EarlierEvenings(skipped=tuple(skipped), faults=(refusal,))
    days = dict(_row_days(table, mapping))
    reader = _Reader(table, mapping, currency, decimal_sign, days)
    evenings: dict[tuple[str, int], _ReadEvening] = {}
    faults: list[TableRefusal] = []
    for row in rows:
        try:
            results = list(reader.results(row))
            if not results:
                skipped.append(SkippedRow(row=row.number, reason="no_amounts"))
                continue
            day = reader.day(row)
        except TableRefusal as refusal:
            faults.append(refusal)
            continue
        # a wide row is an evening of its own; in a long table all rows of a day are one evening
        key = (day, row.number if mapping.layout == "wide" else 0)
        evening = evenings.setdefault(key, _ReadEvening(day, [], []))
        evening.rows.append(row.number)
        evening.results.extend(results)
    played: list[_ReadEvening] = []
    for evening in evenings.values():
        if any(amount for _, amount in evening.results):
            played.append(evening)
        else:
            skipped += [SkippedRow(row=number, reason="no_amounts") for number in evening.rows]
    folded = [_fold(evening, choices) for evening in played]
    faults += _too_large(folded)
    return EarlierEvenings(
        evenings=tuple(folded),
        names=_names(names_in(table, mapping), [evening.results for evening in played], choices),
        skipped=tuple(sorted(skipped, key=lambda skip: skip.row)),
        faults=tuple(faults),
    )


def _row_days(table: CsvTable, mapping: ColumnMapping) -> Iterator[tuple[int, Date | None]]:
    """Yield the day of each row by its number. A long table may leave the date out where it stays
    the same: then it is that of the row before, also of one that is left out."""
    column, order = mapping.date, mapping.date_order
    assert column
    assert order
    latest: Date | None = None
    for row in table.rows:
        cell = row.cells[column - 1]
        if cell and not is_total(row):
            latest = read_date(cell, order)
        yield row.number, latest if cell or mapping.layout == "long" else None


class _Reader(NamedTuple):
    """Reads the rows of one table."""

    table: CsvTable
    mapping: ColumnMapping
    currency: Currency
    decimal_sign: DecimalSign | None
    days: Mapping[int, Date | None]  # by the number of the row

    def day(self, row: CsvRow) -> str:
        """Return the date of a row, as `2026-11-24`. Raise TableRefusal."""
        column, day = self.mapping.date, self.days[row.number]
        assert column
        if day is None:
            is_filled = bool(row.cells[column - 1])
            reason: Reason = "date_unreadable" if is_filled else "date_missing"
            raise TableRefusal(reason, row=row.number, column=column)
        return day.isoformat()

    def results(self, row: CsvRow) -> Iterator[_Result]:
        """Yield the results of a row. Raise TableRefusal."""
        if self.mapping.layout == "wide":
            for column in self.mapping.amount_columns:
                amount = self._amount(row, column)
                if amount is not None:
                    yield self.table.heading(column), amount
            return
        name_column = self.mapping.player
        assert name_column
        amount = self._long_amount(row)
        if amount is not None:
            if not row.cells[name_column - 1]:
                raise TableRefusal("name_missing", row=row.number, column=name_column)
            yield row.cells[name_column - 1], amount

    def _long_amount(self, row: CsvRow) -> Amount | None:
        if self.mapping.amount:
            return self._amount(row, self.mapping.amount)
        # banks write debits with a minus or without one
        debit, credit = (
            self._amount(row, column) if column else None
            for column in (self.mapping.debit, self.mapping.credit)
        )
        return None if debit is None and credit is None else abs(credit or 0) - abs(debit or 0)

    def _amount(self, row: CsvRow, column: int) -> Amount | None:
        place = (row.number, column)
        return read_amount(row.cells[column - 1], self.currency, self.decimal_sign, place)


def _fold(evening: _ReadEvening, choices: Choices) -> EarlierEvening:
    """Return an evening by member. Results of names that are no member's are left out, so they show
    as a difference."""
    amounts = [
        MemberAmount(member=member, amount=amount)
        for name, amount in evening.results
        if (member := choices.members.get(name))
    ]
    difference, borne = sum(part.amount for part in amounts), None
    bearer = choices.differences.get(evening.rows[0])
    if bearer and difference:
        borne = MemberAmount(member=bearer, amount=-difference)
        amounts.append(borne)
        difference = 0
    return EarlierEvening(
        rows=tuple(evening.rows),
        date=evening.day,
        results=tuple(
            MemberAmount(member=member, amount=total)
            for member, total in add_up(amounts).items()
            if total
        ),
        difference=difference,
        borne=borne,
    )


def _names(
    names: Sequence[str], evenings: Sequence[Sequence[_Result]], choices: Choices
) -> tuple[NameInTable, ...]:
    totals: defaultdict[str, Amount] = defaultdict(int)
    counts: defaultdict[str, int] = defaultdict(int)
    for results in evenings:
        for name, amount in results:
            totals[name] += amount
        for name in dict(results):
            counts[name] += 1
    return tuple(
        NameInTable(
            name=name, member=choices.members.get(name), evenings=counts[name], total=totals[name]
        )
        for name in names
    )


def _too_large(evenings: Sequence[EarlierEvening]) -> Iterator[TableRefusal]:
    """Yield a refusal if a member's amounts could add up to more than a book can hold, or if there
    are too many results."""
    if sum(len(evening.results) for evening in evenings) > MAX_RESULTS:
        yield TableRefusal("too_many_results", most=MAX_RESULTS)
    moved: defaultdict[Member, Amount] = defaultdict(int)
    for evening in evenings:
        for result in evening.results:
            moved[result.member] += abs(result.amount)
            if moved[result.member] > MAX_AMOUNT:
                yield TableRefusal("amount_too_large", row=evening.rows[0], column=1)
                return
