"""The stack of bets: what failed declarers have laid, apart from the pot, and in which order it is
played for. Source: docs/rules.md §1.8. Does not know when a bet is laid or taken.
"""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from engine import errors, events
from engine.values import Amount, Player


class Bet(msgspec.Struct, frozen=True, kw_only=True):
    """A failed declarer's penalty; two players when bets were merged."""

    number: int
    deal: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool  # false: a claim, paid when somebody takes it (A-PP-5)

    @property
    def amount(self) -> Amount:
        return self.each * len(self.by)


Bets = tuple[Bet, ...]
"""The bets in the order in which they were laid."""


def in_playing_order(bets: Bets, tie: Literal["oldest", "newest"]) -> Bets:
    """Smallest first; among equals the oldest or newest deal; within a deal as laid (A-PP-6)."""
    age = 1 if tie == "oldest" else -1
    return tuple(sorted(bets, key=lambda bet: (bet.amount, age * bet.deal, bet.number)))


def decide_merge(
    just_laid: Bets, merged: bool, next_number: int
) -> events.BetsMerged | events.BetsParted:
    """Merge the two bets of the deal just closed, or split them again (A-PP-2). Raise
    NothingToMerge, AlreadyTogether or AlreadyApart."""
    match just_laid, merged:
        case (), _:
            raise errors.NothingToMerge
        case (_,), True:
            raise errors.AlreadyTogether
        case (_, _), False:
            raise errors.AlreadyApart
    first, last = just_laid[0], just_laid[-1]  # of the same deal: as large, and paid alike
    bet: dict[str, Any] = {"deal": first.deal, "bet": first.number}
    bet |= {"each": first.each, "paid": first.paid}
    if merged:
        return events.BetsMerged(**bet, added=last.number, by=last.by)
    return events.BetsParted(**bet, parted=next_number, by=first.by[1:])


EARLIER_SESSION = 0
"""The deal number of a bet from an earlier evening."""

BetFact = (
    events.BetLaid | events.BetTaken | events.BetWaived | events.BetShared | events.BetsMerged
    | events.BetsParted | events.BetCollected | events.BroughtForward
)  # fmt: skip
"""The events that change the stack."""


def apply(bets: Bets, fact: BetFact) -> Bets:
    """The stack after this fact."""
    match fact:
        case events.BetLaid(deal=deal):
            return add_bet(bets, fact, deal)
        case events.BetTaken() | events.BetWaived() | events.BetShared():
            return remove_bet(bets, fact.bet)
    by_number = {bet.number: bet for bet in bets}
    match fact:
        case events.BetsMerged(bet=number, added=added):
            by = by_number[number].by + by_number.pop(added).by
            by_number[number] = replace(by_number[number], by=by)
        case events.BetsParted(bet=number, parted=parted, by=by):
            merged = by_number[number]
            by_number[number] = replace(merged, by=merged.by[: -len(by)])
            by_number[parted] = replace(merged, number=parted, by=by)
        case events.BetCollected(bet=number):
            by_number[number] = replace(by_number[number], paid=True)
        case events.BroughtForward(bets=brought):
            return tuple(
                Bet(number=bet.bet, deal=EARLIER_SESSION, by=bet.by, each=bet.each, paid=bet.paid)
                for bet in brought
            )
    return _as_laid(by_number.values())


def add_bet(bets: Bets, fact: events.BetLaid | events.BetTaken, deal: int) -> Bets:
    """Return the stack with the bet of this event, which was laid in this deal."""
    new = Bet(number=fact.bet, deal=deal, by=fact.by, each=fact.each, paid=fact.paid)
    is_last = not bets or bets[-1].number < new.number
    return (*bets, new) if is_last else _as_laid((*bets, new))


def remove_bet(bets: Bets, number: int) -> Bets:
    return tuple([bet for bet in bets if bet.number != number])


def _as_laid(bets: Iterable[Bet]) -> Bets:
    return tuple(sorted(bets, key=lambda bet: bet.number))
