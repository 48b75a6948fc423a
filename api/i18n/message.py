"""A message of the catalogs: a sentence with operands in braces, and plural forms as in ICU.

`{taken, plural, =0 {no tricks} one {# trick} other {# tricks}}` chooses by the operand `taken`: by
the number itself, or by the language's rule, which Babel knows. `#` stands for the number.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from babel import Locale

OPERAND = re.compile(r"\{([^\W\d]\w*)(?:, plural,((?: (?:=\d+|[a-z]+) \{[^{}]*\})+))?\}")
PLURAL_FORM = re.compile(r"(=\d+|[a-z]+) \{([^{}]*)\}")


class PluralForms(NamedTuple):
    """The forms of the operand `number`, by `=0` and the like, or by the name of a plural rule."""

    number: str
    forms: Mapping[str, str]

    def choose(self, language: str, number: int) -> str:
        """Return the form for this number, with `#` for the number as written."""
        rule = str(_locale(language).plural_form(number))
        return self.forms.get(f"={number}", self.forms.get(rule, self.forms["other"]))


class Message(NamedTuple):
    """`form` has a `%s` for each of the operands, in their order: names, or plural forms."""

    form: str
    operands: tuple[str | PluralForms, ...]


def parse_message(text: str) -> Message:
    """Parse `{winner} vinner giv {deal}`, also with plural forms."""
    form = OPERAND.sub("%s", text.replace("%", "%%"))
    assert not re.search("[{}]", form), text
    return Message(
        form,
        tuple(
            PluralForms(match[1], dict(PLURAL_FORM.findall(match[2]))) if match[2] else match[1]
            for match in OPERAND.finditer(text)
        ),
    )


@cache
def _locale(language: str) -> Locale:
    return Locale.parse(language)
