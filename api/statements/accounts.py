"""What accounts are called in a journal, each declared before it is first used.

Accounts are assets: what everybody has, the pot, each bet; points come from `equity:sheet`, and
what an earlier evening left open from `equity:brought`.
"""

from collections.abc import Iterator

from api.statements.signs import account_name
from api.statements.telling import Telling
from ledger.postings import BROUGHT, SHEET

OPENING = "equity:opening"


class Accounts:
    """Of one statement."""

    def __init__(self, told: Telling) -> None:
        self._told = told
        self._people = dict(told.holders())
        self._bets = bytearray()  # a mark a bet: they are numbered from 1, and may be many

    def name(self, account: str) -> str:
        if account in self._people:
            return f"assets:players:{self._person(account)}"
        kind, _, which = account.partition(":")
        match kind:
            case "score":
                sides = " + ".join(self._person(f"player:{player}") for player in which.split("+"))
                return f"assets:points:{sides}"
            case "bet":
                return f"assets:bets:b{which}"
            case _ if kind in (BROUGHT, SHEET):
                return f"equity:{kind}"
        return f"assets:{kind}"

    def _person(self, account: str) -> str:
        """By his id and his name: two people may be called the same once signs are left out."""
        name = self._people.get(account)
        which = account.partition(":")[2]
        return f"{which} {account_name(name) if name else ''}".strip()

    def declared_before(self) -> Iterator[str]:
        for account in (*self._people, *self._told.tables()):
            yield f"account {self.name(account)}\n"
        yield f"account {OPENING}\n\n"

    def declared(self, *accounts: str) -> Iterator[str]:
        """Bets are declared when they are met."""
        for account in accounts:
            kind, _, which = account.partition(":")
            if kind != "bet":
                continue
            number = int(which)
            self._bets.extend(bytes(max(0, number + 1 - len(self._bets))))
            if not self._bets[number]:
                self._bets[number] = 1
                yield f"account {self.name(account)}\n"
