"""The fewest payments that bring everybody to zero: exact, not greedy.

Every group of people whose balances add up to nothing can settle among themselves with one payment
fewer than they are; so the fewest payments come from the most such groups. Found by a search over
all subsets (2**n, n at most 16 by what a session admits).
"""

from collections.abc import Mapping

import msgspec

from engine.values import Amount, Player


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    payer: Player
    payee: Player
    amount: Amount


def transfers(balances: Mapping[Player, Amount]) -> tuple[Transfer, ...]:
    """Who pays whom how much. The balances must add up to zero.

    The same balances always give the same plan: ties are broken by the order of the players.
    """
    assert sum(balances.values()) == 0, "money is conserved"
    left = {player: amount for player, amount in balances.items() if amount}
    plan: list[Transfer] = []
    for pair in _opposites(left):  # two who cancel each other are always a group of their own
        plan += _within(pair)
        for player in pair:
            del left[player]
    for group in _most_groups(left):
        plan += _within(group)
    return tuple(plan)


def _opposites(balances: Mapping[Player, Amount]) -> list[dict[Player, Amount]]:
    pairs, free = [], dict(balances)
    for player, amount in balances.items():
        if player not in free:
            continue
        other = next((p for p, a in free.items() if a == -amount), None)
        if other is not None:
            pairs.append({player: amount, other: -amount})
            del free[player], free[other]
    return pairs


def _most_groups(balances: Mapping[Player, Amount]) -> list[dict[Player, Amount]]:
    """Split into as many groups adding up to zero as there can be."""
    players = list(balances)
    full = (1 << len(players)) - 1
    total, most, came_by = [0] * (full + 1), [0] * (full + 1), [0] * (full + 1)
    for subset in range(1, full + 1):
        low = subset & -subset
        total[subset] = total[subset ^ low] + balances[players[low.bit_length() - 1]]
        best, via, rest = -1, 0, subset
        while rest:
            one = rest & -rest
            rest ^= one
            if most[subset ^ one] > best:
                best, via = most[subset ^ one], one
        most[subset], came_by[subset] = best + (total[subset] == 0), via
    groups, current, subset = [], dict[Player, Amount](), full
    while subset:
        player = players[came_by[subset].bit_length() - 1]
        current[player] = balances[player]
        subset ^= came_by[subset]
        if total[subset] == 0:
            groups.append({p: current[p] for p in players if p in current})
            current = {}
    return groups


def _within(group: Mapping[Player, Amount]) -> list[Transfer]:
    """One payment fewer than there are people: whoever owes pays whoever is owed, in order."""
    plan = []
    owing = [(p, -a) for p, a in group.items() if a < 0]
    owed = [(p, a) for p, a in group.items() if a > 0]
    while owing and owed:
        (payer, due), (payee, wanted) = owing[0], owed[0]
        amount = min(due, wanted)
        plan.append(Transfer(payer=payer, payee=payee, amount=amount))
        owing[:1] = [(payer, due - amount)] if due > amount else []
        owed[:1] = [(payee, wanted - amount)] if wanted > amount else []
    return plan
