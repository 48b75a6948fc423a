"""Check of the rules: every action is decided again, and must give the events that were stored.

This finds, for instance, a bet that nobody had to lay, although all sums are right. What is carried
forward from another session is left to `check_carry_forward`.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.errors import SessionClosed
from engine.games.registry import GAMES
from engine.session import undo
from engine.session.event_to_command import command_of
from engine.tricks.deal import LastDeal
from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.events import event_types
from ledger.events.event_types import LedgerEvent
from ledger.projections.la_vola_payments import due_payments
from ledger.session import command_handlers, cost_commands
from ledger.session.session_state import SessionState, apply_event
from ledger.store.connection_pool import Connection
from ledger.store.read_stream import read_stream


def check_rules(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield a finding about the first event that the rules do not give; later ones depend on it.

    The events must be known to fold (`check_projections`). Raise OutOfTime."""
    history = list(read_stream(db, session_id, 0, stream.version))
    session, position = SessionState(id=session_id), 0
    while position < len(history):
        stream.check_time(history[position].version)
        end = position + most_consequences(session)
        events_from_here = [recorded.event for recorded in history[position:end]]
        try:
            expected = decide_again(session, events_from_here)
        except Exception as refused:  # a forged event may break anything
            detail = f"The rules refuse it: {str(refused) or refused.__doc__}"
            yield Finding("decision_differs", detail, history[position].version)
            return
        for event, recorded in zip(
            expected, history[position : position + len(expected)], strict=False
        ):
            if recorded.event != event:
                detail = f"By the rules it would have been: {msgspec.json.encode(event).decode()}"
                yield Finding("decision_differs", detail, recorded.version)
                return
            session, _ = apply_event(session, recorded)
        position += len(expected)
    if position > len(history):
        detail = f"By the rules {position - len(history)} more would have followed."
        yield Finding("decision_differs", detail, stream.version)


def most_consequences(session: SessionState) -> int:
    """Return a number of events that no action, nor the closing of this session, can exceed."""
    return 200 + 2 * len(session.bets)  # a closing may collect each bet and then share it


class DoesNotFollow(Exception):
    """No action starts with this event."""


def decide_again(session: SessionState, events: Sequence[LedgerEvent]) -> tuple[LedgerEvent, ...]:
    """Return the events that the rules give for the action behind the first of these events. Raises
    RuleViolation and DoesNotFollow."""
    match events[0]:
        case event_types.SessionOpened() as opened:
            return (_decide_opening(opened),)
        case event_types.PlayerJoined(name=commitment):
            return command_handlers.join_player(
                command_handlers.next_player_id(session), commitment
            )
        case event_types.TransferRecorded() as transfer:
            payer, payee = transfer.payer, transfer.payee
            return command_handlers.record_transfer(
                session, payer, payee, transfer.amount, transfer.method
            )
        case event_types.CostRecorded() as cost:
            return _decide_cost(session, cost)
        case event_types.CostVoided(cost=number):
            return cost_commands.void_cost(session, number)
        case event_types.PaymentSettled(payment=payment):
            due = {p.id: p.settlement for p in due_payments(session.payments)}
            return (due[payment],) if payment in due else _refuse()
        case event_types.CarriedForward() | e.BroughtForward() as carried:
            return (carried,)
        case e.InputEvent() as input_event:
            return command_handlers.record_actions(session, [command_of(input_event)])
        case e.ActionUndone() as undone:
            return _decide_undo(session, undone)
        case e.CorrectionUndone():
            return command_handlers.record_actions(session, [c.Undo()])
        case e.DealVoided(deal=deal):
            return command_handlers.void_open_deal(session, deal)
        case e.SessionReopened():
            return command_handlers.reopen_session(session)
        case e.DealCorrected() as corrected:
            return _decide_correction(session, corrected)
    policy = next((event.policy for event in events if isinstance(event, e.EveningClosed)), None)
    return _decide_closing(session, policy, events) if policy else _refuse()


def _decide_opening(opened: event_types.SessionOpened) -> LedgerEvent:
    """Decide an opening. Its event does not have the options that the game got later: the session
    has their defaults, and that is no forgery."""
    game = GAMES[opened.game]
    expected = command_handlers.open_session(
        game,
        msgspec.convert(opened.options, game.options_type),
        currency=opened.currency,
        players=opened.players,
        names=opened.names,
        first_dealer=opened.first_dealer,
    )
    options = {name: x for name, x in expected.options.items() if name in opened.options}
    return replace(expected, options=options)


def _decide_closing(
    session: SessionState, policy: e.LeftoverPolicy, events: Sequence[LedgerEvent]
) -> tuple[LedgerEvent, ...]:
    """Decide the closing. Until 2026-11-22 a session with brought leftovers that closed before any
    deal shared them differently (docs/decisions.md); that is no forgery."""
    expected = command_handlers.close_session(session, policy)
    if (
        session.brought_forward is None
        or session.table.last_deal
        or tuple(events[: len(expected)]) == expected
    ):
        return expected
    opened = session.opening
    first_deal = LastDeal(dealer=opened.first_dealer, seats=opened.players)
    with_first_deal = replace(session, table_state=replace(session.table, last_deal=first_deal))
    earlier_closing = command_handlers.close_session(with_first_deal, policy)
    is_earlier = tuple(events[: len(earlier_closing)]) == earlier_closing
    return earlier_closing if is_earlier else expected


def _decide_cost(
    session: SessionState, recorded: event_types.CostRecorded
) -> tuple[LedgerEvent, ...]:
    """Divide a cost again. Its number is the next one, or that of a cost that was voided."""
    earlier = session.costs.get(recorded.cost)
    number = recorded.cost if earlier and earlier.voided else None
    parts = {share.player: share.parts for share in recorded.shares}
    return cost_commands.record_cost(session, recorded.payer, recorded.amount, parts, number)


def _decide_undo(session: SessionState, undone: e.ActionUndone) -> tuple[LedgerEvent, ...]:
    """Decide an undo. Until 2026-11-23 it undid the last action also after a correction, and its
    event did not mention turns passed by misdeals (docs/decisions.md); that is no forgery."""
    if session.table.closed:
        raise SessionClosed
    expected = undo.undo_last_action(session.table)
    if undone.past_misdeals:
        return (expected,)
    return (replace(expected, past_misdeals=False),)


def _decide_correction(
    session: SessionState, corrected: e.DealCorrected
) -> tuple[LedgerEvent, ...]:
    """Decide a correction from the facts it gives; it voids later deals that became impossible."""
    if not corrected.rescored:  # the same as before
        return (replace(corrected, next_dealer=session.table.dealer),)
    deal = corrected.deal
    facts = next((rescored.facts for rescored in corrected.rescored if rescored.deal == deal), ())
    commands = [command_of(fact) for fact in facts if isinstance(fact, e.InputEvent)]
    return command_handlers.correct_deal(session, deal, commands[1:] if facts else None, "void")


def _refuse() -> tuple[LedgerEvent, ...]:
    raise DoesNotFollow
