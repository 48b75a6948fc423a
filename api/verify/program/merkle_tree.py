"""The Merkle tree over the hashes of a session's events, and its proofs (RFC 6962, RFC 9162 §2.1).

With the root of a tree, a verifier can check that an event is in it, and that it continues an
earlier tree, without the other events.
"""

from hashlib import sha256


def leaf_hash(data: bytes) -> bytes:
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def tree_root(leaves: list[bytes]) -> bytes:
    """Return the root of a Merkle tree of one leaf or more."""
    peaks: list[bytes] = []  # full subtrees, the largest first
    for count, top in enumerate(leaves, 1):
        while not count & 1:
            top, count = node_hash(peaks.pop(), top), count >> 1
        peaks.append(top)
    top = peaks.pop()
    while peaks:
        top = node_hash(peaks.pop(), top)
    return top


def is_included(
    node: bytes, index: int, size: int, path: list[bytes], expected_root: bytes
) -> bool:
    """Return whether an inclusion proof is valid (RFC 9162 §2.1.3.2)."""
    last = size - 1
    if index > last:
        return False
    for step in path:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = node_hash(step, node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, step)
        index, last = index >> 1, last >> 1
    return last == 0 and node == expected_root


def is_consistent(
    first: int, second: int, path: list[bytes], first_root: bytes, second_root: bytes
) -> bool:
    """Return whether a consistency proof is valid (RFC 9162 §2.1.4.2)."""
    if first > second:
        return False
    if first == second:
        return not path and first_root == second_root
    if not first & (first - 1):
        path = [first_root, *path]
    if not path:
        return False
    index, last = first - 1, second - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node_hash(new, step)
        index, last = index >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root
