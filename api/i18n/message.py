"""A sentence cut once into what it always says and what is put in.

An evening says the same thirty sentences again and again: only their operands are new.
"""

from collections.abc import Mapping
from string import Formatter
from typing import NamedTuple


class Counted(NamedTuple):
    """A number that is said with its noun: `taken_tricks` is `taken`, so many tricks."""

    number: str
    one: str
    many: str


class Sentence(NamedTuple):
    """`form` has a `%s` for each of the operands, in their order; some are `counted`."""

    form: str
    operands: tuple[str, ...]
    counted: Mapping[str, Counted]


def cut(text: str, nouns: Mapping[str, Mapping[str, str]]) -> Sentence:
    """As catalogs write it, `{winner} vinner giv {deal}`, with the nouns that can be counted."""
    form, operands, counted = "", list[str](), dict[str, Counted]()
    for always, name, spec, conversion in Formatter().parse(text):
        form += always.replace("%", "%%")
        if name is None:
            continue
        assert name.isidentifier(), text
        assert not spec, text
        assert not conversion, text
        form += "%s"
        operands.append(name)
        number, _, noun = name.rpartition("_")
        if noun in nouns:
            counted[name] = Counted(number, nouns[noun]["one"], nouns[noun]["many"])
    return Sentence(form, tuple(operands), counted)
