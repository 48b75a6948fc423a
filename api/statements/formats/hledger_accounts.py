"""The names of accounts in an hledger journal, each declared before it is first used.

Accounts are assets: those of players, the pot, each bet. Points come from `equity:sheet`, and what
an earlier session left open from `equity:brought`.
"""

from collections.abc import Iterable, Iterator

from api.statements.statement import Statement
from api.statements.wording.sanitize import journal_account_name
from ledger.projections.postings import BROUGHT_FORWARD, SHEET

OPENING_ACCOUNT = "equity:opening"


class AccountNames:
    """The account names of one statement."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._people = statement.names_by_account
        self._declared_bets = bytearray()  # a byte for each bet, as there may be many

    def name(self, account: str) -> str:
        if account in self._people:
            return f"assets:players:{self._person(account)}"
        kind, _, suffix = account.partition(":")
        match kind:
            case "score":
                side = " + ".join(self._person(f"player:{player}") for player in suffix.split("+"))
                return f"assets:points:{side}"
            case "bet":
                return f"assets:bets:b{suffix}"
            case _ if kind in (BROUGHT_FORWARD, SHEET):
                return f"equity:{kind}"
        return f"assets:{kind}"

    def _person(self, account: str) -> str:
        """Return id and name, as two names may be alike in the characters that hledger allows."""
        name = self._people.get(account)
        person_id = account.partition(":")[2]
        return f"{person_id} {journal_account_name(name) if name else ''}".strip()

    def initial_declarations(self) -> Iterator[str]:
        for account in (*self._people, *self._statement.other_accounts):
            yield f"account {self.name(account)}\n"
        yield f"account {OPENING_ACCOUNT}\n\n"

    def new_declarations(self, accounts: Iterable[str]) -> Iterator[str]:
        """Yield the declarations of bets that occur for the first time."""
        for account in accounts:
            kind, _, suffix = account.partition(":")
            if kind != "bet":
                continue
            number = int(suffix)
            self._declared_bets.extend(bytes(max(0, number + 1 - len(self._declared_bets))))
            if not self._declared_bets[number]:
                self._declared_bets[number] = 1
                yield f"account {self.name(account)}\n"
