"""The options that a table agreed on, in words: `Stake: 10 kr`. Knows no game by name."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from api.i18n.catalog import catalog_entry
from api.i18n.translator import Translator
from engine.games.game import Game


def worded_options(
    game: Game[Any, Any], options: Any, currency: str, translator: Translator
) -> Iterator[tuple[str, str]]:
    """Yield the label and the value of every option, in the game's order."""
    language = translator.language
    for name, value in msgspec.to_builtins(options).items():
        texts = catalog_entry(language, game.key, "options", name)
        unit = catalog_entry("rules", game.key, "options", name).get("unit")
        values = catalog_entry(language, game.key, "values") | texts.get("values", {})
        key = value if isinstance(value, str) else json.dumps(value)
        if key in values:
            yield texts["label"], values[key]
        elif unit == "money":
            yield texts["label"], translator.format_money(value, currency)
        else:
            yield texts["label"], translator.format_number(value)
