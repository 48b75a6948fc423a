"""Every krona that a fact moves: from one account to another, so that nothing appears or is lost.

Accounts of money are `player:p1`, `pot` and `bet:2`, and `brought`: the other side of what an
earlier evening left open, which comes to nothing. Points are money's sibling: they go from `sheet`
to `score:p1` or `score:p1+p3`, and back. The only place where a fact is turned into either.
Source: rules.md §1.6, §2.3, §3.3, §4.3.
"""

from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.entries import (
    CarriedForward,
    Entry,
    PaymentSettled,
    PlayerJoined,
    SessionOpened,
    TransferRecorded,
)

POT = "pot"
BROUGHT = "brought"
SHEET = "sheet"

Unit = Literal["money", "points"]

Still = (
    e.Reseated | e.Declared | e.AllPassed | e.TrickRecorded | e.LaVolaAnnounced | e.VoleAnnounced
    | e.SideBidMade | e.RedealClaimed | e.CardsSwapped | e.SwapDeclined | e.TricksCounted
    | e.Stayed | e.Passed | e.CardsExchanged | e.TurnUpExchanged | e.GameWon | e.PlayFinished
    | e.ResultRecorded | e.CutShown | e.CardTurnedUp | e.TurnUpTaken | e.TurnUpDeclined
    | e.BidMade | e.CardDiscarded | e.CardPlayed | e.HandShown | e.CutterTook | e.DealerTook
    | e.TrickWon | e.LaVolaWon | e.DealClosed | e.BetWaived | e.EveningClosed
    | PlayerJoined | CarriedForward
)  # fmt: skip
"""What moves nothing, whatever it says."""
STILL: frozenset[type] = frozenset(get_args(Still))


class Posting(msgspec.Struct, frozen=True):
    source: str
    target: str
    amount: Amount

    @property
    def unit(self) -> Unit:
        return "points" if _of_points(self.source) else "money"

    def back(self) -> "Posting":
        return Posting(self.target, self.source, self.amount)


def player(who: Player) -> str:
    return f"player:{who}"


def bet(number: int) -> str:
    return f"bet:{number}"


def score(keeper: str) -> str:
    """The points of a player or a side."""
    return f"score:{keeper}"


def postings(event: Entry) -> tuple[Posting, ...]:
    """The lines of one event. Each takes from one account what it gives to another."""
    if type(event) in STILL:  # two events of three: a tenth of what it takes to look at every case
        return ()
    lines = _lines(event)
    for line in lines:
        assert line.amount > 0, line
        assert line.source != line.target, line
    return lines


def difference(again: e.Rescored) -> tuple[Posting, ...]:
    """What it takes to bring every account from what a deal had come to, to what it comes to now.

    As few lines as the accounts allow, in the order in which the accounts were named first.
    """
    moved = dict[str, Amount]()
    for facts, sign in ((again.was, -1), (again.facts, 1)):
        for line in (line for fact in facts for line in _lines(fact)):
            moved[line.source] = moved.get(line.source, 0) - sign * line.amount
            moved[line.target] = moved.get(line.target, 0) + sign * line.amount
    lines = list[Posting]()
    for unit in ("money", "points"):
        mine = {a: n for a, n in moved.items() if n and (_of_points(a) == (unit == "points"))}
        giving = [(a, -n) for a, n in mine.items() if n < 0]
        getting = [(a, n) for a, n in mine.items() if n > 0]
        while giving and getting:
            (source, over), (target, short) = giving[0], getting[0]
            amount = min(over, short)
            lines.append(Posting(source, target, amount))
            giving[:1] = [(source, over - amount)] if over > amount else []
            getting[:1] = [(target, short - amount)] if short > amount else []
        assert not giving, again
        assert not getting, again
    return tuple(lines)


def _brought(event: e.BroughtForward) -> Iterator[Posting]:
    """As many kronor as somebody is owed, somebody else owes, or they lie on the table."""
    for who, amount in sorted(event.balances.items(), key=lambda held: int(held[0][1:])):
        line = Posting(BROUGHT, player(who), abs(amount))
        yield line if amount > 0 else line.back()
    if event.pot:
        yield Posting(BROUGHT, POT, event.pot)
    for one in event.bets:
        if one.paid:
            yield Posting(BROUGHT, bet(one.bet), one.each * len(one.by))


def _of_points(account: str) -> bool:
    return account == SHEET or account.startswith("score:")


def _lines(event: Entry) -> tuple[Posting, ...]:
    match event:  # what happens most often comes first
        case e.DealOpened(dealer=dealer, stake=stake):
            return (Posting(player(dealer), POT, stake),) if stake else ()
        case e.PotTaken(player=winner, amount=amount):
            return (Posting(POT, player(winner), amount),)
        case e.BetTaken(bet=number, player=winner, by=by, each=each, paid=True):
            return (Posting(bet(number), player(winner), each * len(by)),)
        case e.BetTaken(player=winner, by=by, each=each):
            owners = (owner for owner in by if owner != winner)
            return tuple(Posting(player(owner), player(winner), each) for owner in owners)
        case e.BetLaid(bet=number, by=by, each=each, paid=True):
            return tuple([Posting(player(owner), bet(number), each) for owner in by])
        case e.PenaltyPaid(player=failed, amount=amount):
            return (Posting(player(failed), POT, amount),)
        case e.Scored(to=keeper, points=points):
            given_or_taken = Posting(SHEET, score(keeper), abs(points))
            if not points:
                return ()
            return (given_or_taken if points > 0 else given_or_taken.back(),)
        case e.PointsPaid(payer=payer, payee=payee, points=points, value=value):
            return (Posting(player(payer), player(payee), points * value),)
        case e.BetsMerged(bet=number, added=other, by=by, each=each, paid=True):
            return (Posting(bet(other), bet(number), each * len(by)),)
        case e.BetsParted(bet=number, parted=other, by=by, each=each, paid=True):
            return (Posting(bet(number), bet(other), each * len(by)),)
        case e.BetLaid() | e.BetsMerged() | e.BetsParted():
            return ()  # a claim moves nothing until it is collected
        case e.BetCollected(bet=number, by=by, each=each):
            return tuple(Posting(player(owner), bet(number), each) for owner in by)
        case e.PotShared(shares=shares):
            return tuple(Posting(POT, player(share.player), share.amount) for share in shares)
        case e.BetShared(bet=number, shares=shares):
            return tuple(
                Posting(bet(number), player(share.player), share.amount) for share in shares
            )
        case SessionOpened(players=seats, start=start):
            # as they sit: what is stored is sorted as text, p10 before p2
            order = sorted(start, key=lambda keeper: seats.index(keeper.partition("+")[0]))
            given = ((score(keeper), start[keeper]) for keeper in order)
            return tuple(Posting(SHEET, account, points) for account, points in given if points)
        case PaymentSettled(payer=payer, payee=payee, amount=amount):
            return (Posting(player(payer), player(payee), amount),)
        case TransferRecorded(payer=payer, payee=payee, amount=amount):
            # paying raises one's balance: the money went the other way outside the book
            return (Posting(player(payee), player(payer), amount),)
        case e.BroughtForward():
            return tuple(_brought(event))
        case e.DealCorrected(rescored=rescored):
            return tuple(line for again in rescored for line in difference(again))
        case e.ActionUndone(took_back=took_back) | e.DealVoided(took_back=took_back):
            return tuple(line.back() for fact in reversed(took_back) for line in _lines(fact)[::-1])
        case _:
            still: Still = event  # mypy: what has no line above is named as moving nothing
            assert type(still) in STILL, still
            return ()
