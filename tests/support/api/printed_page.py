"""The contents of a printed page: its text without spaces, and the modules of its QR code."""

from __future__ import annotations

import io
import re

import pypdf
import segno

QR_BORDER = 3
RUN = re.compile(rb"(\d+) (\d+)\.5 m (\d+) \2\.5 l")
"""Adjacent dark modules, drawn as one line through their middle."""

Modules = set[tuple[int, int]]


def printed_pages(document: bytes) -> list[pypdf.PageObject]:
    return list(pypdf.PdfReader(io.BytesIO(document)).pages)


def page_text(page: pypdf.PageObject) -> str:
    return "".join(page.extract_text().split())


def drawn_modules(page: pypdf.PageObject) -> Modules:
    """Return the row and column of each dark module of the page's QR code."""
    contents = page.get_contents()
    assert contents is not None
    return {
        (int(row) - QR_BORDER, column - QR_BORDER)
        for first, row, end in RUN.findall(contents.get_data())
        for column in range(int(first), int(end))
    }


def expected_modules(text: str) -> Modules:
    """Return the dark modules of a QR code of this text."""
    rows = segno.make(text, error="m").matrix
    return {(r, c) for r, row in enumerate(rows) for c, is_dark in enumerate(row) if is_dark}
