"""Names as people tell them apart: two players must not be taken for each other."""

import unicodedata

import psycopg


def sounds(name: str) -> str:
    """The same for names that differ only in case, width or invisible signs."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def sounds_alike(refused: psycopg.errors.UniqueViolation) -> bool:
    """Whether a name was refused because somebody is called so already. Where a table is cut into
    parts, the rule of each has a longer name, or one made of its columns."""
    rule = refused.diag.constraint_name or ""
    return "names_differ" in rule or "members_differ" in rule or "_sounds" in rule


def visible(name: str) -> bool:
    """Whether there is anything to read."""
    return any(
        unicodedata.category(sign)[0] in "LNPS" and not sign.isspace() and sign not in BLANK
        for sign in sounds(name)
    )


BLANK = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by category, and nothing to see."""
