"""The texts of the games, one file a game: labels, explanations and rule references.

By the game's key, and under `all` where the games share them. Knows no game by name.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def catalog(name: str) -> dict[str, Any]:
    """Return the texts of a language, or `rules`: references, units and depths of all languages.

    By the game's key, each from a file of its own.
    """
    folder = Path(__file__).parent / "catalogs" / "games"
    return {
        file.stem: json.loads(file.read_text("utf-8"))[name]
        for file in sorted(folder.glob("*.json"))
    }


def catalog_entry(name: str, game: str, *path: str) -> dict[str, Any]:
    """Return what a catalog has at this path for `all` games, and over it what it has for this
    one."""
    merged: dict[str, Any] = {}
    for part in ("all", game):
        entry: Any = catalog(name).get(part, {})
        for step in path:
            entry = entry.get(step, {})
        merged |= entry
    return merged
