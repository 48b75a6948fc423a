"""The small tables of a statement: pairs of a label and a value, balances, a table of contents, and
the changes of all accounts by deal or session."""

from array import array
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import chain
from typing import NamedTuple

import msgspec

from api.i18n.translator import Translator
from api.representations.session import bets_view
from engine.scoring.score_sheet import ScoreSheet
from engine.values import Amount
from ledger.events.currency import have_fractions
from ledger.projections.costs import counted_costs
from ledger.projections.postings import POT
from ledger.reporting.statement import StatementLine
from ledger.session.session_state import SessionState

Row = tuple[str, str]
"""A label and a formatted value."""
Pairs = list[tuple[str, str | int]]
"""Keys of the catalog under `statement`, with their values."""
URL_KEYS = ("shown_at", "verify")
"""The keys whose values are addresses."""
KINDS_BEFORE_FIRST_DEAL = ("session_opened", "brought_forward")
"""Other lines without a deal come after the last deal."""


class Result(NamedTuple):
    """What play and leftovers brought somebody, without later payments, and what is still `due`."""

    account: str
    name: str
    amount: Amount
    due: Amount


class BalanceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Who has what."""

    name: str
    rows: list[Row]


class SessionTable(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions of a group's statement; the last `amount_columns` columns are amounts."""

    title: str
    heads: list[str]
    rows: list[tuple[str, ...]]
    amount_columns: int


class GridRow(msgspec.Struct, frozen=True):
    """`cells` name the deal or session; `changes` has an amount for each column of the grid."""

    cells: tuple[str | int | datetime, ...]
    changes: tuple[Amount, ...]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of all accounts, a row for each deal of a session, or each session of a group.
    The columns add up to the closing balances less the opening ones, as in a score kept by hand.

    `heads` are keys of the catalog under `statement`, each with a width in characters."""

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
        changes = ((posting.source, -posting.amount), (posting.target, posting.amount))
        for account, change in changes:
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


def score_rows(sheet: ScoreSheet, translator: Translator) -> Iterator[Row]:
    """Yield the score of each player or side, the winners marked."""
    for side, points in sheet.scores.items():
        won = f" · {translator('statement.won')}" if side in sheet.winners else ""
        players = translator.player_names(side.split("+"))
        yield f"{players}{won}", translator.format_number(points)
        if sheet.overtricks:
            overtricks = translator.format_number(sheet.overtricks[side])
            yield translator("statement.overtricks"), overtricks


def cost_rows(
    session: SessionState, purposes: Mapping[int, str], translator: Translator
) -> Iterator[Row]:
    """Yield the costs that count: the number, what it was for, who paid, and how much."""
    costs, currency = list(counted_costs(session.costs)), session.opening.currency
    fixed = have_fractions((cost.fact.amount for cost in costs), currency)
    for cost in costs:
        payer = translator.player_name(cost.fact.payer)
        purpose = purposes.get(cost.version, "")
        label = f"{cost.number}. {purpose}".strip()
        amount = translator.format_money(cost.fact.amount, currency, fixed=fixed)
        yield f"{label} ({translator('statement.cost_paid_by', who=payer)})", amount


def balance_rows(session: SessionState, translator: Translator) -> Iterator[Row]:
    """Yield balances, pot and bets, which add up to zero, and then the payments that are due. A bet
    that is paid only when somebody takes it is marked, and does not count in that sum."""
    currency = session.opening.currency
    bets = bets_view(session) or ()
    due = [payment for payment in session.payments.values() if payment.status == "due"]
    parts = (session.balances.values(), (session.pot,), (bet["amount"] for bet in bets))
    amounts = chain(*parts, (payment.amount for payment in due))
    format_money = partial(translator.format_money, fixed=have_fractions(amounts, currency))
    for player, balance in session.balances.items():
        yield translator.player_name(player), format_money(balance, currency, sign=True)
    if not session.sheet:
        yield translator("statement.pot"), format_money(session.pot, currency)
    for bet in bets:
        label = translator("accounts.bet", number=bet["id"][1:]).capitalize()
        bettors = translator.player_names(bet["by"])
        unpaid = "" if bet.get("paid", True) else f" · {translator('statement.bet_unpaid')}"
        yield f"{label} ({bettors}){unpaid}", format_money(bet["amount"], currency)
    for payment in due:
        people = map(translator.player_name, (payment.payer, payment.payee))
        label = f"{translator('statement.due')}: {' → '.join(people)}"
        yield label, format_money(payment.amount, currency)
