"""The format of an export, as ledger/transfer/export.py writes it.

Only its shape: ledger/transfer/import_check.py checks whether what it says is true.
"""

from base64 import b64decode
from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from engine.values import Player
from ledger.events.event_types import UUID_PATTERN
from ledger.events.hash_chain import HashedFields
from ledger.proofs.continuation import Hash, Version
from ledger.proofs.cosignature import Cosignature
from ledger.proofs.witnesses import MAX_WITNESSES, WITNESS_NAME, Witness
from ledger.store.append_request import PlayerName, Remark, Spelling

EXPORT_FORMAT: Literal["vola session 1"] = "vola session 1"
Time = Annotated[
    str, Meta(pattern=r"^[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}\.[0-9]{6}Z\Z")
]
AUTHOR = r"(?:host|scorer|viewer)\.(?:0|[1-9][0-9]{0,3})"
"""The author of an event: a link of a role and a generation."""

Reason = Literal[
    "hole", "hash_wrong", "time_wrong", "event_unreadable", "head_wrong", "checkpoint_wrong",
    "signature_wrong", "root_wrong", "event_impossible", "names_wrong", "remarks_wrong",
    "labels_wrong", "cosignature_wrong", "too_much",
]  # fmt: skip


class InvalidExport(Exception):
    """The export is not a valid session: {reason}, at version {version}."""

    def __init__(self, reason: Reason, version: int) -> None:
        super().__init__(f"{reason} at version {version}")
        self.reason, self.version = reason, version


class ExportedEvent(HashedFields, frozen=True, forbid_unknown_fields=True):
    """An event in an export."""

    version: Version
    schema: Annotated[int, Meta(ge=1, le=2**15 - 1)]
    at: Annotated[int, Meta(ge=0, le=2**53 - 1)]  # microseconds, UTC
    by: Annotated[str, Meta(pattern=rf"^(?:{AUTHOR}|phone[1-9][0-9]{{0,3}}|worker|circle)\Z")]
    hash: Hash

    @property
    def generation(self) -> int:
        """The generation of the link that wrote it; -1 if no link did."""
        return int(self.by.partition(".")[2] or -1)


class ExportedName(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player's name. `spellings` is left out where there are none, as in exports of earlier
    versions."""

    id: Player
    name: str | None
    salt: Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{2}){1,64}\Z")] | None
    spellings: Annotated[tuple[Spelling, ...], Meta(max_length=20)] = ()

    @classmethod
    def of(cls, name: PlayerName) -> Self:
        salt = None if name.salt is None else name.salt.hex()
        return cls(name.player, name.name, salt, name.spellings)

    def player_name(self) -> PlayerName:
        salt = None if self.salt is None else bytes.fromhex(self.salt)
        return PlayerName(player=self.id, name=self.name, salt=salt, spellings=self.spellings)


class ExportedKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key that the book signed with before, and its note about the next."""

    key: Hash
    note: str


CosignatureText = Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{101}[AQgw]==\Z")]


class ExportedCosignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cosignature by the phone of a player."""

    player: Player
    key: Hash
    signature: CosignatureText

    def cosignature(self, version: int) -> Cosignature:
        key, signature = bytes.fromhex(self.key), b64decode(self.signature)
        return Cosignature(version=version, player=self.player, key=key, signature=signature)


class CosignedVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The newest version that phones have cosigned."""

    version: Version
    hash: Hash
    at: Time
    checkpoint: str
    consistency: tuple[Hash, ...]
    cosignatures: Annotated[tuple[ExportedCosignature, ...], Meta(min_length=1, max_length=100)]


class ExportedWitness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another book, and the newest version that it has cosigned."""

    name: Annotated[str, Meta(pattern=rf"^{WITNESS_NAME}\Z")]
    version: Version
    key: Hash
    signature: CosignatureText
    hash: Hash
    at: Time
    checkpoint: str
    consistency: tuple[Hash, ...]

    def witness(self) -> Witness:
        key, signature = bytes.fromhex(self.key), b64decode(self.signature)
        return Witness(name=self.name, key=key, version=self.version, signature=signature)


Witnesses = Annotated[tuple[ExportedWitness, ...], Meta(max_length=MAX_WITNESSES)]


class Export(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An export, with all labels or without any."""

    format: Literal["vola session 1"]
    session: Annotated[str, Meta(pattern=rf"^{UUID_PATTERN}\Z")]
    version: Version
    hash: Hash
    at: Time
    key: Hash
    checkpoint: str
    events: Annotated[tuple[ExportedEvent, ...], Meta(min_length=1)]
    title: str | msgspec.UnsetType | None = msgspec.UNSET
    names: tuple[ExportedName, ...] | msgspec.UnsetType = msgspec.UNSET
    remarks: tuple[Remark, ...] | msgspec.UnsetType = msgspec.UNSET
    labels: str | msgspec.UnsetType = msgspec.UNSET
    earlier_keys: tuple[ExportedKey, ...] = ()  # for verifiers: an import trusts `key` alone
    witnessed: CosignedVersion | None = None
    witnesses: Witnesses = ()

    @property
    def id(self) -> UUID:
        return UUID(self.session)

    @property
    def generation(self) -> int:
        """The generation of the tokens that an import issues: after all that wrote an event."""
        return max(event.generation for event in self.events) + 1
