"""The cards themselves: shuffled, cut, dealt, taken, laid away and drawn, as hands would move them.

Follows what happened at the table. Does not know the rules, nor which game the cards are for; every
card of the pack lies in exactly one place.
"""

from collections.abc import Iterable, Sequence
from random import Random

from engine import events as e
from engine.cards import Card
from engine.values import Player, Seats
from ledger.entries import Entry


class Croupier:
    """One pack of cards, and where each of them lies. The same seed gives the same cards."""

    def __init__(self, seed: str) -> None:
        self.die = Random(seed)  # noqa: S311  # cards, not secrets
        self.order: Seats = ()
        self.hand_size = 0
        self.dealt = False
        self.pack: list[Card] = []  # not dealt, the top card first
        self.hands: dict[Player, tuple[Card, ...]] = {}
        self.turned_up: Card | None = None
        self.laid_away: list[Card] = []  # face down; may be shuffled in again
        self.aside: list[Card] = []  # given for the card turned up
        self.table: list[Card] = []  # played

    def take_up(self, pack: Sequence[Card], order: Seats, hand_size: int) -> None:
        """A new deal, forehand first: the whole pack is shuffled."""
        self.order, self.hand_size, self.dealt = order, hand_size, False
        self.hands, self.turned_up = {}, None
        self.laid_away, self.aside, self.table = [], [], []
        self.pack = list(pack)
        self.die.shuffle(self.pack)

    def lift(self) -> Card:
        """Cut: the bottom card of the part lifted off is shown, and ends up lowest in the pack."""
        at = self.die.randrange(1, len(self.pack))
        self.pack = self.pack[at:] + self.pack[:at]
        return self.pack[-1]

    def deal(self) -> None:
        """To everybody in two packets, the larger one first."""
        if self.dealt:
            return
        self.dealt = True
        for packet in ((self.hand_size + 1) // 2, self.hand_size // 2):
            for player in self.order:
                self._give(player, self._from_top(packet))

    def turn(self) -> Card:
        """The next card, face up on the table."""
        (self.turned_up,) = self._from_top(1)
        return self.turned_up

    def taken_up(self, held: Iterable[tuple[Player, Card]]) -> None:
        """Cards that went into a hand for all to see: the one turned up, or the one cut to."""
        for player, card in held:
            if card not in self.hands.get(player, ()):
                if card == self.turned_up:
                    self.turned_up = None
                else:
                    self.pack.remove(card)
                self._give(player, [card])

    def pass_on(self, giver: Player, taker: Player, cards: Sequence[Card]) -> None:
        """From hand to hand, face down."""
        self._leave(giver, cards)
        self._give(taker, cards)

    def follow(self, happened: Iterable[Entry], cards: Sequence[Card] = ()) -> None:
        """Move what moved. `cards`: those laid away that were not named aloud."""
        for fact in happened:
            match fact:
                case e.CardPlayed(player=player, card=card):
                    self._leave(player, (card,))
                    self.table.append(card)
                case e.CardDiscarded(player=player):
                    self._leave(player, cards)
                    self.laid_away += cards
                case e.CardsExchanged(player=player):
                    drawn = self._drawn(len(cards))
                    self._leave(player, cards)
                    self.laid_away += cards
                    self._give(player, drawn)
                case e.TurnUpExchanged(player=player) if self.turned_up:
                    self._leave(player, cards)
                    self.aside += cards
                    self._give(player, [self.turned_up])
                    self.turned_up = None
                case e.RedealClaimed():
                    self.take_up(self.everywhere, self.order, self.hand_size)

    @property
    def everywhere(self) -> list[Card]:
        """Every card, wherever it lies."""
        up = [self.turned_up] if self.turned_up else []
        in_hands = [card for hand in self.hands.values() for card in hand]
        return sorted([*self.pack, *in_hands, *up, *self.laid_away, *self.aside, *self.table])

    def _from_top(self, count: int) -> list[Card]:
        top, self.pack = self.pack[:count], self.pack[count:]
        assert len(top) == count, "the pack is large enough for the table"
        return top

    def _drawn(self, count: int) -> list[Card]:
        """From the talon; when it runs out, from what was laid away, shuffled."""
        if len(self.pack) < count:
            self.die.shuffle(self.laid_away)
            self.pack, self.laid_away = self.pack + self.laid_away, []
        return self._from_top(count)

    def _give(self, player: Player, cards: Sequence[Card]) -> None:
        self.hands[player] = (*self.hands.get(player, ()), *cards)

    def _leave(self, player: Player, cards: Sequence[Card]) -> None:
        hand = self.hands[player]
        assert set(cards) <= set(hand), "nobody plays what he does not hold"
        self.hands[player] = tuple(card for card in hand if card not in cards)
