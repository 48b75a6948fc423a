"""A statement as a PDF on A4, typeset by Typst as a whole: the only format that is not streamed."""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from api.http.query_parameters import parameter_error
from api.i18n.field_errors import FieldError
from api.printing.typst_compiler import compile_pdf
from api.representations.qr import svg
from api.statements.chart import HEIGHT, WIDTH
from api.statements.page_lines import AMOUNT_COLUMNS, cell_columns, page_columns, read_page_lines
from api.statements.session_section import SessionSection
from api.statements.statement import Statement

TEMPLATE = Path(__file__).parents[1] / "templates" / "statement.typ"
MAX_LINES = 3000
"""Sixty pages, for which Typst needs a third of a gigabyte; every line needs more."""
WIDTH_SHARES = {"why": 4, "from": 1, "to": 1}
"""The shares of these columns in what the others leave over."""
LONG_WORD = re.compile(r"\S{8}(?=\S{3})")
ZERO_WIDTH_SPACE = "\u200b"


def write_pdf(statement: Statement) -> Iterator[bytes]:
    """Yield the file as a whole. Raise InvalidFields when it has too many lines."""
    if statement.line_count > MAX_LINES:
        detail = FieldError("shorter", most=MAX_LINES, count=statement.line_count)
        raise parameter_error("format", detail)
    timestamp = statement.updated_at // 1_000_000  # the same statement is the same file
    yield compile_pdf(TEMPLATE, _template_data(statement), timestamp)


def _template_data(statement: Statement) -> dict[str, Any]:
    """Return the texts and figures of the statement as the Typst template takes them."""
    translator = statement.translator
    columns = page_columns(statement)
    notes = (statement.status_text, statement.period_note, *statement.notes)
    return {
        "language": translator.language,
        "title": translator("statement.title"),
        "subject": statement.subject,
        "holder_and_unit": statement.holder_and_unit,
        "head": [
            (translator("statement.filters"), statement.period_text),
            (translator("statement.period"), statement.extent_text),
            *statement.labelled_pairs(statement.head_pairs()),
        ],
        "page_url": statement.page_url,
        "qr_code": svg(statement.page_url),
        "qr_label": translator("statement.qr"),
        "verification": statement.verification_text,
        "page": translator("statement.page", page="{page}", pages="{pages}"),
        "chart": _chart(statement),
        "session_table": statement.session_table(),
        "columns": [translator(f"statement.{name}") for name in columns],
        "amount_columns": [n for n, name in enumerate(columns) if name in AMOUNT_COLUMNS],
        "width_shares": [WIDTH_SHARES.get(name, 0) for name in columns],
        "sections": [_section(statement, section) for section in statement.sections],
        "empty": translator("statement.empty"),
        "balance_tables": list(statement.balance_tables()),
        "notes": " ".join(filter(None, notes)),
    }


def _section(statement: Statement, section: SessionSection) -> dict[str, Any]:
    heading, url = statement.section_heading(section), statement.section_url(section)
    return {
        "heading": heading,
        "pairs": statement.labelled_pairs(statement.section_pairs(section)),
        "url": url,
        "qr_code": svg(url) if heading else None,
        "rows": list(_rows(statement, section)),
    }


def _rows(statement: Statement, section: SessionSection) -> Iterator[list[str]]:
    if not section.sums.line_count:
        return
    translator, columns = statement.translator, cell_columns(statement)
    # the lines of an event have the same time
    pattern = statement.print_time_format
    format_time = lru_cache(1)(partial(statement.format_line_time, pattern=pattern))
    if statement.holder_account:
        opening_balance = statement.format_amount(section.opening_balance)
        yield ["", "", translator("statement.opening"), "", opening_balance]
    for line in read_page_lines(statement, section):
        time, deal = format_time(line.at), str(line.deal or "")
        cells = [
            texts if column in AMOUNT_COLUMNS else [*map(_breakable, texts)]
            for column, texts in zip(columns, line.cells, strict=True)
        ]
        first_row, *further_rows = zip(*cells, strict=True)  # points that change sides are two rows
        yield [time, deal, line.sentence, *first_row]
        yield from (["", "", "", *row] for row in further_rows)
    if statement.holder_account:
        closing_balance = statement.format_amount(section.closing_balance)
        yield ["", "", translator("statement.closing"), "", closing_balance]


@lru_cache(1024)
def _breakable(name: str) -> str:
    """Return the name with places where a long word may be broken."""
    return LONG_WORD.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", name)


def _chart(statement: Statement) -> dict[str, Any] | None:
    chart = statement.chart()
    if chart is None:
        return None
    curves, description = [], []
    for curve in chart.curves:
        first, last = map(statement.format_amount, (curve.heights[0], curve.heights[-1]))
        description.append(f"{curve.name}: {first} → {last}.")
        curves.append({"name": curve.name, "last_amount": last, "corners": chart.corners(curve)})
    return {
        "title": statement.translator(f"statement.{chart.title}"),
        "width": WIDTH,
        "height": HEIGHT,
        "zero": chart.y(0),
        "description": " ".join(description),
        "curves": curves,
    }
