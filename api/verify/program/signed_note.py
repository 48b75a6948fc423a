"""What a book or a phone has signed: notes, checkpoints, endorsed keys, and cosignatures.

The formats are C2SP signed-note, tlog-checkpoint and tlog-cosignature.
"""

import base64
import re
from hashlib import sha256

from api.verify.program.document import Refused, hash_bytes
from api.verify.program.ed25519 import is_signature
from api.verify.program.merkle_tree import is_consistent

SIGNATURE_LINES = "((?:— [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,16})"
CHECKPOINT = re.compile(
    "((vola/[0-9a-f-]{36})\n([1-9][0-9]{0,9})\n([A-Za-z0-9+/]{43}=)\n"
    "chain ([0-9a-f]{64})\ntime ([0-9TZ:.-]{27})\n)\n" + SIGNATURE_LINES
)


def checkpoint_root(claim, session, key):
    """Return the tree root that the checkpoint of a claim signs, after checking the checkpoint."""
    version, key = claim["version"], bytes.fromhex(key)
    note = CHECKPOINT.fullmatch(claim["checkpoint"] or "")
    if not note:
        raise Refused("checkpoint_wrong", version)
    text, origin, size, root, chain, time, signatures = note.groups()
    stated = (origin, size, chain, time)
    if stated != (f"vola/{session}", str(version), claim["hash"], claim.get("at", time)):
        raise Refused("checkpoint_wrong", version)
    if not has_signature(origin, key, text, signatures) or len(decode_base64(root)) != 32:
        raise Refused("signature_wrong", version)
    return decode_base64(root)


def is_signed_note(note, text, origin_id, key):
    """Whether a note has exactly this text, signed with this key for this session or group."""
    stated, _, signatures = note.partition("\n\n")
    if f"{stated}\n" != text or not re.fullmatch(SIGNATURE_LINES, signatures):
        return False
    return has_signature(f"vola/{origin_id}", bytes.fromhex(key), text, signatures)


def has_signature(origin, key, text, signatures):
    """Whether the first signature line that names this key is valid."""
    hint = sha256(origin.encode() + b"\n\x01" + key).digest()[:4]
    for line in signatures.splitlines():
        _, name, encoded = line.split(" ")
        signature = decode_base64(encoded)
        if name == origin and len(signature) == 68 and signature[:4] == hint:
            return is_signature(key, text.encode(), signature[4:])
    return False


def decode_base64(text):
    """Return the bytes, or none of them when the text is not their canonical encoding."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return decoded if base64.b64encode(decoded).decode() == text else b""


def public_key(doc, expected):
    if doc["key"] is None or doc["checkpoint"] is None:
        raise Refused("unsigned")
    if not is_key_endorsed(expected, doc):
        raise Refused("other_key")
    return doc["key"]


def is_key_endorsed(expected, doc):
    """Whether the document's key is the expected one, or one that it leads to: after a rotation
    each earlier key has signed a note that names the next. Without an expected key any will do."""
    earlier_keys = doc["earlier_keys"] or []
    keys = [earlier["key"] for earlier in earlier_keys] + [doc["key"]]
    if expected is None or expected not in keys:
        return expected is None
    first = len(keys) - 1 - keys[::-1].index(expected)
    return all(
        is_signed_note(earlier["note"], endorsement(successor), "key", earlier["key"])
        for earlier, successor in zip(earlier_keys[first:], keys[first + 1 :], strict=True)
    )


def endorsement(key):
    return f"vola-key\n{base64.b64encode(bytes.fromhex(key)).decode()}\n"


def check_cosignatures(doc, version, root):
    """Check what phones have cosigned: a version that this one, with this tree root, continues."""
    claim = doc["witnessed"]
    if claim is None:
        return
    first = claim["version"]
    first_root = checkpoint_root(claim, doc["session"], doc["key"])
    if not is_consistent(first, version, hash_bytes(claim["consistency"]), first_root, root):
        raise Refused("consistency_wrong", first)
    text = claim["checkpoint"].partition("\n\n")[0] + "\n"
    for cosignature in claim["cosignatures"]:
        name = f"vola/{doc['session']}/{cosignature['player']}"
        if not is_cosignature(name, cosignature["key"], cosignature["signature"], text):
            raise Refused("cosignature_wrong", first)


def is_cosignature(name, key, signature, text):
    """Whether a phone's key has signed the text of a checkpoint (C2SP tlog-cosignature)."""
    key, signature = bytes.fromhex(key), decode_base64(signature)
    time = int.from_bytes(signature[4:12], "big")
    signed = f"cosignature/v1\ntime {time}\n{text}"
    hint = sha256(name.encode() + b"\n\x04" + key).digest()[:4]
    return (
        len(signature) == 76
        and signature[:4] == hint
        and is_signature(key, signed.encode(), signature[12:])
    )
