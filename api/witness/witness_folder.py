"""What a witness keeps in `VOLA_DATA/witness`: its own key, and a small file for each session.

Every file is written atomically and readable by its owner alone. No token is kept.
"""

import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from ledger.embedded.private_files import make_folder, open_private, try_lock, write_private
from ledger.proofs.continuation import Contradiction, ReceivedReceipt

SESSIONS = "sessions"
CONTRADICTION_FORMAT = "vola contradiction 1"
"""The same as in the form: api/web/static/features/proofs/kept_proofs.js."""


class UnusableFolder(Exception):
    """A sentence: which file, and what is wrong with it."""


class KeptSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it was when it was last seen: the receipt whose head was cosigned."""

    format: Literal["vola witness 1"] = "vola witness 1"
    server: str
    title: str | None
    receipt: ReceivedReceipt


class WitnessFolder:
    """The files of one witness. Raise UnusableFolder for a file that cannot be written or is not
    what was kept, OSError for one that cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out: two could cosign two histories. Raise
        UnusableFolder, OSError."""
        make_folder(self.folder / SESSIONS)
        with open(open_private(self.folder / "lock", os.O_RDWR), "rb") as file:
            if not try_lock(file.fileno()):
                raise UnusableFolder(f"Another witness is running in {self.folder}.")
            yield

    def load_key(self) -> Ed25519PrivateKey:
        """Return the witness's own key, which is made at the first call."""
        file = self.folder / "key"
        if not file.exists():
            _write(file, Ed25519PrivateKey.generate().private_bytes_raw().hex() + "\n")
        try:
            return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file.read_text("ascii")))
        except ValueError:
            raise UnusableFolder(f"{file} is no key of a witness.") from None

    def load(self, session_id: UUID) -> KeptSession | None:
        file = self.folder / SESSIONS / f"{session_id}.json"
        return _read_session(file) if file.exists() else None

    def save(self, session_id: UUID, session: KeptSession) -> None:
        session = replace(session, receipt=replace(session.receipt, witnesses=[]))
        file = self.folder / SESSIONS / f"{session_id}.json"
        _write(file, _json(msgspec.to_builtins(session)))

    def keys_at(self, server: str) -> set[str]:
        """Return the key of the session that was kept last of those at this server."""
        files = sorted((self.folder / SESSIONS).glob("*.json"), key=lambda f: f.stat().st_mtime)
        for file in reversed(files):
            session = _read_session(file)
            if session.server == server:
                return {session.receipt.key}
        return set()

    def contradiction_file(self, session_id: UUID) -> Path:
        return self.folder / f"contradiction-{session_id}.json"

    def save_contradiction(
        self,
        session_id: UUID,
        contradiction: Contradiction,
        keys: Collection[str],
        received: dict[str, Any],
    ) -> None:
        session = self.load(session_id)
        receipt = msgspec.to_builtins(session.receipt) if session else None
        alarm = {
            "format": CONTRADICTION_FORMAT,
            "session": str(session_id),
            "reason": contradiction.reason,
            "version": contradiction.version,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "kept": {
                "key": receipt["key"] if receipt else next(iter(keys), None),
                "head": receipt and receipt["head"],
                "receipts": [],
                "document": receipt,
            },
            "received": received,
        }
        _write(self.contradiction_file(session_id), _json(alarm))


def _read_session(file: Path) -> KeptSession:
    try:
        return msgspec.json.decode(file.read_bytes(), type=KeptSession)
    except (msgspec.DecodeError, RecursionError):
        raise UnusableFolder(f"{file} is not what a witness has kept; move it away.") from None


def _write(file: Path, text: str) -> None:
    try:
        write_private(file, text)
    except OSError as error:
        raise UnusableFolder(f"Cannot use {error.filename or file}: {error.strerror}.") from error


def _json(document: Any) -> str:
    return json.dumps(document, indent=2) + "\n"
