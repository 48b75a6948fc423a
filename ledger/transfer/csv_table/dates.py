"""Dates as people and banks write them, and the order of day, month and year in a column.

`2026-11-24`, `20261124`, `24.11.2026`, `24/11/2026`, `24-11-26`, `24 nov 2026`. Where a whole
column can be read in two ways, both are named, and a person chooses.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

DateOrder = Literal["ymd", "dmy", "mdy"]
DATE_ORDERS: tuple[DateOrder, ...] = ("ymd", "dmy", "mdy")

TIME = r"(?:[T ,]+[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9:]{2,6})?)?"
NUMBERS = re.compile(rf"([0-9]{{1,4}})([-./ ])([0-9]{{1,2}})\2([0-9]{{1,4}})\.?{TIME}")
COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
WEEKDAY = re.compile(r"[^\W\d_]{2,10}\.?,? (?=[0-9])")
DAY_FIRST = re.compile(
    rf"([0-9]{{1,2}})\.?[ -]([^\W\d_]{{3,9}})\.?[ ,-]+([0-9]{{4}}|[0-9]{{2}}){TIME}"
)
MONTH_FIRST = re.compile(rf"([^\W\d_]{{3,9}})\.? ([0-9]{{1,2}}),? ([0-9]{{4}}){TIME}")
MONTH_BEGINNINGS = "jan feb mar/mär/mrz apr maj/may/mai jun jul aug sep okt/oct nov dec/dez"
MONTHS = {
    beginning: month
    for month, beginnings in enumerate(MONTH_BEGINNINGS.split(), start=1)
    for beginning in beginnings.split("/")
}
FIRST_YEAR, LAST_YEAR = 1900, 2199
CENTURY, LAST_YEAR_OF_CENTURY = 2000, 69


def is_date(text: str) -> bool:
    """Return whether the cell is a date in some order."""
    return any(read_date(text, order) for order in DATE_ORDERS)


def possible_orders(texts: Sequence[str]) -> tuple[DateOrder, ...]:
    """Return the orders in which all cells are dates. A column whose dates are the same in every
    order has the first of them."""
    read = {order: [read_date(text, order) for text in texts] for order in DATE_ORDERS}
    orders = [order for order in DATE_ORDERS if all(read[order])]
    return tuple(
        order
        for place, order in enumerate(orders)
        if not any(read[order] == read[earlier] for earlier in orders[:place])
    )


def likeliest_order(texts: Sequence[str]) -> DateOrder:
    """Return the order in which most cells are dates: for a column that has other text as well."""
    return max(DATE_ORDERS, key=lambda order: sum(bool(read_date(text, order)) for text in texts))


def read_date(text: str, order: DateOrder) -> date | None:
    """Return the day that a cell names, without the time that may follow; None if it is no date.
    `order` counts for numbers alone, and for a year of four digits only to tell day and month."""
    if match := MONTH_FIRST.fullmatch(text):
        name, day, year = match.groups()
        return _date(year, _month(name), day)
    text = WEEKDAY.sub("", text, count=1) if WEEKDAY.match(text) else text
    if match := COMPACT.fullmatch(text):
        return _date(*match.groups())
    if match := NUMBERS.fullmatch(text):
        first, sign, second, third = match.groups()
        if len(first) > 2:
            return _date(first, second, third)
        if sign == ".":  # written with points, the day comes first everywhere
            return _date(third, second, first)
        if order == "ymd":
            return _date(first, second, third) if len(third) < 3 else None
        return _date(third, second, first) if order == "dmy" else _date(third, first, second)
    if match := DAY_FIRST.fullmatch(text):
        day, name, year = match.groups()
        return _date(year, _month(name), day)
    return None


def _month(name: str) -> str:
    return str(MONTHS.get(name.casefold()[:3], 0))


def _date(year: str, month: str, day: str) -> date | None:
    if len(year) not in (2, 4) or len(day) > 2:
        return None
    number = int(year)
    if len(year) == 2:
        number += CENTURY if number <= LAST_YEAR_OF_CENTURY else CENTURY - 100
    if not FIRST_YEAR <= number <= LAST_YEAR:
        return None
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None
