"""Evenings of a file that are probably a mistake: of a day to come, or with another currency's sign
at an amount. They are imported all the same, with a warning."""

from collections.abc import Iterable, Iterator
from datetime import date as Date
from typing import Literal

import msgspec

from ledger.events.currency import KRONA_CURRENCIES
from ledger.transfer.csv_table.amounts import currency_sign
from ledger.transfer.csv_table.table import CsvTable
from ledger.transfer.earlier_evenings.evenings import EarlierEvening
from ledger.transfer.earlier_evenings.mapping import ColumnMapping

POUNDS = "FKP GBP GIP SHP SSP"
DOLLARS_AND_PESOS = (
    "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD "
    "TTD TWD USD UYU XCD"
)
CURRENCIES = {
    "kr": KRONA_CURRENCIES,
    "€": frozenset({"EUR"}),
    "£": frozenset(POUNDS.split()),
    "$": frozenset(DOLLARS_AND_PESOS.split()),
}
"""The currencies that are written with a sign where they are used; an ISO code is a sign of its
own. Source: CLDR 45, and Hong Kong's dollar."""


class UnlikelyEvening(msgspec.Struct, frozen=True, kw_only=True):
    """An evening, the row that makes it unlikely, and the sign there of another currency."""

    evening: EarlierEvening
    reason: Literal["date_in_future", "other_currency"]
    row: int
    sign: str | None = None


def find_unlikely_evenings(
    table: CsvTable,
    mapping: ColumnMapping,
    evenings: Iterable[EarlierEvening],
    currency: str,
    today: Date,
) -> Iterator[UnlikelyEvening]:
    """Yield the evenings with results that a person should look at, once for each reason."""
    signs = dict(_other_signs(table, mapping, currency))
    for evening in evenings:
        if not evening.results:
            continue
        if evening.date > today.isoformat():
            yield UnlikelyEvening(evening=evening, reason="date_in_future", row=evening.rows[0])
        row = next((row for row in evening.rows if row in signs), None)
        if row is not None:
            yield UnlikelyEvening(
                evening=evening, reason="other_currency", row=row, sign=signs[row]
            )


def _other_signs(
    table: CsvTable, mapping: ColumnMapping, currency: str
) -> Iterator[tuple[int, str]]:
    """Yield each row with a sign that the currency is not written with, and the sign."""
    for row in table.rows:
        for column in mapping.amount_columns:
            sign = currency_sign(row.cells[column - 1])
            if sign and currency not in CURRENCIES.get(sign, {sign}):
                yield row.number, sign
