"""Who deals next.

After a deal that counts, the deal passes clockwise, unless an option of the game says otherwise:
`Deal.close` writes it to `DealClosed.next_dealer`. A misdeal never counted; after it the same
player deals or the next one, as `misdeal_policy` says (docs/rules.md A-PP-16).

A turn that a misdeal has passed on stays passed, even when deals before it are undone. Ada's deal 1
names Bo, Bo's deal 2 is a misdeal, and `next_dealer` is agreed: Cilla is to deal. If the end of
deal 1 is undone and recorded otherwise, and again names Bo, Cilla deals all the same.
"""

from collections.abc import Sequence

import msgspec

from engine.games.agreements import MisdealPolicy
from engine.values import Player, Seats, left_of


class PassedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn to deal that misdeals have passed on. In the example above: after 1 deal counted, the
    turn of Bo passed to Cilla."""

    deals_counted: int  # how many deals counted then; no two turns have the same
    named_dealer: Player  # whose turn it was by those deals alone
    dealer: Player  # who deals instead


def dealer_after_misdeal(policy: MisdealPolicy, dealer: Player, seats: Seats) -> Player:
    """Return who deals after a misdeal of this dealer: the same player or the next (A-PP-16)."""
    return dealer if policy == "same_dealer" else left_of(dealer, seats)


def pass_turn(
    turns: Sequence[PassedTurn], deals_counted: int, named_dealer: Player, dealer: Player
) -> tuple[PassedTurn, ...]:
    """Return the passed turns after a misdeal of `named_dealer`, which makes `dealer` deal next."""
    for turn in turns:
        # a turn already passed to this dealer counts from the player it was first named for
        if (turn.deals_counted, turn.dealer) == (deals_counted, named_dealer):
            named_dealer = turn.named_dealer
    other_turns = tuple(turn for turn in turns if turn.deals_counted != deals_counted)
    if dealer == named_dealer:
        return other_turns
    passed = PassedTurn(deals_counted=deals_counted, named_dealer=named_dealer, dealer=dealer)
    return (*other_turns, passed)


def dealer_in_turn(
    turns: Sequence[PassedTurn], deals_counted: int, named_dealer: Player, seats: Seats
) -> Player:
    """Return who deals where the deals that count name this player, but misdeals passed turns."""
    for turn in turns:
        if (turn.deals_counted, turn.named_dealer) == (deals_counted, named_dealer):
            return turn.dealer if turn.dealer in seats else left_of(named_dealer, seats)
    return named_dealer
