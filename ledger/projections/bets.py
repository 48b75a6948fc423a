"""The stack of bets still down: who laid each one, when, and how big it is."""

from typing import get_args

from engine import bets as stack
from engine import events as e
from engine.bets import Bet, Bets
from ledger.entries import Entry
from ledger.envelope import Recorded
from ledger.projections.deals import Deals, newest_first

NONE: Bets = ()

Told = (
    e.BetLaid | e.BetTaken | e.BetWaived | e.BetShared | e.BetsMerged | e.BetsParted
    | e.BetCollected | e.BroughtForward | e.ActionUndone | e.DealVoided
)  # fmt: skip
"""What this is about; a projection passes over what it does not show."""
TOLD: frozenset[type] = frozenset(get_args(Told))


def apply(bets: Bets, recorded: Recorded) -> Bets:
    if type(recorded.event) not in TOLD:
        return bets
    match recorded.event:
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for fact in reversed(facts):
                bets = _back(bets, fact)
            return bets
        case e.BroughtForward(bets=brought):
            return stack.brought(brought)
        case fact:
            return _on(bets, fact)


def told(brought: e.BroughtForward | None, deals: Deals | None) -> Bets:
    """The stack as the deals tell it now: after a correction a bet can have another fate."""
    bets = stack.brought(brought.bets) if brought else NONE
    for deal in reversed(list(newest_first(deals))):
        for recorded in () if deal.voided else deal.facts:
            bets = apply(bets, recorded)
    return bets


def _on(bets: Bets, fact: Entry) -> Bets:
    match fact:
        case e.BetLaid(bet=number, deal=deal, by=by, each=each, paid=paid):
            return _with(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetTaken(bet=number) | e.BetWaived(bet=number) | e.BetShared(bet=number):
            return stack.without(bets, number)
        case e.BetsMerged():
            return stack.merged(bets, fact)
        case e.BetsParted():
            return stack.parted(bets, fact)
        case e.BetCollected(bet=number):
            return stack.collected(bets, number)
    return bets


def _back(bets: Bets, fact: e.Deed) -> Bets:
    """The stack before this fact."""
    match fact:
        case e.BetLaid(bet=number):
            return stack.without(bets, number)
        case e.BetTaken(bet=number, laid_in=deal, by=by, each=each, paid=paid):
            return _with(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid):
            parting = e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid)
            return stack.parted(bets, parting)
        case e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid):
            merging = e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid)
            return stack.merged(bets, merging)
    return bets


def _with(bets: Bets, new: Bet) -> Bets:
    if not bets or bets[-1].number < new.number:
        return (*bets, new)
    return tuple(sorted((*bets, new), key=lambda bet: bet.number))
