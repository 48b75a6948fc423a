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
    NotOnLead,
    NotSeated,
    NotYourTurn,
    RuleViolation,
    TrickHasCards,
    WrongHandSize,
)
from engine.values import Player, Seats, clockwise_from

Hands = tuple[tuple[Player, tuple[Card, ...]], ...]
Allowed = tuple[tuple[Card, ...], type[RuleViolation]]
Rule = Callable[["Play", tuple[Card, ...]], Allowed]
"""From the table and the hand whose turn it is to the cards that may be played, and the refusal of
any other. A card that is forbidden from a hand stays forbidden when more cards are added to it:
so what is known of a hand is enough to prove a revoke."""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """Tricks taken so far and the one on the table."""

    seats: Seats
    leader: Player | None  # none: whoever holds a certain card, and nobody has shown it yet
    pack: tuple[Card, ...]
    hand_size: int
    taken: Seats = ()  # winners of the finished tricks, in order
    table: tuple[tuple[Player, Card], ...] = ()
    gone: frozenset[Card] = frozenset()  # played, discarded, or lying open: in no hand
    hands: Hands = ()
    held: tuple[tuple[Player, Card], ...] = ()  # seen on its way into a hand

    @property
    def full(self) -> bool:
        """Everybody has played. Who took the trick is an event of its own, the very next one."""
        return len(self.table) == len(self.seats)

    @property
    def turn(self) -> Player | None:
        if self.leader is None or self.full:
            return None
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

    def playable(self, rule: Rule) -> tuple[tuple[Player, tuple[Card, ...]], ...]:
        """Who may play what now, as far as is known."""
        if self.full:
            return ()
        who = self.seats if self.turn is None else (self.turn,)
        found = ((player, self._playable(player, rule)) for player in who)
        return tuple((player, cards) for player, cards in found if cards)

    def _playable(self, player: Player, rule: Rule) -> tuple[Card, ...]:
        known = self.hand(player)
        if known is not None:
            return rule(self, known)[0]
        elsewhere = self.seen_elsewhere(player)
        cards = tuple(card for card in self.pack if card not in elsewhere)
        # an unknown hand may be of any kind; only who is not yet known to lead is told by a card
        return rule(self, cards)[0] if self.leader is None else cards

    def check(self, player: Player, card: Card, rule: Rule) -> None:
        """Refuse a card out of turn, from nowhere, or against a known hand."""
        if player not in self.seats:
            raise NotSeated(player=player)
        if self.turn is not None and player != self.turn:
            if not self.table:
                raise NotOnLead(turn=self.turn, player=player)
            raise NotYourTurn(turn=self.turn, player=player)
        if card not in self.pack:
            raise CardNotInPack(card=card)
        known = self.hand(player)
        if known is None:
            if card in self.seen_elsewhere(player):
                raise CardAlreadyGone(card=card)
            if self.leader is not None:
                return
            known = (card,)
        legal, refusal = rule(self, known)
        if self.hand(player) is not None and card not in known:
            raise CardNotInHand(card=card, player=player, legal=list(legal))
        if card not in legal:
            raise refusal(player=player, legal=list(legal))

    def played(self, player: Player, card: Card) -> "Play":
        return msgspec.structs.replace(
            self,
            leader=self.leader or player,
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
        taken = (*self.taken, winner)
        return msgspec.structs.replace(
            self, leader=winner, taken=taken, table=(), hands=(), held=()
        )

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
