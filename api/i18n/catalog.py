"""The catalogs, one a language: `catalogs/sv.json` and its siblings.

A session repeats the same thirty messages many times with new operands, so each is parsed once into
a format string and the names of its operands.
"""

import json
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from api.i18n.plurals import PLURAL, PluralForms, plural_forms

LANGUAGES = ("sv", "en", "da", "de")


class Message(NamedTuple):
    """`form` has a `%s` for each of the operands, in their order: names, or plural forms."""

    form: str
    operands: tuple[str | PluralForms, ...]


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


def parse_message(text: str) -> Message:
    """Parse `{winner} vinner giv {deal}`, also with plural forms."""
    form, operands, end = "", list[str | PluralForms](), 0
    for match in PLURAL.finditer(text):
        form += _parse_names(text[end : match.start()], operands) + "%s"
        operands.append(plural_forms(match))
        end = match.end()
    form += _parse_names(text[end:], operands)
    return Message(form, tuple(operands))


def _parse_names(text: str, operands: list[str | PluralForms]) -> str:
    """Add the names in this text to the operands; return the text with `%s` for each."""
    form = ""
    for literal, name, spec, conversion in Formatter().parse(text):
        form += literal.replace("%", "%%")
        if name is None:
            continue
        assert name.isidentifier(), text
        assert not spec, text
        assert not conversion, text
        form += "%s"
        operands.append(name)
    return form
