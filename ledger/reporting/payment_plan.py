"""The payment plan: the fewest transfers that bring every balance to zero.

A group of players whose balances add up to zero can settle with one transfer fewer than it has
players; so the fewest transfers come from the most such groups. They are found by a search over all
subsets (2**n, n at most 17: the most players of a session, and the pot). More balances, which only
a group has over all its evenings, are settled with at most one transfer fewer than there are.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from engine.values import Amount, Player
from ledger.projections.postings import POT, match_amounts
from ledger.session.session_state import SessionState

SettledParties = Literal["both", "payer", "payee", "part"]
"""Which end of a transfer it brings to zero."""

MAX_EXACT_BALANCES = 17


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the plan: who is to pay whom how much."""

    payer: Player
    payee: Player
    amount: Amount


def plan_transfers(session: SessionState, treasurer: Player | None = None) -> tuple[Transfer, ...]:
    """Return the transfers that bring every balance to zero, all by way of `treasurer` if given.

    In a closed session the plan made at its close stands, less what has been paid since.
    """
    owed = balances_and_pot(session)
    if session.carried_to:
        return ()  # settled in the session that goes on from this one
    if treasurer is not None:
        return plan_through_treasurer(owed, treasurer)
    if not session.table.closed:
        return plan_payments(owed)
    paid = session.net_paid_since_closing
    owed_at_close = {player: amount - paid.get(player, 0) for player, amount in owed.items()}
    return plan_payments(owed, earlier_plan=plan_payments(owed_at_close))


def balances_and_pot(session: SessionState) -> dict[Player, Amount]:
    """Return what each player and the pot are owed; adds up to zero."""
    return {**session.balances, POT: -sum(session.balances.values())}


def plan_payments(
    balances: Mapping[Player, Amount], earlier_plan: Sequence[Transfer] = ()
) -> tuple[Transfer, ...]:
    """Return who pays whom how much; the balances must add up to zero.

    The same balances always give the same plan: ties are broken by the order of the players. An
    earlier plan is followed as far as the balances allow, unless another needs fewer transfers, so
    that a player who was to pay Bo is not asked to pay Cilla instead. What has been paid is read
    from the balances alone.
    """
    assert sum(balances.values()) == 0, "money is conserved"
    balances_left = {player: amount for player, amount in balances.items() if amount}
    fewest = _fewest_transfers(tuple(balances_left.items()))
    adapted = _adapt_plan(earlier_plan, balances_left) if earlier_plan else None
    return adapted if adapted is not None and len(adapted) == len(fewest) else fewest


def plan_through_treasurer(
    balances: Mapping[Player, Amount], treasurer: Player
) -> tuple[Transfer, ...]:
    """Return a plan by way of one player: first what is paid in, then what is paid out."""
    assert sum(balances.values()) == 0, "money is conserved"
    other_balances = [(p, a) for p, a in balances.items() if p != treasurer]
    return (
        *(Transfer(payer=p, payee=treasurer, amount=-a) for p, a in other_balances if a < 0),
        *(Transfer(payer=treasurer, payee=p, amount=a) for p, a in other_balances if a > 0),
    )


def settled_parties(transfer: Transfer, balances: Mapping[Player, Amount]) -> SettledParties:
    """Return which end this transfer alone brings to zero; `part` if neither."""
    payer = balances[transfer.payer] == -transfer.amount
    payee = balances[transfer.payee] == transfer.amount
    if payer and payee:
        return "both"
    return "payer" if payer else "payee" if payee else "part"


def _adapt_plan(
    plan: Sequence[Transfer], balances: Mapping[Player, Amount]
) -> tuple[Transfer, ...] | None:
    """Return the plan with the amounts that settle these balances; None if it cannot. Transfers and
    players form a forest, so each transfer has one such amount: a player with a single transfer
    left determines it, and is then done."""
    balances_left, open_lines = dict(balances), list(plan)
    amounts: dict[tuple[Player, Player], Amount] = {}
    while open_lines:
        ends = [player for line in open_lines for player in (line.payer, line.payee)]
        line = next(x for x in open_lines if 1 in (ends.count(x.payer), ends.count(x.payee)))
        single_line_player = line.payer if ends.count(line.payer) == 1 else line.payee
        balance = balances_left.get(single_line_player, 0)
        amount = -balance if single_line_player == line.payer else balance
        if amount < 0:
            return None
        amounts[line.payer, line.payee] = amount
        balances_left[line.payer] = balances_left.get(line.payer, 0) + amount
        balances_left[line.payee] = balances_left.get(line.payee, 0) - amount
        open_lines.remove(line)
    if any(balances_left.values()):
        return None
    lines = ((line, amounts[line.payer, line.payee]) for line in plan)
    return tuple(msgspec.structs.replace(line, amount=amount) for line, amount in lines if amount)


@lru_cache(maxsize=256)  # sixteen people are 65,536 subsets, and phones ask again and again
def _fewest_transfers(balances: tuple[tuple[Player, Amount], ...]) -> tuple[Transfer, ...]:
    balances_left = dict(balances)
    plan: list[Transfer] = []
    # two opposite balances are always a group of their own
    for pair in _opposite_pairs(balances_left):
        plan += _settle_group(pair)
        for player in pair:
            del balances_left[player]
    is_small = len(balances_left) <= MAX_EXACT_BALANCES
    for group in _most_groups(balances_left) if is_small else (balances_left,):
        plan += _settle_group(group)
    return tuple(plan)


def _opposite_pairs(balances: Mapping[Player, Amount]) -> list[dict[Player, Amount]]:
    pairs, free = [], dict(balances)
    for player, amount in balances.items():
        if player not in free:
            continue
        opposite = next((p for p, a in free.items() if a == -amount), None)
        if opposite is not None:
            pairs.append({player: amount, opposite: -amount})
            del free[player], free[opposite]
    return pairs


def _most_groups(balances: Mapping[Player, Amount]) -> list[dict[Player, Amount]]:
    """Split the players into as many groups that add up to zero as possible."""
    players = list(balances)
    full = (1 << len(players)) - 1
    totals, group_counts, last_added = [0] * (full + 1), [0] * (full + 1), [0] * (full + 1)
    for subset in range(1, full + 1):
        lowest_bit = subset & -subset
        totals[subset] = (
            totals[subset ^ lowest_bit] + balances[players[lowest_bit.bit_length() - 1]]
        )
        best_count, added_bit, remaining = -1, 0, subset
        while remaining:
            player_bit = remaining & -remaining
            remaining ^= player_bit
            if group_counts[subset ^ player_bit] > best_count:
                best_count, added_bit = group_counts[subset ^ player_bit], player_bit
        group_counts[subset], last_added[subset] = best_count + (totals[subset] == 0), added_bit
    groups, subset = [], full
    current: dict[Player, Amount] = {}
    while subset:
        player = players[last_added[subset].bit_length() - 1]
        current[player] = balances[player]
        subset ^= last_added[subset]
        if totals[subset] == 0:
            groups.append({p: current[p] for p in players if p in current})
            current = {}
    return groups


def _settle_group(group: Mapping[Player, Amount]) -> list[Transfer]:
    """Return one transfer fewer than there are players, payers and payees in order."""
    return [
        Transfer(payer=payer, payee=payee, amount=amount)
        for payer, payee, amount in match_amounts(group)
    ]
