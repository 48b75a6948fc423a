"""What the ledger adds to a fact when it becomes history: where, when, by whom, and its seal."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from ledger import chain, codec
from ledger.entries import Entry


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a session's stream, as it is stored."""

    version: int  # 1, 2, 3 … within the session
    type: str
    schema: int
    at: int  # microseconds since 1970, UTC
    by: str  # which token wrote it, or `worker`
    data: str  # canonical bytes, as text
    hash: bytes
    event: Entry


class Unreadable(Exception):
    """A sentence: which event of which evening this version of Vola cannot read."""

    def __init__(self, session_id: UUID, version: int, kind: str) -> None:
        super().__init__(
            f"Version {version} of session {session_id} is an event that this Vola does not know "
            f"({kind}): a newer one may have written it."
        )
        self.version = version


def record(
    session_id: UUID, events: Sequence[Entry], *, version: int, before: bytes, at: int, by: str
) -> tuple[Recorded, ...]:
    """Seal these events behind `version`, whose seal is `before`."""
    seal, recorded = chain.sealing(session_id), list[Recorded]()
    writer, schema = by.encode(), codec.SCHEMA
    for number, event in enumerate(events, start=version + 1):
        kind, data = codec.type_of(event), codec.encode(event)
        before = seal(number, kind.encode(), schema, at, writer, data.encode(), before)
        recorded.append(
            Recorded(
                version=number,
                type=kind,
                schema=schema,
                at=at,
                by=by,
                data=data,
                hash=before,
                event=event,
            )
        )
    return tuple(recorded)


def follows(event: Recorded, session_id: UUID, before: bytes) -> bool:
    """Whether this event was sealed to what has this seal: a database that was set back may have
    gone another way since, and versions alone do not tell."""
    return event.hash == chain.seal(
        session_id=session_id,
        version=event.version,
        kind=event.type,
        schema=event.schema,
        at=event.at,
        by=event.by,
        data=event.data,
        before=before,
    )
