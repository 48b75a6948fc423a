"""What the terminal says at the table, in the reader's language: players, cards, words and sums.

Sentences of its own are in `words/`; labels of actions and reasons are those of the whole house
(api.words). Suits have their signs and colours on a terminal, and plain letters anywhere else.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from api import games, words
from engine.cards import RANKS, SUITS, Card, rank, suit
from engine.commands import Command
from engine.game import Game
from engine.values import Amount, Player

SIGNS = {"C": "♣", "S": "♠", "H": "♥", "D": "♦"}
RED, PLAIN = "\x1b[31m", "\x1b[0m"
OWNERS = frozenset({"player", "side", "players"})
"""Fields that say who speaks, and stand before the rest."""


@cache
def catalog(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(
        (Path(__file__).parent / "words" / f"{language}.json").read_text("utf-8")
    )
    return found


def in_order(cards: Iterable[Card]) -> list[Card]:
    """As one holds them: clubs, spades, hearts, diamonds, the highest first."""
    return sorted(cards, key=lambda card: (SUITS.index(suit(card)), RANKS.index(rank(card))))


def read_card(text: str) -> Card:
    """`qh`, `QH`, `♥Q` and `Q♥` are the queen of hearts. Anything else comes back as it is."""
    plain = text.strip().upper()
    for letter, sign in SIGNS.items():
        plain = plain.replace(sign, letter)
    return plain[1:] + plain[0] if plain[:1] in SUITS and len(plain) > 1 else plain


class Voice:
    """Speaks of one evening."""

    def __init__(
        self,
        language: str,
        game: Game[Any, Any],
        names: dict[Player, str],
        *,
        currency: str = "SEK",
        signs: bool = False,
    ) -> None:
        self.game = game
        self.names = names
        self.currency = currency
        self.signs = signs
        self.speak = words.speaker(language)

    def __call__(self, key: str, **operands: object) -> str:
        return catalog(self.speak.language)[key].format(**operands)

    def who(self, *players: Player) -> str:
        return self.speak.people(players, dict(self.names))

    def keeper(self, keeper: str) -> str:
        """A player, or a side `p1+p3`."""
        return self.who(*keeper.split("+"))

    def money(self, amount: Amount) -> str:
        return self.speak.money(amount, self.currency)

    def number(self, number: int) -> str:
        return self.speak.number(number)

    def suit(self, letter: str) -> str:
        return self._coloured(SIGNS[letter], letter) if self.signs else letter

    def card(self, card: Card) -> str:
        if not self.signs:
            return card
        return self._coloured(SIGNS[suit(card)] + rank(card), suit(card))

    def cards(self, cards: Iterable[Card]) -> str:
        return " ".join(map(self.card, cards))

    def _coloured(self, text: str, letter: str) -> str:
        return f"{RED}{text}{PLAIN}" if letter in ("H", "D") else text

    def said(self, command: Command) -> str:
        """Who, and what: `Bo: Pass`."""
        return f"{self._speaker(command)}{self.label(command)}"

    def _speaker(self, command: Command) -> str:
        fields = msgspec.to_builtins(command)
        if "side" in fields:
            return self.keeper(fields["side"]) + ": "
        owners = fields.get("players") or [fields.get("player")]
        return self.who(*owners) + ": " if owners[0] else ""

    def label(self, command: Command) -> str:
        """What is said, without who says it. A card or a call speaks for itself."""
        kind, fields = self._taken_apart(command)
        told = self.action(kind)
        if set(fields) == {"card"}:
            return self.card(fields["card"])
        if set(fields) == {"call"}:
            call = fields["call"]
            own = told.get("fields", {}).get("call", {}).get("values", {})
            named = str({**self._of_game("values"), **own}[call])
            return f"{self.suit(call)} {named}" if self.signs and call in SIGNS else named
        details, label = self.details(command), str(told.get("label", kind))
        return f"{label}: {details}" if details else label

    def details(self, command: Command) -> str:
        """How many, which, with whom: what a label leaves open."""
        kind, fields = self._taken_apart(command)
        return ", ".join(filter(None, (self._detail(kind, n, v) for n, v in fields.items())))

    def form(self, command: Command) -> tuple[Any, ...]:
        """The same for commands that differ only in a number."""
        _, fields = self._taken_apart(command)
        return (type(command), *((n, v) for n, v in fields.items() if not _is_number(v)))

    def action(self, kind: str) -> dict[str, Any]:
        """The label and explanation of an action."""
        return self._of_game("actions", kind)

    def agreed(self, options: Any) -> list[str]:
        """Every option of the table with its value, as one would say it."""
        described = json.loads(games.described(self.speak.language))
        known = {game["key"]: game for game in described["games"]}[self.game.key]
        chosen = msgspec.to_builtins(options)
        return [f"{o['label']}: {self._value(o, chosen[o['name']])}" for o in known["options"]]

    def _value(self, option: dict[str, Any], value: Any) -> str:
        for known in option.get("values", ()):
            if known["value"] == value and type(known["value"]) is type(value):
                return str(known["label"])
        return self.money(value) if option.get("unit") == "money" else self.number(value)

    def _taken_apart(self, command: Command) -> tuple[str, dict[str, Any]]:
        fields = msgspec.to_builtins(command)
        kind = fields.pop("type")
        left_out = (None, False)
        said = {n: v for n, v in fields.items() if n not in OWNERS and v not in left_out}
        return kind, said

    def _detail(self, kind: str, name: str, value: Any) -> str:
        if _is_number(value):
            return self.number(value)
        if isinstance(value, str) and value in SIGNS:
            return self.suit(value)
        if isinstance(value, dict) and value and set(value) <= set(self.names):
            return ", ".join(f"{self.who(p)} {count}" for p, count in value.items())
        own = self.action(kind).get("fields", {}).get(name, {}).get("values", {})
        if isinstance(value, str) and value in own:
            return str(own[value])
        if isinstance(value, dict):
            value = value.get("player")  # who announced; how it went is told at the end
        known = value if isinstance(value, list) else [value]
        people = [player for player in known if player in self.names]
        label = self._of_game("options", name) or self.action(name)
        named = str(label.get("label", ""))
        return " ".join(part for part in (named, self.who(*people) if people else "") if part)

    def _of_game(self, *path: str) -> dict[str, Any]:
        return games.said(self.speak.language, self.game.key, *path)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
