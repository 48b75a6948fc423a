"""The catalogs, one a language: `catalogs/sv.json` and its siblings.

A session repeats the same thirty messages many times with new operands, so each is parsed once into
a format string and the names of its operands.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from api.i18n.message import Message, parse_message

LANGUAGES = ("sv", "en", "da", "de")


@cache
def catalog(language: str) -> dict[str, Any]:
    file = Path(__file__).parent / "catalogs" / f"{language}.json"
    loaded: dict[str, Any] = json.loads(file.read_text("utf-8"))
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
    """Return the catalog's text under a key, parsed."""
    return parse_message(text(language, key))
