"""The fewest payments that bring everybody to zero: exact, not greedy.

Every group of people whose balances add up to nothing can settle among themselves with one payment
fewer than they are; so the fewest payments come from the most such groups. Found by a search over
all subsets (2**n, n at most 16 by what a session admits).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from engine.values import Amount, Player
from ledger.entries import TransferRecorded

Makes = Literal["both", "payer", "payee", "part"]
"""Whom a transfer brings to zero."""


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    payer: Player
    payee: Player
    amount: Amount


def transfers(
    balances: Mapping[Player, Amount], begun: Sequence[Transfer] = ()
) -> tuple[Transfer, ...]:
    """Who pays whom how much. The balances must add up to zero.

    The same balances always give the same plan: ties are broken by the order of the players. A
    plan that people have begun to pay goes on as far as the balances let it: whoever was told to
    pay Bo is not told to pay Cilla instead, unless fewer payments are left that way. What has been
    paid is read from the balances alone, never guessed from the plan.
    """
    assert sum(balances.values()) == 0, "money is conserved"
    left = {player: amount for player, amount in balances.items() if amount}
    fewest = _fewest(tuple(left.items()))
    kept = _along(begun, left) if begun else None
    return kept if kept is not None and len(kept) == len(fewest) else fewest


def through(balances: Mapping[Player, Amount], treasurer: Player) -> tuple[Transfer, ...]:
    """All by way of one person: first what is paid to him, then what he pays."""
    assert sum(balances.values()) == 0, "money is conserved"
    others = [(player, amount) for player, amount in balances.items() if player != treasurer]
    return (
        *(Transfer(payer=p, payee=treasurer, amount=-a) for p, a in others if a < 0),
        *(Transfer(payer=treasurer, payee=p, amount=a) for p, a in others if a > 0),
    )


def unpaid(
    balances: Mapping[Player, Amount], paid: Iterable[TransferRecorded]
) -> dict[Player, Amount]:
    """The balances as they were before these transfers."""
    before = dict(balances)
    for transfer in paid:
        before[transfer.payer] -= transfer.amount
        before[transfer.payee] += transfer.amount
    return before


def makes(transfer: Transfer, balances: Mapping[Player, Amount]) -> Makes:
    """Whom this transfer alone brings to zero; `part` if they need others of the plan as well."""
    payer = balances[transfer.payer] == -transfer.amount
    payee = balances[transfer.payee] == transfer.amount
    if payer and payee:
        return "both"
    return "payer" if payer else "payee" if payee else "part"


def _along(
    plan: Sequence[Transfer], balances: Mapping[Player, Amount]
) -> tuple[Transfer, ...] | None:
    """The amounts with which the lines of a plan settle these balances; None if they cannot.

    Lines and people are a forest, so that there is one such amount a line: whoever has one line
    only settles by it, and is then out of the way.
    """
    left, open_lines = dict(balances), list(plan)
    amounts = dict[tuple[Player, Player], Amount]()
    while open_lines:
        ends = [player for line in open_lines for player in (line.payer, line.payee)]
        line = next(x for x in open_lines if 1 in (ends.count(x.payer), ends.count(x.payee)))
        alone = line.payer if ends.count(line.payer) == 1 else line.payee
        amount = -left.get(alone, 0) if alone == line.payer else left.get(alone, 0)
        if amount < 0:
            return None
        amounts[line.payer, line.payee] = amount
        left[line.payer] = left.get(line.payer, 0) + amount
        left[line.payee] = left.get(line.payee, 0) - amount
        open_lines.remove(line)
    if any(left.values()):
        return None
    lines = ((line, amounts[line.payer, line.payee]) for line in plan)
    return tuple(msgspec.structs.replace(line, amount=amount) for line, amount in lines if amount)


@lru_cache(maxsize=256)  # sixteen people are 65,536 subsets, and phones ask again and again
def _fewest(balances: tuple[tuple[Player, Amount], ...]) -> tuple[Transfer, ...]:
    left = dict(balances)
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
