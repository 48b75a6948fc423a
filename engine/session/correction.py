"""Corrections: a deal was played differently or never counted; it and later ones are scored again.

Later deals keep what was recorded of them, who dealt and who sat; only what follows from it is
decided anew. History is not changed: a correction is one more event, with the events of each deal
before and after it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from engine import commands, errors, events
from engine.games.game import S
from engine.session import session
from engine.session.dealer_rotation import dealer_after_misdeal
from engine.session.event_to_command import command_of
from engine.session.fold import evolve, evolve_many
from engine.session.table_state import CorrectionStep, TableState, UndoStep
from engine.session.undo import events_by_deal, steps_since
from engine.values import MAX_AMOUNT, Player

BrokenDealsPolicy = Literal["refuse", "void"]
"""What happens to later deals that the correction makes impossible."""


class _Rescoring(NamedTuple):
    """The deals since the corrected one, scored again."""

    table: TableState[Any]
    facts: dict[int, events.UndoableEvents]  # by deal; none of one that does not count
    broken_deals: list[int]


def correct(
    table: TableState[S],
    deal: int,
    actions: Sequence[commands.Command] | None,
    broken_deals_policy: BrokenDealsPolicy,
) -> events.DealCorrected:
    """Return the correction of a deal: its `actions` without the opening, or None if it never
    counted. Raise SessionClosed, NoSuchDeal, DealIsOpen, DealNotClosed, LaterDealsBreak, or the
    refusal of an action, with its place (from 0) in `operands["action"]`."""
    if table.closed:
        raise errors.SessionClosed
    if table.deal_is_open and table.deal_number == deal:
        raise errors.DealIsOpen(deal=deal)
    for place, command in enumerate(actions or ()):
        if isinstance(command, commands.OpenDeal | commands.Undo | commands.Reseat):
            raise errors.NotNow(action=place, phase="correcting")  # the place, as in any batch
    steps = steps_since(table, deal)
    old_facts = events_by_deal(steps)
    rescoring = _score_again(steps, old_facts, deal, actions)
    if rescoring.broken_deals and broken_deals_policy == "refuse":
        raise errors.LaterDealsBreak(deals=rescoring.broken_deals)
    return events.DealCorrected(
        deal=deal,
        rescored=tuple(
            events.Rescored(deal=number, was=old_facts[number], facts=facts)
            for number, facts in rescoring.facts.items()
            if old_facts[number] != facts
        ),
        next_dealer=_next_dealer(table, steps, rescoring),
    )


def _score_again(
    steps: Sequence[UndoStep],
    old_facts: Mapping[int, events.UndoableEvents],
    deal: int,
    actions: Sequence[commands.Command] | None,
) -> _Rescoring:
    """Replay these steps with the new actions of one deal. A later deal whose recorded actions the
    rules now refuse does not count."""
    table = _before_steps(steps)
    new_facts: dict[int, events.UndoableEvents] = {}
    broken_deals: list[int] = []
    for step in steps:
        match step.events[0]:
            case events.Reseated() as reseated:
                table = evolve(table, reseated)
            case events.DealOpened(number=number) as opening:  # the whole deal is replayed here
                new_facts[number] = ()
                if number != deal:
                    recorded_actions = _recorded_actions(old_facts[number])
                    try:
                        table, new_facts[number] = _replay_deal(table, opening, recorded_actions)
                    except errors.RuleViolation:
                        broken_deals.append(number)
                elif actions is not None:
                    table, new_facts[number] = _replay_deal(table, opening, actions)
                    if table.deal_is_open:
                        raise errors.DealNotClosed(deal=deal)
                if not new_facts[number]:
                    table = _use_up_number(table, number)
    return _Rescoring(table, new_facts, broken_deals)


def _recorded_actions(facts: events.UndoableEvents) -> list[commands.Command]:
    """Return the commands that recorded a deal, without its opening."""
    _, *actions = (command_of(fact) for fact in facts if isinstance(fact, events.InputEvent))
    return actions


def _next_dealer(table: TableState[S], steps: Sequence[UndoStep], rescoring: _Rescoring) -> Player:
    """Return who deals after the correction.

    - The last deal no longer counts: as after a misdeal of it (docs/rules.md A-PP-16). If several
      at the end do not, as after a misdeal of the first of them.
    - The deals name the same player as before: nothing changes. Ada has dealt 1, which named Bo;
      Bo's deal 2 was a misdeal, and Cilla is to deal. If deal 1 is corrected, she still is.
    - They name another player: that one.
    """
    rescored_table, voided_dealer = rescoring.table, _dealer_of_voided_end(steps, rescoring.facts)
    if voided_dealer in rescored_table.seats:
        policy = table.game_state.options.misdeal_policy
        return dealer_after_misdeal(policy, voided_dealer, rescored_table.seats)
    return (
        table.dealer if rescored_table.dealer == _dealer_named_by(steps) else rescored_table.dealer
    )


def _dealer_of_voided_end(
    steps: Sequence[UndoStep], facts: Mapping[int, events.UndoableEvents]
) -> Player | None:
    """Return who dealt the first of the deals at the end that do not count; None if the last deal
    counts, or a reseating has named a dealer since."""
    dealer = None
    for step in reversed(steps):
        if step.deal is None or facts[step.deal]:
            break
        if isinstance(step.events[0], events.DealOpened):
            dealer = step.events[0].dealer
    return dealer


def _before_steps(steps: Sequence[UndoStep]) -> TableState[Any]:
    """Return the table before these steps, without the turns that misdeals have passed on: only the
    deals are replayed from there."""
    return replace(steps[0].state_before, passed_turns=())


def _dealer_named_by(steps: Sequence[UndoStep]) -> Player | None:
    """Return who was to deal after these steps; deals voided since are not among them."""
    for fact in (fact for step in reversed(steps) for fact in reversed(step.events)):
        match fact:
            case events.DealClosed(next_dealer=dealer) | events.Reseated(dealer=dealer):
                return dealer
    return None


def _replay_deal(
    table: TableState[S], opened: events.DealOpened, actions: Sequence[commands.Command]
) -> tuple[TableState[S], events.UndoableEvents]:
    """Replay a deal with its dealer and seats and these actions; return the table and the events.
    The credit limit is checked only when a deal is first opened, not here. So only a later deal can
    be refused its opening: the corrected one was opened on this very table."""
    facts = table.game.open_deal(table.game_state, opened, MAX_AMOUNT)
    table = evolve_many(table, facts)
    for place, command in enumerate(actions):
        try:
            decided = session.decide(table, command, lambda player: MAX_AMOUNT)
        except errors.RuleViolation as refused:
            refused.operands["action"] = place
            raise
        table = evolve_many(table, decided)
        facts += decided
    assert events.are_deal_events(facts)
    return table, tuple(facts)


def _use_up_number(table: TableState[S], number: int) -> TableState[S]:
    """Return the table after a deal that does not count; its number is not used again."""
    return replace(table, highest_voided=max(table.highest_voided, number))


def apply_correction(table: TableState[S], fact: events.DealCorrected) -> TableState[S]:
    """Return the table after a correction, replayed from the events of each deal."""
    steps = steps_since(table, fact.deal)
    facts = {
        **events_by_deal(steps),
        **{rescored.deal: rescored.facts for rescored in fact.rescored},
    }
    rescored_table = _before_steps(steps)
    for step in steps:
        match step.events[0]:
            case events.Reseated() as reseated:
                rescored_table = evolve(rescored_table, reseated)
            case events.DealOpened(number=number):  # the whole deal is replayed here
                deal_facts = facts[number]
                rescored_table = (
                    _evolve_deal(rescored_table, deal_facts)
                    if deal_facts
                    else _use_up_number(rescored_table, number)
                )
    rescored_table = replace(
        rescored_table,
        players=table.players,
        highest_voided=max(rescored_table.highest_voided, table.highest_voided),
        passed_turns=table.passed_turns
        if rescored_table.deals_counted == table.deals_counted
        else (),
        correction=CorrectionStep(
            state_before=table,
            deal=fact.deal,
            voids_deal=not facts[fact.deal],
            leaves_deal_open=rescored_table.deal_is_open,
        ),
    )
    return (
        rescored_table
        if rescored_table.deal_is_open
        else replace(rescored_table, dealer=fact.next_dealer)
    )


def _evolve_deal(table: TableState[S], facts: events.UndoableEvents) -> TableState[S]:
    """Return the table after these facts of one deal; a merge may have followed its end."""
    ends = (place for place, fact in enumerate(facts, 1) if isinstance(fact, events.DealClosed))
    end = next(ends, len(facts))
    return evolve_many(evolve_many(table, facts[:end]), facts[end:])
