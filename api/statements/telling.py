"""A statement on its way to the reader: whose it is, its evenings and their lines one by one, and
what is printed on every one of them: period, filters, versions, seals, and where the receipts are.

What all formats share, whether it is of one evening (`single`) or of a circle. Reads no request, so
that it can still be told while it is being sent.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from api.statements.chart import Chart
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.parts import Contents, Pairs, Part
from api.statements.writing import Writing
from engine.values import Amount
from ledger.database import Pool


class Telling(Writing, frozen=True, kw_only=True, dict=True):
    """One statement. Names and titles are fit to be read; each format makes them safe for itself.

    Accounts are those of the statement: `account` says what an evening's are called in it.
    """

    pool: Pool
    speak: Fluent
    title: str | None
    what: str  # it is of: the title, or the game
    whose: str
    mine: str | None  # his account
    file: str  # what a file of it is called, without its ending
    evenings: tuple[Evening, ...]
    opened: Mapping[str, Amount]  # every account before the period; one not named had nothing
    closed: Mapping[str, Amount]  # and with it

    # what one evening and a circle tell otherwise

    columns: tuple[str, ...] = ()  # before each line: which evening it is of
    address: str | None = None  # of the receipt, and
    version: int | None = None  # the version, if the whole statement has one

    @property
    def hours(self) -> str:
        """How a page writes the time of a line."""
        return "%Y-%m-%d %H:%M"

    @property
    def subtitle(self) -> str:
        """The game, where the title does not say it."""
        return ""

    def place(self, evening: Evening) -> tuple[object, ...]:
        """What stands in `columns`."""
        return ()

    def account(self, evening: Evening, account: str) -> str:
        """What an evening's account is called in the statement."""
        return account

    def held(self, evening: Evening, account: str) -> str:
        """The account in a journal, where an amount stays until it is taken."""
        return self.account(evening, account)

    def holders(self) -> Mapping[str, str | None]:
        """The accounts of people and what they are called; an erased name is none."""
        raise NotImplementedError

    def tables(self) -> Iterable[str]:
        """The other accounts that a journal has, as far as they are known beforehand."""
        raise NotImplementedError

    def head(self) -> Pairs:
        """What stands on its first page, beside whose and which period it is."""
        raise NotImplementedError

    def heading(self, evening: Evening) -> str:
        """What stands over an evening's lines; nothing where there is only one."""
        return ""

    def about(self, evening: Evening) -> Pairs:
        """What stands under that."""
        return []

    def contents(self) -> Contents | None:
        return None

    def chart(self) -> Chart | None:
        raise NotImplementedError

    def parts(self) -> Iterator[Part]:
        """What stands at the end."""
        raise NotImplementedError

    def notes(self) -> Iterator[str]:
        raise NotImplementedError

    def status(self) -> str:
        return ""

    def document(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a JSON document has before and after the lines."""
        raise NotImplementedError

    @property
    def mark(self) -> str:
        """Printed on every sheet; holds no name."""
        raise NotImplementedError

    @property
    def sealed(self) -> str:
        """How the whole can be checked, in one line."""
        raise NotImplementedError

    # what they share

    @property
    def opening(self) -> Amount:
        return self.opened.get(self.mine or "", 0)

    @property
    def closing(self) -> Amount:
        return self.closed.get(self.mine or "", 0)

    @cached_property
    def count(self) -> int:
        """How many lines it has."""
        return sum(evening.sums.lines for evening in self.evenings)

    @cached_property
    def first(self) -> int | None:
        """Microseconds, of the first line."""
        return min((e.sums.first for e in self.evenings if e.sums.first), default=None)

    @cached_property
    def last(self) -> int | None:
        return max((e.sums.last for e in self.evenings if e.sums.last), default=None)

    @cached_property
    def at(self) -> int:
        """When the last thing happened that it could tell."""
        return max((evening.at for evening in self.evenings), default=0)

    @cached_property
    def _small(self) -> bool:
        """Whether a line has less than whole coins."""
        return any(evening.sums.small for evening in self.evenings)

    @cached_property
    def who(self) -> str:
        """Whose statement it is, and what its amounts are in."""
        if self.unit == "points":
            return self.speak("statement.of_points", who=self.whose)
        return self.speak("statement.of", who=self.whose, currency=self.currency)

    @property
    def period(self) -> str:
        """As it was asked for."""
        if not (self.asked.since or self.asked.until):
            return self.speak("statement.everything")
        return f"{self.asked.since or '…'} – {self.asked.until or '…'}"

    @property
    def days(self) -> str:
        """From the first line to the last."""
        return f"{self.day(self.first)} – {self.day(self.last)}"

    @property
    def filters(self) -> str:
        """Everything that was chosen, in one line."""
        return f"{self.who}; {self.speak('statement.period')}: {self.period}"

    def saying(self, evening: Evening) -> Fluent:
        """Who tells the lines of an evening, by its people's names."""
        return Fluent(self.speak.language, evening.names)

    def amount(self, amount: Amount, sign: bool = False) -> str:
        """For people; a column has one way of writing."""
        if self.unit == "points":
            return self.speak.number(amount, sign=sign)
        return self.speak.money(amount, self.currency, sign=sign, fixed=self._small)
