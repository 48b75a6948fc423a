"""Make names safe to write: no spreadsheet, page, journal or printer may execute or misread one.

Names and titles are checked when they come in; here they are escaped when they are written, for
each format in its own way.
"""

import re
import unicodedata
from collections.abc import Mapping

from api.i18n.text_direction import isolate_name
from api.schemas.fields import is_control

REPLACEMENT = "\ufffd"
FORMULA_CHARACTERS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
FORMULA_START = re.compile(rf"(^|[,;\t|])([\s'\"]*)(?={FORMULA_CHARACTERS})")
"""The start of a cell, whatever separates cells: a program may open a CSV with `;` as separator."""
FORMULA_CHARACTER = re.compile(FORMULA_CHARACTERS)
"""A quick test: most texts have none of these characters anywhere."""
JOURNAL_SUBSTITUTES = str.maketrans(
    {";": ",", ":": " –", "|": "/", "[": "(", "]": ")", "=": "-", "*": "·"}
)


def legible_name(name: str) -> str:
    """Return a name without characters that control a terminal, a printer or the text direction.

    A name that runs from right to left is isolated from the words and numbers around it.
    """
    clean = "".join(REPLACEMENT if is_control(c) or _is_noncharacter(ord(c)) else c for c in name)
    return isolate_name(clean)


def legible_names(names: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the names by id, each legible; None for an erased one."""
    return {owner: legible_name(name) if name else None for owner, name in names.items()}


def _is_noncharacter(code: int) -> bool:
    """Return whether it is a noncharacter, permanently reserved by Unicode; XML forbids some."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def escape_formulas(text: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet could see a formula begin."""
    return FORMULA_START.sub(r"\1\2'", text) if FORMULA_CHARACTER.search(text) else text


def journal_text(text: str) -> str:
    """Return one line without the characters that start comments, tags and dates in a journal."""
    plain = text.translate(JOURNAL_SUBSTITUTES)
    return " ".join(plain.split())


def journal_account_name(name: str) -> str:
    """Return the letters and digits of a name, for an account of a journal."""
    letters = "".join(c if unicodedata.category(c)[0] in "LMN" or c == "-" else " " for c in name)
    return " ".join(letters.split())


def sheet_name(name: str) -> str:
    """Return a name that a sheet can have: at most 31 UTF-16 units, no reserved character."""
    short = re.sub(r"[\[\]:*?/\\]", " ", name).strip("' ")
    while len(short.encode("utf-16-le")) > 2 * 31:
        short = short[:-1]
    return short.strip("' ")
