"""The stack of bets still down: who laid each one, when, and how big it is."""

import msgspec

from engine import events as e
from engine.values import Amount, Player
from ledger.envelope import Recorded


class Bet(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    deal: int
    by: tuple[Player, ...]  # who laid it; no longer a claim on it
    each: Amount
    paid: bool

    @property
    def amount(self) -> Amount:
        return self.each * len(self.by)


Bets = tuple[Bet, ...]
"""As they were laid. The order they are played for in is the game's business."""

NONE: Bets = ()


def apply(bets: Bets, recorded: Recorded) -> Bets:
    match recorded.event:
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for fact in reversed(facts):
                bets = _back(bets, fact)
            return bets
        case fact if isinstance(fact, e.Deed | e.Ending):
            return _on(bets, fact)
    return bets


def _on(bets: Bets, fact: e.Event) -> Bets:
    match fact:
        case e.BetLaid(bet=number, deal=deal, by=by, each=each, paid=paid):
            return _with(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetTaken(bet=number) | e.BetWaived(bet=number) | e.BetShared(bet=number):
            return _without(bets, number)
        case e.BetsMerged(bet=number, added=other, by=by):
            whole = _bet(bets, number)
            return _with(
                _without(bets, number, other), msgspec.structs.replace(whole, by=whole.by + by)
            )
        case e.BetsParted(bet=number, parted=other, by=by):
            whole = _bet(bets, number)
            stays = msgspec.structs.replace(whole, by=whole.by[: -len(by)])
            apart = msgspec.structs.replace(whole, number=other, by=by)
            return _with(_without(bets, number), stays, apart)
        case e.BetCollected(bet=number):
            collected = msgspec.structs.replace(_bet(bets, number), paid=True)
            return _with(_without(bets, number), collected)
    return bets  # a projection passes over what it does not show


def _back(bets: Bets, fact: e.Deed) -> Bets:
    """The stack before this fact."""
    match fact:
        case e.BetLaid(bet=number):
            return _without(bets, number)
        case e.BetTaken(bet=number, laid_in=deal, by=by, each=each, paid=paid):
            return _with(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetsMerged(deal=deal, bet=number, added=other, by=by, each=each, paid=paid):
            return _on(
                bets, e.BetsParted(deal=deal, bet=number, parted=other, by=by, each=each, paid=paid)
            )
        case e.BetsParted(deal=deal, bet=number, parted=other, by=by, each=each, paid=paid):
            return _on(
                bets, e.BetsMerged(deal=deal, bet=number, added=other, by=by, each=each, paid=paid)
            )
    return bets


def _bet(bets: Bets, number: int) -> Bet:
    return next(bet for bet in bets if bet.number == number)


def _with(bets: Bets, *new: Bet) -> Bets:
    return tuple(sorted((*bets, *new), key=lambda bet: bet.number))


def _without(bets: Bets, *numbers: int) -> Bets:
    return tuple(bet for bet in bets if bet.number not in numbers)
