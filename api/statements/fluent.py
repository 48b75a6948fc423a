"""Who says the same thing many times of the same people, and looks each word up once."""

from functools import lru_cache

from api.words import Names, Speaker
from engine.values import Player

KEPT = 256
"""So many of the amounts, numbers and people that were put into words are kept."""


class Fluent(Speaker):
    """A speaker of one evening's people."""

    def __init__(self, language: str, names: Names) -> None:
        super().__init__(language)
        self._names = names
        self._people = lru_cache(KEPT)(lambda ids: super(Fluent, self).people(ids, names))
        self._accounts = lru_cache(KEPT)(lambda it: super(Fluent, self).account(it, names))
        for say in ("money", "number", "points"):
            setattr(self, say, lru_cache(KEPT)(getattr(super(), say)))

    def people(self, players: tuple[Player, ...] | list[Player], names: Names) -> str:
        known = names is self._names
        return self._people(tuple(players)) if known else super().people(players, names)

    def account(self, account: str, names: Names) -> str:
        known = names is self._names
        return self._accounts(account) if known else super().account(account, names)
