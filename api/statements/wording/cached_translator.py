"""A translator that caches its texts: a long statement repeats a few hundred of them."""

from functools import lru_cache

from api.i18n.translator import Names, Translator
from engine.values import Player

CACHE_SIZE = 256
"""Of the texts of each kind: amounts, numbers, people, accounts."""


class CachedTranslator(Translator):
    """A translator for one session's players. Other names are looked up uncached."""

    def __init__(self, language: str, names: Names) -> None:
        super().__init__(language)
        player_names, account_name = super().player_names, super().account_name
        self._names = names
        self._people = lru_cache(CACHE_SIZE)(lambda players: player_names(players, names))
        self._accounts = lru_cache(CACHE_SIZE)(lambda name: account_name(name, names))
        for method in (super().format_money, super().format_number, super().format_points):
            setattr(self, method.__name__, lru_cache(CACHE_SIZE)(method))

    def player_names(self, players: tuple[Player, ...] | list[Player], names: Names) -> str:
        if names is self._names:
            return self._people(tuple(players))
        return super().player_names(players, names)

    def account_name(self, account: str, names: Names) -> str:
        if names is self._names:
            return self._accounts(account)
        return super().account_name(account, names)
