"""Follow suit and take the trick if you can; who cannot follow, trumps if that takes it.

The play of Knektpass, as a rule for the cards on the table. Source: docs/rules.md §4.2
PLAY («Farbe bedienen und wenn möglich übernehmen»), A-KP-6.
"""

from engine.cards import Card, Suit, follows_as, trick_winner
from engine.errors import MustFollowSuit, MustHead, MustTrump
from engine.tricks.trick_state import PlayableCards, PlayRule, TrickState


def must_beat_rule(trump: Suit, *, must_trump: bool) -> PlayRule:
    """What may be played with this suit as trumps; `must_trump`: also by who cannot follow.

    More cards never set a forbidden card free: whoever could follow, head or trump still can.
    """

    def rule(play: TrickState, hand: tuple[Card, ...]) -> PlayableCards:
        if play.led_card is None:
            return hand, MustFollowSuit
        suit_led = follows_as(play.led_card, trump)
        same_suit = tuple(card for card in hand if follows_as(card, trump) == suit_led)
        higher = tuple(card for card in same_suit or hand if _would_win(play, card, trump))
        if same_suit:
            # of a suit that somebody has trumped, or headed too high, any card will do
            legal = higher or same_suit
            return legal, MustHead if len(legal) < len(same_suit) else MustFollowSuit
        # without the suit led only a trump takes a trick, so `higher` are trumps
        if must_trump and higher:
            return higher, MustTrump
        return hand, MustTrump

    return rule


def _would_win(play: TrickState, card: Card, trump: Suit) -> bool:
    """Whether this card would take the trick as it lies."""
    plays = (*((c, c) for _, c in play.on_table), (card, card))
    return trick_winner(plays, trump) == card
