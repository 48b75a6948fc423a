"""The stack of bets: what failed declarers have laid, apart from the pot, and in which order it is
played for. Source: docs/rules.md §1.8. Does not know when a bet is laid or taken.
"""

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from engine import errors, events
from engine.values import Amount, Player


class Bet(msgspec.Struct, frozen=True, kw_only=True):
    """A failed declarer's penalty; two names when bets were put together."""

    number: int
    deal: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool  # false: a claim, paid when somebody takes it (A-PP-5)

    @property
    def amount(self) -> Amount:
        return self.each * len(self.by)


Bets = tuple[Bet, ...]
"""As they were laid."""


def in_playing_order(bets: Bets, tie: Literal["oldest", "newest"]) -> Bets:
    """Smallest first; among equals the oldest or newest deal; within a deal as laid (A-PP-6)."""
    age = 1 if tie == "oldest" else -1
    return tuple(sorted(bets, key=lambda bet: (bet.amount, age * bet.deal, bet.number)))


def remove_bets(bets: Bets, *numbers: int) -> Bets:
    return tuple([bet for bet in bets if bet.number not in numbers])


def decide_merge(
    just_laid: Bets, merged: bool, next_number: int
) -> events.BetsMerged | events.BetsParted:
    """Two bets of the deal just closed become one, or one becomes two again (A-PP-2).
    NothingToMerge, AlreadyTogether, AlreadyApart."""
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


def apply_merge(bets: Bets, fact: events.BetsMerged) -> Bets:
    """The stack after two bets were put together."""
    by_number = {bet.number: bet for bet in bets}
    merged = replace(by_number[fact.bet], by=by_number[fact.bet].by + by_number[fact.added].by)
    return _as_laid(*remove_bets(bets, fact.bet, fact.added), merged)


def apply_split(bets: Bets, fact: events.BetsParted) -> Bets:
    """The stack after a bet was taken apart."""
    merged = next(bet for bet in bets if bet.number == fact.bet)
    first = replace(merged, by=merged.by[: -len(fact.by)])
    second = replace(merged, number=fact.parted, by=fact.by)
    return _as_laid(*remove_bets(bets, fact.bet), first, second)


EARLIER_SESSION = 0
"""The deal of a bet that was brought forward: none of this evening's."""


def carried_bets(bets: tuple[events.CarriedBet, ...]) -> Bets:
    """The stack with which an evening begins that goes on where an earlier one ended."""
    return tuple(
        Bet(number=bet.bet, deal=EARLIER_SESSION, by=bet.by, each=bet.each, paid=bet.paid)
        for bet in bets
    )


def apply_collection(bets: Bets, number: int) -> Bets:
    """The stack after a claim was paid in."""
    return tuple(replace(bet, paid=True) if bet.number == number else bet for bet in bets)


def _as_laid(*bets: Bet) -> Bets:
    return tuple(sorted(bets, key=lambda bet: bet.number))
