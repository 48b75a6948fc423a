"""A revoke that later cards prove: somebody did not follow, although he held the suit.

When a hand is known, such a card is refused at once. When only plays are known it is found here,
from the cards that the same player shows or plays afterwards. Shared by all games; what may be
played is for the game to say. Source: contract.md §3 (`play`), rules.md A-PP-16: no penalty.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine import events as e
from engine.cards import Card
from engine.game import Game
from engine.values import Player


class Revoke(msgspec.Struct, frozen=True, kw_only=True):
    """A card that could not be played, and those that could have been, as far as is known."""

    place: int  # of the fact among the facts of the deal
    player: Player
    card: Card
    trick: int
    legal: tuple[Card, ...]


def revokes(game: Game[Any, Any], options: Any, deal: Sequence[e.Deed]) -> Iterator[Revoke]:
    """Every proven revoke of one deal, told from its opening."""
    opened = deal[0]
    assert isinstance(opened, e.DealOpened)
    if not any(isinstance(fact, e.CardPlayed) for fact in deal):
        return
    table = game.start(options, opened.seats)
    for place, fact in enumerate(deal):
        if isinstance(fact, e.CardPlayed):
            now = game.cards(options, table)
            assert now is not None, "a card was played, so cards can be played"
            player, card = fact.player, fact.card
            known = (*now.play.holds(player), *_shown_later(deal[place:], player))
            hand = tuple(held for held in now.play.pack if held in known)
            legal, _ = now.rule(now.play, hand)
            if card not in legal:
                trick = len(now.play.taken) + 1
                yield Revoke(place=place, player=player, card=card, trick=trick, legal=legal)
        if isinstance(fact, e.DealClosed):
            return
        table = game.evolve(table, fact)


def _shown_later(facts: Sequence[e.Deed], player: Player) -> Iterator[Card]:
    """Cards that this player had in his hand all the time: nobody draws once cards are played."""
    for fact in facts:
        match fact:
            case e.CardPlayed(player=who, card=card) if who == player:
                yield card
            case e.HandShown(player=who, cards=cards) if who == player:
                yield from cards
