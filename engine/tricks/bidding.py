"""From the opening of a deal to its declarer: two rounds of bids on the card turned up.

Shared by Polskt pass and Polskpas; what declaring costs or pays is each game's own.
Source: docs/rules.md §1.4 BID1 and BID2.
"""

from collections.abc import Iterator
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from engine import commands, errors, events
from engine.cards import SUIT_BY_LETTER, SUITS, Card, Suit, suit
from engine.table_view import LegalAction, OpenDealView, one_of
from engine.tricks.deal import Deal
from engine.values import Player


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A deal of which nothing is recorded yet."""

    name: ClassVar[str] = "opened"
    deal: Deal

    def view(self) -> OpenDealView:
        return OpenDealView(phase=self.name, played_for=self.deal.played_for)


class Bidding(msgspec.Struct, frozen=True, kw_only=True):
    """Round one or two, and how many calls have been made in it."""

    name: ClassVar[str] = "bidding"
    deal: Deal
    turn_up: Card
    round: int = 1
    calls_made: int = 0

    @property
    def turn(self) -> Player:
        return self.deal.order[self.calls_made]

    @property
    def legal_calls(self) -> tuple[str, ...]:
        """The calls of the player whose turn it is."""
        if self.round == 1:
            return ("accept", "pass")
        suits = (s for s in SUITS if self.calls_made == 0 or s != suit(self.turn_up))
        return (*suits, "pass")

    def view(self) -> OpenDealView:
        return OpenDealView(
            phase=self.name, played_for=self.deal.played_for, turn=self.turn, turn_up=self.turn_up
        )

    def after_pass(self) -> "Bidding | None":
        """Return the bidding after a pass; none when every player has passed twice."""
        if self.calls_made + 1 < len(self.deal.order):
            return replace(self, calls_made=self.calls_made + 1)
        if self.round == 1:
            return replace(self, round=2, calls_made=0)
        return None

    def trump_of(self, call: str) -> Suit:
        """Return the suit that this call makes trumps."""
        return suit(self.turn_up) if call == "accept" else SUIT_BY_LETTER[call]


def decide_bid(bidding: Bidding, command: commands.Bid) -> events.Events:
    """Return the events of a call; the last pass of all closes the deal."""
    player, call = command.player, command.call
    bidding.deal.check_seated(player)
    if player != bidding.turn:
        raise errors.NotYourTurn(turn=bidding.turn, player=player)
    if call not in bidding.legal_calls:
        if bidding.round == 1:
            raise errors.AcceptOrPass
        if call == suit(bidding.turn_up):
            raise errors.SuitIsForehands(forehand=bidding.deal.order[0], suit=call)
        raise errors.NameASuitOrPass
    bid = events.BidMade(player=player, call=call)
    if call == "pass" and bidding.after_pass() is None:
        return (bid, bidding.deal.close("all_pass"))
    return (bid,)


def legal_declarations(*declarers: list[Player]) -> Iterator[LegalAction]:
    """Yield what may be recorded instead of the bidding: who declares, or that all passed."""
    players, trump = one_of(*declarers), one_of(*SUITS)
    yield LegalAction.of("declare", optional=("trump",), players=players, trump=trump)
    yield LegalAction.of("all_pass")


def legal_bids(bidding: Bidding) -> Iterator[LegalAction]:
    """Yield the calls that may be made now."""
    yield LegalAction.of("bid", player=one_of(bidding.turn), call=one_of(*bidding.legal_calls))
    yield LegalAction.of("all_pass")
