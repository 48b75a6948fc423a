"""The format of an archive: all sessions and groups of a book in one ZIP file.

A session's file is an export with its labels (ledger/transfer/export_format.py). The manifest lists
every other file with its length and digest. Only shapes: the reader checks whether they are true.
"""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.values import Player
from ledger.access.session_metadata import MAX_GENERATION
from ledger.events.event_types import UUID_PATTERN, Member
from ledger.proofs.continuation import Hash
from ledger.transfer.export_format import ExportedEvent, Time

MANIFEST = "manifest.json"
SCHEMA_KINDS = ("manifest", "session", "group")
MAX_RATIO = 20
SMALL_BYTES = 1 << 20

PATH = rf"(?:(?:sessions|groups)/{UUID_PATTERN}|schemas/(?:{'|'.join(SCHEMA_KINDS)}))\.json"
FILE_NAME = re.compile(rf"{PATH}|{re.escape(MANIFEST)}")

Id = Annotated[str, Meta(pattern=rf"^{UUID_PATTERN}\Z")]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class ArchiveRefused(Exception):
    """A sentence that says what is wrong with an archive."""


class ArchivedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the archive."""

    path: Annotated[str, Meta(pattern=rf"^{PATH}\Z")]
    bytes: Annotated[int, Meta(ge=1)]
    sha256: Hash


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every file of the archive but this one, and the moment whose state they hold. Sessions stand
    in the order in which they were opened, each after the one that it carries forward."""

    format: Literal["vola archive 1"]
    at: Time
    sessions: Count
    groups: Count
    files: tuple[ArchivedFile, ...]

    def files_in(self, folder: Literal["sessions", "groups"]) -> list[ArchivedFile]:
        return [file for file in self.files if file.path.startswith(f"{folder}/")]


class ExportedMember(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A member of a group. An erased name is null."""

    id: Member
    name: str | None


class ExportedGroupSession(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A session of a group, and which player was which member. `enrolled` has the players whom a
    later session made members, with its place in the group; left out where there are none, as in
    archives of earlier versions."""

    session: Id
    members: dict[Player, Member]
    enrolled: dict[Player, Annotated[int, Meta(ge=2)]] = {}


class ExportedGroup(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A group, with its members, its sessions and its own events in order. `generation` is the
    first of its links that it never had where it comes from. `events` is left out where there are
    none, as in archives of earlier versions; these refuse a group with events."""

    format: Literal["vola group 1"]
    group: Id
    name: str
    generation: Annotated[int, Meta(ge=0, le=MAX_GENERATION)]
    members: Annotated[tuple[ExportedMember, ...], Meta(max_length=999)]
    sessions: tuple[ExportedGroupSession, ...]
    events: tuple[ExportedEvent, ...] = ()


def grows_too_much(unpacked_bytes: int, packed_bytes: int) -> bool:
    """Return whether a packed file grows so much that it may be made to exhaust the memory. A
    session seldom shrinks to a tenth, because each event has a random hash; a file that would
    shrink more than MAX_RATIO is not packed. There is no other limit on a session's length."""
    return unpacked_bytes > max(SMALL_BYTES, MAX_RATIO * packed_bytes)


def session_path(session_id: object) -> str:
    return f"sessions/{session_id}.json"


def group_path(group_id: object) -> str:
    return f"groups/{group_id}.json"
