"""A second implementation of the rules of the cards, from docs/rules.md alone, without the
packages.

A table of cards is `[("p1", "AS"), …]` in the order played; a hand is any collection of cards.
`Table.may(hand)` says which cards may be played, `Table.taker()` who takes the full trick.
"""

from collections import Counter

JACKS = ["JC", "JS", "JH", "JD"]
HIGH_TO_LOW = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"]


class Tricks:
    """One trick after the other; `cards` is the trick on the table."""

    def __init__(self):
        self.cards = []
        self.taken = []

    def put(self, player, card):
        self.cards.append((player, card))

    def take_trick(self):
        """Finish the full trick. Return the player who took it."""
        player = self.taker()
        self.taken.append(player)
        self.cards = []
        return player


class StandingJacks(Tricks):
    """§1.2 and §1.4: ♣J ♠J ♥J ♦J, then the trump suit; follow suit, else play anything."""

    def __init__(self, trump, jacks_follow_their_suit=False):
        super().__init__()
        self.order = JACKS + [r + trump for r in HIGH_TO_LOW if r != "J"]
        self.trump = trump
        self.natural = jacks_follow_their_suit

    def belongs(self, card):
        if card[0] == "J" and not self.natural:
            return self.trump
        return card[-1]

    def may(self, hand):
        if not self.cards:
            return set(hand)
        led_suit = self.belongs(self.cards[0][1])
        return {card for card in hand if self.belongs(card) == led_suit} or set(hand)

    def taker(self):
        return self.best(self.cards)[0]

    def best(self, cards):
        trumps = [play for play in cards if play[1] in self.order]
        if trumps:
            return min(trumps, key=lambda play: self.order.index(play[1]))
        of_suit = [play for play in cards if play[1][-1] == cards[0][1][-1]]
        return min(of_suit, key=lambda play: HIGH_TO_LOW.index(play[1][:-1]))


class Heading(StandingJacks):
    """§4.2: follow suit and head the trick if able; void: trump if that heads it (A-KP-6)."""

    def __init__(self, trump, must_trump=True):
        super().__init__(trump)
        self.must_trump = must_trump

    def may(self, hand):
        followers = super().may(hand)
        if not self.cards:
            return followers
        heads = {c for c in followers if self.best([*self.cards, ("me", c)])[0] == "me"}
        void = all(self.belongs(c) != self.belongs(self.cards[0][1]) for c in followers)
        if void and not self.must_trump:
            return followers
        return heads or followers


class Spades(Tricks):
    """§3.2: the first trick is one of clubs from the lowest; spades lead only when broken."""

    def __init__(self):
        super().__init__()
        self.broken = False

    def may(self, hand):
        clubs = [card for card in hand if card[-1] == "C"]
        not_spades = {card for card in hand if card[-1] != "S"}
        if not self.taken and not self.cards:
            return {"2C"} & set(hand)
        if not self.taken:
            if clubs:
                return {max(clubs, key=lambda card: HIGH_TO_LOW.index(card[:-1]))}
            return not_spades or set(hand)
        if not self.cards:
            return set(hand) if self.broken else not_spades or set(hand)
        return {c for c in hand if c[-1] == self.cards[0][1][-1]} or set(hand)

    def taker(self):
        led = self.cards[0][1][-1]
        spades = [play for play in self.cards if play[1][-1] == "S"]
        if not self.taken:
            spades = []
        high = spades or [play for play in self.cards if play[1][-1] == led]
        return min(high, key=lambda play: HIGH_TO_LOW.index(play[1][:-1]))[0]

    def take_trick(self):
        led, first = self.cards[0][1][-1], not self.taken
        if not first and led != "S" and any(card[-1] == "S" for _, card in self.cards):
            self.broken = True
        return super().take_trick()


def pattern(tricks):
    return "-".join(str(n) for n in sorted(Counter(tricks).values(), reverse=True))


def players_with(tricks, count):
    return [player for player, n in Counter(tricks).items() if n == count]


def find_winner(tricks):
    """Return the winner by the column «winner» of §1.5, row by row."""
    match pattern(tricks):
        case "5":
            (winner,) = players_with(tricks, 5)
        case "4-1":
            (winner,) = players_with(tricks, 4)
        case "3-2" | "3-1-1":
            (winner,) = players_with(tricks, 3)
        case "2-2-1":
            first, opponent = players_with(tricks, 2)
            second = {p: [i for i, t in enumerate(tricks) if t == p][1] for p in (first, opponent)}
            winner = min(second, key=second.get)
        case "2-1-1-1":
            (winner,) = players_with(tricks, 2)
        case "1-1-1-1-1":
            winner = None
    return winner
