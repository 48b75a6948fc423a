"""A statement on its way to the reader: whose it is, its lines one by one, and what is printed on
every one of them: period, filters, version, seal, and where to find the receipt.

What all formats share. Reads no request, so that it can still be told while it is being sent.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

import msgspec
from babel.numbers import get_currency_precision
from flask import g, request

from api.addresses import for_phones
from api.problems import Problem
from api.statements.asked import Asked
from api.statements.signs import legible
from api.words import Names, Speaker
from engine.values import Amount, Player
from ledger import movements
from ledger.database import Pool
from ledger.movements import Sums, Wanted
from ledger.session import Session
from ledger.statement import Line, account, lines
from ledger.times import moment

KEPT = 256
"""So many of the amounts, numbers and people that were put into words are kept."""


class Fluent(Speaker):
    """Says the same thing many times of the same people: each is put into words once."""

    def __init__(self, language: str, names: Names) -> None:
        super().__init__(language)
        self._names = names
        self._people = lru_cache(KEPT)(lambda ids: super(Fluent, self).people(ids, names))
        self._accounts = lru_cache(KEPT)(lambda it: super(Fluent, self).account(it, names))
        for say in ("money", "number", "points"):
            setattr(self, say, lru_cache(KEPT)(getattr(super(), say)))

    def people(self, players: tuple[Player, ...] | list[Player], names: Names) -> str:
        known = names is self._names
        return self._people(tuple(players)) if known else super().people(players, names)

    def account(self, account: str, names: Names) -> str:
        known = names is self._names
        return self._accounts(account) if known else super().account(account, names)


class Telling(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One statement. Names and title are fit to be read; each format makes them safe for itself."""

    session: Session
    asked: Asked
    wanted: Wanted
    sums: Sums
    pool: Pool
    speak: Speaker
    names: Names
    title: str | None
    address: str  # of the receipt

    def lines(self) -> Iterator[Line]:
        """From the beginning, every time it is called."""
        rules = self.session.rules
        moved = movements.moved(self.pool, rules, self.wanted, self.sums)
        return lines(moved, self.wanted.mine, self.opening)

    @property
    def opening(self) -> Amount:
        return self.sums.opening.get(self.wanted.mine or "", 0)

    @property
    def closing(self) -> Amount:
        return self.sums.closing.get(self.wanted.mine or "", 0)

    @property
    def currency(self) -> str:
        return self.session.opening.currency

    @property
    def seal(self) -> str:
        return self.session.hash.hex()

    @property
    def places(self) -> int:
        """How many decimals an amount has when it is written in whole coins."""
        return _places(self.session, self.asked)

    def amount(self, amount: Amount, sign: bool = False) -> str:
        """For people; a column has one way of writing."""
        if self.asked.unit == "points":
            return self.speak.number(amount, sign=sign)
        return self.speak.money(amount, self.currency, sign=sign, fixed=self.sums.small)

    @cached_property
    def who(self) -> str:
        """Whose statement it is, and what its amounts are in."""
        player, speak = self.asked.player, self.speak
        who = speak.name(player, self.names) if player else speak("statement.everybody")
        if self.asked.unit == "points":
            return speak("statement.of_points", who=who)
        return speak("statement.of", who=who, currency=self.currency)

    @property
    def period(self) -> str:
        """As it was asked for."""
        if not (self.asked.since or self.asked.until):
            return self.speak("statement.everything")
        return f"{self.asked.since or '…'} – {self.asked.until or '…'}"

    @property
    def filters(self) -> str:
        """Everything that was chosen, in one line."""
        return f"{self.who}; {self.speak('statement.period')}: {self.period}"

    @property
    def sealed(self) -> str:
        return self.speak("statement.sealed", version=self.session.version, hash=self.seal)

    @property
    def file(self) -> str:
        """What a file of it is called, without its ending."""
        who = f"-{self.asked.player}" if self.asked.player else ""
        return f"vola-{str(self.session.id)[:8]}{who}-v{self.session.version}"

    def why(self, line: Line) -> str:
        return self.speak.why(line.reason, self.names, self.currency)

    def day(self, at: int | None) -> str:
        """On the wall's clock, with its zone."""
        return moment(at).astimezone(self.asked.zone).strftime("%Y-%m-%d %H:%M %Z") if at else "–"

    def clock(self, at: int, how: str) -> str:
        return moment(at).astimezone(self.asked.zone).strftime(how)

    def coins(self, amount: Amount, point: str = ".") -> str:
        """An amount in whole coins, exact, as programs write it: `-12.50`."""
        if not self.places:
            return str(amount)
        whole, small = divmod(abs(amount), 10**self.places)
        return f"{'-' if amount < 0 else ''}{whole}{point}{small:0{self.places}}"


def telling(session: Session, asked: Asked, pool: Pool, language: str) -> Telling:
    """Add up what was asked for. Whoever is told his balance is told the session's."""
    mine = account(session, asked.player, asked.unit)[0] if asked.player else None
    wanted = Wanted(
        session_id=session.id,
        upto=session.version,
        unit=asked.unit,
        mine=mine,
        coin=10 ** _places(session, asked),
        first=asked.first,
        end=asked.end,
    )
    sums = movements.sums(pool, wanted)
    for player in session.table.players:
        whose, balance = account(session, player, asked.unit)
        assert sums.now.get(whose, 0) == balance, f"the lines of {whose} add up to its balance"
    called: Mapping[Player, str | None] = g.card.names
    names = {player: legible(name) if name else None for player, name in called.items()}
    return Telling(
        session=session,
        asked=asked,
        wanted=wanted,
        sums=sums,
        pool=pool,
        speak=Fluent(language, names),
        names=names,
        title=legible(g.card.title) if g.card.title else None,
        address=_receipt(session),
    )


def _places(session: Session, asked: Asked) -> int:
    currency = session.opening.currency
    if asked.unit == "points" or currency == "chips":
        return 0
    return int(get_currency_precision(currency))


def _receipt(session: Session) -> str:
    """Where the receipt of this version is; without any token."""
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", request.host):
        raise Problem(400, "malformed")  # it would be printed
    here = for_phones(request.host_url).rstrip("/")
    return f"{here}/v1/sessions/{session.id}/receipts/{session.version}"
