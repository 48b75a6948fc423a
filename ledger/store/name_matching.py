"""Comparison of names: no two players may have names that people would confuse."""

import unicodedata

import psycopg


def matching_key(name: str) -> str:
    """Return a key, equal for names that differ only in case, width or invisible characters."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def is_name_conflict(refused: psycopg.errors.UniqueViolation) -> bool:
    """Return whether a name was refused because another player has it. In a partitioned table, each
    partition's constraint has a longer name, or one made of its columns."""
    rule = refused.diag.constraint_name or ""
    return any(part in rule for part in ("names_differ", "_matching_key", "_sounds"))


def is_visible(name: str) -> bool:
    """Return whether the name has a visible character."""
    return any(
        unicodedata.category(sign)[0] in "LNPS"
        and not sign.isspace()
        and sign not in INVISIBLE_LETTERS
        for sign in matching_key(name)
    )


INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by category, yet blank."""
