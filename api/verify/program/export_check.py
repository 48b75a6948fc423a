"""Whether an export is what its book signed: every event by its hash, and every name.

Each event's hash covers the one before (ledger/events/hash_chain.py), and the checkpoint signs the
Merkle tree over all of them.
"""

import base64
from collections.abc import Iterable
from functools import partial
from hashlib import sha256

from api.verify.program.document import (
    JOINING_EVENTS,
    Document,
    ProvenVersions,
    Refused,
    fit_shape,
    iso_time,
)
from api.verify.program.merkle_tree import leaf_hash, tree_root
from api.verify.program.signed_note import (
    check_cosignatures,
    checkpoint_root,
    is_signed_note,
    public_key,
)
from api.verify.program.strict_json import parse_object


def check_export(document: Document, expected_key: str | None) -> ProvenVersions:
    """Return what the export proves. Raise Refused if it is not what its book signed."""
    key = public_key(document, expected_key)
    previous_hash, leaf_hashes, events = bytes(32), [], document["events"]
    for number, event in enumerate(events, 1):
        if event["version"] != number:
            raise Refused("hole", number)
        previous_hash = event_hash(document["session"], event, previous_hash)
        if previous_hash.hex() != event["hash"]:
            raise Refused("hash_wrong", number)
        leaf_hashes.append(leaf_hash(previous_hash))
    head = [(event["version"], event["hash"], iso_time(event["at"])) for event in events[-1:]]
    if head != [(document["version"], document["hash"], document["at"])]:
        raise Refused("head_wrong", document["version"])
    root = checkpoint_root(document, document["session"], key)
    if root != tree_root(leaf_hashes):
        raise Refused("root_wrong", document["version"])
    check_cosignatures(document, document["version"], root)
    check_labels(document, key)
    # a root is computed when it is needed: a hostile file may name every version many times
    return {
        number: (event["hash"], partial(root_of_first, number, leaf_hashes))
        for number, event in enumerate(events, 1)
    }


def root_of_first(count: int, leaf_hashes: list[bytes]) -> bytes:
    return tree_root(leaf_hashes[:count])


def event_hash(session: str, event: Document, previous_hash: bytes) -> bytes:
    """Return the hash of an event, computed from its fields as ledger/events/hash_chain.py does."""
    fields = (
        b"vola event 1",
        bytes.fromhex(session.replace("-", "")),
        event["version"].to_bytes(8, "big"),
        event["type"].encode(),
        event["schema"].to_bytes(4, "big"),
        event["at"].to_bytes(8, "big"),
        event["by"].encode(),
        sha256(event["data"].encode()).digest(),
        previous_hash,
    )
    return hash_fields(fields)


def hash_fields(fields: Iterable[bytes]) -> bytes:
    """Hash fields, each after its length, so that different fields never make the same bytes."""
    return sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def check_labels(document: Document, key: str) -> None:
    """Check title, names and remarks, of which either all or none are in an export."""
    version, title, note = document["version"], document["title"], document["labels"]
    names, remarks = document["names"], document["remarks"]
    if title is names is remarks is note is None:
        return
    if names is None or remarks is None or note is None or title == "":
        raise Refused("labels_wrong", version)
    commitments = name_commitments(document["events"])
    if len(names) != len(commitments) or not all(map(matches_commitment, names, commitments)):
        raise Refused("names_wrong", version)
    respelled = any(name["spellings"] for name in names)
    domain = b"vola labels 2" if respelled else b"vola labels 1"
    fields = [domain, bytes.fromhex(document["session"].replace("-", ""))]
    fields += [(title or "").encode(), len(names).to_bytes(4, "big")]
    for name in names:
        fields += [name["id"].encode(), (name["name"] or "").encode()]
        fields += [bytes.fromhex(name["salt"] or "")]
        if respelled:
            fields.append(len(name["spellings"] or []).to_bytes(4, "big"))
        for spelling in name["spellings"] or []:
            fields += [spelling["name"].encode(), spelling["until"].to_bytes(8, "big")]
            fields.append(spelling["by"].encode())
    for remark in remarks:
        fields += [remark["version"].to_bytes(8, "big"), remark["remark"].encode()]
    digest = base64.b64encode(hash_fields(fields)).decode()
    text = f"vola-labels/{document['session']}\n{version}\n{digest}\n"
    if not is_signed_note(note, text, document["session"], key):
        raise Refused("labels_wrong", version)


def name_commitments(events: list[Document]) -> list[tuple[str, str]]:
    """Return the players in the order of joining, each with the commitment to their name."""
    commitments: list[tuple[str, str]] = []
    for event in events:
        if event["type"] not in JOINING_EVENTS:
            continue
        try:
            joining = fit_shape(parse_object(event["data"]), JOINING_EVENTS[event["type"]])
        except ValueError:
            raise Refused("names_wrong", event["version"]) from None
        players, names = joining.values()
        if isinstance(players, str):
            players, names = [players], [names]
        if len(players) != len(names):
            raise Refused("names_wrong", event["version"])
        commitments += zip(players, names, strict=True)
    return commitments


def matches_commitment(name: Document, commitment: tuple[str, str]) -> bool:
    """Return whether the player's first spelling matches the commitment. An erased name, which has
    lost its salt, matches any."""
    spellings = [spelling["name"] for spelling in name["spellings"] or []]
    if name["name"] is None or name["salt"] is None:
        return name["id"] == commitment[0] and name["name"] is name["salt"] and not spellings
    spellings.append(name["name"])
    if "" in spellings or any(spellings[i] == spellings[i + 1] for i in range(len(spellings) - 1)):
        return False
    salt = bytes.fromhex(name["salt"])
    text = b"vola name 1" + len(salt).to_bytes(4, "big") + salt + spellings[0].encode()
    return (name["id"], sha256(text).hexdigest()) == commitment
