"""A statement as a PDF on A4, set by Typst as a whole: the only format that is not streamed.

A tagged PDF that conforms to PDF/UA-1, so that a screen reader can read it; where a name has a
character that no font at hand can draw, tagged but without that claim.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import Lock

import msgspec
import typst

from api.http.query_parameters import parameter_error
from api.i18n.field_errors import FieldError
from api.statements.formats.pdf_data import template_data
from api.statements.statement import Statement

TEMPLATE = Path(__file__).parents[1] / "templates" / "statement.typ"
CHUNK_BYTES = 64 * 1024
MAX_LINES = 3000
"""Sixty pages, which take a third of a gigabyte to set; it grows with every line."""
COMPILER_LOCK = Lock()
"""One statement at a time, for the same reason."""
MISSING_FONT = "could not be displayed"


def write_pdf(statement: Statement) -> Iterator[bytes]:
    """Yield the file in pieces. Raise InvalidFields when it has too many lines."""
    if statement.line_count > MAX_LINES:
        detail = FieldError("shorter", most=MAX_LINES, count=statement.line_count)
        raise parameter_error("format", detail)
    data = msgspec.json.encode(template_data(statement)).decode()
    timestamp = statement.updated_at // 1_000_000  # the same statement is the same file
    try:
        pdf = _compile(data, timestamp, accessible=True)
    except typst.TypstError as error:
        if MISSING_FONT not in error.message:
            raise
        pdf = _compile(data, timestamp, accessible=False)
    for start in range(0, len(pdf), CHUNK_BYTES):
        yield pdf[start : start + CHUNK_BYTES]


def _compile(data: str, timestamp: int, *, accessible: bool) -> bytes:
    with COMPILER_LOCK:
        return typst.compile(
            _template(),
            format="pdf",
            font_paths=_fonts(),
            sys_inputs={"statement": data},
            pdf_standards=["ua-1"] if accessible else [],
            timestamp=timestamp,
        )


@cache
def _template() -> bytes:
    return TEMPLATE.read_bytes()


@cache
def _fonts() -> typst.Fonts:
    """Return Typst's fonts, and the machine's for scripts that those cannot write."""
    return typst.Fonts()
