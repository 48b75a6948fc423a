"""What is signed by a book, a phone or a witness: checkpoints, other notes, keys, cosignatures.

The formats are C2SP signed-note, tlog-checkpoint and tlog-cosignature.
"""

import base64
import re
from hashlib import sha256

from api.verify.program.document import Document, Refused, hash_bytes
from api.verify.program.ed25519 import is_signature
from api.verify.program.merkle_tree import is_consistent

SIGNATURE_LINES = "((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})"
CHECKPOINT = re.compile(
    "((vola/[0-9a-f-]{36})\n([1-9][0-9]{0,9})\n([A-Za-z0-9+/]{43}=)\n"
    "chain ([0-9a-f]{64})\ntime ([0-9TZ:.-]{27})\n)\n" + SIGNATURE_LINES
)
NOTE_ALGORITHM, COSIGNATURE_ALGORITHM = b"\x01", b"\x04"


def checkpoint_root(claim: Document, session: str, key: str) -> bytes:
    """Return the tree root that the checkpoint of a claim signs, after checking the checkpoint."""
    version = claim["version"]
    note = CHECKPOINT.fullmatch(claim["checkpoint"] or "")
    if not note:
        raise Refused("checkpoint_wrong", version)
    text, origin, size, root, chain, time, signatures = note.groups()
    stated = (origin, size, chain, time)
    if stated != (f"vola/{session}", str(version), claim["hash"], claim.get("at") or time):
        raise Refused("checkpoint_wrong", version)
    if not has_signature(origin, key, text, signatures) or len(decode_base64(root)) != 32:
        raise Refused("signature_wrong", version)
    return decode_base64(root)


def is_signed_note(note: str, text: str, origin_id: str, key: str) -> bool:
    """Return whether a note is this text, signed with this key for this session or group."""
    stated, _, signatures = note.partition("\n\n")
    if f"{stated}\n" != text or not re.fullmatch(SIGNATURE_LINES, signatures):
        return False
    return has_signature(f"vola/{origin_id}", key, text, signatures)


def has_signature(origin: str, key: str, text: str, signatures: str) -> bool:
    """Return whether the first signature line that names this key is valid."""
    public_bytes = bytes.fromhex(key)
    for line in signatures.splitlines():
        _, name, encoded = line.split(" ")
        signature = decode_base64(encoded)
        if name != origin or len(signature) != 68:
            continue
        if signature[:4] == key_id(origin, NOTE_ALGORITHM, public_bytes):
            return is_signature(public_bytes, text.encode(), signature[4:])
    return False


def key_id(name: str, algorithm: bytes, key: bytes) -> bytes:
    """Return the four bytes that say which key made a signature."""
    return sha256(name.encode() + b"\n" + algorithm + key).digest()[:4]


def decode_base64(text: str) -> bytes:
    """Return the bytes, or none of them when the text is not their canonical encoding."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return decoded if base64.b64encode(decoded).decode() == text else b""


def public_key(document: Document, expected: str | None) -> str:
    """Return the key of a signed document, which must be the expected one or lead to it."""
    key: str | None = document["key"]
    if key is None or document["checkpoint"] is None:
        raise Refused("unsigned")
    if not is_key_endorsed(expected, document):
        raise Refused("other_key")
    return key


def is_key_endorsed(expected: str | None, document: Document) -> bool:
    """Return whether the document's key is the expected one, or one that it leads to: after a
    rotation each earlier key has signed a note that names the next. Without an expected key any
    will do."""
    earlier_keys = document["earlier_keys"] or []
    keys = [earlier["key"] for earlier in earlier_keys] + [document["key"]]
    if expected is None or expected not in keys or document["key"] is None:
        return expected is None
    first = len(keys) - 1 - keys[::-1].index(expected)
    return all(
        is_signed_note(earlier["note"], endorsement(successor), "key", earlier["key"])
        for earlier, successor in zip(earlier_keys[first:], keys[first + 1 :], strict=True)
    )


def endorsement(key: str) -> str:
    return f"vola-key\n{base64.b64encode(bytes.fromhex(key)).decode()}\n"


def check_cosignatures(document: Document, version: int, root: bytes) -> None:
    """Check what phones and witnesses have cosigned: versions that this one, with this tree root,
    continues."""
    claim = document["witnessed"]
    if claim is not None:
        text = cosigned_text(document, claim, version, root)
        for cosignature in claim["cosignatures"]:
            name = f"vola/{document['session']}/{cosignature['player']}"
            if not is_cosignature(name, cosignature, text):
                raise Refused("cosignature_wrong", claim["version"])
    for witness in document["witnesses"] or []:
        text = cosigned_text(document, witness, version, root)
        if not is_cosignature(witness["name"], witness, text):
            raise Refused("witness_wrong", witness["version"])


def cosigned_text(document: Document, claim: Document, version: int, root: bytes) -> str:
    """Return what a cosigned checkpoint says, once the version of this tree root continues it."""
    first = claim["version"]
    first_root = checkpoint_root(claim, document["session"], document["key"])
    if not is_consistent(first, version, hash_bytes(claim["consistency"]), first_root, root):
        raise Refused("consistency_wrong", first)
    text: str = claim["checkpoint"].partition("\n\n")[0]
    return text + "\n"


def is_cosignature(name: str, cosignature: Document, text: str) -> bool:
    """Return whether this key has signed the checkpoint's text (C2SP tlog-cosignature)."""
    key, signature = bytes.fromhex(cosignature["key"]), decode_base64(cosignature["signature"])
    time = int.from_bytes(signature[4:12], "big")
    signed = f"cosignature/v1\ntime {time}\n{text}"
    return (
        len(signature) == 76
        and signature[:4] == key_id(name, COSIGNATURE_ALGORITHM, key)
        and is_signature(key, signed.encode(), signature[12:])
    )
