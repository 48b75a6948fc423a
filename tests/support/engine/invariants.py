"""Invariants of every session of every game, for any options and any actions.

Each function checks a session in a book, and does not change it. None of them depends on the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from random import Random
from typing import Any

from msgspec.structs import fields, replace

from api.representations.session import session_view
from engine import commands as c
from engine import events as e
from engine.errors import AmountTooLarge, NothingToUndo, RuleViolation
from engine.session import correction
from engine.session import session as sessions
from engine.session.event_to_command import command_of
from engine.session.fold import evolve
from engine.session.legal import legal_actions
from engine.session.revokes import find_revokes
from engine.session.table_state import TableState, UndoStep
from ledger.events import codec
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import record_events
from ledger.projections.deals import newest_first
from ledger.session import command_handlers as handling
from ledger.session.session_state import SessionState, apply_events, fold
from tests.support.engine.given_when_then import without_history
from tests.support.engine.nonsense_commands import make_nonsense
from tests.support.engine.random_player import covers, every_edge
from tests.support.ledger.memory_store import ID, Book

POLICIES: tuple[e.LeftoverPolicy, ...] = ("carry", "refund_bets", "split_equal", "play_on")


def decide(book: Book, command: c.Command) -> tuple[e.Event, ...]:
    at = book.session
    return sessions.decide(at.table, command, at.funds)


def check_play_can_go_on(book: Book) -> None:
    """Check that an action other than undo is possible, until the game is won or the session
    closed."""
    at, kinds = book.session, {action.type for action in book.legal}
    won = at.sheet is not None and bool(at.sheet.winners)
    if at.table.closed:
        assert kinds == set()
    elif won and not at.table.deal_is_open:
        assert kinds == {"undo"}
    elif not kinds - {"undo"}:
        try:  # only a pot too large to be kept exactly ends the session
            decide(book, c.OpenDeal())
        except AmountTooLarge:
            pass
        else:
            raise AssertionError("no action is possible")
    assert ("undo" in kinds) == (at.table.last_step is not None and not at.table.closed)


def check_listed_are_accepted(book: Book, die: Random) -> int:
    tried = 0
    for action in book.legal:
        for command in every_edge(action, die):
            assert decide(book, command), command
            tried += 1
    return tried


def check_accepted_are_listed(book: Book, die: Random, times: int) -> int:
    """Check also that a rule refuses everything else. Return the number of refusals."""
    legal, people, refused = book.legal, book.session.table.players, 0
    for _ in range(times):
        command = make_nonsense(people, die)
        try:
            decide(book, command)
        except RuleViolation:
            accepted = False
            refused += 1
        else:
            accepted = True
        # the list has reseatings by one person only; any other order is accepted as well
        if not isinstance(command, c.Reseat):
            assert accepted == covers(legal, command), (command, accepted)
    return refused


def check_undo(book: Book, command: c.Command) -> None:
    """Check that undo restores exactly the table and the legal actions before the command."""
    at = book.session
    before = at.table
    after = reduce(evolve, decide(book, command), before)
    if isinstance(command, c.Undo):
        return
    undo_events = sessions.decide(after, c.Undo(), at.funds)
    undone = reduce(evolve, undo_events, after)
    assert without_history(undone) == without_history(before)
    assert undone.last_step is before.last_step
    assert legal_actions(undone, at.funds) == book.legal


def table_and_money(session: SessionState) -> tuple[Any, ...]:
    """Return all that is true of the table and of the money; what is due counts as paid."""
    funds = {p: session.funds(p) for p in session.table.players if session.funds(p)}
    return without_history(session.table), session.pot, session.bets, session.sheet, funds


def check_misdeal(book: Book, before: SessionState) -> None:
    """Check that a misdeal restores all but the number; `before` is the session before the deal."""
    at = book.session
    after = append(at, handling.void_open_deal(at, at.table.deal_number))
    assert after.table.next_number == at.table.deal_number + 1
    same_dealer = at.options.misdeal_policy == "same_dealer"
    seats, dealer = at.table.seats, at.table.dealer
    follows = dealer if same_dealer else seats[(seats.index(dealer) + 1) % len(seats)]
    assert after.table.dealer == follows
    (table, *money), (was, *had) = table_and_money(after), table_and_money(before)
    assert money == had
    assert (table[0], table[1], table[3:]) == (was[0], was[1], was[3:])


def append(session: SessionState, entries: Sequence[LedgerEvent]) -> SessionState:
    """Return the session after these entries; the session itself asserts that all adds up."""
    recorded = record_events(
        ID,
        entries,
        version=session.version,
        previous_hash=session.hash,
        at=session.at + 1,
        by="host.0",
    )
    return fold(session, recorded)


def check_closing(book: Book) -> None:
    """Check that each policy closes the session or is refused, and that it shares equally."""
    at = book.session
    if at.table.deal_is_open:
        try:
            handling.close_session(at, None)
        except RuleViolation:
            return
        raise AssertionError("the session closed with an open deal")
    left = at.pot + sum(bet.amount for bet in at.bets)
    for policy in (*POLICIES, None):
        agreed = policy or at.game.leftover_policy(at.options)
        try:
            facts = handling.close_session(at, policy)
        except RuleViolation:
            assert (agreed, left > 0) == ("play_on", True)
            continue
        assert not (agreed == "play_on" and left)
        after = append(at, facts)
        assert after.status == "closed"
        reopened = append(after, handling.reopen_session(after))
        assert (reopened.pot, reopened.bets, reopened.balances) == (at.pot, at.bets, at.balances)
        assert (reopened.status, reopened.table.game_state) == ("open", at.table.game_state)
        assert legal_actions(after.table, after.funds) == ()
        if agreed in ("refund_bets", "split_equal"):
            assert (after.pot, after.bets, after.table.game_state.pot if left else 0) == (0, (), 0)
        if agreed == "split_equal" and left and at.game.scoring is None:
            seats = at.table.last_deal.seats if at.table.last_deal else at.table.seats
            claims = {p: sum(b.each for b in at.bets if not b.paid and p in b.by) for p in seats}
            got = [after.balances[p] - at.balances[p] + claims[p] for p in seats]
            assert max(got) - min(got) <= 1
            assert sum(got) == left
        for command in (c.OpenDeal(), c.Undo()):
            try:
                handling.record_actions(after, (command,))
            except RuleViolation:
                continue
            raise AssertionError("a closed session accepted an action")


def session_document(session: SessionState) -> bytes:
    """Return the session as clients get it, in one document."""
    return json.dumps(session_view(session, "Fredag", {}), allow_nan=False).encode()


def check_reading_back(book: Book, documents: dict[int, bytes]) -> None:
    """Check that the stored bytes give the same document at each version as `documents`."""
    session = SessionState(id=ID)
    for stored in book.history:
        event = codec.decode(stored.type, stored.schema, stored.data)
        assert event == stored.event
        rerecorded = record_events(
            ID,
            (event,),
            version=session.version,
            previous_hash=session.hash,
            at=stored.at,
            by=stored.by,
        )
        assert list(rerecorded) == [stored]
        session = fold(session, rerecorded)
        if stored.version in documents:
            assert session_document(session) == documents[stored.version]
    assert table_and_money(session) == table_and_money(book.session)


def check_reading_in_two_parts(book: Book, die: Random) -> None:
    """Check that a session read back in two parts, deal by deal, equals the one folded event by
    event, in its documents, fields, deals, tables and undo history."""
    cut = die.randrange(len(book.history))
    session, lines = apply_events(SessionState(id=ID), book.history[:cut])
    session, later_lines = apply_events(session, book.history[cut:])
    assert {(line.version, line.line): line for line in (*lines, *later_lines)} == book.lines
    assert session_document(session) == session_document(book.session)
    for field in fields(session):
        if field.name not in ("table_state", "deals", "effective_lines"):
            assert getattr(session, field.name) == getattr(book.session, field.name), field.name
    deals, stored_deals = newest_first(session.deals), newest_first(book.session.deals)
    assert list(deals) == list(stored_deals)
    assert without_history(session.table) == without_history(book.session.table)
    for step, stored_step in zip(
        undo_steps(session.table), undo_steps(book.session.table), strict=True
    ):
        assert (step.deal, step.events) == (stored_step.deal, stored_step.events)
        assert without_history(step.state_before) == without_history(stored_step.state_before)
    assert correct_first_deal(session) == correct_first_deal(book.session)


def correct_first_deal(session: SessionState) -> e.DealCorrected | type[RuleViolation]:
    """Return the correction in which the first deal never counted, or the type of its refusal."""
    try:
        return correction.correct(session.table, 1, None, broken_deals_policy="void")
    except RuleViolation as refused:
        return type(refused)


def undo_steps(table: TableState[Any]) -> Iterator[UndoStep]:
    """Yield the actions that are not undone, the last one first."""
    while table.last_step is not None:
        yield table.last_step
        table = table.last_step.state_before


def check_repeated_commands(book: Book) -> None:
    """Check that the commands of the recorded events lead to the same events again."""
    at = book.session
    actions = list(undo_steps(at.table))[::-1]
    start = actions[0].state_before if actions else at.table
    table = reduce(sessions.add_player, at.table.players[len(start.players) :], start)
    funds = dict.fromkeys(at.table.players, 0)
    if hasattr(at.options, "credit_limit"):  # a player without credit did not deal
        unlimited = replace(at.options, credit_limit=None)
        table = replace(table, game_state=replace(table.game_state, options=unlimited))
    for step in actions:
        (input_event, *_) = step.events
        assert isinstance(input_event, e.InputEvent)
        command = command_of(input_event)
        if isinstance(input_event, e.DealOpened) and input_event.number > table.next_number:
            # a misdeal has used the number up, and may have passed the deal on
            table = replace(table, highest_voided=input_event.number - 1, dealer=input_event.dealer)
        facts = sessions.decide(table, command, funds.__getitem__)
        assert facts == step.events, command
        table = reduce(evolve, facts, table)
    if at.table.highest_voided >= table.next_number:
        table = replace(table, dealer=at.table.dealer)
    table = replace(table, game_state=replace(table.game_state, options=at.options))
    assert without_history(table) == without_history(at.table)


def check_undo_to_start(book: Book) -> None:
    """Check that undo can be repeated until nothing is left to undo and nobody has won or lost."""
    at = book.session
    while at.table.correction or at.table.last_step:
        at = append(at, handling.record_actions(at, (c.Undo(),)))
    try:
        handling.record_actions(at, (c.Undo(),))
    except NothingToUndo:
        pass
    else:
        raise AssertionError("an undo was accepted with nothing to undo")
    fresh = at.game.initial_state(at.options, at.table.seats)
    assert at.table.game_state == fresh
    assert (at.pot, at.bets) == (0, ())
    assert at.sheet == getattr(fresh, "sheet", None)


def check_no_revoke(book: Book) -> None:
    """Check that no player who followed the rules is accused of a revoke."""
    at = book.session
    deal: list[e.UndoableEvent] = []
    for step in list(undo_steps(at.table))[::-1]:
        if isinstance(step.events[0], e.DealOpened):
            deal = []
        deal += step.events
        if isinstance(step.events[-1], e.DealClosed):
            assert not list(find_revokes(at.game, at.options, deal)), deal
            deal = []
