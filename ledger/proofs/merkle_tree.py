"""An evening as a tree: a few lines show that an event is in it, and that it has only grown.

The tree of RFC 6962 §2.1 (RFC 9162 §2.1): leaf `sha256(0x00 ‖ seal)`, node `sha256(0x01 ‖ left ‖
right)`. What lies in a leaf is the 32-byte seal of the event (ledger/chain.py), so that a receipt,
which carries that seal, can be checked by somebody who has never seen what it seals. The size of
the tree is the version. Knows neither a database nor a signature.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

WIDTH = 32
EMPTY = sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf(seal: bytes) -> bytes:
    return sha256(b"\x00" + seal).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class Tree:
    """Every full subtree's hash, level by level: 64 bytes an event, and any proof in O(log n).

    A tree is never changed: `grown` makes another. Threads may share one.
    """

    def __init__(self, levels: tuple[bytes, ...] = (b"",)) -> None:
        self._levels = levels

    @property
    def size(self) -> int:
        return len(self._levels[0]) // WIDTH

    def leaf(self, index: int) -> bytes:
        return self._full(0, index)

    def grown(self, seals: Iterable[bytes]) -> Tree:
        """This tree and, behind its leaves, these."""
        levels = [bytearray(level) for level in self._levels]
        for seal in seals:
            made, depth = leaf(seal), 0
            levels[0] += made
            while not (count := len(levels[depth]) // WIDTH) & 1:
                left = levels[depth][(count - 2) * WIDTH : (count - 1) * WIDTH]
                made, depth = node(bytes(left), made), depth + 1
                if depth == len(levels):
                    levels.append(bytearray())
                levels[depth] += made
        return Tree(tuple(map(bytes, levels)))

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves."""
        assert 0 <= size <= self.size
        return self._over(0, size) if size else EMPTY

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """What leads from leaf `index` to the root of the first `size` leaves, upwards."""
        assert 0 <= index < size <= self.size
        start, end, path = 0, size, list[bytes]()
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, old: int, size: int) -> list[bytes]:
        """What shows that the first `size` leaves begin with the first `old`; old ≥ 1."""
        assert 1 <= old <= size <= self.size
        start, end, path, whole = 0, size, list[bytes](), True
        while old != end:
            middle = start + _split(end - start)
            if old <= middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start, whole = middle, False
        # the old root itself is known to whoever asks
        return [*([] if whole else [self._over(start, end)]), *path[::-1]]

    def _over(self, start: int, end: int) -> bytes:
        """The hash over leaves `start` to `end`, `start` being where a full subtree begins."""
        count = end - start
        if not count & (count - 1):
            depth = count.bit_length() - 1
            return self._full(depth, start >> depth)
        middle = start + _split(count)
        return node(self._over(start, middle), self._over(middle, end))

    def _full(self, depth: int, place: int) -> bytes:
        return self._levels[depth][place * WIDTH : (place + 1) * WIDTH]


def _split(count: int) -> int:
    """The largest power of two that is less than `count`."""
    return 1 << (count - 1).bit_length() - 1
