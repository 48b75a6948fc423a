"""A name is only a name: no spreadsheet, page, journal or printer may take it for anything else.

Names and titles are checked when they are given; here they are made safe once more where they are
written, each format in its own way. Knows no statement.
"""

import re
import unicodedata

STEERING = ("Cc", "Cs", "Co", "Zl", "Zp")
REPLACEMENT = "\ufffd"
ISOLATE, END_ISOLATE = "\u2068", "\u2069"
OPENS = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
FORMULA = re.compile(rf"(^|[,;\t|])([\s'\"]*)(?={OPENS})")
"""Where a cell begins, however the line is cut: a table of commas may be opened where `;` cuts."""
RISKY = re.compile(OPENS)
"""Most texts have none of these signs anywhere, and are soon seen through."""


def legible(name: str) -> str:
    """A name without what steers a terminal, a printer or the direction of the line.

    One that runs from right to left is kept apart from the words and numbers round it.
    """
    clean = "".join(REPLACEMENT if _steers(sign) else sign for sign in name)
    backwards = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in clean)
    return f"{ISOLATE}{clean}{END_ISOLATE}" if backwards else clean


def _steers(sign: str) -> bool:
    category = unicodedata.category(sign)
    joins = sign == "\u200d"  # within emoji
    return category in STEERING or (category == "Cf" and not joins) or _never_a_sign(ord(sign))


def _never_a_sign(code: int) -> bool:
    """Set aside by Unicode for ever; XML forbids some of them."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def no_formula(text: str) -> str:
    """With an apostrophe wherever a spreadsheet could take what follows for a formula."""
    return FORMULA.sub(r"\1\2'", text) if RISKY.search(text) else text


def one_line(text: str) -> str:
    """For a journal in plain text: without the signs by which it tells comments, tags and dates."""
    plain = text.translate(PLAIN)
    return re.sub(r"\s+", " ", plain).strip()


PLAIN = str.maketrans({";": ",", ":": " –", "|": "/", "[": "(", "]": ")", "=": "-", "*": "·"})


def account_name(name: str) -> str:
    """Letters and numbers, for an account in plain text."""
    kept = "".join(s if unicodedata.category(s)[0] in "LMN" or s == "-" else " " for s in name)
    return re.sub(r"\s+", " ", kept).strip()


def sheet_name(name: str) -> str:
    """What a workbook allows as the name of a sheet: 31 units of UTF-16, some signs reserved."""
    short = re.sub(r"[\[\]:*?/\\]", " ", name).strip("' ")
    while len(short.encode("utf-16-le")) > 2 * 31:
        short = short[:-1]
    return short.strip("' ")
