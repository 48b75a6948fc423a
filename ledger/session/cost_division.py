"""Divide a shared cost among those who bear it. No other module computes shares.

Source: docs/rules.md §10.2.
"""

from collections.abc import Mapping

from engine.values import Amount, Player
from ledger.events.event_types import CostShare


def divide_cost(amount: Amount, parts: Mapping[Player, int], number: int) -> tuple[CostShare, ...]:
    """Return the share of each player with parts, in whole units and in the order of `parts`.

    The units that the division leaves over go one each to the largest remainders. Among equal ones
    the first turn goes round from cost to cost: cost 1 begins with the first player of those who
    bear it, cost 2 with the second. Raise ValueError without any parts.
    """
    sharers = [player for player, count in parts.items() if count > 0]
    if not sharers:
        raise ValueError("a cost needs a player to bear it")
    total = sum(parts[player] for player in sharers)
    quotas = {player: divmod(amount * parts[player], total) for player in sharers}
    first = (number - 1) % len(sharers)
    in_turn = sharers[first:] + sharers[:first]
    by_remainder = sorted(in_turn, key=lambda player: -quotas[player][1])  # keeps equal ones so
    units_left = amount - sum(quotient for quotient, _ in quotas.values())
    rounded_up = frozenset(by_remainder[:units_left])
    return tuple(
        CostShare(
            player=player, parts=parts[player], amount=quotas[player][0] + (player in rounded_up)
        )
        for player in sharers
    )
