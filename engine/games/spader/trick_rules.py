"""Which cards may be played where spades are always trumps, and who takes the trick.

The first trick is one of clubs, from the lowest up, and no spade takes it. Jacks are ordinary
cards. Does not know who bid what. Source: docs/rules.md §3.2 DEAL, PLAY1 and PLAY, A-SP-10.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from engine import errors
from engine.cards import RANKS, SUITS, Card, Suit, may_follow, rank, suit, trick_winner
from engine.tricks.trick_state import PlayableCards, PlayRule, TrickState
from engine.values import Player

TRUMP: Suit = "S"
FIRST_LEAD: Card = "2C"
LONG_SUIT_LENGTH = 7  # this many cards of one suit give the right to a new deal

CourtCards = Literal["JQK", "JQKA"]
"""The ranks that count as court cards (A-SP-8)."""


def redeal_reasons(hand: tuple[Card, ...] | None, court_cards: CourtCards) -> Iterator[str]:
    """Yield the reasons that give a hand the right to a new deal: all of them if it is unknown."""
    if hand is None or not any(suit(card) == TRUMP for card in hand):
        yield "no_spade"
    if hand is None or not any(rank(card) in court_cards for card in hand):
        yield "no_court"
    suit_lengths = (sum(suit(card) == of for card in hand or ()) for of in SUITS)
    if hand is None or max(suit_lengths) >= LONG_SUIT_LENGTH:
        yield "long_suit"


def play_rule(broken: bool | None) -> PlayRule:
    """Return the rule. `broken`: whether a trick has been ruffed; None (unknown) after tricks
    recorded without cards."""

    def rule(tricks: TrickState, hand: tuple[Card, ...]) -> PlayableCards:
        if not tricks.winners:
            return _first_trick(tricks, hand)
        if tricks.led_card is None:
            plain = tuple(card for card in hand if suit(card) != TRUMP)
            return (plain if plain and broken is False else hand), errors.SpadesNotBroken
        return may_follow(hand, tricks.led_card, TRUMP, "natural"), errors.MustFollowSuit

    return rule


def _first_trick(tricks: TrickState, hand: tuple[Card, ...]) -> PlayableCards:
    if tricks.led_card is None:
        return tuple(card for card in hand if card == FIRST_LEAD), errors.TwoOfClubsLeads
    clubs = tuple(card for card in hand if suit(card) == "C")
    if clubs:
        return (lowest_card(clubs),), errors.LowestClub
    plain = tuple(card for card in hand if suit(card) != TRUMP)
    return plain or hand, errors.NoSpadeInFirstTrick


def lowest_card(cards: Iterable[Card]) -> Card:
    """Return the lowest of these cards of one suit."""
    return max(cards, key=lambda card: RANKS.index(rank(card)))


def ruffs(tricks: TrickState, card: Card) -> bool:
    """Whether this card breaks spades: a spade on another suit, but not in the first trick."""
    return (
        bool(tricks.winners)
        and tricks.led_card is not None
        and suit(tricks.led_card) != TRUMP
        and suit(card) == TRUMP
    )


def winner_of(tricks: TrickState) -> Player:
    """Return who wins the trick on the table: the highest spade, or else the highest card of the
    suit led. In the first trick spades do not count."""
    trump = TRUMP if tricks.winners else suit(tricks.on_table[0][1])
    return trick_winner(tricks.on_table, trump, highest=())
