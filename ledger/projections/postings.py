"""The postings of an event: every amount it moves, from one account to another.

Accounts of money are `player:p1`, `pot`, `bet:2` and `brought`, the counterpart of what an earlier
session left open. Points are booked the same way, between `sheet` and `score:p1` or `score:p1+p3`.
No other module turns an event into amounts. La vola is owed (la_vola_payments.py) before it is
posted.
Source: docs/rules.md §1.6, §2.3, §3.3, §4.3, §10.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.events import event_types

POT = "pot"
BROUGHT_FORWARD = "brought"
SHEET = "sheet"

Unit = Literal["money", "points"]

NonPostingEvent = (
    e.Reseated | e.Declared | e.AllPassed | e.TrickRecorded | e.LaVolaAnnounced | e.VoleAnnounced
    | e.SideBidMade | e.RedealClaimed | e.CardsSwapped | e.SwapDeclined | e.TricksCounted
    | e.Stayed | e.Passed | e.CardsExchanged | e.TurnUpExchanged | e.GameWon | e.PlayFinished
    | e.ResultRecorded | e.CutShown | e.CardTurnedUp | e.TurnUpTaken | e.TurnUpDeclined
    | e.BidMade | e.CardDiscarded | e.CardPlayed | e.HandShown | e.CutterTook | e.DealerTook
    | e.TrickWon | e.LaVolaWon | e.DealClosed | e.BetWaived | e.EveningClosed
    | event_types.PlayerJoined | event_types.CarriedForward
)  # fmt: skip
"""The events that never move an amount."""
NON_POSTING_EVENTS: frozenset[type] = frozenset(get_args(NonPostingEvent))


class Posting(msgspec.Struct, frozen=True):
    """An amount that moves from one account to another."""

    source: str
    target: str
    amount: Amount

    @property
    def unit(self) -> Unit:
        return "points" if _is_points_account(self.source) else "money"

    def reversed(self) -> "Posting":
        return Posting(self.target, self.source, self.amount)


@lru_cache(1024)
def player_account(player: Player) -> str:
    return f"player:{player}"


@lru_cache(1024)
def bet_account(number: int) -> str:
    return f"bet:{number}"


def score_account(contestant: str) -> str:
    """Return the account of the points of a player or a side."""
    return f"score:{contestant}"


def postings_of(event: event_types.LedgerEvent) -> Sequence[Posting]:
    """Return the postings of one event; each takes from one account what it gives to another."""
    event_class = type(event)
    # two events of three: a tenth of what it takes to look at every case
    if event_class in NON_POSTING_EVENTS:
        return ()
    lines = LINES_BY_TYPE.get(event_class, _lines)(event)
    for line in lines:
        assert line.amount > 0, line
        assert line.source != line.target, line
    return lines


def correction_postings(rescored: e.Rescored) -> tuple[Posting, ...]:
    """Return the postings that lead from a deal's earlier amounts to its new ones. They are as few
    as the accounts allow, in the order in which the accounts were named first."""
    earlier_changes = account_changes(line for fact in rescored.was for line in _lines(fact))
    new_changes = account_changes(line for fact in rescored.facts for line in _lines(fact))
    moved = {
        account: new_changes.get(account, 0) - earlier_changes.get(account, 0)
        for account in {**earlier_changes, **new_changes}
    }
    money = {account: n for account, n in moved.items() if not _is_points_account(account)}
    points = {account: n for account, n in moved.items() if _is_points_account(account)}
    return tuple(Posting(*line) for line in (*match_amounts(money), *match_amounts(points)))


def account_changes(lines: Iterable[Posting]) -> dict[str, Amount]:
    """Return by how much these postings change each account, in the order of first mention."""
    changes: dict[str, Amount] = {}
    for line in lines:
        source, target, amount = line.source, line.target, line.amount
        changes[source] = changes.get(source, 0) - amount
        changes[target] = changes.get(target, 0) + amount
    return changes


def match_amounts(changes: Mapping[str, Amount]) -> Iterator[tuple[str, str, Amount]]:
    """Yield source, target and amount of the postings that make these changes, which add up to
    zero: at most n - 1 postings for n changes, sources and targets in their order."""
    assert sum(changes.values()) == 0, changes
    surpluses = [(source, -change) for source, change in changes.items() if change < 0]
    shortfalls = [(target, change) for target, change in changes.items() if change > 0]
    while surpluses and shortfalls:
        (source, surplus), (target, shortfall) = surpluses[0], shortfalls[0]
        amount = min(surplus, shortfall)
        yield source, target, amount
        surpluses[:1] = [(source, surplus - amount)] if surplus > amount else []
        shortfalls[:1] = [(target, shortfall - amount)] if shortfall > amount else []


def _brought_forward_lines(event: e.BroughtForward) -> Iterator[Posting]:
    """Yield postings for the balances, the pot and the bets from an earlier session."""
    for player, amount in sorted(event.balances.items(), key=lambda item: int(item[0][1:])):
        line = Posting(BROUGHT_FORWARD, player_account(player), abs(amount))
        yield line if amount > 0 else line.reversed()
    if event.pot:
        yield Posting(BROUGHT_FORWARD, POT, event.pot)
    for bet in event.bets:
        if bet.paid:
            yield Posting(BROUGHT_FORWARD, bet_account(bet.bet), bet.each * len(bet.by))


def _is_points_account(account: str) -> bool:
    return account == SHEET or account.startswith("score:")


def _stake_lines(event: e.DealOpened) -> Sequence[Posting]:
    stake = event.stake
    return (Posting(player_account(event.dealer), POT, stake),) if stake else ()


def _pot_lines(event: e.PotTaken) -> Sequence[Posting]:
    return (Posting(POT, player_account(event.player), event.amount),)


def _taken_bet_lines(event: e.BetTaken) -> Sequence[Posting]:
    by, each, winner = event.by, event.each, event.player
    payee = player_account(winner)
    if event.paid:
        return (Posting(bet_account(event.bet), payee, each * len(by)),)
    return [Posting(player_account(owner), payee, each) for owner in by if owner != winner]


def _laid_bet_lines(event: e.BetLaid) -> Sequence[Posting]:
    if not event.paid:
        return ()  # a claim moves nothing until it is collected
    account, each = bet_account(event.bet), event.each
    return [Posting(player_account(owner), account, each) for owner in event.by]


LINES_BY_TYPE: Mapping[type, Callable[[Any], Sequence[Posting]]] = {
    e.DealOpened: _stake_lines,
    e.PotTaken: _pot_lines,
    e.BetTaken: _taken_bet_lines,
    e.BetLaid: _laid_bet_lines,
}
"""The events of most postings, looked up by type: a fold takes 0.93 of the time."""


def _lines(event: event_types.LedgerEvent) -> Sequence[Posting]:
    match event:
        case e.DealOpened():
            return _stake_lines(event)
        case e.PotTaken():
            return _pot_lines(event)
        case e.BetTaken():
            return _taken_bet_lines(event)
        case e.BetLaid():
            return _laid_bet_lines(event)
        case e.BetCollected(bet=number, by=by, each=each):
            return [Posting(player_account(owner), bet_account(number), each) for owner in by]
        case e.PenaltyPaid(player=failed, amount=amount):
            return (Posting(player_account(failed), POT, amount),)
        case e.Scored(to=contestant, points=points):
            posting = Posting(SHEET, score_account(contestant), abs(points))
            if not points:
                return ()
            return (posting if points > 0 else posting.reversed(),)
        case e.PointsPaid(payer=payer, payee=payee, points=points, value=value):
            return (Posting(player_account(payer), player_account(payee), points * value),)
        case e.BetsMerged(bet=number, added=other, by=by, each=each, paid=True):
            return (Posting(bet_account(other), bet_account(number), each * len(by)),)
        case e.BetsParted(bet=number, parted=other, by=by, each=each, paid=True):
            return (Posting(bet_account(number), bet_account(other), each * len(by)),)
        case e.BetsMerged() | e.BetsParted():
            return ()  # claims
        case e.PotShared(shares=shares) | e.BetShared(shares=shares):
            account = bet_account(event.bet) if isinstance(event, e.BetShared) else POT
            return [Posting(account, player_account(s.player), s.amount) for s in shares]
        case event_types.SessionOpened(players=seats, start=start):
            # as they sit: what is stored is sorted as text, p10 before p2
            order = sorted(start, key=lambda contestant: seats.index(contestant.partition("+")[0]))
            scores = ((score_account(contestant), start[contestant]) for contestant in order)
            return tuple(Posting(SHEET, account, points) for account, points in scores if points)
        case event_types.PaymentSettled(payer=payer, payee=payee, amount=amount):
            return (Posting(player_account(payer), player_account(payee), amount),)
        case event_types.TransferRecorded(payer=payer, payee=payee, amount=amount):
            # paying raises one's balance: the money went the other way outside the book
            return (Posting(player_account(payee), player_account(payer), amount),)
        case event_types.CostRecorded(payer=payer, shares=shares):
            payee = player_account(payer)
            owed = [(s.player, s.amount) for s in shares if s.amount and s.player != payer]
            return [Posting(player_account(sharer), payee, amount) for sharer, amount in owed]
        case e.BroughtForward():
            return tuple(_brought_forward_lines(event))
        case e.DealCorrected(rescored=rescored) | e.CorrectionUndone(rescored=rescored):
            return tuple(line for deal in rescored for line in correction_postings(deal))
        case e.ActionUndone() | e.DealVoided() | e.SessionReopened() | event_types.CostVoided():
            facts: tuple[event_types.LedgerEvent, ...] = event.took_back
            return tuple(line.reversed() for fact in reversed(facts) for line in _lines(fact)[::-1])
        case _:
            # mypy checks that every event without a case above is a NonPostingEvent
            non_posting: NonPostingEvent = event
            assert type(non_posting) in NON_POSTING_EVENTS, non_posting
            return ()
