"""The cards on the table: whose turn it is, which tricks are taken, which hands are known.

Shared by all games. A hand is known only if somebody showed it; without it a card can be refused
only when it was already seen elsewhere. Does not know who wins a trick, nor what tricks are worth.
"""

from collections.abc import Callable

import msgspec

from engine.cards import Card
from engine.errors import (
    CardAlreadyGone,
    CardNotInHand,
    CardNotInPack,
    HandAlreadyKnown,
    HandDoesNotFit,
    MustFollowSuit,
    NotOnLead,
    NotSeated,
    NotYourTurn,
    TrickHasCards,
    WrongHandSize,
)
from engine.values import Player, Seats, clockwise_from

Hands = tuple[tuple[Player, tuple[Card, ...]], ...]
Follow = Callable[[tuple[Card, ...], Card | None], tuple[Card, ...]]
"""From a hand and the card led to the cards that may be played."""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """Tricks taken so far and the one on the table."""

    seats: Seats
    leader: Player
    pack: tuple[Card, ...]
    hand_size: int
    taken: Seats = ()  # winners of the finished tricks, in order
    table: tuple[tuple[Player, Card], ...] = ()
    gone: frozenset[Card] = frozenset()  # played, discarded, or lying open: in no hand
    hands: Hands = ()
    held: tuple[tuple[Player, Card], ...] = ()  # seen on its way into a hand

    @property
    def turn(self) -> Player:
        return clockwise_from(self.leader, self.seats)[len(self.table)]

    @property
    def led(self) -> Card | None:
        return self.table[0][1] if self.table else None

    def hand(self, player: Player) -> tuple[Card, ...] | None:
        return dict(self.hands).get(player)

    def seen_elsewhere(self, player: Player) -> frozenset[Card]:
        """Cards that this player cannot hold."""
        others = (cards for who, cards in self.hands if who != player)
        held = (card for who, card in self.held if who != player)
        return self.gone.union(held, *others)

    def playable(self, follow: Follow) -> tuple[Card, ...]:
        """What the one whose turn it is may play, as far as is known."""
        player = self.turn
        known = self.hand(player)
        if known is not None:
            return follow(known, self.led)
        elsewhere = self.seen_elsewhere(player)
        return tuple(card for card in self.pack if card not in elsewhere)

    def check(self, player: Player, card: Card, follow: Follow) -> None:
        """Refuse a card out of turn, from nowhere, or against a known hand."""
        if player not in self.seats:
            raise NotSeated(player=player)
        if player != self.turn:
            if not self.table:
                raise NotOnLead(turn=self.turn, player=player)
            raise NotYourTurn(turn=self.turn, player=player)
        if card not in self.pack:
            raise CardNotInPack(card=card)
        known = self.hand(player)
        if known is None:
            if card in self.seen_elsewhere(player):
                raise CardAlreadyGone(card=card)
        elif card not in known:
            raise CardNotInHand(card=card, player=player)
        elif card not in (legal := follow(known, self.led)):
            raise MustFollowSuit(player=player, legal=list(legal))

    def played(self, player: Player, card: Card) -> "Play":
        return msgspec.structs.replace(
            self,
            table=(*self.table, (player, card)),
            gone=self.gone | {card},
            hands=without(self.hands, player, card),
            held=tuple(h for h in self.held if h != (player, card)),
        )

    @property
    def complete(self) -> bool:
        return len(self.table) == len(self.seats)

    def won(self, winner: Player) -> "Play":
        """The trick on the table is taken; its winner leads the next."""
        return msgspec.structs.replace(self, leader=winner, taken=(*self.taken, winner), table=())

    def recorded(self, winner: Player) -> "Play":
        """A trick of which only the winner is known, so that no hand is known any more."""
        return msgspec.structs.replace(self.won(winner), hands=(), held=())

    def check_between_tricks(self) -> None:
        if self.table:
            raise TrickHasCards

    def check_hand(self, player: Player, cards: tuple[Card, ...], extra: int = 0) -> None:
        """Refuse a hand of the wrong size, or with cards that are known to be elsewhere."""
        if player not in self.seats:
            raise NotSeated(player=player)
        size = self.size(player) + extra
        if not size or self.hand(player) is not None:
            raise HandAlreadyKnown(player=player)
        if len(set(cards)) != size or len(cards) != size:
            raise WrongHandSize(player=player, held=size, shown=len(set(cards)))
        elsewhere = self.seen_elsewhere(player)
        for card in cards:
            if card not in self.pack:
                raise CardNotInPack(card=card)
            if card in elsewhere:
                raise CardAlreadyGone(card=card)
        for card in self.holds(player):
            if card not in cards:
                raise HandDoesNotFit(card=card, player=player)

    def holds(self, player: Player) -> list[Card]:
        """Cards that were seen on their way into this hand, and not out of it."""
        return [card for who, card in self.held if who == player]

    def size(self, player: Player) -> int:
        """How many cards a player holds now, a sixth one not counted."""
        return self.hand_size - len(self.taken) - any(who == player for who, _ in self.table)

    def shown(self, player: Player, cards: tuple[Card, ...]) -> "Play":
        others = tuple(h for h in self.hands if h[0] != player)
        return msgspec.structs.replace(self, hands=(*others, (player, cards)))


def without(hands: Hands, player: Player, card: Card) -> Hands:
    """The hands after this card has left one of them."""
    return tuple(
        (who, tuple(c for c in cards if c != card) if who == player else cards)
        for who, cards in hands
    )
