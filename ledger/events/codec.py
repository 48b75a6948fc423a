"""Encode events as canonical bytes, and decode them.

The canonical bytes are JSON with sorted keys, no spaces and only ASCII; the event's type is stored
in a column of its own. There is one schema version so far; conversions of older ones belong here.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import cast, get_args

import msgspec

from ledger.events.event_types import LedgerEvent

EVENT_CLASSES: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(LedgerEvent)
}
SCHEMA_VERSION = 1
"""The schema version that is written today, for every type."""
MAX_CACHED_CHARS = 512
"""The longest data that is cached. Events of play are shorter, corrections may be long."""

_encode = msgspec.json.Encoder(order="sorted").encode


def event_type(event: msgspec.Struct) -> str:
    """Return the type under which this event is stored, such as `deal_opened`."""
    return str(type(event).__struct_config__.tag)


def encode(event: msgspec.Struct) -> str:
    """Return the canonical JSON of an event without its type."""
    data = msgspec.to_builtins(event)
    del data["type"]
    text = _encode(data).decode()
    assert text.isascii(), "ids and amounts only: names live outside events"
    return text


def decode(kind: str, schema: int, data: str) -> LedgerEvent:
    """Return the event of this type, schema version and data. Raise KeyError for an unknown type.

    Sessions repeat the same short events (five of six, in sessions of 40 deals) and events are
    immutable, so short ones are cached and shared.
    """
    decode_event = decode_cached if len(data) <= MAX_CACHED_CHARS else _decode_uncached
    return decode_event(kind, schema, data)


def _decode_uncached(kind: str, schema: int, data: str) -> LedgerEvent:
    if schema != SCHEMA_VERSION:
        raise KeyError(f"{kind} of schema {schema}")
    return _decoder(kind)(data)


@cache
def _decoder(kind: str) -> Callable[[str], LedgerEvent]:
    decoder = msgspec.json.Decoder(EVENT_CLASSES[kind])
    return cast(Callable[[str], LedgerEvent], decoder.decode)


decode_cached = lru_cache(8192)(_decode_uncached)
"""Short events only, so that rejected imports cannot fill the memory with long ones."""
