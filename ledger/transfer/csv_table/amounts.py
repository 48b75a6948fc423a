"""Amounts as people and banks write them, in whole units of the smallest coin. Exact: no float.

`1 234,50`, `1.234,50`, `1'234.50`, `−12`, `(12)`, `12-`, `50 kr`, `50:-`. A point or comma with
three digits after it separates thousands, unless the other amounts show that it is the decimal
sign; then it could be either, and is refused, except in a bank's file that has three decimals
everywhere. In a currency with three decimals it is the decimal sign, unless the other amounts show
another.
"""

import re
from collections.abc import Iterable
from typing import Literal

from engine.values import MAX_AMOUNT, Amount
from ledger.events.currency import currency_places
from ledger.transfer.csv_table.refusals import TableRefusal

DecimalSign = Literal[",", "."]
Place = tuple[int, int]
"""Row and column."""

MINUS_SIGNS = "-−–﹣－"
GROUP_SPACES = re.compile(r"[\s'’ʼ]")
WRITTEN_AMOUNT = re.compile(
    rf"""(?P<before>[{MINUS_SIGNS}+]?)\s*
    (?P<sign_before>[Kk]r\.?|[A-Z]{{3}}|[€$£])?\s*
    (?P<inside>[{MINUS_SIGNS}+]?)\s*
    (?P<digits>[0-9](?:[0-9.,\s'’ʼ]*[0-9])?|[.,][0-9]+)
    (?:[:.,][-–—])?\s*
    (?P<after>[{MINUS_SIGNS}]?)\s*
    (?P<sign_after>[Kk]r\.?|[A-Z]{{3}}|[€$£])?""",
    re.VERBOSE,
)
BLANK = frozenset({"", *MINUS_SIGNS, "—"})
"""A dash alone stands for nothing, as accountants write it."""


def is_amount(text: str) -> bool:
    """Return whether the cell has the shape of an amount; a blank cell has not."""
    return text not in BLANK and _split_sign(text) is not None


def find_decimal_sign(cells: Iterable[tuple[Place, str]], currency: str) -> DecimalSign | None:
    """Return the decimal sign that the cells show, None if none of them does. Raise TableRefusal,
    which names the first cell that shows another one."""
    digits = [(place, split[1]) for place, text in cells if (split := _split_sign(text))]
    signs = [(place, _shown_sign(text)) for place, text in digits]
    if currency_places(currency) == 3 and not any(sign for _, sign in signs):
        signs = [(place, _last_sign(text)) for place, text in digits]
    agreed_sign: DecimalSign | None = None
    for (row, column), sign in signs:
        if sign and agreed_sign and sign != agreed_sign:
            raise TableRefusal("decimal_signs_differ", row=row, column=column)
        agreed_sign = agreed_sign or sign
    return agreed_sign


def has_three_decimals(cells: Iterable[str], decimal_sign: DecimalSign) -> bool:
    """Return whether every amount has this sign and three digits after it, the last of them 0, as
    in files of SEB."""
    digits = [split[1] for text in cells if (split := _split_sign(text))]
    shape = re.compile(rf"[0-9]+{re.escape(decimal_sign)}[0-9]{{2}}0")
    return all(map(shape.fullmatch, digits))


def read_amount(
    text: str,
    currency: str,
    decimal_sign: DecimalSign | None,
    place: Place,
    *,
    three_decimals: bool = False,
) -> Amount | None:
    """Return the amount of a cell, None if it is blank. Three decimals, the last of them 0, are
    read only if `three_decimals` of all amounts are certain. Raise TableRefusal with the cell's
    place."""
    if text in BLANK:
        return None
    (row, column), places = place, currency_places(currency)
    split = _split_sign(text)
    integer, fraction = _split_fraction(split[1], decimal_sign) if split else ("", "")
    if len(fraction) != 3 or three_decimals:  # else they could be thousands
        fraction = fraction[:places] + fraction[places:].rstrip("0")
    if split is None or not integer or len(fraction) > places:
        raise TableRefusal("amount_unreadable", row=row, column=column)
    amount = int(integer + fraction.ljust(places, "0"))
    if amount > MAX_AMOUNT:
        raise TableRefusal("amount_too_large", row=row, column=column)
    return -amount if split[0] else amount


def currency_sign(text: str) -> str | None:
    """Return the sign of a currency at an amount, `kr`, `€`, `$`, `£` or an ISO code; None without
    one."""
    match = _match(text)
    sign = match and (match["sign_before"] or match["sign_after"])
    return "kr" if sign in ("Kr", "kr.", "Kr.") else sign or None


def _match(text: str) -> re.Match[str] | None:
    return WRITTEN_AMOUNT.fullmatch(text[1:-1].strip() if _is_in_brackets(text) else text)


def _is_in_brackets(text: str) -> bool:
    return text.startswith("(") and text.endswith(")")


def _split_sign(text: str) -> tuple[bool, str] | None:
    """Return whether the amount is negative, and its digits with their separators."""
    in_brackets, match = _is_in_brackets(text), _match(text)
    if match is None:
        return None
    signs = [sign for sign in match.group("before", "inside", "after") if sign]
    if len(signs) > 1 or (signs and in_brackets):
        return None
    digits = match["digits"]
    spaces = {"'" if sign in "'’ʼ" else " " for sign in GROUP_SPACES.findall(digits)}
    if len(spaces) > 1:
        return None
    return in_brackets or (bool(signs) and signs[0] != "+"), GROUP_SPACES.sub(" ", digits)


def _shown_sign(digits: str) -> DecimalSign | None:
    """Return the decimal sign of an amount that has one for certain, or whose thousands show it."""
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        return "," if digits.rindex(",") > digits.rindex(".") else "."
    if points > 1:
        return ","
    if commas > 1:
        return "."
    if not points and not commas:
        return None
    sign: DecimalSign = "." if points else ","
    before, _, after = digits.partition(sign)
    could_be_thousands = len(after) == 3 and 1 <= len(before) <= 3 and before != "0"
    return None if could_be_thousands else sign


def _last_sign(digits: str) -> DecimalSign | None:
    """Return the only point or comma of an amount."""
    return "." if "." in digits else "," if "," in digits else None


def _split_fraction(digits: str, decimal_sign: DecimalSign | None) -> tuple[str, str]:
    """Return the digits before and after the decimal sign; `""` before it if they fit nothing."""
    fraction = ""
    if decimal_sign and decimal_sign in digits:
        digits, _, fraction = digits.rpartition(decimal_sign)
        digits = digits or "0"
        if not fraction.isdecimal():
            return "", ""
    groups = re.split(r"[ .,]", digits)
    separators = set(re.findall(r"[ .,]", digits))
    if not separators:
        return digits.lstrip("0") or "0", fraction
    is_grouped = len(groups[0]) in (1, 2, 3) and all(len(group) == 3 for group in groups[1:])
    if len(separators) > 1 or decimal_sign in separators or not is_grouped:
        return "", ""
    return "".join(groups).lstrip("0") or "0", fraction
