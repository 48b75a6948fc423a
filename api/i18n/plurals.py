"""Plural forms inside a sentence, written as in ICU messages.

`{taken, plural, =0 {no tricks} one {# trick} other {# tricks}}` chooses by the operand `taken`: by
the number itself, or by the language's rule, which Babel knows. `#` stands for the number.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from babel import Locale

PLURAL = re.compile(r"\{(\w+), plural,((?: (?:=\d+|[a-z]+) \{[^{}]*\})+)\}")
FORM = re.compile(r"(=\d+|[a-z]+) \{([^{}]*)\}")


class PluralForms(NamedTuple):
    """The forms of the operand `number`, by `=0` and the like, or by the name of a plural rule."""

    number: str
    forms: Mapping[str, str]

    def choose(self, language: str, number: int) -> str:
        """Return the form for this number, with `#` for the number as written."""
        return self.forms.get(f"={number}") or self.forms.get(
            _plural_rule(language, number), self.forms["other"]
        )


def plural_forms(match: re.Match[str]) -> PluralForms:
    """Return the forms that a match of `PLURAL` writes out."""
    return PluralForms(match[1], dict(FORM.findall(match[2])))


@cache
def _locale(language: str) -> Locale:
    return Locale.parse(language)


def _plural_rule(language: str, number: int) -> str:
    return str(_locale(language).plural_form(number))
