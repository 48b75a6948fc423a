"""What people call an evening and those who play it, beside the events: to be taken along, signed.

Title, names with the salts of their commitments, and remarks are not sealed, for they can be
erased. Whoever takes them home with the events gets a note over all of them as they stood, in the
form of a checkpoint. Knows no database.
"""

from base64 import b64encode
from hashlib import sha256
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.checkpoints import key_id, origin, public
from ledger.writing import Name

DOMAIN = b"vola labels 1"


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """Names in the order in which people came, the erased ones too; remarks by version, in order.

    No text is empty: what is not there is None.
    """

    title: str | None
    names: tuple[Name, ...]
    remarks: tuple[tuple[int, str], ...]


def text(session_id: UUID, version: int, labels: Labels) -> str:
    """What is signed."""
    digest = b64encode(_digest(session_id, labels)).decode()
    return f"vola-labels/{session_id}\n{version}\n{digest}\n"


def signed(key: Ed25519PrivateKey, session_id: UUID, version: int, labels: Labels) -> str:
    """The note: the text, an empty line, the signature's line."""
    name, body = origin(session_id), text(session_id, version, labels)
    signature = b64encode(key_id(name, public(key)) + key.sign(body.encode()))
    return f"{body}\n— {name} {signature.decode()}\n"


def _digest(session_id: UUID, labels: Labels) -> bytes:
    """Every field is preceded by its length, so that no two evenings share the bytes."""
    fields = [DOMAIN, session_id.bytes, (labels.title or "").encode()]
    fields.append(len(labels.names).to_bytes(4, "big"))
    for name in labels.names:
        fields += [name.player.encode(), (name.name or "").encode(), name.salt or b""]
    for version, remark in labels.remarks:
        fields += [version.to_bytes(8, "big"), remark.encode()]
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()
