"""Names as people tell them apart: two players must not be taken for each other."""

import unicodedata

import psycopg


def matching_key(name: str) -> str:
    """The same for names that differ only in case, width or invisible signs."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def is_name_conflict(refused: psycopg.errors.UniqueViolation) -> bool:
    """Whether a name was refused because somebody is called so already. Where a table is cut into
    parts, the rule of each has a longer name, or one made of its columns."""
    rule = refused.diag.constraint_name or ""
    return any(part in rule for part in ("names_differ", "_matching_key", "_sounds"))


def is_visible(name: str) -> bool:
    """Whether there is anything to read."""
    return any(
        unicodedata.category(sign)[0] in "LNPS"
        and not sign.isspace()
        and sign not in INVISIBLE_LETTERS
        for sign in matching_key(name)
    )


INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by category, and nothing to see."""
