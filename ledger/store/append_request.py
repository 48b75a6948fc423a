"""What a writer brings and what he gets: the words between whoever asks and the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal
from uuid import UUID

import msgspec

from engine.values import Player
from ledger import chain
from ledger.entries import Entry
from ledger.envelope import Recorded
from ledger.session import Session


def opening_key(key: str) -> str:
    """The key under which an evening or a circle is opened; it begins as no client's key can, so
    that the same one may be used again inside (contract.md §1)."""
    return f"⊙ {sha256(key.encode()).hexdigest()}"


class UnknownSession(Exception):
    """There is no such evening."""


class KeyReused(Exception):
    """This key has already been used for another request."""


class Stale(Exception):
    """The evening has gone on since: it is at version {actual}."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"The evening has gone on since: it is at version {actual}.")
        self.actual = actual


class VersionRequired(Exception):
    """A change must say which version it was based on."""


Expected = int | Literal["any", "missing"]


class Name(msgspec.Struct, frozen=True, kw_only=True):
    """What a player is called, and the salt of what was committed to; neither when erased."""

    player: Player
    name: str | None
    salt: bytes | None

    @property
    def commitment(self) -> str:
        """What history has in the name's stead."""
        assert self.name is not None, "an erased name is not committed to"
        assert self.salt is not None, "a name and its salt go together"
        return chain.commitment(self.salt, self.name)


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What a command wants written: facts, and what is kept beside them."""

    events: Sequence[Entry]
    names: tuple[Name, ...] = ()
    remark: str | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, under which key, for what (a digest), and what he believes the version to be."""

    key: str
    digest: bytes
    by: str
    expected: Expected = "missing"
    status: int = 201  # of the answer, when it is done


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it was first given."""

    session_id: UUID
    status: int
    version: int
    body: bytes
    replayed: bool = False


Render = Callable[[Session, tuple[Recorded, ...]], bytes]


def repeated(
    request: Request, session_id: UUID, digest: bytes, status: int, version: int, body: bytes
) -> Reply:
    """What this key was answered when it was used for `digest`. KeyReused if that was something
    else."""
    if digest != request.digest:
        raise KeyReused
    return Reply(session_id=session_id, status=status, version=version, body=body, replayed=True)


def check(expected: Expected, acted: int, version: int) -> None:
    """Whether nothing was appended since the version that was expected, settled payments aside:
    `acted` is the last that counts. VersionRequired, Stale."""
    if expected == "missing":
        raise VersionRequired
    if expected != "any" and not acted <= expected <= version:
        raise Stale(version)
