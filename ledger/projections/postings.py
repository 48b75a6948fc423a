"""The postings of an event: every amount it moves, from one account to another.

Accounts of money are `player:p1`, `pot`, `bet:2` and `brought`, the counterpart of what an earlier
session left open. Points are booked the same way, between `sheet` and `score:p1` or `score:p1+p3`.
No other module turns an event into amounts. La vola is owed (la_vola_payments.py) before it is
posted.
Source: docs/rules.md §1.6, §2.3, §3.3, §4.3.
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


def score_account(keeper: str) -> str:
    """Return the account of the points of a player or a side."""
    return f"score:{keeper}"


def postings_of(event: event_types.LedgerEvent) -> Sequence[Posting]:
    """Return the postings of one event; each takes from one account what it gives to another."""
    # two events of three: a tenth of what it takes to look at every case
    if type(event) in NON_POSTING_EVENTS:
        return ()
    lines = _lines(event)
    for line in lines:
        assert line.amount > 0, line
        assert line.source != line.target, line
    return lines


def correction_postings(rescored: e.Rescored) -> tuple[Posting, ...]:
    """Return the postings from what a deal had come to, to what it comes to now. As few as the
    accounts allow, in the order in which the accounts were named first."""
    was = account_changes(line for fact in rescored.was for line in _lines(fact))
    now = account_changes(line for fact in rescored.facts for line in _lines(fact))
    moved = {account: now.get(account, 0) - was.get(account, 0) for account in {**was, **now}}
    money = {account: n for account, n in moved.items() if not _is_points_account(account)}
    points = {account: n for account, n in moved.items() if _is_points_account(account)}
    return tuple(Posting(*line) for line in (*match_amounts(money), *match_amounts(points)))


def account_changes(lines: Iterable[Posting]) -> dict[str, Amount]:
    """Return by how much these postings change each account, in the order of first mention."""
    changes = dict[str, Amount]()
    for line in lines:
        source, target, amount = line.source, line.target, line.amount
        changes[source] = changes.get(source, 0) - amount
        changes[target] = changes.get(target, 0) + amount
    return changes


def match_amounts(changes: Mapping[str, Amount]) -> Iterator[tuple[str, str, Amount]]:
    """Yield source, target and amount of what makes these changes, which add up to zero. At most
    one amount fewer than there are changes, sources and targets in their order."""
    assert sum(changes.values()) == 0, changes
    giving = [(source, -change) for source, change in changes.items() if change < 0]
    getting = [(target, change) for target, change in changes.items() if change > 0]
    while giving and getting:
        (source, surplus), (target, shortfall) = giving[0], getting[0]
        amount = min(surplus, shortfall)
        yield source, target, amount
        giving[:1] = [(source, surplus - amount)] if surplus > amount else []
        getting[:1] = [(target, shortfall - amount)] if shortfall > amount else []


def _brought_forward_lines(event: e.BroughtForward) -> Iterator[Posting]:
    """Yield postings for the balances, the pot and the bets from an earlier session."""
    for player, amount in sorted(event.balances.items(), key=lambda held: int(held[0][1:])):
        line = Posting(BROUGHT_FORWARD, player_account(player), abs(amount))
        yield line if amount > 0 else line.reversed()
    if event.pot:
        yield Posting(BROUGHT_FORWARD, POT, event.pot)
    for bet in event.bets:
        if bet.paid:
            yield Posting(BROUGHT_FORWARD, bet_account(bet.bet), bet.each * len(bet.by))


def _is_points_account(account: str) -> bool:
    return account == SHEET or account.startswith("score:")


def _pay_stake(event: e.DealOpened) -> Sequence[Posting]:
    return (Posting(player_account(event.dealer), POT, event.stake),) if event.stake else ()


def _take_pot(event: e.PotTaken) -> Sequence[Posting]:
    return (Posting(POT, player_account(event.player), event.amount),)


def _take_bet(event: e.BetTaken) -> Sequence[Posting]:
    winner, each, payee = event.player, event.each, player_account(event.player)
    if event.paid:
        return (Posting(bet_account(event.bet), payee, each * len(event.by)),)
    return [Posting(player_account(owner), payee, each) for owner in event.by if owner != winner]


def _lay_bet(event: e.BetLaid) -> Sequence[Posting]:
    return _collect_bet(event) if event.paid else ()  # a claim moves nothing until it is collected


def _collect_bet(event: e.BetLaid | e.BetCollected) -> Sequence[Posting]:
    account = bet_account(event.bet)
    return [Posting(player_account(owner), account, event.each) for owner in event.by]


def _score(event: e.Scored) -> Sequence[Posting]:
    if not event.points:
        return ()
    posting = Posting(SHEET, score_account(event.to), abs(event.points))
    return (posting if event.points > 0 else posting.reversed(),)


FrequentEvent = e.DealOpened | e.PotTaken | e.BetTaken | e.BetLaid | e.Scored
FREQUENT_POSTINGS: dict[type, Callable[[Any], Sequence[Posting]]] = {
    e.DealOpened: _pay_stake,
    e.PotTaken: _take_pot,
    e.BetTaken: _take_bet,
    e.BetLaid: _lay_bet,
    e.Scored: _score,
}
"""Nearly all postings, by type: every case that a `match` passes by costs a tenth of the event."""


def _lines(event: event_types.LedgerEvent) -> Sequence[Posting]:
    if frequent := FREQUENT_POSTINGS.get(type(event)):
        return frequent(event)
    match event:
        case e.BetCollected():
            return _collect_bet(event)
        case e.PenaltyPaid(player=failed, amount=amount):
            return (Posting(player_account(failed), POT, amount),)
        case e.PointsPaid(payer=payer, payee=payee, points=points, value=value):
            return (Posting(player_account(payer), player_account(payee), points * value),)
        case e.BetsMerged(bet=number, added=other, by=by, each=each, paid=True):
            return (Posting(bet_account(other), bet_account(number), each * len(by)),)
        case e.BetsParted(bet=number, parted=other, by=by, each=each, paid=True):
            return (Posting(bet_account(number), bet_account(other), each * len(by)),)
        case e.BetsMerged() | e.BetsParted():
            return ()  # a claim moves nothing until it is collected
        case e.PotShared(shares=shares) | e.BetShared(shares=shares):
            account = bet_account(event.bet) if isinstance(event, e.BetShared) else POT
            return [Posting(account, player_account(s.player), s.amount) for s in shares]
        case event_types.SessionOpened(players=seats, start=start):
            # as they sit: what is stored is sorted as text, p10 before p2
            order = sorted(start, key=lambda keeper: seats.index(keeper.partition("+")[0]))
            scores = ((score_account(keeper), start[keeper]) for keeper in order)
            return tuple(Posting(SHEET, account, points) for account, points in scores if points)
        case event_types.PaymentSettled(payer=payer, payee=payee, amount=amount):
            return (Posting(player_account(payer), player_account(payee), amount),)
        case event_types.TransferRecorded(payer=payer, payee=payee, amount=amount):
            # paying raises one's balance: the money went the other way outside the book
            return (Posting(player_account(payee), player_account(payer), amount),)
        case e.BroughtForward():
            return tuple(_brought_forward_lines(event))
        case e.DealCorrected(rescored=rescored) | e.CorrectionUndone(rescored=rescored):
            return tuple(line for deal in rescored for line in correction_postings(deal))
        case e.ActionUndone() | e.DealVoided() | e.SessionReopened():
            facts: tuple[event_types.LedgerEvent, ...] = event.took_back
            return tuple(line.reversed() for fact in reversed(facts) for line in _lines(fact)[::-1])
        case _:
            # mypy: what has no line above is named as moving nothing
            non_posting: NonPostingEvent | FrequentEvent = event
            assert type(non_posting) in NON_POSTING_EVENTS, non_posting
            return ()
