"""The stack of bets still down: who laid each one, in which deal, and how big it is."""

from typing import get_args

from engine import events as e
from engine.scoring import bet_stack as stack
from engine.scoring.bet_stack import Bets
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.deals import Deals, newest_first

BET_EVENTS: frozenset[type] = frozenset({*get_args(stack.BetFact), e.ActionUndone, e.DealVoided})
"""The events that change the stack; all others are skipped."""


def apply(bets: Bets, recorded: RecordedEvent) -> Bets:
    """Return the stack after this event."""
    event = recorded.event
    if isinstance(event, stack.BetFact):  # far more often than the other
        return stack.apply(bets, event)
    if isinstance(event, e.ActionUndone | e.DealVoided):
        for undone_fact in reversed(event.took_back):
            bets = _revert_fact(bets, undone_fact)
    return bets


def replay_bets(brought_forward: e.BroughtForward | None, deals: Deals | None) -> Bets:
    """Return the stack as the deals now give it; a correction can change what became of a bet."""
    bets = stack.apply((), brought_forward) if brought_forward else ()
    counted_deals = [deal for deal in newest_first(deals) if not deal.voided]
    for deal in reversed(counted_deals):
        for recorded in deal.facts:
            bets = apply(bets, recorded)
    return bets


def _revert_fact(bets: Bets, fact: e.UndoableEvent) -> Bets:
    """Return the stack before this fact."""
    match fact:
        case e.BetLaid(bet=number):
            return stack.remove_bet(bets, number)
        case e.BetTaken(laid_in=deal):
            return stack.add_bet(bets, fact, deal)
        case e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid):
            parted = e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid)
            return stack.apply(bets, parted)
        case e.BetsParted(deal=deal, bet=bet, parted=other, by=by, each=each, paid=paid):
            merged = e.BetsMerged(deal=deal, bet=bet, added=other, by=by, each=each, paid=paid)
            return stack.apply(bets, merged)
    return bets
