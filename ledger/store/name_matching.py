"""Comparison of names: no two players may have names that people would confuse; and names in the
texts of a bank."""

import re
import unicodedata
from collections.abc import Sequence

import psycopg

MAX_LABEL_CHARACTERS = 40
"""The longest name, title or label of a device, in NFC."""
WITHOUT_ACCENT = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ð": "d", "ł": "l"})
"""The letters that Unicode does not take apart into a letter and an accent."""
INVISIBLE_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by category, yet blank."""


def matching_key(name: str) -> str:
    """Return a key, equal for names that differ only in case, width or invisible characters."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def text_words(text: str) -> tuple[str, ...]:
    """Return the words of a text as banks print them: without case, accents and punctuation."""
    decomposed = unicodedata.normalize("NFD", matching_key(text)).translate(WITHOUT_ACCENT)
    letters = "".join(sign for sign in decomposed if unicodedata.category(sign) != "Mn")
    return tuple(re.findall(r"[^\W_]+", letters))


def has_name(words: Sequence[str], name_words: Sequence[str]) -> bool:
    """Return whether the words of a text contain those of a name (`text_words`). Behind the first
    name an initial is enough, in the name or in the text: `ADA L` for Ada Lovelace, `ADA LOVELACE`
    for Ada L."""
    first, *last_words = name_words or ("",)
    return first in words and all(
        any(word == last or _is_initial(word, last) for word in words) for last in last_words
    )


def has_phrase(words: Sequence[str], phrase_words: Sequence[str]) -> bool:
    """Return whether the words of a text contain these words one after another."""
    starts = range(len(words) - len(phrase_words) + 1) if phrase_words else ()
    return any(
        tuple(words[start : start + len(phrase_words)]) == tuple(phrase_words) for start in starts
    )


def _is_initial(word: str, name_word: str) -> bool:
    return min(len(word), len(name_word)) == 1 and word[0] == name_word[0]


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
