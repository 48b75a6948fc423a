"""Command handlers for the shared costs of a session: record one, correct it, void it.

Source: docs/rules.md §10.
"""

from collections.abc import Mapping

from engine import errors
from engine.values import Amount, Player
from ledger.events.event_types import CostRecorded, CostVoided, LedgerEvent
from ledger.session.command_handlers import PlayedForPoints
from ledger.session.cost_division import divide_cost
from ledger.session.session_state import SessionState


class CostNotShared(errors.RuleViolation):
    """Nobody shares this cost but the player who paid it."""


class CostDoesNotCount(errors.RuleViolation):
    """Cost {cost} does not count."""


def record_cost(
    session: SessionState,
    payer: Player,
    amount: Amount,
    parts: Mapping[Player, int] | None = None,
    number: int | None = None,
) -> tuple[LedgerEvent, ...]:
    """Record what `payer` paid for those with parts; without `parts` everybody bears one each.

    `number` is that of a voided cost, which is recorded anew. Raise PlayedForPoints, SessionClosed,
    NoSuchPlayer, CostNotShared.
    """
    if not session.is_for_money:
        raise PlayedForPoints
    if session.table.closed:
        raise errors.SessionClosed
    players = session.table.players
    counts = dict.fromkeys(players, 1) if parts is None else parts
    for player in (payer, *counts):
        if player not in players:
            raise errors.NoSuchPlayer(player=player)
    in_order = {player: counts[player] for player in players if counts.get(player)}
    if not in_order.keys() - {payer}:
        raise CostNotShared
    number = number or len(session.costs) + 1
    shares = divide_cost(amount, in_order, number)
    return (CostRecorded(cost=number, payer=payer, amount=amount, shares=shares),)


def void_cost(session: SessionState, number: int) -> tuple[LedgerEvent, ...]:
    """Take a cost back: it never counted. Raise SessionClosed, CostDoesNotCount."""
    if session.table.closed:
        raise errors.SessionClosed
    cost = session.costs.get(number)
    if cost is None or cost.voided:
        raise CostDoesNotCount(cost=number)
    return (CostVoided(cost=number, recorded_version=cost.version, took_back=(cost.fact,)),)


def correct_cost(
    session: SessionState,
    number: int,
    payer: Player,
    amount: Amount,
    parts: Mapping[Player, int] | None = None,
) -> tuple[LedgerEvent, ...]:
    """Record a cost anew under its number, whether it counts or was voided. Raise CostDoesNotCount
    when there is none, and what `record_cost` raises."""
    cost = session.costs.get(number)
    if cost is None:
        raise CostDoesNotCount(cost=number)
    recorded = record_cost(session, payer, amount, parts, number)
    return recorded if cost.voided else (*void_cost(session, number), *recorded)
