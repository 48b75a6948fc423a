"""JSON that every reader understands alike: read strictly, written canonically.

Only objects whose names are all different, with whole numbers that every reader keeps exactly.
Anything else is a ValueError.
"""

import base64
import json
import re
from hashlib import sha256
from typing import Any

MAX_INTEGER = 2**53 - 1  # the largest that every JSON reader keeps exactly
MAX_DEPTH = 32
STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)
"""A JSON string; its group is empty if it has no end."""


def parse_object(text: str) -> dict[str, Any]:
    """Parse a JSON object in which no name is repeated and every number is whole."""
    try:
        value: dict[str, Any] = json.loads(
            text,
            object_pairs_hook=unique_members,
            parse_int=whole_number,
            parse_float=whole_number,
            parse_constant=whole_number,
        )
        require(isinstance(value, dict) and depth(value) <= MAX_DEPTH)
    except RecursionError:
        raise ValueError from None
    return value


def is_cut_off(content: bytes) -> bool:
    """Return whether the bytes begin a JSON object and end before it does."""
    frame = STRING.sub(lambda string: b"" if string[1] else b"{", content)
    opened, closed = (sum(map(frame.count, brackets)) for brackets in (b"{[", b"}]"))
    return content[:1] == b"{" and opened > closed


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    require(len(members) == len(pairs))
    return members


def whole_number(text: str) -> int:
    require(re.fullmatch("-?[0-9]{1,16}", text))
    require(-MAX_INTEGER <= int(text) <= MAX_INTEGER)
    return int(text)


def require(condition: object) -> None:
    if not condition:
        raise ValueError


def depth(value: object) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def canonical_json(value: object) -> str:
    """Return the canonical JSON of RFC 8785. Raise UnicodeEncodeError for a lone surrogate."""
    match value:
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            members = (f"{canonical_json(n)}:{canonical_json(value[n])}" for n in names)
            return "{" + ",".join(members) + "}"
        case list():
            return "[" + ",".join(map(canonical_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def document_digest(document: dict[str, Any]) -> str:
    return base64.b64encode(sha256(canonical_json(document).encode()).digest()).decode()
