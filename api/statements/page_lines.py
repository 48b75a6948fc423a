"""The lines of a statement as a page shows them, in HTML or as a PDF: every cell is a text."""

from collections.abc import Callable, Iterator
from itertools import chain

import msgspec

from api.statements.session_section import SessionSection
from api.statements.statement import Statement
from api.statements.wording.sentence_cache import SentenceCache
from ledger.reporting.journal_query import JournalRow, read_pages
from ledger.reporting.posting_reasons import Explanation
from ledger.reporting.statement import account_change

AMOUNT_COLUMNS = frozenset({"change", "balance", "amount"})


class PageLine(msgspec.Struct, frozen=True):
    """`cells` has the texts of each column after the sentence: two texts if a correction moves
    points from one side to another, otherwise one."""

    at: int  # microseconds
    deal: int | None
    sentence: str
    cells: list[list[str]]


def page_columns(statement: Statement) -> tuple[str, ...]:
    """Return the columns of a line, by their keys of the catalog under `statement`."""
    return "when", "deal", "why", *cell_columns(statement)


def cell_columns(statement: Statement) -> tuple[str, ...]:
    """Return the columns after the sentence, those of `PageLine.cells`."""
    if statement.holder_account:
        return "change", "balance"
    return ("to", "change") if statement.unit == "points" else ("from", "to", "amount")


def read_page_lines(statement: Statement, section: SessionSection) -> Iterator[PageLine]:
    """Yield a session's lines in order. A reason is put into words once for all lines like it."""
    holder_account, balance = section.lines_query.account, section.opening_balance
    column_count, rules = len(cell_columns(statement)), section.session.rule_references
    line_text = SentenceCache(rules, _line_text(statement, section)).line_text

    def page_lines(rows: list[JournalRow]) -> list[PageLine]:
        nonlocal balance
        lines: list[PageLine] = []
        for _, number, deal, kind, schema, at, data in rows:
            text, numbers = line_text(number, kind, schema, data)
            sentence, *cells = [cell.format(*numbers) for cell in text.cells]
            if holder_account is not None:
                change = account_change(text.posting, holder_account)
                balance += change
                cells = [statement.format_amount(change, True), statement.format_amount(balance)]
            columns = [cells[index::column_count] for index in range(column_count)]
            lines.append(PageLine(at, deal, sentence, columns))
        return lines

    return chain.from_iterable(
        read_pages(statement.pool, section.lines_query, section.sums, page_lines)
    )


def _line_text(
    statement: Statement, section: SessionSection
) -> Callable[[Explanation], tuple[str, ...]]:
    """Return the function that words a line: its reason, and the cells that need no balance."""
    translator = statement.section_translator(section)

    def line_text(reason: Explanation) -> tuple[str, ...]:
        sentence = translator.explain_posting(reason, statement.currency)
        if statement.holder_account:
            return (sentence,)
        if statement.unit == "points":
            scores = (
                (translator.player_names(side.split("+")), statement.format_amount(points, True))
                for side, points in reason.scores
            )
            return sentence, *chain.from_iterable(scores)
        payer, payee = map(translator.account_name, reason.payer_and_payee)
        return sentence, payer, payee, statement.format_amount(reason.posting.amount)

    return line_text
