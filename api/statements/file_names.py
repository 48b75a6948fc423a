"""The names of downloaded files: title, date and game, and the player's name; never an id.

Titles and names may contain anything. In a file's name only letters, digits and a few other
characters are left, so that every system can store it, and none takes a part of it for a folder.
"""

import unicodedata
from urllib.parse import quote

NAMELESS = "Vola"
"""The name where nothing is left of any part."""
MAX_PART_BYTES = 60
"""The limit of each part. File systems allow 255 for the whole."""
ALLOWED_CHARACTERS = " !&'()+,-._–"
ASCII_SUBSTITUTES = str.maketrans({"æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ß": "ss", "–": "-"})
UNESCAPED_CHARACTERS = "!#$&+-.^_`|~"
"""The characters that need no escape in an extended parameter (RFC 8187)."""


def file_name(*parts: str | None) -> str:
    """Return the parts in one name without a suffix: `Fredag - 2026-11-21 - Polskt pass - Ada`."""
    return " - ".join(dict.fromkeys(filter(None, map(_safe_part, parts)))) or NAMELESS


def content_disposition(kind: str, name: str) -> str:
    """Return a Content-Disposition (RFC 6266), with a name in ASCII for old clients."""
    decomposed = unicodedata.normalize("NFKD", name.translate(ASCII_SUBSTITUTES))
    safe = "".join(map(_safe_character, decomposed))  # "℀" has become "a/c"
    plain = " ".join(safe.encode("ascii", "ignore").decode().split()).strip(" -.")
    if "." not in plain:  # only the suffix is left
        plain = f"{NAMELESS}.{plain}"
    encoded = quote(name, safe=UNESCAPED_CHARACTERS)
    utf8_name = "" if plain == name else f"; filename*=UTF-8''{encoded}"
    return f'{kind}; filename="{plain}"{utf8_name}'


def _safe_part(part: str | None) -> str:
    composed = unicodedata.normalize("NFC", part or "")
    text = " ".join("".join(map(_safe_character, composed)).split())
    short = text.encode()[:MAX_PART_BYTES].decode(errors="ignore")
    return short.strip(" .-")


def _safe_character(character: str) -> str:
    """Return what replaces it: itself, a space, or nothing for an invisible control character."""
    category = unicodedata.category(character)
    if category[0] in "LMN" or category == "So" or character in ALLOWED_CHARACTERS:
        return character
    return "" if category == "Cf" else " "
