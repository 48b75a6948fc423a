"""One deal around the table: who deals, who leads, who cuts, with which pack and for how much."""

from typing import Any, ClassVar, Protocol

import msgspec

from engine import events
from engine.cards import Card
from engine.errors import CardNotInPack, NotSeated
from engine.table_view import OpenDealView
from engine.values import Amount, Player, Seats, clockwise_from, left_of, right_of


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """What is fixed when a deal is opened."""

    number: int
    dealer: Player
    seats: Seats
    pack: tuple[Card, ...]
    stake: Amount = 0
    played_for: Amount = 0

    @classmethod
    def of(cls, opened: events.DealOpened, pack: tuple[Card, ...]) -> "Deal":
        """Return the deal that this event opens, played with this pack."""
        return cls(
            number=opened.number,
            dealer=opened.dealer,
            seats=opened.seats,
            pack=pack,
            stake=opened.stake,
            played_for=opened.played_for,
        )

    @property
    def order(self) -> Seats:
        """Forehand first, dealer last."""
        return clockwise_from(left_of(self.dealer, self.seats), self.seats)

    @property
    def cutter(self) -> Player:
        return right_of(self.dealer, self.seats)

    def close(
        self, outcome: events.Outcome, *, next_dealer: Player | None = None, **more: Any
    ) -> events.DealClosed:
        """The end of this deal; the deal passes clockwise unless somebody else is named."""
        following = next_dealer or left_of(self.dealer, self.seats)
        return events.DealClosed(deal=self.number, outcome=outcome, next_dealer=following, **more)

    def check_seated(self, player: Player) -> None:
        if player not in self.seats:
            raise NotSeated(player=player)

    def check_in_pack(self, card: Card) -> None:
        if card not in self.pack:
            raise CardNotInPack(card=card)


class Phase(Protocol):
    """How far a deal has come: shared by several games, or a game's own."""

    @property
    def name(self) -> str: ...
    def view(self) -> OpenDealView | None:
        """What everybody at the table can see of it; None between deals."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Between two deals."""

    name: ClassVar[str] = "waiting"

    def view(self) -> None: ...


class LastDeal(msgspec.Struct, frozen=True, kw_only=True):
    """Who sat in the last deal, and who dealt it: they share what is left over."""

    dealer: Player
    seats: Seats
