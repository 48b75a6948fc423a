"""The labels of a session (title, names with their salts, remarks), and the signed note over them.

Labels are not in the hash chain, because they must be erasable. An export with labels therefore
carries a note that signs all of them at its version, in the form of a checkpoint. No database.
"""

from base64 import b64encode
from hashlib import sha256
from uuid import UUID

import msgspec

from ledger.store.append_request import PlayerName, Remark

DOMAIN = b"vola labels 1"
DOMAIN_WITH_SPELLINGS = b"vola labels 2"
"""For a session with corrected names; all others are signed as in earlier versions."""


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """Names in the order in which players joined, erased ones too; remarks by version, in order. No
    text is empty: a missing one is None."""

    title: str | None
    names: tuple[PlayerName, ...]
    remarks: tuple[Remark, ...]


def labels_text(session_id: UUID, version: int, labels: Labels) -> str:
    """Return the text that is signed."""
    digest = b64encode(_labels_digest(session_id, labels)).decode()
    return f"vola-labels/{session_id}\n{version}\n{digest}\n"


def _labels_digest(session_id: UUID, labels: Labels) -> bytes:
    """Every field is preceded by its length, so that no two sessions give the same bytes."""
    has_spellings = any(name.spellings for name in labels.names)
    domain = DOMAIN_WITH_SPELLINGS if has_spellings else DOMAIN
    fields = [domain, session_id.bytes, (labels.title or "").encode()]
    fields.append(len(labels.names).to_bytes(4, "big"))
    for name in labels.names:
        fields += [name.player.encode(), (name.name or "").encode(), name.salt or b""]
        if has_spellings:
            fields.append(len(name.spellings).to_bytes(4, "big"))
        for spelling in name.spellings:
            fields += [
                spelling.name.encode(),
                spelling.until.to_bytes(8, "big"),
                spelling.by.encode(),
            ]
    for remark in labels.remarks:
        fields += [remark.version.to_bytes(8, "big"), remark.remark.encode()]
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()
