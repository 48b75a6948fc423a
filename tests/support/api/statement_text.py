"""The formats of a statement, and the text that a reader finds in each."""

from __future__ import annotations

import io

import openpyxl
import pypdf

STATEMENT_FORMATS = ("json", "csv", "html", "xlsx", "pdf", "hledger")


def statement_text(answer):
    """Return the text that a reader of this format sees, without spaces."""
    match answer.mimetype:
        case "application/pdf":
            pages = pypdf.PdfReader(io.BytesIO(answer.data)).pages
            text = "".join(page.extract_text() for page in pages)
        case mimetype if mimetype.endswith("sheet"):
            book = openpyxl.load_workbook(io.BytesIO(answer.data))
            text = " ".join(str(c.value) for s in book for row in s.iter_rows() for c in row)
        case _:
            text = answer.text
    return "".join(text.split())
