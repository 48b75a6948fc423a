"""Command handlers: from a command and a folded session to the events to append.

Pure functions; the event store appends what they return.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from engine import commands as c
from engine import errors
from engine import events as e
from engine.games.game import Game
from engine.session import correction, fold
from engine.session import session as table_session
from engine.session.table_state import TableState
from engine.values import Amount, Player, Seats
from ledger.events import event_types
from ledger.events.event_types import LedgerEvent, PaymentMethod
from ledger.projections.deals import find_deal
from ledger.projections.postings import account_changes, postings_of
from ledger.session.session_state import SessionState

MAX_PLAYERS = 16
"""The most players of a session; up to here the payment plan is exact."""


class SamePlayer(errors.RuleViolation):
    """Nobody pays himself."""


class PlayedForPoints(errors.RuleViolation):
    """This evening is played for points alone; no money is paid in it."""


class AlreadyCarriedForward(errors.RuleViolation):
    """What this evening left open has been carried forward, and is settled there ({to})."""


class PaidSinceClosing(errors.RuleViolation):
    """Somebody has paid since the evening was closed; take the payment back first."""


def open_session(
    game: Game[Any, Any],
    options: Any,
    *,
    currency: str,
    players: Seats,
    names: tuple[str, ...],
    first_dealer: Player,
) -> event_types.SessionOpened:
    """Return the event that opens a session; `names` are commitments."""
    sheet = game.scoring.new_sheet(options, players) if game.scoring else None
    return event_types.SessionOpened(
        game=game.key,
        options=msgspec.to_builtins(options),
        currency=currency,
        players=players,
        names=names,
        first_dealer=first_dealer,
        start=dict(sheet.scores) if sheet else {},
    )


def record_actions(session: SessionState, commands: Sequence[c.Command]) -> tuple[LedgerEvent, ...]:
    """Return the events of the commands in order. The first RuleViolation refuses all of them; its
    `operands["action"]` is the index of the command."""
    table = session.table
    balance_changes: Counter[Player] = Counter()

    def funds(player: Player) -> Amount:
        return session.funds(player) + balance_changes[player]

    facts: list[LedgerEvent] = []
    decided: e.Events = ()  # by the action before
    for place, command in enumerate(commands):
        table = fold.evolve_many(table, decided)
        for fact in decided:
            _add_fact(balance_changes, fact)
        try:
            decided = table_session.decide(table, command, funds)
        except errors.RuleViolation as refused:
            refusal = _without_missing_deal(session, table, refused)
            refusal.operands["action"] = place
            raise refusal from None
        facts += decided
    return tuple(facts)


def _without_missing_deal(
    session: SessionState, table: TableState[Any], refused: errors.RuleViolation
) -> errors.RuleViolation:
    """Return the refusal without naming a deal that the response could not show. DealTaken shows
    the deal that has the number. One that was undone below a misdeal, or opened by the same batch,
    cannot be shown."""
    if not isinstance(refused, errors.DealTaken):
        return refused
    number = refused.operands["number"]
    if find_deal(session.deals, number):
        return refused
    if table.deal_is_open and table.deal_number == number:
        return errors.DealIsOpen(deal=number)
    return errors.DealNotNext(deal=number, next=table.next_number)


def _add_fact(balance_changes: Counter[Player], fact: e.Event) -> None:
    """Add to `balance_changes` what a fact does to the players, counting la vola as paid."""
    for account, change in account_changes(postings_of(fact)).items():
        kind, _, player = account.partition(":")
        if kind == "player":
            balance_changes[player] += change
    signed_facts: list[tuple[e.Event, int]] = [(fact, 1)]
    match fact:
        case e.ActionUndone(took_back=facts):
            signed_facts = [(f, -1) for f in facts]
        case e.CorrectionUndone(rescored=rescored):
            signed_facts = [(f, -1) for deal in rescored for f in deal.was]
            signed_facts += [(f, 1) for deal in rescored for f in deal.facts]
    for vola, sign in signed_facts:
        if isinstance(vola, e.LaVolaWon):
            balance_changes[vola.player] += sign * vola.amount * len(vola.payers)
            for payer in vola.payers:
                balance_changes[payer] -= sign * vola.amount


def void_open_deal(session: SessionState, number: int) -> tuple[LedgerEvent, ...]:
    """Void the open deal: it never counted. Raise SessionClosed, NoOpenDeal, DealNotOpen."""
    return (table_session.void_open_deal(session.table, number),)


def correct_deal(
    session: SessionState,
    deal: int,
    actions: Sequence[c.Command] | None,
    broken_deals: correction.BrokenDealsPolicy,
) -> tuple[LedgerEvent, ...]:
    """Correct a closed deal; with None for `actions` it never counted. Errors as of
    `correction.correct`."""
    return (correction.correct(session.table, deal, actions, broken_deals),)


def close_session(
    session: SessionState, policy: e.LeftoverPolicy | None
) -> tuple[LedgerEvent, ...]:
    """Close the session and distribute the leftovers by `policy`, or by the agreed one.
    Raise SessionClosed, DealIsOpen, LeftoversToPlayFor."""
    return table_session.close(session.table, policy)


def reopen_session(session: SessionState) -> tuple[LedgerEvent, ...]:
    """Take the closing back, unless someone has acted on its result. Raise SessionNotClosed,
    AlreadyCarriedForward, PaidSinceClosing."""
    reopened = table_session.reopen(session.table)
    if session.carried_to:
        raise AlreadyCarriedForward(to=session.carried_to)
    if any(session.net_paid_since_closing.values()):
        raise PaidSinceClosing
    return (reopened,)


def next_player_id(session: SessionState) -> Player:
    """Return the id of the next player to join. Raise SessionClosed, RosterIsFixed,
    WrongNumberOfPlayers."""
    if session.table.closed:
        raise errors.SessionClosed
    if session.game.scoring:
        raise errors.RosterIsFixed
    count = len(session.table.players) + 1
    check_most_players(session.game, count)
    return f"p{count}"


def check_most_players(game: Game[Any, Any], count: int) -> None:
    """Refuse more players than a session has room for. Raise WrongNumberOfPlayers."""
    if count > MAX_PLAYERS:
        fewest = game.player_counts[0]
        raise errors.WrongNumberOfPlayers(count=count, least=fewest, most=MAX_PLAYERS)


def join_player(player: Player, commitment: str) -> tuple[LedgerEvent, ...]:
    """Record a new player under the id that `next_player_id` returned."""
    return (event_types.PlayerJoined(player=player, name=commitment),)


def record_transfer(
    session: SessionState,
    payer: Player,
    payee: Player,
    amount: Amount,
    method: PaymentMethod | None,
) -> tuple[LedgerEvent, ...]:
    """Record a payment outside the game; allowed in a closed session, when people settle up.
    Raise PlayedForPoints, AlreadyCarriedForward, NoSuchPlayer, SamePlayer."""
    if not session.is_for_money:
        raise PlayedForPoints
    if session.carried_to:
        raise AlreadyCarriedForward(to=session.carried_to)
    for player in (payer, payee):
        if player not in session.table.players:
            raise errors.NoSuchPlayer(player=player)
    if payer == payee:
        raise SamePlayer
    return (event_types.TransferRecorded(payer=payer, payee=payee, amount=amount, method=method),)
