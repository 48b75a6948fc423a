"""Names as people tell them apart: two players must not be taken for each other."""

import unicodedata


def sounds(name: str) -> str:
    """The same for names that differ only in case, width or invisible signs."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def visible(name: str) -> bool:
    """Whether there is anything to read."""
    return any(
        unicodedata.category(sign)[0] in "LNPS" and not sign.isspace() and sign not in BLANK
        for sign in sounds(name)
    )


BLANK = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters by category, and nothing to see."""
