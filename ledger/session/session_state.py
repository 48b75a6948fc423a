"""The folded session: the state of one session after the events of its stream.

Immutable, so that a folded state can be cached, shared and identified by its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.games.game import Game
from engine.games.registry import GAMES
from engine.scoring.bet_stack import Bets
from engine.scoring.score_sheet import ScoreSheet
from engine.session import correction
from engine.session import session as table_session
from engine.session.fold import evolve, evolve_in_deal
from engine.session.table_state import TableState
from engine.values import Amount, Player
from ledger.events import event_types
from ledger.events import hash_chain as chain
from ledger.events.recorded_event import RecordedEvent, UnreadableEvent
from ledger.projections import balances, bets, costs, deals, journal, la_vola_payments, scores
from ledger.projections.balances import NO_BALANCES, Balances
from ledger.projections.costs import NO_COSTS, Costs
from ledger.projections.journal import JournalLine
from ledger.projections.la_vola_payments import NO_PAYMENTS, Payments
from ledger.projections.postings import (
    NON_POSTING_EVENTS,
    POT,
    SHEET,
    Posting,
    account_changes,
    postings_of,
)
from ledger.session.gc_pause import pause_gc


class SessionState(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The state of a session at one version."""

    id: UUID
    version: int = 0
    opened_at: int = 0  # microseconds, UTC
    conflict_version: int = 0  # the last version that is not a settled payment
    hash: bytes = chain.GENESIS_HASH
    at: int = 0
    opened: event_types.SessionOpened | None = None
    brought_forward: e.BroughtForward | None = None  # from an earlier evening
    carried_to: str | None = None  # the evening that goes on where this one ended
    # by transfers outside the game: what each has paid, less what each was paid
    net_paid: Balances = NO_BALANCES
    net_paid_since_closing: Balances = NO_BALANCES
    costs: Costs = NO_COSTS
    net_costs: Balances = NO_BALANCES  # paid of them, less one's own shares
    options: Any = None
    table_state: TableState[Any] | None = None
    pot: Amount = 0
    bets: Bets = ()
    balances: Balances = NO_BALANCES
    payments: Payments = NO_PAYMENTS
    sheet: ScoreSheet | None = None  # in a game for points
    sheet_balance: Amount = 0  # of the account `sheet`; with the scores it adds up to zero
    deals: deals.Deals | None = None
    effective_lines: journal.EffectiveLines | None = None

    @property
    def opening(self) -> event_types.SessionOpened:
        assert self.opened is not None, "the first event opens the session"
        return self.opened

    @property
    def game(self) -> Game[Any, Any]:
        return GAMES[self.opening.game]

    @property
    def rule_references(self) -> Mapping[str, str]:
        """The paragraph of docs/rules.md behind each explanation, by the agreed options."""
        return self.game.rule_references(self.options)

    @property
    def table(self) -> TableState[Any]:
        assert self.table_state is not None, "the first event opens the session"
        return self.table_state

    @property
    def status(self) -> str:
        return "closed" if self.table.closed else "open"

    def funds(self, player: Player) -> Amount:
        """Return a balance, counting payments that are due as paid."""
        due = la_vola_payments.due_payments(self.payments)
        owed = sum(p.amount * ((p.payee == player) - (p.payer == player)) for p in due)
        return self.balances[player] + owed

    def result(self, player: Player) -> Amount:
        """Return what a player won or lost in this session, counting payments that are due as paid.
        Without what an earlier session left open, payments outside the game and shared costs."""
        before = self.brought_forward.balances.get(player, 0) if self.brought_forward else 0
        outside = self.net_paid.get(player, 0) + self.net_costs.get(player, 0)
        return self.funds(player) - before - outside

    @property
    def can_reopen(self) -> bool:
        """Whether the closing can be taken back."""
        return self.table.closed and not (
            self.carried_to or any(self.net_paid_since_closing.values())
        )

    @property
    def is_for_money(self) -> bool:
        """Whether money changes hands; in a game for points only with a `point_value`."""
        return self.game.scoring is None or getattr(self.options, "point_value", None) is not None


TABLE_ONLY_EVENTS = (
    (e.UNDOABLE_EVENTS & NON_POSTING_EVENTS)
    - bets.BET_EVENTS
    - la_vola_payments.PAYMENT_EVENTS
    - scores.SCORE_EVENTS
)
"""Events that change only the table and the deal, no amount: three of five."""

REPLAYING_EVENTS = {e.DealCorrected, e.CorrectionUndone, e.SessionReopened}
"""Events after which the stack of bets is built again from the deals."""

SessionEvent = (
    event_types.SessionOpened | event_types.TransferRecorded | event_types.CarriedForward
    | event_types.CostRecorded | event_types.CostVoided | e.BroughtForward | e.EveningClosed
)  # fmt: skip
"""Events that set fields of the session."""


def apply_event(
    session: SessionState, recorded: RecordedEvent
) -> tuple[SessionState, list[JournalLine]]:
    """Return the session after one more event, and the journal lines to write."""
    return apply_events(session, (recorded,))


def apply_events(
    session: SessionState, history: Iterable[RecordedEvent], *, with_table: bool = True
) -> tuple[SessionState, list[JournalLine]]:
    """Return the session after more events, and the journal lines to write. `with_table=False`
    leaves out the engine's table, which no posting depends on; then `history` may be without
    TABLE_ONLY_EVENTS. Raise UnreadableEvent for a game or an option of a newer version."""
    table_state = session.table_state
    lines: list[JournalLine] = []
    runs = [*deals.group_by_deal(history)]
    for run in runs:
        event = run[0].event
        if type(event) not in e.DEAL_EVENTS and isinstance(event, SessionEvent):
            session = _apply_session_event(session, run[0], event)
        session, more_lines = _book_events(session, run, is_complete=with_table)
        lines += more_lines
    if with_table:
        for run in runs:  # a loop of its own is faster: the processor's caches hold its code
            table_state = _evolve_table(table_state, run)
        session = replace(session, table_state=table_state)
    return session, lines


def _evolve_table(
    table_state: TableState[Any] | None, run: Sequence[RecordedEvent]
) -> TableState[Any]:
    """Return the engine's table after these events; there is none before the session opens."""
    facts = [recorded.event for recorded in run]
    event = facts[0]
    if isinstance(event, event_types.SessionOpened):
        return table_session.begin(
            GAMES[event.game], _convert_options(event), event.players, event.first_dealer
        )
    assert table_state is not None, "the first event opens the session"
    if e.are_deal_events(facts):
        return evolve_in_deal(table_state, facts)
    match event:
        case event_types.PlayerJoined(player=player):
            return table_session.add_player(table_state, player)
        case (
            event_types.PaymentSettled()
            | event_types.TransferRecorded()
            | event_types.CarriedForward()
            | event_types.CostRecorded()
            | event_types.CostVoided()
        ):
            return table_state
        case e.DealCorrected():
            return correction.apply_correction(table_state, event)
        case _:
            return evolve(table_state, event)


def _book_events(
    session: SessionState, run: Sequence[RecordedEvent], *, is_complete: bool
) -> tuple[SessionState, list[JournalLine]]:
    """Return the session after these events, but for its table, and their journal lines, checking
    every version. Unless `is_complete`, TABLE_ONLY_EVENTS may be missing."""
    effective_lines = session.effective_lines
    lines: list[JournalLine] = []
    all_bets, all_payments = session.bets, session.payments
    postings: list[Posting] = []
    sheet = session.sheet
    if type(run[0].event) in e.DEAL_EVENTS:
        deal_chain = deals.add_facts(session.deals, run)
    else:
        deal_chain = deals.apply(session.deals, run[0])
    last = run[-1]
    if is_complete:
        assert last.version == session.version + len(run), "a stream has no holes"
    for recorded in run:
        event_class = type(recorded.event)
        if event_class in TABLE_ONLY_EVENTS:
            continue
        event_postings = postings_of(recorded.event)
        effective_lines, more_lines = journal.apply(effective_lines, recorded, event_postings)
        lines += more_lines
        postings += event_postings
        if event_class in bets.BET_EVENTS:
            all_bets = bets.apply(all_bets, recorded)
        elif event_class in REPLAYING_EVENTS:
            all_bets = bets.replay_bets(session.brought_forward, deal_chain)
        if event_class in la_vola_payments.PAYMENT_EVENTS:
            all_payments = la_vola_payments.apply(all_payments, recorded)
        if event_class in scores.SCORE_EVENTS:
            sheet = scores.apply(sheet, recorded)
    changes = account_changes(postings)
    pot_amount = session.pot + changes.get(POT, 0)
    player_balances = balances.apply(session.balances, run[0].event, changes)
    sheet_balance = session.sheet_balance + changes.get(SHEET, 0)
    assert balances.is_balanced(player_balances, pot_amount, all_bets, sheet, sheet_balance), (
        f"version {last.version} does not add up"
    )
    is_settlement = type(last.event) is event_types.PaymentSettled
    session = replace(
        session,
        version=last.version,
        conflict_version=session.conflict_version if is_settlement else last.version,
        hash=last.hash,
        at=last.at,
        pot=pot_amount,
        bets=all_bets,
        balances=player_balances,
        payments=all_payments,
        sheet=sheet,
        sheet_balance=sheet_balance,
        deals=deal_chain,
        effective_lines=effective_lines,
    )
    return session, lines


def _apply_session_event(
    session: SessionState, recorded: RecordedEvent, event: SessionEvent
) -> SessionState:
    match event:
        case event_types.SessionOpened(game=key, players=players):
            try:
                game, options = GAMES[key], _convert_options(event)
            except (KeyError, msgspec.ValidationError):  # a game, or an option, of a newer version
                raise UnreadableEvent(session.id, recorded.version, recorded.type) from None
            sheet = game.scoring.new_sheet(options, players) if game.scoring else None
            assert event.start == (sheet.scores if sheet else {}), "it begins as the game says"
            return replace(
                session, opened_at=recorded.at, opened=event, options=options, sheet=sheet
            )
        case event_types.TransferRecorded():
            return replace(
                session,
                net_paid=balances.add_transfer(session.net_paid, event),
                net_paid_since_closing=balances.add_transfer(session.net_paid_since_closing, event),
            )
        case event_types.CostRecorded() | event_types.CostVoided():
            return replace(
                session,
                costs=costs.apply(session.costs, recorded),
                net_costs=balances.add_cost(session.net_costs, postings_of(event)),
            )
        case event_types.CarriedForward(to=other):
            return replace(session, carried_to=other)
        case e.BroughtForward():
            return replace(session, brought_forward=event)
        case e.EveningClosed():
            return replace(session, net_paid_since_closing=NO_BALANCES)
    assert_never(event)


def _convert_options(opened: event_types.SessionOpened) -> Any:
    return msgspec.convert(opened.options, GAMES[opened.game].options_type)


def fold(session: SessionState, history: Iterable[RecordedEvent]) -> SessionState:
    """Return the session after more events. Raise UnreadableEvent as for `apply_events`."""
    with pause_gc():
        return apply_events(session, history)[0]
