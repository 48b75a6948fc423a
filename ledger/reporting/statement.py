"""The lines of a statement: every posting in effect, with its explanation and the running balance.

The opening balance and the lines always add up to the closing balance. What was undone is left out.
The queries are in journal_query.py; language and file format are added in api/statements.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from engine.values import Amount, Player
from ledger.projections.postings import Posting, Unit, player_account, score_account
from ledger.reporting.posting_reasons import Explanation
from ledger.session.session_state import SessionState


class StatementLine(msgspec.Struct, frozen=True, kw_only=True):
    """One posting. `change` and `balance` are those of the statement's player, if it has one."""

    version: int
    at: int
    deal: int | None
    kind: str
    explanation: Explanation
    change: Amount | None = None
    balance: Amount | None = None


def statement_units(session: SessionState) -> tuple[Unit, ...]:
    """Return the units that a statement of this session can be in, the one played for first."""
    if session.sheet is None:
        return ("money",)
    return ("points", "money") if session.is_for_money else ("points",)


def find_account(session: SessionState, player: Player, unit: Unit) -> tuple[str, Amount]:
    """Return the account of a player's statement and its balance; partners share a score. Raise
    KeyError for a player without one."""
    if unit == "money":
        return player_account(player), session.balances[player]
    scores = session.sheet.scores if session.sheet else {}
    for contestant, points in scores.items():
        if player in contestant.split("+"):
            return score_account(contestant), points
    raise KeyError(player)


def running_lines(
    movements: Iterable[StatementLine], account: str | None = None, opening: Amount = 0
) -> Iterator[StatementLine]:
    """Yield the lines of an account with a balance running from `opening`. Without an account,
    yield all lines as they are."""
    if account is None:
        yield from movements
        return
    balance = opening
    for line in movements:
        posting = line.explanation.posting
        if account not in (posting.source, posting.target):
            continue
        balance += (change := account_change(posting, account))
        yield replace(line, change=change, balance=balance)


def account_change(posting: Posting, account: str) -> Amount:
    """Return by how much the posting changes an account at one of its ends."""
    return posting.amount if posting.target == account else -posting.amount
