"""A translator that caches its texts: a long statement repeats a few hundred of them."""

from functools import lru_cache

from api.i18n.translator import Names, Translator
from engine.values import Player

CACHE_SIZE = 256
"""Of the texts of each kind: amounts, numbers, people, accounts."""


class CachedTranslator(Translator):
    """A translator for one session's players."""

    def __init__(self, language: str, names: Names) -> None:
        super().__init__(language, names)
        self._people = lru_cache(CACHE_SIZE)(super().player_names)
        amounts = (super().format_money, super().format_number, super().format_points)
        for method in (*amounts, super().account_name):
            setattr(self, method.__name__, lru_cache(CACHE_SIZE)(method))

    def player_names(self, players: tuple[Player, ...] | list[Player]) -> str:
        return self._people(tuple(players))
