"""The cards and their order: the four jacks are the highest trumps, clubs first.

A card is written rank + suit letter: `AS`, `10H`, `JC`. Source: docs/rules.md §1.2.
Shared by the games with four standing jacks; Spader keeps its own order.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from engine.values import Player

Card = Annotated[str, Meta(pattern=r"^(?:[2-9]|10|[JQKA])[CSHD]$")]
Suit = Literal["C", "S", "H", "D"]

SUITS: tuple[Suit, ...] = ("C", "S", "H", "D")
SUIT_BY_LETTER: dict[str, Suit] = {letter: letter for letter in SUITS}
JACKS: tuple[Card, ...] = ("JC", "JS", "JH", "JD")  # highest first
RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")  # highest first

JackSuit = Literal["trump", "natural"]
"""Whether a jack follows the trump suit only, or the suit printed on it (docs/rules.md A-PP-9)."""


def suit(card: Card) -> Suit:
    return SUIT_BY_LETTER[card[-1]]


def rank(card: Card) -> str:
    return card[:-1]


def pack(lowest: str) -> tuple[Card, ...]:
    """All cards from the ace down to this rank, suit by suit."""
    ranks = RANKS[: RANKS.index(lowest) + 1]
    return tuple(r + s for s in SUITS for r in ranks)


def follows_as(card: Card, trump: Suit, jack_suit: JackSuit = "trump") -> Suit:
    """The suit that a card belongs to when suit must be followed."""
    return trump if rank(card) == "J" and jack_suit == "trump" else suit(card)


def may_follow(
    hand: Iterable[Card], led: Card | None, trump: Suit, jack_suit: JackSuit = "trump"
) -> tuple[Card, ...]:
    """The cards of a hand that may be played: of the suit led if there are any, else every one."""
    cards = tuple(hand)
    if led is None:
        return cards
    suit_led = follows_as(led, trump, jack_suit)
    same_suit = tuple(card for card in cards if follows_as(card, trump, jack_suit) == suit_led)
    return same_suit or cards


def trick_winner(
    plays: Sequence[tuple[Player, Card]], trump: Suit, highest: tuple[Card, ...] = JACKS
) -> Player:
    """Return who wins the trick: the `highest` cards beat trumps, the first of them beats all, and
    trumps beat the suit led (docs/rules.md §1.4)."""
    led = suit(plays[0][1])

    def strength(card: Card) -> tuple[int, int]:
        if card in highest:
            return 3, -highest.index(card)
        return 2 if suit(card) == trump else 1 if suit(card) == led else 0, -RANKS.index(rank(card))

    return max(plays, key=lambda play: strength(play[1]))[0]
