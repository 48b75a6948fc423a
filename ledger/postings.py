"""Every krona that a fact moves: from one account to another, so that nothing appears or is lost.

Accounts are `player:p1`, `pot` and `bet:2`. The only place where a fact is turned into money.
Source: rules.md §1.6.
"""

from typing import assert_never

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.entries import Entry, PaymentSettled, PlayerJoined, SessionOpened, TransferRecorded

POT = "pot"


class Posting(msgspec.Struct, frozen=True):
    source: str
    target: str
    amount: Amount

    def back(self) -> "Posting":
        return Posting(self.target, self.source, self.amount)


def player(who: Player) -> str:
    return f"player:{who}"


def bet(number: int) -> str:
    return f"bet:{number}"


def postings(event: Entry) -> tuple[Posting, ...]:
    """The lines of one event. Each takes from one account what it gives to another."""
    lines = _lines(event)
    for line in lines:
        assert line.amount > 0, line
        assert line.source != line.target, line
    return lines


def _lines(event: Entry) -> tuple[Posting, ...]:
    match event:
        case e.DealOpened(dealer=dealer, stake=stake):
            return (Posting(player(dealer), POT, stake),)
        case e.PotTaken(player=winner, amount=amount):
            return (Posting(POT, player(winner), amount),)
        case e.BetTaken(bet=number, player=winner, by=by, each=each, paid=True):
            return (Posting(bet(number), player(winner), each * len(by)),)
        case e.BetTaken(player=winner, by=by, each=each):
            owners = (owner for owner in by if owner != winner)
            return tuple(Posting(player(owner), player(winner), each) for owner in owners)
        case e.BetLaid(bet=number, by=by, each=each, paid=True):
            return tuple(Posting(player(owner), bet(number), each) for owner in by)
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
        case PaymentSettled(payer=payer, payee=payee, amount=amount):
            return (Posting(player(payer), player(payee), amount),)
        case TransferRecorded(payer=payer, payee=payee, amount=amount):
            # paying raises one's balance: the money went the other way outside the book
            return (Posting(player(payee), player(payer), amount),)
        case e.ActionUndone(took_back=took_back) | e.DealVoided(took_back=took_back):
            return tuple(line.back() for fact in reversed(took_back) for line in _lines(fact)[::-1])
        case (
            e.Reseated() | e.Declared() | e.AllPassed() | e.TrickRecorded() | e.LaVolaAnnounced()
            | e.PlayFinished() | e.ResultRecorded() | e.CutShown() | e.CardTurnedUp()
            | e.TurnUpTaken() | e.TurnUpDeclined() | e.BidMade() | e.CardDiscarded()
            | e.CardPlayed() | e.HandShown() | e.CutterTook() | e.DealerTook() | e.TrickWon()
            | e.LaVolaWon() | e.DealClosed() | e.BetWaived() | e.EveningClosed()
            | SessionOpened() | PlayerJoined()
        ):  # fmt: skip
            return ()
    assert_never(event)
