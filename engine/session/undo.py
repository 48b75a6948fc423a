"""Undo of the last step: an action with all that followed from it, or a whole correction.

Corrections and actions are undone in the reverse order. A misdeal stays: its number is used up, and
so is its dealer's turn. Source: docs/rules.md A-PP-16.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from engine import events
from engine.errors import NoSuchDeal, NothingToUndo
from engine.session.dealer_rotation import dealer_in_turn, pass_turn
from engine.session.event_to_command import command_of
from engine.session.table_state import TableState, UndoStep
from engine.values import Player


def undo_last(table: TableState[Any]) -> events.ActionUndone | events.CorrectionUndone:
    """Return the event that takes the last action or correction back. Raise NothingToUndo."""
    if table.correction is None:
        return undo_last_action(table)
    before, first = before_correction(table), table.correction.deal
    before_undo = events_by_deal_since(table, first)
    after_undo = events_by_deal_since(before, first)
    return events.CorrectionUndone(
        deal=first,
        rescored=tuple(
            events.Rescored(
                deal=number, was=before_undo.get(number, ()), facts=after_undo.get(number, ())
            )
            for number in sorted({*before_undo, *after_undo})
            if before_undo.get(number) != after_undo.get(number)
        ),
        next_dealer=before.dealer,
    )


def undo_last_action(table: TableState[Any]) -> events.ActionUndone:
    """Return the event that takes the last action back, with the events that corrections have given
    it. Raise NothingToUndo."""
    if table.last_step is None:
        raise NothingToUndo
    return events.ActionUndone(
        deal=table.last_step.deal,
        took_back=table.last_step.events,
        past_misdeals=table.passed_turns != table.last_step.state_before.passed_turns,
    )


def return_to(
    before: TableState[Any], table: TableState[Any], *, past_misdeals: bool
) -> TableState[Any]:
    """Return an earlier table. Players who have joined since stay known; numbers used up since stay
    used up, and with `past_misdeals` turns passed since stay passed."""
    earlier_table = replace(before, players=table.players, highest_voided=table.highest_voided)
    if not past_misdeals:  # no turn has passed, or an older version of Vola did not say so
        return earlier_table
    earlier_table = replace(earlier_table, passed_turns=table.passed_turns)
    if earlier_table.deal_is_open:
        return earlier_table
    since = [turn for turn in table.passed_turns if turn not in before.passed_turns]
    return replace(
        earlier_table,
        dealer=dealer_in_turn(
            since, earlier_table.deals_counted, earlier_table.dealer, earlier_table.seats
        ),
    )


def before_correction(table: TableState[Any]) -> TableState[Any]:
    """Return the table without the correction that is the last thing done. A misdeal since stays.

    Deal 1 was corrected while deal 2 was open, and then deal 2 was a misdeal: deal 1 is as before
    the correction, deal 2 stays voided, and the player named by its misdeal deals.
    """
    assert table.correction is not None
    before = table.correction.state_before
    misdealt_since = table.correction.leaves_deal_open and not table.deal_is_open
    if before.deal_is_open and misdealt_since:
        before = without_open_deal(before)
    # turns passed are known by how many deals counted: they hold only if as many count now
    return return_to(before, table, past_misdeals=table.deals_counted == before.deals_counted)


def without_misdeal(table: TableState[Any], number: int, dealer: Player) -> TableState[Any]:
    """Return the table without its open deal, whose number is used up; then this player deals."""
    before = without_open_deal(table)
    return replace(
        before,
        players=table.players,
        highest_voided=max(number, table.highest_voided),
        dealer=dealer,
        passed_turns=pass_turn(table.passed_turns, before.deals_counted, before.dealer, dealer),
    )


def without_open_deal(table: TableState[Any]) -> TableState[Any]:
    """Return the table before its open deal; a correction made during that deal is still one."""
    correction = None
    while table.deal_is_open:
        assert table.last_step is not None
        correction = correction or table.correction
        table = table.last_step.state_before
    return replace(table, correction=correction) if correction else table


def describe_undo(table: TableState[Any]) -> dict[str, Any]:
    """Return what an undo would take back: `type`, of the action or `correct` or `void`, `deal`,
    and for a trick or a card the number of the `trick`."""
    if table.correction is not None:
        kind = "void" if table.correction.voids_deal else "correct"
        return {"type": kind, "deal": table.correction.deal}
    assert table.last_step is not None
    deal, facts = table.last_step.deal, table.last_step.events
    input_event = facts[0]
    assert isinstance(input_event, events.InputEvent), "the first event of an action is its input"
    kind = str(command_of(input_event).__struct_config__.tag)
    description: dict[str, Any] = {"type": kind} if deal is None else {"type": kind, "deal": deal}
    if kind in ("trick", "play"):
        description["trick"] = _trick(table)
    return description


def _trick(table: TableState[Any]) -> int:
    """The number of the last trick, or of the one on the table."""
    assert table.last_step is not None
    last = table.last_step.events[-1]
    if isinstance(last, events.DealClosed):
        return max(len(last.tricks), sum(last.taken.values()))
    view = table.game_state.phase.view()
    assert view is not None, "a deal is open"
    return len(view.tricks) + bool(view.cards)


def _steps_back(table: TableState[Any]) -> Iterator[UndoStep]:
    """Yield all actions, the last one first. Each earlier table is computed only when needed."""
    while table.last_step is not None:
        yield table.last_step
        table = table.last_step.state_before


def steps_since(table: TableState[Any], deal: int) -> list[UndoStep]:
    """Return the actions from the opening of this deal on, oldest first. Raise NoSuchDeal."""
    steps: list[UndoStep] = []
    for step in _steps_back(table):
        steps.append(step)
        opened = step.events[0]
        if isinstance(opened, events.DealOpened) and opened.number == deal:
            return steps[::-1]
    raise NoSuchDeal(deal=deal)


def events_by_deal_since(table: TableState[Any], first: int) -> dict[int, events.UndoableEvents]:
    """Return all facts of each deal that counts, from this number on."""
    steps = takewhile(lambda step: step.deal is None or step.deal >= first, _steps_back(table))
    return events_by_deal([*steps][::-1])


def events_by_deal(steps: list[UndoStep]) -> dict[int, events.UndoableEvents]:
    """Return all facts of each deal, with a merge that came after a reseating."""
    facts: dict[int, events.UndoableEvents] = {}
    for step in steps:
        if step.deal is not None:
            facts[step.deal] = facts.get(step.deal, ()) + step.events
    return facts
