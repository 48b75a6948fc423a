"""The direction of names: a sentence is written from left to right, whatever its names are."""

import unicodedata

ISOLATE, END_ISOLATE = "\u2068", "\u2069"
BACKWARD_CLASSES = frozenset({"R", "AL", "AN"})


def isolate_name(name: str) -> str:
    """Return a name for use in a sentence.

    One written from right to left is isolated, once, or it would reorder the words and numbers
    around it.
    """
    if name.isascii() or name.startswith(ISOLATE):
        return name
    is_backwards = any(unicodedata.bidirectional(c) in BACKWARD_CLASSES for c in name)
    return f"{ISOLATE}{name}{END_ISOLATE}" if is_backwards else name
