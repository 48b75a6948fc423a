"""Verification of inclusion and consistency proofs, as RFC 9162 §2.1.3.2 and §2.1.4.2 have it.

`merkle_tree.py` makes the proofs; this module is for those that another book sends.
"""

from collections.abc import Sequence
from itertools import chain

from ledger.proofs.merkle_tree import node_hash


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
