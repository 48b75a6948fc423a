"""A statement as CSV (RFC 4180), for programs or for a Nordic Excel.

Programs get whole minor units and UTC. Excel gets semicolons, decimal commas, whole coins, local
time, and the byte order mark by which it recognizes UTF-8.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, islice

from api.statements.group_entry import GroupEntry
from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from api.statements.wording.sanitize import escape_formulas
from api.statements.wording.sentence_cache import SentenceCache
from ledger.events.timestamps import format_timestamp
from ledger.reporting.journal_query import JournalRow, read_pages
from ledger.reporting.posting_reasons import Explanation
from ledger.reporting.statement import account_change

COLUMNS = (
    *("version", "at", "deal", "kind", "from", "to", "amount", "change", "balance", "why"),
    *("late_entry", "purpose"),
)
GROUP_COLUMNS = ("open_balance_change",)
"""The last column in a table of many sessions: what an entry of the group adds to the open balance
of the member in `to`. Such a row has no `change`, since no balance of the statement contains it."""
EXCEL_TIME = "%Y-%m-%d %H:%M:%S"
ROWS_PER_CHUNK = 200
BYTE_ORDER_MARK = "\ufeff"


def write_csv(statement: Statement) -> Iterator[bytes]:
    """Yield the bytes of the table, some rows at a time."""
    rows = chain([BYTE_ORDER_MARK] if statement.query.excel else [], _rows(statement))
    while chunk := "".join(islice(rows, ROWS_PER_CHUNK)):
        yield chunk.encode()


class _Cells:
    """How values become cells and rows. Only texts are quoted: numbers, ids and codes need none."""

    def __init__(self, statement: Statement) -> None:
        self.excel = statement.query.excel
        self.separator = ";" if self.excel else ","
        self.columns = (*statement.section_columns, *COLUMNS)
        self.row_end = "\r\n"
        if statement.section_columns:
            self.columns += GROUP_COLUMNS
            self.row_end = self.separator + self.row_end  # in rows of lines
        self._quoted = re.compile(f'[{self.separator}"\r\n]')
        self.number: Callable[[int], object] = int
        format_time: Callable[[int], str] = format_timestamp
        if self.excel:
            self.number = partial(statement.format_decimal, point=",")
            format_time = partial(statement.format_line_time, pattern=EXCEL_TIME)
        self.time = lru_cache(1)(format_time)  # the lines of an event have the same time

    def join(self, *cells: object) -> str:
        return self.separator.join(map(str, cells))

    def row(self, **cells: object) -> str:
        """Return the row with these cells; the other ones are empty."""
        return f"{self.join(*(cells.get(name, '') for name in self.columns))}\r\n"

    def text(self, text: str) -> str:
        safe = escape_formulas(text)
        return '"' + safe.replace('"', '""') + '"' if self._quoted.search(safe) else safe


def _rows(statement: Statement) -> Iterator[str]:
    cells, translator = _Cells(statement), statement.translator
    row = cells.row

    def balance(amount: int) -> object:
        return "" if statement.holder_account is None else cells.number(amount)

    yield f"{cells.join(*cells.columns)}\r\n"
    period = f"{translator('statement.period')}: {statement.period_text}"
    filters = f"{statement.holder_and_unit}; {period}"
    title = cells.text(f"{statement.title}: {filters}" if statement.title else filters)
    yield row(kind="opening", balance=balance(statement.opening_balance), why=title)
    for section in statement.sections:
        if statement.section_heading(section):
            yield row(
                **statement.section_cells(section),
                version=section.session.version,
                at=cells.time(section.session.opened_at),
                kind="session",
                balance=balance(section.opening_balance),
                why=cells.text(_section_text(statement, section)),
            )
        for page in _lines(statement, section, cells):
            yield from page
    at = cells.time(statement.updated_at) if statement.sections else ""
    for account, name, amount, due_amount in statement.holder_results():
        result_text = cells.text(translator("statement.result_of", who=name))
        balance_text = cells.text(f"{translator('statement.balances')}: {name}")
        holder = cells.text(name) if cells.excel else account
        result, due = cells.number(amount), cells.number(due_amount)
        yield row(at=at, kind="result", to=holder, balance=result, why=result_text)
        yield row(at=at, kind="to_settle", to=holder, balance=due, why=balance_text)
    for entry in statement.entries:
        yield from _entry_rows(statement, entry, cells)
    verification = ", ".join(filter(None, (statement.verification_text, statement.page_url)))
    yield row(
        version=statement.version or "",
        at=at,
        kind="closing",
        balance=balance(statement.closing_balance),
        why=cells.text(verification),
    )


def _entry_rows(statement: Statement, entry: GroupEntry, cells: _Cells) -> Iterator[str]:
    """Yield a row for each member of an entry, or one without a member."""
    common = {
        "version": entry.number or "",
        "at": cells.time(entry.at) if entry.at else "",
        "kind": entry.kind,
        "why": cells.text(entry.sentence),
    }
    if not entry.changes:
        yield cells.row(**common)
    for member, amount in entry.parts(statement.query.holder):
        name = cells.text(statement.translator.player_name(member))
        yield cells.row(
            **common,
            to=name if cells.excel else f"member:{member}",
            balance=cells.number(amount) if entry.kind == "import" else "",
            open_balance_change=cells.number(amount if entry.is_open_balance else 0),
        )


def _section_text(statement: Statement, section: SessionSection) -> str:
    pairs = statement.labelled_pairs(statement.section_pairs(section))
    return ", ".join((statement.section_heading(section), *map(" ".join, pairs)))


def _lines(statement: Statement, section: SessionSection, cells: _Cells) -> Iterator[list[str]]:
    """Yield the rows of a session's lines, page by page as they are stored."""
    number, time, separator, row_end = cells.number, cells.time, cells.separator, cells.row_end
    section_cells = cells.join(*statement.section_cells(section).values(), "")
    holder_account, balance = section.lines_query.account, section.opening_balance
    rules = section.session.rule_references
    no_change = cells.join("", "", "", "")
    late_deals, purposes = section.marks.late_deals, section.marks.purposes
    late_entry_cells = {number: cells.join("", "true", "") for number in late_deals}
    purpose_cells = {version: cells.join("", "", cells.text(x)) for version, x in purposes.items()}
    no_marks = cells.join("", "", "")
    line_text = SentenceCache(rules, _line_text(statement, section, cells)).line_text

    def rows_of_page(page: list[JournalRow]) -> list[str]:
        nonlocal balance
        rows: list[str] = []
        for version, line, deal, kind, schema, at, data in page:
            text, numbers = line_text(line, kind, schema, data)
            movement, reason = text.cells
            change_cells = no_change
            if holder_account is not None:
                change = account_change(text.posting, holder_account)
                balance += change
                change_cells = cells.join("", number(change), number(balance), "")
            texts = f"{movement}{change_cells}{reason}".format(*numbers)
            deal_cell = "" if deal is None else deal
            marks = late_entry_cells.get(deal or 0) or purpose_cells.get(version, no_marks)
            rows.append(
                f"{section_cells}{version}{separator}{time(at)}{separator}{deal_cell}{separator}"
                f"{kind}{separator}{texts}{marks}{row_end}"
            )
        return rows

    return read_pages(statement.pool, section.lines_query, section.sums, rows_of_page)


def _line_text(
    statement: Statement, section: SessionSection, cells: _Cells
) -> Callable[[Explanation], tuple[str, str]]:
    """Return the function that words a line: from whom to whom how much, and why."""
    translator = statement.section_translator(section)

    def payer_and_payee(reason: Explanation) -> list[str]:
        """Return names for people; for programs the accounts of the posting."""
        if cells.excel:
            return [cells.text(translator.account_name(a)) for a in reason.payer_and_payee]
        posting = reason.posting
        return [section.statement_account(a) for a in (posting.source, posting.target)]

    def line_text(reason: Explanation) -> tuple[str, str]:
        movement = cells.join(*payer_and_payee(reason), cells.number(reason.posting.amount))
        return movement, cells.text(translator.explain_posting(reason, statement.currency))

    return line_text
