"""Two rounds of words around the table: take the suit turned up, or else name one.

Shared by Polskt pass and Polskpas. Source: rules.md §1.4 BID1 and BID2. Does not know what being
declarer costs or pays.
"""

import msgspec

from engine.cards import SUITS, Card, Suit, suit
from engine.errors import AcceptOrPass, NameASuitOrPass, NotYourTurn, SuitIsForehands
from engine.values import Player, Seats


class Bidding(msgspec.Struct, frozen=True, kw_only=True):
    """Round one or two, and how many have spoken in it."""

    order: Seats  # forehand first, dealer last
    turn_up: Card
    round: int = 1
    spoken: int = 0

    @property
    def turn(self) -> Player:
        return self.order[self.spoken]

    @property
    def calls(self) -> tuple[str, ...]:
        """What the one whose turn it is may say."""
        if self.round == 1:
            return ("accept", "pass")
        others = (s for s in SUITS if self.spoken == 0 or s != suit(self.turn_up))
        return (*others, "pass")

    def check(self, player: Player, call: str) -> None:
        """Refuse a word out of turn, or one that this round does not have."""
        if player != self.turn:
            raise NotYourTurn(turn=self.turn, player=player)
        if call not in self.calls:
            if self.round == 1:
                raise AcceptOrPass
            if call == suit(self.turn_up):
                raise SuitIsForehands(forehand=self.order[0], suit=call)
            raise NameASuitOrPass

    def passed(self) -> "Bidding | None":
        """After a pass: the next voice, or none when everybody has passed twice."""
        if self.spoken + 1 < len(self.order):
            return msgspec.structs.replace(self, spoken=self.spoken + 1)
        if self.round == 1:
            return msgspec.structs.replace(self, round=2, spoken=0)
        return None

    def trump(self, call: str) -> Suit:
        """The suit that this call makes trumps."""
        return suit(self.turn_up) if call == "accept" else call  # type: ignore[return-value]
