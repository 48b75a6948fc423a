"""The table after each event: deals, seats, undo, and the end of the session.

The same for every game, which evolves its own state. Corrections are in `correction`.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from engine import events
from engine.games.game import S
from engine.session import undo
from engine.session.dealer_rotation import dealer_in_turn
from engine.session.table_state import Closing, TableState, UndoStep
from engine.tricks.deal import LastDeal


def evolve(table: TableState[S], fact: events.Event) -> TableState[S]:
    """Return the table after this fact."""
    facts = (fact,)
    if events.are_deal_events(facts):
        return evolve_in_deal(table, facts)
    if isinstance(fact, events.Reseated):
        step = UndoStep(table, None, (fact,))
        seats, dealer = fact.seats, fact.dealer
        return replace(table, seats=seats, dealer=dealer, last_step=step, correction=None)
    return _evolve_outside_deals(table, fact)


def evolve_many(table: TableState[S], facts: Sequence[events.Event]) -> TableState[S]:
    """Return the table after these facts: as if each was evolved, but faster where they are of one
    deal."""
    if facts and events.are_deal_events(facts):
        return evolve_in_deal(table, facts)
    return _evolve_each(table, facts)


def _evolve_each(table: TableState[S], facts: Sequence[events.Event]) -> TableState[S]:
    for fact in facts:
        table = evolve(table, fact)
    return table


def evolve_in_deal(table: TableState[S], facts: Sequence[events.UndoableEvent]) -> TableState[S]:
    """Return the table after these facts of one deal. If they close it, only `OUTCOME_EVENTS` are
    evolved; tables in between are evolved when an undo goes back to them."""
    first, last, game_state, dealer = facts[0], facts[-1], table.game_state, table.dealer
    opened = first if isinstance(first, events.DealOpened) else None
    closed = last if isinstance(last, events.DealClosed) else None
    for fact in facts:
        if closed is None or type(fact) in events.OUTCOME_EVENTS:
            game_state = table.game.evolve(game_state, fact)
    seats, counted = opened.seats if opened else table.seats, table.deals_counted + bool(opened)
    if closed:
        dealer = dealer_in_turn(table.passed_turns, counted, closed.next_dealer, seats)
    elif opened:
        dealer = opened.dealer
    return replace(
        table,
        game_state=game_state,
        deal_number=opened.number if opened else table.deal_number,
        dealer=dealer,
        seats=seats,
        deal_is_open=not closed and (opened is not None or table.deal_is_open),
        last_deal=LastDeal(dealer=opened.dealer, seats=opened.seats) if opened else table.last_deal,
        last_step=_last_step_of(table, facts, opened.number if opened else table.deal_number),
        correction=None,
        deals_counted=counted,
    )


def _last_step_of(
    table: TableState[S], facts: Sequence[events.UndoableEvent], deal: int
) -> UndoStep:
    """Return the undo step of the last action, which begins among these facts or before them."""
    for place in reversed(range(len(facts))):
        if isinstance(facts[place], events.InputEvent):
            before = partial(_evolve_each, table, facts[:place]) if place else table
            return UndoStep(before, deal, tuple(facts[place:]))
    assert table.last_step is not None, "an input event comes before what follows from it"
    return table.last_step.extend(*facts)


def _evolve_outside_deals(table: TableState[S], fact: events.Event) -> TableState[S]:
    """Return the table after an event of no action: an undo, a misdeal, what an earlier session has
    left open, or the closing."""
    match fact:
        case events.ActionUndone(past_misdeals=past_misdeals):
            assert table.last_step is not None
            return undo.return_to(table.last_step.state_before, table, past_misdeals=past_misdeals)
        case events.CorrectionUndone():
            return undo.before_correction(table)
        case events.DealVoided(deal=deal, next_dealer=dealer):
            return undo.without_misdeal(table, deal, dealer)
        case events.SessionReopened():
            assert table.closing is not None, "a closed session has its closing"
            return undo.return_to(table.closing.state_before, table, past_misdeals=False)
        case events.BroughtForward():
            return replace(table, game_state=table.game.evolve(table.game_state, fact))
    assert not isinstance(fact, events.DealCorrected), "engine.session.correction applies it"
    closing_so_far = table.closing or Closing(state_before=table, closing_events=())
    ending = replace(closing_so_far, closing_events=(*closing_so_far.closing_events, fact))
    game_state = table.game.evolve(table.game_state, fact)
    closed = isinstance(fact, events.EveningClosed)
    return replace(table, game_state=game_state, closed=closed, closing=ending)
