"""The signed note over a statement: every figure, name and sentence in it.

The SHA-256 of the document's canonical JSON (RFC 8785), without the note itself, is signed. Any
change of content is found, while indentation and the order of members do not matter.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

NOTE_MEMBER = "signature"
"""The member that holds the note."""

FIELDS_BEFORE_1_0 = {
    "circle": "group",
    "evenings": "sessions",
    "evening": "session_number",
    "begun_at": "created_at",
    "brought_from": "carried_from",
}
"""What a group's statement called its fields, and what it has called them since version 1.0."""

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode
"""RFC 8785, as far as a statement goes: whole numbers, and members whose names are ASCII."""


class StatementDigest:
    """The digest of a statement whose lines are added one by one, in order. `members` are all other
    members of the document. The result is that of the whole document encoded at once."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        before = {name: x for name, x in members.items() if name < "lines"}
        after = {name: x for name, x in members.items() if name > "lines"}
        assert before, "a member comes before the lines"
        assert after, "and another one after them"
        self._hash = sha256(f'{_encode(before)[:-1]},"lines":['.encode())
        self._between = ""
        self._end = f"],{_encode(after)[1:]}"

    def add(self, line: Any) -> None:
        self._hash.update(f"{self._between}{_encode(line)}".encode())
        self._between = ","

    def finish(self) -> bytes:
        """Return the digest of the whole document; nothing may be added after."""
        self._hash.update(self._end.encode())
        return self._hash.digest()


def statement_digest(document: Mapping[str, Any]) -> bytes:
    """Return the digest of a complete statement, with or without its note."""
    members = {name: value for name, value in document.items() if name != NOTE_MEMBER}
    return sha256(_encode(members).encode()).digest()


def rename_fields(document: Any) -> Any:
    """Return a group's statement from before version 1.0 with the field names of today.

    It is signed with its own names, so verify the note of the document itself.
    """
    if isinstance(document, dict):
        return {
            FIELDS_BEFORE_1_0.get(name, name): rename_fields(value)
            for name, value in document.items()
        }
    return [rename_fields(item) for item in document] if isinstance(document, list) else document


def statement_body(subject: UUID, digest: bytes) -> str:
    """Return the text that is signed; `subject` is the id of the session or of the group."""
    return f"vola-statement/{subject}\n{b64encode(digest).decode()}\n"
