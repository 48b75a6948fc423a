"""What a writer passes to the event store, what is written, and what the writer gets back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from engine.values import Player
from ledger.events import hash_chain as chain
from ledger.events.event_types import LedgerEvent
from ledger.events.recorded_event import RecordedEvent, record_events
from ledger.projections.journal import JournalLine
from ledger.projections.la_vola_payments import due_payments
from ledger.session.session_state import SessionState, apply_events
from ledger.store.connection_pool import Connection

MIN_SECRET_KEY_LENGTH = 22
"""Characters of an idempotency key that is as good as a secret: 128 bits."""
SALT_BYTES = 16


def creation_key(key: str) -> str:
    """Return the stored form of the key that a session or group is created under. A client's
    key is ASCII, so none begins like it, and the client may use the same key inside the session."""
    return f"⊙ {sha256(key.encode()).hexdigest()}"


class Refusal(Exception):
    """The request is refused, and not because of a fault in this program. A decision refuses with
    a subclass of this or with a RuleViolation; any other exception is a fault."""


class KeyReused(Exception):
    """This key has already been used for another request."""


class VersionConflict(Refusal):
    """The session is at another version than the request expected."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"The evening has gone on since: it is at version {actual}.")
        self.actual = actual


class VersionRequired(Refusal):
    """A change must say which version it was based on."""


ExpectedVersion = int | Literal["any", "missing"]


class Spelling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An earlier spelling of a name: until when (microseconds, UTC), and who corrected it."""

    name: str
    until: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    by: Annotated[str, Meta(pattern=r"^(?:host\.(?:0|[1-9][0-9]{0,3})|phone[1-9][0-9]{0,3})\Z")]


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a deal was voided or corrected, or what a cost was for; with the event's version."""

    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    remark: str


class PlayerName(msgspec.Struct, frozen=True, kw_only=True):
    """A player's name and the salt of its commitment; both None once erased. `spellings`: the
    earlier ones, in order; the commitment is to the first of all."""

    player: Player
    name: str | None
    salt: bytes | None
    spellings: tuple[Spelling, ...] = ()

    @classmethod
    def new(cls, player: Player, name: str | None) -> PlayerName:
        """Return a name with a salt of its own; an erased one has none."""
        return cls(player=player, name=name, salt=None if name is None else os.urandom(SALT_BYTES))

    @property
    def commitment(self) -> str:
        """The hash that stands in the events instead of the name."""
        assert self.name is not None, "an erased name is not committed to"
        assert self.salt is not None, "a name and its salt go together"
        first_spelling = self.spellings[0].name if self.spellings else self.name
        return chain.commit_to_name(self.salt, first_spelling)


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a command appends: events, and what is stored with them outside the hash chain."""

    events: Sequence[LedgerEvent]
    names: tuple[PlayerName, ...] = ()
    remark: str | None = None
    in_transaction: Callable[[Connection], None] | None = None
    """Runs after the changes are written; with it, an append takes the stream's lock."""


class AppendRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The author of a request, its idempotency key, a digest of it, and the expected version.

    `access_version`: of the session (`SessionMetadata`) when the author's token was checked; with
    None it is checked again under the lock.
    """

    key: str
    digest: bytes
    by: str
    access_version: int | None = None
    expected_version: ExpectedVersion = "missing"
    status: int = 201  # of the reply if the request succeeds
    with_names: bool = False  # whether the result needs the players' names


class StoredReply(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored under a request's key, so that its reply can be rendered again.

    `event_count` events were appended, the last at `version`. `operands` are what the reply shows
    and neither the request nor an event has, such as the number of a new device; never a name or
    a token. `replayed` if the key was used before.
    """

    session_id: UUID
    status: int
    version: int
    event_count: int = 0
    operands: dict[str, Any] = {}
    replayed: bool = False


ReplyRow = tuple[bytes, int, int, int, dict[str, Any] | None]
"""A row of stored replies: digest of the request, status, version, event count, operands."""


def read_reply(
    session_id: UUID, request: AppendRequest, row: ReplyRow | None
) -> StoredReply | None:
    """Return the reply stored for the request's key; None without a row. Raise KeyReused."""
    if row is None:
        return None
    digest, status, version, event_count, operands = row
    if digest != request.digest:
        raise KeyReused
    return StoredReply(
        session_id=session_id,
        status=status,
        version=version,
        event_count=event_count,
        operands=operands or {},
        replayed=True,
    )


class AppendResult(msgspec.Struct, frozen=True, kw_only=True):
    """A write, made now or replayed: the session as it stood after it, the events that it appended,
    and the players' names as they are now, if the request asked for them."""

    reply: StoredReply
    session: SessionState
    recorded: tuple[RecordedEvent, ...]
    names: dict[Player, str | None]


def check_expected_version(expected: ExpectedVersion, conflict_version: int, version: int) -> None:
    """Raise VersionConflict if anything but settled payments was appended after the expected
    version: `conflict_version` is the last that counts. Raise VersionRequired."""
    if expected == "missing":
        raise VersionRequired
    if expected != "any" and not conflict_version <= expected <= version:
        raise VersionConflict(version)


class Changes(NamedTuple):
    """What changes with an append: the session before and after it, and all rows to write."""

    before: SessionState
    after: SessionState
    recorded: tuple[RecordedEvent, ...]
    lines: Iterable[JournalLine]
    names: Sequence[PlayerName] = ()
    remarks: Sequence[Remark] = ()
    request: AppendRequest | None = None


def build_changes(
    before: SessionState, decision: Decision, now: int, request: AppendRequest | None
) -> Changes:
    """Return the session after a decision, its recorded events and the journal's new lines. Without
    a request, the worker has decided."""
    recorded = record_events(
        before.id,
        decision.events,
        version=before.version,
        previous_hash=before.hash,
        at=max(now, before.at),  # a clock that was set back must not reverse history
        by=request.by if request else "worker",
    )
    session, lines = apply_events(before, recorded)
    remarks = (Remark(session.version, decision.remark),) if decision.remark else ()
    return Changes(before, session, recorded, lines, decision.names, remarks, request)


def new_reply(changes: Changes) -> StoredReply:
    """Return the reply that is stored with the changes."""
    assert changes.request is not None, "the worker needs no reply"
    return StoredReply(
        session_id=changes.after.id,
        status=changes.request.status,
        version=changes.after.version,
        event_count=len(changes.recorded),
    )


def has_due_payments(changes: Changes) -> bool:
    """Return whether a worker has payments to settle after these changes."""
    before, after = changes.before.payments, changes.after.payments
    return after is not before and bool(due_payments(after))
