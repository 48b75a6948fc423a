"""The cards on the table: whose turn it is, which tricks are taken, which hands are known.

Shared by all games. A hand is known only if somebody showed it; without it a card can be refused
only when it was already seen elsewhere. Does not know who wins a trick, nor what tricks are worth.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from engine import errors, events
from engine.cards import Card
from engine.values import Player, Seats, clockwise_from

PlayableCards = tuple[tuple[Card, ...], type[errors.RuleViolation]]
PlayRule = Callable[["TrickState", tuple[Card, ...]], PlayableCards]
"""Returns the cards of a hand that may be played to the trick on the table, and the refusal of any
other card. A card that is forbidden from a hand stays forbidden when more cards are added to it, so
that the known part of a hand is enough to prove a revoke."""

TrickEvent = events.HandShown | events.CardPlayed | events.TrickWon | events.TrickRecorded


class TrickState(msgspec.Struct, frozen=True, kw_only=True):
    """Tricks taken so far and the one on the table."""

    seats: Seats
    leader: Player | None  # none: the holder of a certain card leads, and nobody has shown it yet
    pack: tuple[Card, ...]
    hand_size: int
    winners: Seats = ()  # winners of the finished tricks, in order
    on_table: tuple[tuple[Player, Card], ...] = ()
    cards_out: frozenset[Card] = frozenset()  # played, discarded, or lying open: in no hand
    known_hands: tuple[tuple[Player, tuple[Card, ...]], ...] = ()
    taken_cards: tuple[tuple[Player, Card], ...] = ()  # seen on its way into a hand

    @property
    def is_complete(self) -> bool:
        """Whether everybody has played to this trick; the next event adds to `winners`."""
        return len(self.on_table) == len(self.seats)

    @property
    def has_begun(self) -> bool:
        """Whether cards or tricks were recorded, so that a result alone cannot be recorded now."""
        return bool(self.winners or self.on_table)

    @property
    def turn(self) -> Player | None:
        if self.leader is None or self.is_complete:
            return None
        return clockwise_from(self.leader, self.seats)[len(self.on_table)]

    @property
    def led_card(self) -> Card | None:
        return self.on_table[0][1] if self.on_table else None

    def known_hand(self, player: Player) -> tuple[Card, ...] | None:
        return dict(self.known_hands).get(player)

    def seen_elsewhere(self, player: Player) -> frozenset[Card]:
        """Cards that this player cannot hold."""
        known_elsewhere = (cards for owner, cards in self.known_hands if owner != player)
        taken_elsewhere = (card for owner, card in self.taken_cards if owner != player)
        return self.cards_out.union(taken_elsewhere, *known_elsewhere)

    def unseen_cards(self, player: Player) -> tuple[Card, ...]:
        """The cards that this player may hold, as far as anybody knows."""
        elsewhere = self.seen_elsewhere(player)
        return tuple(card for card in self.pack if card not in elsewhere)

    def playable(self, rule: PlayRule) -> tuple[tuple[Player, tuple[Card, ...]], ...]:
        """Return who may play which cards now, as far as is known."""
        if self.is_complete:
            return ()
        players = self.seats if self.turn is None else (self.turn,)
        playable_cards = ((player, self._playable(player, rule)) for player in players)
        return tuple((player, cards) for player, cards in playable_cards if cards)

    def _playable(self, player: Player, rule: PlayRule) -> tuple[Card, ...]:
        hand = self.known_hand(player)
        if hand is not None:
            legal, _ = rule(self, hand)
            return legal
        cards = self.unseen_cards(player)
        # an unknown hand may hold any cards; the rule limits them only while the leader is unknown
        if self.leader is not None:
            return cards
        legal, _ = rule(self, cards)
        return legal

    def check_card(self, player: Player, card: Card, rule: PlayRule) -> None:
        """Raise the refusal of a card out of turn, already seen elsewhere, or forbidden by the rule
        from a known hand."""
        if player not in self.seats:
            raise errors.NotSeated(player=player)
        if self.turn is not None and player != self.turn:
            if not self.on_table:
                raise errors.NotOnLead(turn=self.turn, player=player)
            raise errors.NotYourTurn(turn=self.turn, player=player)
        if card not in self.pack:
            raise errors.CardNotInPack(card=card)
        hand = self.known_hand(player)
        if hand is None:
            if card in self.seen_elsewhere(player):
                raise errors.CardAlreadyGone(card=card)
            if self.leader is not None:
                return
            hand = (card,)
        legal, refusal = rule(self, hand)
        if self.known_hand(player) is not None and card not in hand:
            raise errors.CardNotInHand(card=card, player=player, legal=list(legal))
        if card not in legal:
            raise refusal(player=player, legal=list(legal))

    def decide_card(
        self,
        player: Player,
        card: Card,
        rule: PlayRule,
        winner_of: Callable[["TrickState"], Player],
    ) -> tuple[events.UndoableEvents, Seats | None]:
        """Return the events of this card, and the winners of all tricks if it ended one. Raise the
        refusal if the card may not be played."""
        self.check_card(player, card, rule)
        card_played = events.CardPlayed(player=player, card=card)
        after = self.play_card(player, card)
        if not after.is_complete:
            return (card_played,), None
        winner = winner_of(after)
        return (card_played, events.TrickWon(winner=winner)), (*self.winners, winner)

    def play_card(self, player: Player, card: Card) -> "TrickState":
        on_table = (*self.on_table, (player, card))
        return replace(
            self.drop_card(player, card), leader=self.leader or player, on_table=on_table
        )

    def drop_card(self, player: Player, card: Card) -> "TrickState":
        """Return the state after this card has left a player's hand for good."""
        known_hands = tuple(
            (owner, tuple(c for c in cards if c != card) if owner == player else cards)
            for owner, cards in self.known_hands
        )
        return replace(
            self,
            cards_out=self.cards_out | {card},
            known_hands=known_hands,
            taken_cards=tuple(h for h in self.taken_cards if h != (player, card)),
        )

    def forget_hands(self, *players: Player) -> "TrickState":
        """Return the state in which these players may hold any cards: they swapped some unseen."""
        known_hands = tuple(hand for hand in self.known_hands if hand[0] not in players)
        taken_cards = tuple(card for card in self.taken_cards if card[0] not in players)
        return replace(self, known_hands=known_hands, taken_cards=taken_cards)

    def evolve(self, event: TrickEvent) -> "TrickState":
        """The cards and tricks after this event."""
        match event:
            case events.CardPlayed(player=player, card=card):
                return self.play_card(player, card)
            case events.TrickWon(winner=winner) | events.TrickRecorded(winner=winner):
                winners = (*self.winners, winner)
                after = replace(self, leader=winner, winners=winners, on_table=())
                if isinstance(event, events.TrickWon):
                    return after
                # which cards were played is unknown, so no hand is known any more
                return replace(after, known_hands=(), taken_cards=())
            case events.HandShown(player=player, cards=cards):
                other_hands = tuple(h for h in self.known_hands if h[0] != player)
                return replace(self, known_hands=(*other_hands, (player, cards)))

    def check_between_tricks(self) -> None:
        if self.on_table:
            raise errors.TrickHasCards

    def decide_hand(
        self, player: Player, cards: tuple[Card, ...], *, with_sixth: bool = False
    ) -> events.HandShown:
        """Return the event of a hand shown, `with_sixth` if its card to lay away is still in it.
        Raise a RuleViolation if its size is wrong, or if one of its cards was seen elsewhere."""
        if player not in self.seats:
            raise errors.NotSeated(player=player)
        size = self.cards_left(player) + with_sixth
        if not size or self.known_hand(player) is not None:
            raise errors.HandAlreadyKnown(player=player)
        # the refusal counts different cards; if these are enough, it counts repeated ones, too
        shown = len(cards) if len(set(cards)) == size else len(set(cards))
        if shown != size:
            raise errors.WrongHandSize(player=player, held=size, shown=shown)
        elsewhere = self.seen_elsewhere(player)
        for card in cards:
            if card not in self.pack:
                raise errors.CardNotInPack(card=card)
            if card in elsewhere:
                raise errors.CardAlreadyGone(card=card)
        for card in self.cards_taken_openly(player):
            if card not in cards:
                raise errors.HandDoesNotFit(card=card, player=player)
        return events.HandShown(player=player, cards=cards)

    def cards_taken_openly(self, player: Player) -> list[Card]:
        """Return the cards that the player took in sight of everybody and still holds."""
        return [card for owner, card in self.taken_cards if owner == player]

    def cards_left(self, player: Player) -> int:
        """Return how many cards a player holds now, without a sixth one to lay away."""
        return (
            self.hand_size - len(self.winners) - any(owner == player for owner, _ in self.on_table)
        )


class CardsInPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The cards on the table, and the rule by which the next one is played."""

    tricks: TrickState
    rule: PlayRule
