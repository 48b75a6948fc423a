"""The changes of all accounts: a row for each deal of a session, or each session of a group.

The columns add up to the closing balances less the opening ones, as in a score kept by hand.
"""

from array import array
from collections.abc import Iterator, Mapping

import msgspec

from engine.values import Amount
from ledger.projections.postings import POT
from ledger.reporting.statement import StatementLine

KINDS_BEFORE_FIRST_DEAL = ("session_opened", "brought_forward")
"""Other lines without a deal come after the last deal."""


class GridRow(msgspec.Struct, frozen=True):
    """`cells` name the deal or session; `changes` has an amount for each column of the grid."""

    cells: tuple[object, ...]
    changes: tuple[Amount, ...]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """`heads` are keys of the catalog under `statement`, each with a width in characters."""

    title: str
    heads: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    rows: Iterator[GridRow]


class AccountChanges:
    """The changes of some accounts by deal, in whatever order the lines come.

    An amount takes eight bytes, as a session may have thousands of deals. Pot and bets are one
    column.
    """

    def __init__(self, accounts: Mapping[str, object]) -> None:
        self._columns = {account: array("q") for account in accounts}
        self._of_no_deal: dict[str, dict[str, Amount]] = {}

    def add(self, line: StatementLine) -> None:
        posting = line.explanation.posting
        for account, change in (
            (posting.source, -posting.amount),
            (posting.target, posting.amount),
        ):
            column = POT if account.startswith("bet:") else account
            if column not in self._columns:
                continue
            if line.deal is None:
                sums = self._of_no_deal.setdefault(line.kind, {})
                sums[column] = sums.get(column, 0) + change
            else:
                amounts = self._columns[column]
                amounts.extend([0] * (line.deal + 1 - len(amounts)))
                amounts[line.deal] += change

    def of_deal(self, deal: int) -> tuple[Amount, ...]:
        return tuple(sums[deal] if deal < len(sums) else 0 for sums in self._columns.values())

    def of_no_deal(self, *, first: bool) -> Iterator[tuple[str, tuple[Amount, ...]]]:
        """Yield the other changes by kind of event: before the first deal, or after the last."""
        for kind, sums in self._of_no_deal.items():
            if (kind in KINDS_BEFORE_FIRST_DEAL) == first:
                yield kind, tuple(sums.get(account, 0) for account in self._columns)
