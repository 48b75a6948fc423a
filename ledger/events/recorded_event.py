"""An event as it is stored: its version, time and writer, and its hash in the hash chain."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec.structs import asdict

from ledger.events import codec
from ledger.events import hash_chain as chain
from ledger.events.event_types import LedgerEvent


class RecordedEvent(chain.HashedFields, frozen=True):
    """One event of a session's stream, as it is stored."""

    hash: bytes
    event: LedgerEvent

    def columns(self, hash_text: str) -> dict[str, Any]:
        """Return what is stored of the event, by column, with its hash in the text form given."""
        columns = asdict(self)
        del columns["event"]
        columns["hash"] = hash_text
        return columns


class UnknownSession(Exception):
    """There is no such session."""


class UnreadableEvent(Exception):
    """An event that this version of Vola cannot decode or apply; the message names it."""

    def __init__(self, session_id: UUID, version: int, kind: str) -> None:
        super().__init__(
            f"Version {version} of session {session_id} is an event that this Vola does not know "
            f"({kind}): a newer one may have written it."
        )
        self.version = version


def record_events(
    session_id: UUID,
    events: Sequence[LedgerEvent],
    *,
    version: int,
    previous_hash: bytes,
    at: int,
    by: str,
) -> tuple[RecordedEvent, ...]:
    """Return these events as recorded after `version`, chained to `previous_hash`."""
    hash_next = chain.event_hasher(session_id)
    recorded: list[RecordedEvent] = []
    writer, schema = by.encode(), codec.SCHEMA_VERSION
    for number, event in enumerate(events, start=version + 1):
        event_type, data = codec.event_type(event), codec.encode(event)
        previous_hash = hash_next(
            number, event_type.encode(), schema, at, writer, data.encode(), previous_hash
        )
        recorded.append(
            RecordedEvent(number, event_type, schema, at, by, data, previous_hash, event)
        )
    return tuple(recorded)


def extends_chain(event: RecordedEvent, session_id: UUID, previous_hash: bytes) -> bool:
    """Return whether this event's hash follows from `previous_hash`. After a restore from a backup
    the stream may have continued differently, with the same versions."""
    return event.hash == chain.hash_event(session_id, event, previous_hash)
