"""Make names safe to write: no spreadsheet, page, journal or printer may execute or misread one.

Names and titles are checked when they come in; here they are escaped when they are written, for
each format in its own way.
"""

import re
import unicodedata

from api.schemas.fields import is_control

REPLACEMENT = "\ufffd"
ISOLATE, END_ISOLATE = "\u2068", "\u2069"
FORMULA_SIGNS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
FORMULA_START = re.compile(rf"(^|[,;\t|])([\s'\"]*)(?={FORMULA_SIGNS})")
"""The start of a cell, whatever separates cells: a program may open a CSV with `;` as separator."""
FORMULA_SIGN = re.compile(FORMULA_SIGNS)
"""A quick test: most texts have none of these signs anywhere."""


def legible_name(name: str) -> str:
    """Return a name without characters that control a terminal, a printer or the text direction.

    A name that runs from right to left is isolated from the words and numbers around it.
    """
    clean = "".join(REPLACEMENT if is_control(s) or _is_noncharacter(ord(s)) else s for s in name)
    backwards = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in clean)
    return f"{ISOLATE}{clean}{END_ISOLATE}" if backwards else clean


def _is_noncharacter(code: int) -> bool:
    """Return whether it is a noncharacter, permanently reserved by Unicode; XML forbids some."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def escape_formulas(text: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet could see a formula begin."""
    return FORMULA_START.sub(r"\1\2'", text) if FORMULA_SIGN.search(text) else text


def journal_text(text: str) -> str:
    """Return one line without the signs that start comments, tags and dates in a journal."""
    plain = text.translate(JOURNAL_SUBSTITUTES)
    return re.sub(r"\s+", " ", plain).strip()


JOURNAL_SUBSTITUTES = str.maketrans(
    {";": ",", ":": " –", "|": "/", "[": "(", "]": ")", "=": "-", "*": "·"}
)


def journal_account_name(name: str) -> str:
    """Return the letters and digits of a name, for an account of a journal."""
    letters = "".join(s if unicodedata.category(s)[0] in "LMN" or s == "-" else " " for s in name)
    return re.sub(r"\s+", " ", letters).strip()


def sheet_name(name: str) -> str:
    """Return a name that a workbook allows for a sheet: 31 UTF-16 units, some signs reserved."""
    short = re.sub(r"[\[\]:*?/\\]", " ", name).strip("' ")
    while len(short.encode("utf-16-le")) > 2 * 31:
        short = short[:-1]
    return short.strip("' ")
