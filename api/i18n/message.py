"""Messages of the catalogs, parsed once into a format string and the names of its operands.

A session repeats the same thirty messages many times with new operands.
"""

from collections.abc import Mapping
from string import Formatter
from typing import NamedTuple


class CountedNoun(NamedTuple):
    """A number that is said with its noun: `taken_tricks` is `taken`, so many tricks."""

    number: str
    none: str
    one: str
    many: str


class Message(NamedTuple):
    """`form` has a `%s` for each of the operands, in their order; some are `counted`."""

    form: str
    operands: tuple[str, ...]
    counted: Mapping[str, CountedNoun]


def parse_message(text: str, nouns: Mapping[str, Mapping[str, str]]) -> Message:
    """As catalogs write it, `{winner} vinner giv {deal}`, with the nouns that can be counted."""
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
            no_items = forms.get("none", forms["many"])
            counted[name] = CountedNoun(number, no_items, forms["one"], forms["many"])
    return Message(form, tuple(operands), counted)
