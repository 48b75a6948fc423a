"""A statement as an HTML page to read and print.

The chart is drawn as SVG and given as text and figures as well, for readers who cannot see it.
"""

from collections.abc import Iterator
from functools import partial

import msgspec
from flask import current_app
from markupsafe import Markup

from api.i18n.translator import Translator
from api.representations.qr import svg
from api.statements.chart import HEIGHT, WIDTH
from api.statements.page_lines import AMOUNT_COLUMNS, cell_columns, page_columns, read_page_lines
from api.statements.statement import Statement
from api.statements.tables import URL_KEYS

PIECES_PER_CHUNK = 400


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The text above a statement that was printed earlier: whether it still holds."""

    is_unchanged: bool
    title: str
    lines: list[str]


def write_html(statement: Statement, verdict: Verdict | None = None) -> Iterator[bytes]:
    """Return the page in pieces. The app is needed only to find the template."""
    template = current_app.jinja_env.get_template("statement.html")
    stream = template.stream(
        statement=statement,
        verdict=verdict,
        translator=statement.translator,
        has_holder=statement.holder_account is not None,
        columns=page_columns(statement),
        cell_columns=cell_columns(statement),
        amount_columns=AMOUNT_COLUMNS,
        read_page_lines=partial(read_page_lines, statement),
        chart=statement.chart(),
        session_table=statement.session_table(),
        width=WIDTH,
        height=HEIGHT,
        monospace_keys=("checksum", *URL_KEYS),
        qr_code=lambda url: _qr_code(url, statement.translator),
    )
    stream.enable_buffering(PIECES_PER_CHUNK)
    return (piece.encode() for piece in stream)


def _qr_code(url: str, translator: Translator) -> Markup:
    """Return the drawing of an address; the only markup that is not from the template."""
    labelled = Markup('<svg role="img" aria-label="{}"').format(translator("statement.qr"))
    return Markup(svg(url).replace("<svg", labelled, 1))  # noqa: S704
