"""Whether a receipt holds, and whether a document continues what somebody saved earlier."""

from typing import Any

from api.verify.program.document import Document, ProvenVersions, Refused, hash_bytes
from api.verify.program.merkle_tree import is_consistent, is_included, leaf_hash
from api.verify.program.signed_note import (
    check_cosignatures,
    checkpoint_root,
    is_key_endorsed,
    public_key,
)


def check_receipt(doc: Document, expected_key: str | None) -> ProvenVersions:
    key, head = public_key(doc, expected_key), doc["head"]
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


def refuse_unsigned(doc: Document, expected_key: str | None) -> None:
    """Refuse the receipt of a write, which is not signed yet."""
    raise Refused("unsigned")


def check_earlier(document: Document, proven: Any, earlier: Document) -> None:
    """Refuse a document whose history does not begin with what the earlier one proves.

    `proven` is ProvenVersions, for a group's statement by session.
    """
    if document["kind"] == "group":
        session = earlier.get("session")
        summaries = [summary for summary in document["sessions"] if summary["session"] == session]
        if not summaries:
            raise Refused("other_session")
        document, proven = summaries[-1], proven[session]
    elif not proven:
        raise Refused("unsigned")
    if earlier["session"] not in (None, document["session"]):
        raise Refused("other_session")
    earlier_key = earlier.get("key") or document["key"]
    if not is_key_endorsed(earlier_key, document):
        raise Refused("other_key")
    heads = [earlier["head"]] if "head" in earlier else []
    receipts = earlier.get("receipts") or []
    claims = sorted([earlier, *heads, *receipts], key=lambda claim: claim["version"])
    for claim in claims:
        version, root = claim["version"], None
        if claim.get("checkpoint") is not None:
            try:
                root = checkpoint_root(claim, document["session"], earlier_key)
            except Refused:
                raise Refused("earlier_wrong") from None
        if version > max(proven):
            raise Refused("tail_missing", version)
        if version in proven:
            proven_hash, proven_root = proven[version]
            if claim["hash"] != proven_hash or root not in (None, proven_root):
                raise Refused("rewritten", version)
        elif claim is claims[-1]:
            raise Refused("not_shown", version)
