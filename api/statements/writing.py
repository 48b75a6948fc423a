"""How a statement writes its amounts and times: for people and for programs."""

from functools import cached_property

import msgspec
from babel.numbers import get_currency_precision

from api.statements.asked import Asked
from engine.values import Amount
from ledger.postings import Unit
from ledger.times import moment


class Writing(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """In one currency, or in points; on one clock."""

    asked: Asked
    currency: str

    @property
    def unit(self) -> Unit:
        return self.asked.unit

    @cached_property
    def places(self) -> int:
        """How many decimals an amount has when it is written in whole coins."""
        return decimals(self.currency, self.unit)

    def day(self, at: int | None) -> str:
        """On the wall's clock, with its zone."""
        return self.clock(at, "%Y-%m-%d %H:%M %Z") if at else "–"

    def clock(self, at: int, how: str) -> str:
        return moment(at).astimezone(self.asked.zone).strftime(how)

    def coins(self, amount: Amount, point: str = ".") -> str:
        """An amount in whole coins, exact, as programs write it: `-12.50`."""
        if not self.places:
            return str(amount)
        whole, small = divmod(abs(amount), 10**self.places)
        return f"{'-' if amount < 0 else ''}{whole}{point}{small:0{self.places}}"


def decimals(currency: str, unit: Unit) -> int:
    return 0 if unit == "points" or currency == "chips" else int(get_currency_precision(currency))
