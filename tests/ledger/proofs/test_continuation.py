"""A witness checks the proofs, and that a session continues what the witness has seen."""

from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.continuation import (
    Contradiction,
    MalformedReceipt,
    check_continuation,
    read_receipt,
)
from ledger.proofs.merkle_tree import MerkleTree, is_consistent, is_included
from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook

SIZES = range(1, 20)


@pytest.fixture(scope="module")
def tree():
    return MerkleTree().with_leaves(bytes([size]) * 32 for size in SIZES)


@pytest.mark.parametrize("size", SIZES)
def test_every_proof_of_our_own_tree_is_accepted_and_no_other(tree, size):
    for first in range(1, size + 1):
        inclusion = tree.inclusion_proof(first - 1, size)
        leaf, root = tree.leaf_hash(first - 1), tree.root(size)
        assert is_included(leaf, first - 1, size, inclusion, root)
        consistency = tree.consistency_proof(first, size)
        assert is_consistent(first, size, consistency, tree.root(first), root)
        for proof in altered(inclusion):
            assert not is_included(leaf, first - 1, size, proof, root)
        for proof in altered(consistency):
            assert not is_consistent(first, size, proof, tree.root(first), root)
        assert not is_included(leaf, size, size, inclusion, root)
        assert not is_included(bytes(32), first - 1, size, inclusion, root)
        assert not is_consistent(first, size, consistency, bytes(32), root)
        assert not is_consistent(first, size, consistency, tree.root(first), bytes(32))
        assert not is_consistent(size + 1, size, consistency, tree.root(first), root)
        assert not is_consistent(0, size, consistency, tree.root(first), root)


def altered(proof):
    """Yield proofs with a node more, a node less, and each node changed."""
    yield [*proof, bytes(32)]
    for place in range(len(proof)):
        yield proof[:place] + proof[place + 1 :]
        yield [*proof[:place], bytes(32), *proof[place + 1 :]]


def test_a_receipt_that_continues_what_was_seen_is_accepted():
    book = SignedBook(Random(1), 12)
    for kept, newest in ((1, 1), (4, 9), (9, 12), (12, 12)):
        receipt = read_receipt(book.receipt(kept, newest))
        earlier = read_receipt(book.receipt(1, kept)).head
        check_continuation(book.session, receipt, [book.key], earlier)


def test_a_rotated_key_is_accepted_from_every_earlier_one():
    first = SignedBook(Random(1), 12)
    second = first.rotate_key(Random(2))
    third = second.rotate_key(Random(3))
    receipt, earlier = read_receipt(third.receipt(4, 12)), read_receipt(first.receipt(1, 4)).head
    for key in (first.key, second.key, third.key):
        check_continuation(first.session, receipt, [key], earlier)


def signed_anew(book, key):
    """Return the book with another key that names the first one as its predecessor."""
    book.signing_key = SigningKey(key, book.rotate_key(Random(9)).signing_key.earlier_keys)
    return book


def rewritten_root(book):
    """Return the receipt of a book whose tree has another leaf, under the same last hash."""
    hashes = [bytes.fromhex(event["hash"]) for event in book.events]
    book.tree = MerkleTree().with_leaves([bytes(32), *hashes[1:]])
    return book.receipt(4, 9)


FORGED = {
    "another key": ("other_key", lambda b: b.rotate_key(Random(5), endorsed=False).receipt(4, 9)),
    "a key that another one is endorsed for": (
        "other_key", lambda b: signed_anew(b, Ed25519PrivateKey.generate()).receipt(4, 9)),
    "another session": (
        "other_session",
        lambda b: SignedBook(Random(1), 12, SignedBook(Random(7), 1).session).receipt(4, 9)),
    "a rewritten history": ("rewritten", lambda b: b.rewrite(2).receipt(4, 9)),
    "a rewritten root": ("rewritten", rewritten_root),
    "another version": ("rewritten", lambda b: b.receipt(3, 9)),
    "no longer history": ("tail_missing", lambda b: b.receipt(4, 9) | {
        "head": b.checkpoint_fields(3)}),
    "a history that goes on from elsewhere": (
        "consistency_wrong", lambda b: b.receipt(4, 9) | {"consistency": []}),
    "a version that is not in it": ("inclusion_wrong", lambda b: b.receipt(4, 9) | {
        "inclusion": []}),
    "a head of another history": ("inclusion_wrong", lambda b: b.receipt(4, 9) | {
        "head": b.rewrite(2).checkpoint_fields(9)}),
    "a checkpoint of another version": ("checkpoint_wrong", lambda b: b.receipt(4, 9) | {
        "checkpoint": b.checkpoint_fields(5)["checkpoint"]}),
    "a checkpoint that is none": ("checkpoint_wrong", lambda b: b.receipt(4, 9) | {
        "checkpoint": "Friday"}),
    "a time that is not signed": ("checkpoint_wrong", lambda b: b.receipt(4, 9) | {
        "at": b.checkpoint_fields(5)["at"]}),
    "a signature of another text": ("signature_wrong", lambda b: b.receipt(4, 9) | {
        "checkpoint": b.receipt(4, 9)["checkpoint"].replace("\n4\n", "\n5\n")}),
}  # fmt: skip


@pytest.mark.parametrize("way", FORGED)
def test_every_forged_continuation_is_found_with_its_reason(way):
    reason, forge = FORGED[way]
    book = SignedBook(Random(1), 12)
    key, earlier = book.key, read_receipt(book.receipt(1, 4)).head
    with pytest.raises(Contradiction) as found:
        check_continuation(
            book.session, read_receipt(forge(SignedBook(Random(1), 12))), [key], earlier
        )
    assert found.value.reason == reason


@pytest.mark.parametrize(
    "change",
    [
        {"format": "vola receipt 2"}, {"version": "4"}, {"version": 0}, {"version": 2**31},
        {"hash": "AB" * 32}, {"session": "Friday"}, {"key": None}, {"head": None},
        {"checkpoint": None}, {"inclusion": ["ab"]}, {"earlier_keys": [{}]}, {"witnesses": [1]},
    ],
)  # fmt: skip
def test_a_document_of_another_shape_is_no_receipt(change):
    with pytest.raises(MalformedReceipt):
        read_receipt(SignedBook(Random(1), 12).receipt(4, 9) | change)
