"""An export as a file has it: the shape of what another book wrote (ledger/transfer/export.py), no
more.

Whether it holds is asked elsewhere (ledger/transfer/import_check.py).
"""

from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from engine.values import Player
from ledger.events.hash_chain import HashedFields
from ledger.store.append_request import PlayerName, Spelling

Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
AUTHOR = r"(?:host|scorer|viewer)\.(?:0|[1-9][0-9]{0,3})"
"""Who wrote with a link of a role and a generation."""
Version = Annotated[int, Meta(ge=1, le=2**31 - 1)]


Reason = Literal[
    "hole",
    "seal_broken",
    "time_wrong",
    "event_unreadable",
    "head_wrong",
    "checkpoint_wrong",
    "signature_wrong",
    "root_wrong",
    "event_impossible",
    "names_wrong",
    "remarks_wrong",
    "labels_wrong",
    "too_much",
]


class InvalidExport(Exception):
    """This is not an evening as it was kept: {reason}, at version {version}."""

    def __init__(self, reason: Reason, version: int) -> None:
        super().__init__(f"{reason} at version {version}")
        self.reason, self.version = reason, version


class ExportedEvent(HashedFields, frozen=True, forbid_unknown_fields=True):
    """An event as a file has it."""

    version: Version
    schema: Annotated[int, Meta(ge=1, le=2**15 - 1)]
    at: Annotated[int, Meta(ge=0, le=2**53 - 1)]  # microseconds, UTC
    by: Annotated[str, Meta(pattern=rf"^(?:{AUTHOR}|phone[1-9][0-9]{{0,3}}|worker|circle)\Z")]
    hash: Hash


class ExportedSpelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody was called until it was put right."""

    name: str
    until: Annotated[int, Meta(ge=0, le=2**53 - 1)]  # microseconds, UTC
    by: Annotated[str, Meta(pattern=r"^(?:host\.(?:0|[1-9][0-9]{0,3})|phone[1-9][0-9]{0,3})\Z")]


class ExportedName(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player's name; earlier spellings only where there are any, so that all other files stay as
    they were."""

    id: Player
    name: str | None
    salt: Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{2}){1,64}\Z")] | None
    spellings: Annotated[tuple[ExportedSpelling, ...], Meta(max_length=20)] = ()

    @classmethod
    def of(cls, name: PlayerName) -> Self:
        salt = None if name.salt is None else name.salt.hex()
        spellings = tuple(ExportedSpelling(s.name, s.until, s.by) for s in name.spellings)
        return cls(name.player, name.name, salt, spellings)

    def player_name(self) -> PlayerName:
        salt = None if self.salt is None else bytes.fromhex(self.salt)
        spellings = tuple(Spelling(name=s.name, until=s.until, by=s.by) for s in self.spellings)
        return PlayerName(player=self.id, name=self.name, salt=salt, spellings=spellings)


class ExportedRemark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Version
    remark: str


class Export(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: as ledger/transfer/export.py writes it, with labels or without any."""

    format: Literal["vola session 1"]
    session: Annotated[str, Meta(pattern=r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
    version: Version
    hash: Hash
    at: str
    key: Hash
    checkpoint: str
    events: Annotated[tuple[ExportedEvent, ...], Meta(min_length=1)]
    title: str | msgspec.UnsetType | None = msgspec.UNSET
    names: tuple[ExportedName, ...] | msgspec.UnsetType = msgspec.UNSET
    remarks: tuple[ExportedRemark, ...] | msgspec.UnsetType = msgspec.UNSET
    labels: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def id(self) -> UUID:
        return UUID(self.session)

    @property
    def generation(self) -> int:
        """Of the tokens that this book gives: none that has written in the other one."""
        links = (event.by.partition(".")[2] for event in self.events)
        return max((int(number) for number in links if number), default=-1) + 1
