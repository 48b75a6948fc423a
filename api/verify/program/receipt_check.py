"""Whether a receipt holds, and whether a document continues what somebody saved earlier.

Also what the file of an alarm shows that has no two signed documents to compare: names that have
moved between players, or a server that denies a version which was kept. The form finds moved names
in the same way (api/verify/static/receipt_check.js).
"""

import unicodedata
from typing import Any

from api.verify.program.document import Document, ProvenVersions, Refused, hash_bytes, kept_claim
from api.verify.program.merkle_tree import is_consistent, is_included, leaf_hash
from api.verify.program.sentences import SENTENCES, label, nameless
from api.verify.program.signed_note import (
    check_cosignatures,
    checkpoint_root,
    is_key_endorsed,
    public_key,
)

MAX_NAME_CHARACTERS = 1000


def check_receipt(document: Document, expected_key: str | None) -> ProvenVersions:
    """Return what the receipt proves: its version and its head. Raise Refused if it is invalid."""
    key, head = public_key(document, expected_key), document["head"]
    own_root = checkpoint_root(document, document["session"], key)
    head_root = checkpoint_root(head, document["session"], key)
    first, second = document["version"], head["version"]
    leaf = leaf_hash(bytes.fromhex(document["hash"]))
    if not is_included(leaf, first - 1, second, hash_bytes(document["inclusion"]), head_root):
        raise Refused("inclusion_wrong", first)
    if not is_consistent(first, second, hash_bytes(document["consistency"]), own_root, head_root):
        raise Refused("consistency_wrong", first)
    check_cosignatures(document, second, head_root)
    return {first: (document["hash"], lambda: own_root), second: (head["hash"], lambda: head_root)}


def refuse_unsigned(document: Document, expected_key: str | None) -> None:
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
    newest = max(proven)
    for claim in claims:
        version, root = claim["version"], None
        if claim.get("checkpoint") is not None:
            try:
                root = checkpoint_root(claim, document["session"], earlier_key)
            except Refused:
                raise Refused("earlier_wrong") from None
        if version > newest:
            raise Refused("tail_missing", version)
        if version in proven:
            proven_hash, proven_root = proven[version]
            if claim["hash"] != proven_hash or (root is not None and root != proven_root()):
                raise Refused("rewritten", version)
        elif claim is claims[-1]:
            raise Refused("not_shown", version)
    if earlier["kind"] == "receipt":
        try:
            check_receipt(earlier, None)
        except Refused:
            raise Refused("earlier_wrong") from None


def check_names(document: Document, expected_key: str | None) -> Any:
    """Refuse names of which one has moved from one player to another."""
    if moved_names(document):
        raise Refused("names_moved")


def moved_names(document: Document) -> list[tuple[str, str, str]]:
    """Return each player who has a name that another player had before: the player, the name, and
    the other. A player whose name is erased has none."""
    seen_names, players = document["kept"]["names"], document["received"]["players"]
    present = [(p["id"], p["name"]) for p in players if p["name"] != f"Spelare {p['id'][1:]}"]
    bearers = {
        name_key(name): player for player, _ in present for name in seen_names.get(player, [])
    }
    owned = [(player, name, bearers.get(name_key(name), player)) for player, name in present]
    return [move for move in owned if move[0] != move[2]]


def names_sentence(document: Document) -> str:
    """Return which names have moved, and what a file of names cannot prove."""
    sentences = [
        SENTENCES["names_moved"].format(
            who=nameless("player", player), name=label(name) or "?", owner=nameless("player", owner)
        )
        for player, name, owner in moved_names(document)
    ]
    return " ".join([*(sentences or [SENTENCES["names_agree"]]), SENTENCES["names_unsigned"]])


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common. No server has so long a name that it
    is left as it is: the time of NFKC grows with the square of the accents."""
    return name if len(name) > MAX_NAME_CHARACTERS else unicodedata.normalize("NFKC", name).lower()


def check_denial(document: Document, expected_key: str | None) -> Any:
    """Refuse a version that existed, as its checkpoint shows, and that the server now denies, as
    the file says."""
    record = document["kept"]
    if record["head"] is None or record["key"] is None:
        raise Refused("unsigned")
    if expected_key not in (None, record["key"]):
        raise Refused("other_key")
    checkpoint_root(kept_claim(record), document["session"], record["key"])
    raise Refused("version_denied", record["head"]["version"])
