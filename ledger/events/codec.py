"""An event as bytes, and back: the same bytes for ever.

The canonical bytes are JSON with sorted keys, no spaces and only ASCII in keys and values; the type
is kept beside them. Old shapes are upcast here, and nowhere else.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast, get_args

import msgspec

from ledger.entries import Entry

TYPES: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(Entry)
}
SCHEMA = 1
"""The schema version that is written today, for every type."""
SHORT = 512
"""Characters of an event that is remembered. Play is shorter; corrections may be long."""

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = {
    tag: cast(Callable[[str], Entry], msgspec.json.Decoder(kind).decode)
    for tag, kind in TYPES.items()
}


def type_of(event: Entry) -> str:
    return str(type(event).__struct_config__.tag)


def encode(event: Entry) -> str:
    """Canonical JSON of everything but the type."""
    data = msgspec.to_builtins(event)
    del data["type"]
    text = _encode(data).decode()
    assert text.isascii(), "ids and amounts only: names live outside events"
    return text


def decode(kind: str, schema: int, data: str) -> Entry:
    """The event that these bytes say. KeyError for a type never written.

    Evenings say the same again and again (of 40 deals each, five events of six), and an event is
    never changed: a short one is one and the same for all of them.
    """
    return remembered(kind, schema, data) if len(data) <= SHORT else _read(kind, schema, data)


def _read(kind: str, schema: int, data: str) -> Entry:
    if schema != SCHEMA:
        raise KeyError(f"{kind} of schema {schema}")
    return _decode[kind](data)


remembered = lru_cache(8192)(_read)
"""Short ones alone: whatever a stranger sends to be taken in is read here before it is refused."""


def as_json(data: str) -> Any:
    """The data of an event for the wire."""
    return msgspec.json.decode(data)
