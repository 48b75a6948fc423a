"""One look at a session of another book: verify what it sends, keep it, and then cosign it.

The new head is kept before it is cosigned, so that a witness that is interrupted in between goes on
from what it may have cosigned, and never cosigns two histories.
"""

import time
from base64 import b64encode
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.witness.client import BookClient, UnexpectedAnswer, Unreachable
from api.witness.invite_link import InvalidLink, InviteLink, link_at
from api.witness.witness_folder import KeptSession, WitnessFolder
from ledger.proofs.checkpoint import note_text, public_bytes
from ledger.proofs.continuation import (
    Contradiction,
    MalformedReceipt,
    ReceivedReceipt,
    check_continuation,
    is_endorsed,
    read_receipt,
)
from ledger.proofs.cosignature import cosign

Document = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """What a look has shown. `earlier`: what was kept before; `refusal`: the code with which the
    book refused the cosignature."""

    title: str
    receipt: ReceivedReceipt
    earlier: ReceivedReceipt | None
    refusal: str | None


class VersionMissing(Exception):
    """The session does not have this version; `document` is the answer."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document


class HistoryContradicted(Exception):
    """The history is not the one seen before; both documents are in `file`. `contradiction` is None
    if that was found by an earlier look: a session is not cosigned again."""

    def __init__(self, title: str, contradiction: Contradiction | None, file: Path) -> None:
        super().__init__(title)
        self.title, self.contradiction, self.file = title, contradiction, file


class OtherKey(Exception):
    """The session is signed with `key`, to which the key that the witness was given does not lead.
    Nothing is kept or cosigned."""

    def __init__(self, title: str, key: str) -> None:
        super().__init__(title)
        self.title, self.key = title, key


@dataclass(frozen=True)
class Witness:
    """Looks at sessions. `keys`: what the books' keys must be, or lead to."""

    client: BookClient
    folder: WitnessFolder
    key: Ed25519PrivateKey
    name: str
    keys: Collection[str] = ()

    def list_sessions(self, link: InviteLink) -> list[InviteLink]:
        """Return the link of each session that a link leads to. Raise Unreachable."""
        if link.kind == "s":
            return [link]
        group = self._get(link, f"/v1/groups/{link.id}")
        try:
            return [link_at(link.server, session["path"]) for session in group["sessions"]]
        except (InvalidLink, KeyError, TypeError, AttributeError):
            raise UnexpectedAnswer(link.server) from None

    def observe(self, link: InviteLink) -> Observation:
        """Look at a session and cosign its newest version. Raise Unreachable, HistoryContradicted
        or OtherKey."""
        session, file = self.folder.load(link.id), self.folder.contradiction_file(link.id)
        earlier = session.receipt if session else None
        title = session.title if session else None
        if file.exists():
            raise HistoryContradicted(_label(link, title), None, file)
        known_keys = {earlier.key} if earlier else self.folder.keys_at(str(link.server))
        if earlier:
            version = earlier.head.version
        else:
            title, version = self._get_head(link)
        try:
            document = self._get_receipt(link, version)
            receipt = read_receipt(document)
            check_continuation(link.id, receipt, known_keys, earlier.head if earlier else None)
        except MalformedReceipt:
            raise UnexpectedAnswer(link.server) from None
        except VersionMissing as missing:
            if earlier is None:
                raise Unreachable(f"{link.server} has no version {version} now") from None
            contradiction, document = Contradiction("tail_missing", version), missing.document
            with suppress(Unreachable, VersionMissing):  # what it has instead says more
                document = self._get_receipt(link, self._get_head(link)[1])
        except Contradiction as error:
            contradiction = error
        else:
            # a key that was mistyped contradicts nothing that was seen
            if not all(is_endorsed(key, receipt) for key in self.keys):
                raise OtherKey(_label(link, title), receipt.key)
            seen_session = KeptSession(server=str(link.server), title=title, receipt=receipt)
            self.folder.save(link.id, seen_session)
            refusal = self._cosign(link, receipt)
            return Observation(_label(link, title), receipt, earlier, refusal)
        self.folder.save_contradiction(link.id, contradiction, known_keys, document)
        raise HistoryContradicted(_label(link, title), contradiction, file)

    def _cosign(self, link: InviteLink, receipt: ReceivedReceipt) -> str | None:
        """Send the cosignature of the head unless the book has it; return the code of a refusal."""
        key, version = public_bytes(self.key).hex(), receipt.head.version
        if any((w.key, w.version) == (key, version) for w in receipt.witnesses):
            return None
        text = note_text(receipt.head.checkpoint)
        signature = b64encode(cosign(self.key, self.name, text, int(time.time()))).decode()
        body = {"name": self.name, "version": version, "signature": signature}
        path = f"/v1/sessions/{link.id}/witnesses/{key}"
        status, answer = self.client.request(link, "PUT", path, body)
        return None if status < 300 else _code(answer) or str(status)

    def _get_head(self, link: InviteLink) -> tuple[str | None, int]:
        """Return the title and the version of the session as it is now."""
        session = self._get(link, f"/v1/sessions/{link.id}")
        title, version = session.get("title"), session.get("version")
        if type(version) is not int or not isinstance(title, str | None):
            raise UnexpectedAnswer(link.server)
        return title, version

    def _get_receipt(self, link: InviteLink, version: int) -> Document:
        """Return the receipt of this version. Raise VersionMissing or Unreachable."""
        path = f"/v1/sessions/{link.id}/receipts/{version}"
        status, document = self.client.request(link, "GET", path)
        if status == 404 and document.get("code") == "unknown_version":
            raise VersionMissing(document)
        return _accepted(link, status, document)

    def _get(self, link: InviteLink, path: str) -> Document:
        return _accepted(link, *self.client.request(link, "GET", path))


def _accepted(link: InviteLink, status: int, document: Document) -> Document:
    if status != 200:
        reason = _code(document) or status
        if reason in ("unknown_session", "unknown_group"):
            reason = "the link gives no access"
        raise Unreachable(f"{link.server} refuses: {reason}")
    return document


def _code(refusal: Document) -> str:
    """Return the beginning of the code, which may be anything of any length."""
    return str(refusal.get("code") or "")[:40]


def _label(link: InviteLink, title: str | None) -> str:
    short_id = str(link.id)[:8]
    return f"{title[:40]} ({short_id})" if title else short_id
