"""The stack of bets still down: who laid each one, in which deal, and how big it is."""

from engine import events as e
from engine.scoring import bet_stack as stack
from engine.scoring.bet_stack import Bet, Bets
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.deals import Deals, newest_first

BET_EVENTS: frozenset[type] = frozenset({
    e.BetLaid, e.BetTaken, e.BetWaived, e.BetShared, e.BetsMerged, e.BetsParted, e.BetCollected,
    e.BroughtForward, e.ActionUndone, e.DealVoided,
})  # fmt: skip
"""The events that change the stack; all others are skipped."""


def apply(bets: Bets, recorded: RecordedEvent) -> Bets:
    if type(recorded.event) not in BET_EVENTS:
        return bets
    match recorded.event:
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            for undone_fact in reversed(facts):
                bets = _revert_fact(bets, undone_fact)
            return bets
        case e.BroughtForward(bets=brought):
            return stack.carried_bets(brought)
        case e.BetLaid(bet=number, deal=deal, by=by, each=each, paid=paid):
            return _insert_bet(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetTaken(bet=number) | e.BetWaived(bet=number) | e.BetShared(bet=number):
            return stack.remove_bets(bets, number)
        case e.BetsMerged() as fact:
            return stack.apply_merge(bets, fact)
        case e.BetsParted() as fact:
            return stack.apply_split(bets, fact)
        case e.BetCollected(bet=number):
            return stack.apply_collection(bets, number)
    return bets


def replay_bets(brought_forward: e.BroughtForward | None, deals: Deals | None) -> Bets:
    """Return the stack as the deals now give it; a correction can change what became of a bet."""
    bets = stack.carried_bets(brought_forward.bets) if brought_forward else ()
    for deal in reversed(list(newest_first(deals))):
        for recorded in () if deal.voided else deal.facts:
            bets = apply(bets, recorded)
    return bets


def _revert_fact(bets: Bets, fact: e.UndoableEvent) -> Bets:
    """Return the stack before this fact."""
    match fact:
        case e.BetLaid(bet=number):
            return stack.remove_bets(bets, number)
        case e.BetTaken(bet=number, laid_in=deal, by=by, each=each, paid=paid):
            return _insert_bet(bets, Bet(number=number, deal=deal, by=by, each=each, paid=paid))
        case e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid):
            parted = e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid)
            return stack.apply_split(bets, parted)
        case e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid):
            merged = e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid)
            return stack.apply_merge(bets, merged)
    return bets


def _insert_bet(bets: Bets, new: Bet) -> Bets:
    if not bets or bets[-1].number < new.number:
        return (*bets, new)
    return tuple(sorted((*bets, new), key=lambda bet: bet.number))
