"""How a statement writes amounts and times, in its currency or points and in its time zone."""

from datetime import datetime
from functools import cached_property

import msgspec
from babel.numbers import get_currency_precision

from api.statements.request_arguments import StatementQuery
from engine.values import Amount
from ledger.events.timestamps import to_datetime
from ledger.projections.postings import Unit


class AmountAndTimeFormat(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The part of a statement that writes its numbers."""

    query: StatementQuery
    currency: str

    @property
    def unit(self) -> Unit:
        return self.query.unit

    @cached_property
    def decimal_places(self) -> int:
        """The number of decimals of an amount in whole coins."""
        return decimal_places(self.currency, self.unit)

    def local_time(self, at: int) -> datetime:
        """Return a time in the statement's zone, without its offset: a workbook has no zones."""
        return self._zoned(at).replace(microsecond=0, tzinfo=None)

    def format_time(self, at: int, pattern: str) -> str:
        return self._zoned(at).strftime(pattern)

    def format_day(self, at: int | None) -> str:
        """Return day, time and zone; a dash for no time."""
        return self.format_time(at, "%Y-%m-%d %H:%M %Z") if at else "–"

    def _zoned(self, at: int) -> datetime:
        return to_datetime(at).astimezone(self.query.zone)

    def format_decimal(self, amount: Amount, point: str = ".") -> str:
        """Return an amount in whole coins, exact, as programs write it: `-12.50`."""
        if not self.decimal_places:
            return str(amount)
        coins, fraction = divmod(abs(amount), 10**self.decimal_places)
        return f"{'-' if amount < 0 else ''}{coins}{point}{fraction:0{self.decimal_places}}"


def decimal_places(currency: str, unit: Unit) -> int:
    return 0 if unit == "points" or currency == "chips" else int(get_currency_precision(currency))
