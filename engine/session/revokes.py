"""A revoke that later cards prove: a player held the suit led and did not follow.

When a hand is known, such a card is refused at once. When only plays are known it is found here,
from the cards that the same player shows or plays afterwards. Shared by all games; the game's rule
decides what may be played. Source: docs/rules.md A-PP-16: no penalty.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine import events
from engine.cards import Card
from engine.games.game import Game
from engine.values import Player


class Revoke(msgspec.Struct, frozen=True, kw_only=True):
    """A card that could not be played, and those that could have been, as far as is known."""

    place: int  # of the fact among the facts of the deal
    player: Player
    card: Card
    trick: int
    legal: tuple[Card, ...]


def find_revokes(
    game: Game[Any, Any], options: Any, deal: Sequence[events.UndoableEvent]
) -> Iterator[Revoke]:
    """Yield every proven revoke of one deal, whose events begin with its opening."""
    opened = deal[0]
    assert isinstance(opened, events.DealOpened)
    if not any(isinstance(fact, events.CardPlayed) for fact in deal):
        return
    game_state = game.initial_state(options, opened.seats)
    for place, fact in enumerate(deal):
        if isinstance(fact, events.CardPlayed):
            in_play = game.cards_in_play(game_state)
            assert in_play is not None, "a card was played, so cards can be played"
            player, card = fact.player, fact.card
            later_cards = _cards_shown_later(deal[place:], player)
            known_cards = {*in_play.tricks.cards_taken_openly(player), *later_cards}
            hand = tuple(pack_card for pack_card in in_play.tricks.pack if pack_card in known_cards)
            legal, _ = in_play.rule(in_play.tricks, hand)
            if card not in legal:
                trick = len(in_play.tricks.winners) + 1
                yield Revoke(place=place, player=player, card=card, trick=trick, legal=legal)
        if isinstance(fact, events.DealClosed):
            return
        game_state = game.evolve(game_state, fact)


def _cards_shown_later(facts: Sequence[events.UndoableEvent], player: Player) -> Iterator[Card]:
    """Yield cards that were in this player's hand all the time: play begins after the last draw."""
    for fact in facts:
        match fact:
            case events.CardPlayed(player=owner, card=card) if owner == player:
                yield card
            case events.HandShown(player=owner, cards=cards) if owner == player:
                yield from cards
