"""The Merkle tree over a session's events, with inclusion and consistency proofs.

The tree of RFC 6962 §2.1 (RFC 9162 §2.1): leaf `sha256(0x00 ‖ event hash)`, node `sha256(0x01 ‖
left ‖ right)`. A leaf holds the 32-byte hash of an event (ledger/events/hash_chain.py), which a
receipt carries, so a receipt can be verified without the events. The size of the tree is the
version of the session. Proofs that another book sends are verified as RFC 9162 §2.1.3.2 and
§2.1.4.2 have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(event_hash: bytes) -> bytes:
    return sha256(b"\x00" + event_hash).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class MerkleTree:
    """The hash of every full subtree, level by level: 64 bytes an event, proofs in O(log n).
    Immutable, so threads may share one; `with_leaves` returns a new tree."""

    def __init__(self, levels: tuple[bytes, ...] = (b"",)) -> None:
        self._levels = levels

    @property
    def size(self) -> int:
        return len(self._levels[0]) // HASH_BYTES

    def leaf_hash(self, index: int) -> bytes:
        return self._subtree_hash(0, index)

    def with_leaves(self, event_hashes: Iterable[bytes]) -> MerkleTree:
        """Return a tree with these event hashes appended as leaves."""
        levels = [bytearray(level) for level in self._levels]
        for event_hash in event_hashes:
            subtree, depth = leaf_hash(event_hash), 0
            levels[0] += subtree
            while not (count := len(levels[depth]) // HASH_BYTES) & 1:
                left = levels[depth][(count - 2) * HASH_BYTES : (count - 1) * HASH_BYTES]
                subtree, depth = node_hash(bytes(left), subtree), depth + 1
                if depth == len(levels):
                    levels.append(bytearray())
                levels[depth] += subtree
        return MerkleTree(tuple(map(bytes, levels)))

    def root(self, size: int) -> bytes:
        """Return the root hash of the first `size` leaves."""
        assert 0 <= size <= self.size
        return self._range_hash(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """Return the hashes from leaf `index` up to the root of the first `size` leaves."""
        assert 0 <= index < size <= self.size
        return self._path(index, index + 1, size)[1]

    def consistency_proof(self, first_size: int, size: int) -> list[bytes]:
        """Return the proof that the tree of `size` leaves begins with that of `first_size` ≥ 1."""
        assert 1 <= first_size <= size <= self.size
        start, path = self._path(0, first_size, size)
        # the verifier already has the root of the first tree
        return [*([self._range_hash(start, first_size)] if start else []), *path]

    def _path(self, first: int, end: int, size: int) -> tuple[int, list[bytes]]:
        """Go down to the first subtree that ends before leaf `end` and begins with leaf `first` or
        later. Return where it begins, and the hashes from there up to the root."""
        start, last = 0, size
        path: list[bytes] = []
        while last != end or start < first:
            middle = start + largest_power_of_two_below(last - start)
            if end <= middle:
                path.append(self._range_hash(middle, last))
                last = middle
            else:
                path.append(self._range_hash(start, middle))
                start = middle
        return start, path[::-1]

    def _range_hash(self, start: int, end: int) -> bytes:
        """Return the hash over leaves `start` to `end`; a full subtree begins at `start`."""
        count = end - start
        if not count & (count - 1):
            depth = count.bit_length() - 1
            return self._subtree_hash(depth, start >> depth)
        middle = start + largest_power_of_two_below(count)
        return node_hash(self._range_hash(start, middle), self._range_hash(middle, end))

    def _subtree_hash(self, depth: int, place: int) -> bytes:
        return self._levels[depth][place * HASH_BYTES : (place + 1) * HASH_BYTES]


def largest_power_of_two_below(count: int) -> int:
    """Return the largest power of two that is less than `count`."""
    return 1 << (count - 1).bit_length() - 1


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether the proof leads from this leaf hash to the root of a tree of this size."""
    if not 0 <= index < size:
        return False
    place, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = node_hash(sibling, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def is_consistent(
    first_size: int, second_size: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes
) -> bool:
    """Return whether the tree of `second_size` leaves begins with all leaves of the first one."""
    if not 1 <= first_size <= second_size:
        return False
    if first_size == second_size:
        return not proof and first_root == second_root
    nodes = chain([first_root], proof) if first_size & (first_size - 1) == 0 else iter(proof)
    place, last = first_size - 1, second_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    first_node = second_node = next(nodes, b"")
    for node in nodes:
        if last == 0:
            return False
        if place & 1 or place == last:
            first_node, second_node = node_hash(node, first_node), node_hash(node, second_node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            second_node = node_hash(second_node, node)
        place, last = place >> 1, last >> 1
    return last == 0 and (first_node, second_node) == (first_root, second_root)
