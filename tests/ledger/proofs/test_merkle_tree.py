"""The Merkle tree follows RFC 6962: its proofs verify, and changed proofs do not."""

from hashlib import sha256
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.proofs import merkle_tree as merkle
from ledger.proofs.merkle_tree import MerkleTree
from tests.support.proofs.verifier import verify

LEAVES = tuple(
    bytes.fromhex(leaf)
    for leaf in (
        *("", "00", "10", "2021", "3031", "40414243"),
        *("5051525354555657", "606162636465666768696a6b6c6d6e6f"),
    )
)
"""The entries that implementations of RFC 6962 are tested with, and the roots of 0 to 8 of them."""
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
INCLUDED = {  # (leaf, size): the first bytes of each hash on the way up
    (0, 1): (),
    (0, 8): ("96a296d2", "5f083f0a", "6b47aaf2"),
    (5, 8): ("bc1a0643", "ca854ea1", "d37ee418"),
    (2, 3): ("fac54203",),
    (1, 5): ("6e340b9c", "5f083f0a", "bc1a0643"),
}
GREW = {  # (old size, size)
    (1, 1): (),
    (1, 8): ("96a296d2", "5f083f0a", "6b47aaf2"),
    (6, 8): ("0ebc5d34", "ca854ea1", "d37ee418"),
    (2, 5): ("5f083f0a", "bc1a0643"),
}
TREE = MerkleTree().with_leaves(LEAVES)


@pytest.mark.parametrize(("size", "root"), list(enumerate(ROOTS)))
def test_the_roots_are_the_known_ones(size, root):
    assert TREE.root(size).hex() == root
    assert MerkleTree().with_leaves(LEAVES[:size]).root(size).hex() == root
    if size:
        assert verify.tree_root([merkle.leaf_hash(leaf) for leaf in LEAVES[:size]]).hex() == root


@pytest.mark.parametrize(("leaf", "size"), INCLUDED)
def test_the_inclusion_proofs_are_the_known_ones(leaf, size):
    path = TREE.inclusion_proof(leaf, size)
    assert tuple(node.hex()[:8] for node in path) == INCLUDED[leaf, size]


@pytest.mark.parametrize(("old", "size"), GREW)
def test_the_consistency_proofs_are_the_known_ones(old, size):
    path = TREE.consistency_proof(old, size)
    assert tuple(node.hex()[:8] for node in path) == GREW[old, size]


def root_by_definition(leaves):
    """Return the root by the recursive definition of RFC 6962 §2.1."""
    if len(leaves) < 2:
        return sha256(b"\x00" + leaves[0]).digest() if leaves else sha256().digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    left, credentials = root_by_definition(leaves[:k]), root_by_definition(leaves[k:])
    return sha256(b"\x01" + left + credentials).digest()


EVENT_HASHES = [Random(number).randbytes(32) for number in range(130)]


def test_every_root_follows_the_definition_in_any_steps_of_growth():
    random = Random(1)
    for size in range(130):
        tree, grown = MerkleTree(), 0
        while grown < size:
            n_leaves = random.randint(1, size - grown)
            tree, grown = tree.with_leaves(EVENT_HASHES[grown : grown + n_leaves]), grown + n_leaves
        assert tree.root(size) == root_by_definition(EVENT_HASHES[:size])
        part = random.randint(0, size)
        assert tree.root(part) == root_by_definition(EVENT_HASHES[:part])


def test_every_proof_up_to_130_events_holds_and_is_short():
    tree = MerkleTree().with_leaves(EVENT_HASHES)
    roots = [tree.root(size) for size in range(131)]
    for size in range(1, 131):
        for index in range(size):
            path = tree.inclusion_proof(index, size)
            assert verify.is_included(tree.leaf_hash(index), index, size, path, roots[size])
            assert len(path) <= (size - 1).bit_length()
        for old in range(1, size + 1):
            path = tree.consistency_proof(old, size)
            assert verify.is_consistent(old, size, path, roots[old], roots[size])
            assert len(path) <= (size - 1).bit_length() + 1


def flip_bit(random, hash_):
    changed = bytearray(hash_)
    changed[random.randrange(32)] ^= 1 << random.randrange(8)
    return bytes(changed)


def mutate_path(random, path):
    """Return another path: one hash changed, dropped, doubled or added, or two swapped."""
    changed, place = list(path), random.randrange(len(path) + 1)
    kind = random.choice(("bend", "lose", "double", "swap", "add")) if path else "add"
    at = min(place, len(path) - 1)
    if kind == "bend":
        changed[at] = flip_bit(random, changed[at])
    elif kind == "lose":
        del changed[at]
    elif kind == "double":
        changed.insert(at, changed[at])
    elif kind == "swap":
        changed[at], changed[at - 1] = changed[at - 1], changed[at]
    else:
        changed.insert(place, random.randbytes(32))
    return changed if changed != path else [*path, random.randbytes(32)]


SIZES = st.integers(1, 400)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(SIZES.flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))), st.integers())
def test_no_changed_proof_verifies(sizes, seed):
    """500 trees and 20 mutations of each: 10,000."""
    (size, old), random = sizes, Random(seed)
    index = old - 1
    tree = MerkleTree().with_leaves(random.randbytes(32) for _ in range(size))
    leaf, old_root, root = tree.leaf_hash(index), tree.root(old), tree.root(size)
    inclusion, consistency = tree.inclusion_proof(index, size), tree.consistency_proof(old, size)
    assert verify.is_included(leaf, index, size, inclusion, root)
    assert verify.is_consistent(old, size, consistency, old_root, root)
    for _ in range(8):
        assert not verify.is_included(leaf, index, size, mutate_path(random, inclusion), root)
        assert not verify.is_consistent(old, size, mutate_path(random, consistency), old_root, root)
    wrong_index = random.choice([n for n in range(size + 1) if n != index])
    assert not verify.is_included(leaf, wrong_index, size, inclusion, root)
    assert not verify.is_included(flip_bit(random, leaf), index, size, inclusion, root)
    assert not verify.is_included(leaf, index, size, inclusion, flip_bit(random, root))
    end = (
        (flip_bit(random, old_root), root)
        if random.random() < 0.5
        else (old_root, flip_bit(random, root))
    )
    assert not verify.is_consistent(old, size, consistency, *end)


def test_adding_leaves_does_not_change_the_old_tree():
    old = MerkleTree().with_leaves(EVENT_HASHES[:5])
    root = old.root(5)
    old.with_leaves(EVENT_HASHES[5:])
    assert (old.size, old.root(5)) == (5, root)
