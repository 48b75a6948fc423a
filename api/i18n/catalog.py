"""The catalogs, one a language: `catalogs/sv.json` and its siblings.

A session repeats the same thirty messages many times with new operands, so each is parsed once into
a format string and the names of its operands.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

LANGUAGES = ("sv", "en", "da", "de")


class CountedNoun(NamedTuple):
    """The operand `number` with its noun: `taken_tricks` is written as `taken`, so many tricks."""

    number: str
    zero: str
    singular: str
    plural: str


class Message(NamedTuple):
    """`form` has a `%s` for each of the operands, in their order; some are `counted`."""

    form: str
    operands: tuple[str, ...]
    counted: Mapping[str, CountedNoun]


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
def message(language: str, kind: str, code: str) -> Message:
    """Return a parsed message of the section `why` or `outcome`."""
    return parse_message(text(language, f"{kind}.{code}"), catalog(language)["counted"])


def parse_message(text: str, nouns: Mapping[str, Mapping[str, str]]) -> Message:
    """Parse `{winner} vinner giv {deal}`, with the nouns that can be counted."""
    form, operands, counted = "", list[str](), dict[str, CountedNoun]()
    for literal, name, spec, conversion in Formatter().parse(text):
        form += literal.replace("%", "%%")
        if name is None:
            continue
        assert name.isidentifier(), text
        assert not spec, text
        assert not conversion, text
        form += "%s"
        operands.append(name)
        number, _, noun = name.rpartition("_")
        if noun in nouns:
            forms = nouns[noun]
            zero = forms.get("none", forms["many"])
            counted[name] = CountedNoun(number, zero, forms["one"], forms["many"])
    return Message(form, tuple(operands), counted)
