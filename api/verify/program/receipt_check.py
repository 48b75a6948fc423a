"""Whether a receipt holds, and whether a document continues what somebody saved earlier."""

from api.verify.program.document import Refused, hash_bytes
from api.verify.program.merkle_tree import is_consistent, is_included, leaf_hash
from api.verify.program.signed_note import (
    check_cosignatures,
    checkpoint_root,
    is_key_endorsed,
    public_key,
)


def check_receipt(doc, key):
    key, head = public_key(doc, key), doc["head"]
    own_root = checkpoint_root(doc, doc["session"], key)
    head_root = checkpoint_root(head, doc["session"], key)
    first, second = doc["version"], head["version"]
    leaf = leaf_hash(bytes.fromhex(doc["hash"]))
    if not is_included(leaf, first - 1, second, hash_bytes(doc["inclusion"]), head_root):
        raise Refused("inclusion_wrong", first)
    if not is_consistent(first, second, hash_bytes(doc["consistency"]), own_root, head_root):
        raise Refused("consistency_wrong", first)
    check_cosignatures(doc, second, head_root)
    return {first: (doc["hash"], own_root), second: (head["hash"], head_root)}


def refuse_unsigned(doc, key):
    raise Refused("unsigned")


def check_earlier(document, known, earlier):
    """Refuse a document whose history does not begin with what the earlier one proves."""
    if document["kind"] == "group":
        sessions = [one for one in document["sessions"] if one["session"] == earlier.get("session")]
        if not sessions:
            raise Refused("other_session")
        document, known = sessions[-1], known[sessions[-1]["session"]]
    elif not known:
        raise Refused("unsigned")
    if "session" in earlier and earlier["session"] != document["session"]:
        raise Refused("other_session")
    earlier_key = earlier.get("key") or document["key"]
    if not is_key_endorsed(earlier_key, document):
        raise Refused("other_key")
    claims = sorted(
        [earlier, *([earlier["head"]] if "head" in earlier else [])], key=lambda c: c["version"]
    )
    for claim in claims:
        version, root = claim["version"], None
        if claim["checkpoint"] is not None:
            try:
                root = checkpoint_root(claim, document["session"], earlier_key)
            except Refused:
                raise Refused("earlier_wrong") from None
        if version > max(known):
            raise Refused("tail_missing", version)
        if version in known:
            known_hash, known_root = known[version]
            if known_hash != claim["hash"] or (root is not None and root != known_root):
                raise Refused("rewritten", version)
        elif claim is claims[-1]:
            raise Refused("not_shown", version)
