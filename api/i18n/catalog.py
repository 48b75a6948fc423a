"""The catalogs: one for each language (`catalogs/sv.json` and so on), and one for each game with
labels, explanations and rule references. Knows no game by name.

A session repeats the same thirty messages many times with new operands, so each is parsed once into
a format string and the names of its operands.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from api.i18n.message import Message, parse_message

LOCALES = {"sv": "sv_SE", "en": "en_GB", "da": "da_DK", "de": "de_DE"}
LANGUAGES = tuple(LOCALES)
CATALOGS = Path(__file__).parent / "catalogs"


@cache
def catalog(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CATALOGS / f"{language}.json").read_text("utf-8"))
    return loaded


@cache
def text(language: str, key: str) -> str:
    """Return the catalog's text under a key such as `statement.title`."""
    entry: Any = catalog(language)
    for part in key.split("."):
        entry = entry[part]
    return str(entry)


@cache
def message(language: str, key: str) -> Message:
    return parse_message(text(language, key))


@cache
def game_catalog(name: str) -> dict[str, Any]:
    """Return the texts of a language by the game's key, and those that games share under `all`; or
    `rules`: references, units and depths of all languages."""
    files = sorted((CATALOGS / "games").glob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8"))[name] for file in files}


def catalog_entry(name: str, game: str, *path: str) -> dict[str, Any]:
    """Return the entries at this path of a catalog: those for `all` games, overridden by those for
    this game."""
    merged: dict[str, Any] = {}
    for part in ("all", game):
        entry: Any = game_catalog(name).get(part, {})
        for step in path:
            entry = entry.get(step, {})
        merged |= entry
    return merged


def value_key(value: Any) -> str:
    """Return the name of an option's value in the catalogs: `pot`, `true`, `null`, `-50`."""
    return value if isinstance(value, str) else json.dumps(value)
