"""The names of the players in the tests, the players of a request body, and names in a text."""

import re

FIVE_NAMES = ("Ada", "Bo", "Cilla", "Disa", "Emil")
FOUR_NAMES = FIVE_NAMES[:4]
FOUR_PLAYERS = [{"name": name} for name in FOUR_NAMES]


def mentions(text: str, name: str) -> bool:
    """Return whether the name is a word of the text. A signature in Base64 may contain its letters
    by chance."""
    return re.search(rf"\b{name}\b", text) is not None
