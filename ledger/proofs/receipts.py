"""A receipt that stands without us: what was acknowledged, signed, and proof that it still holds.

The trees that proofs are taken from are folded from the stored seals and kept for a while, as
evenings are; a tree that does not end in the stored seal is not used. No proof reads more than what
has come since.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

import msgspec

from ledger import checkpoints, merkle
from ledger.checkpoints import Checkpoint
from ledger.database import Connection, Pool
from ledger.keys import Keys
from ledger.merkle import Tree
from ledger.writing import UnknownSession

HEAD = "SELECT version FROM vola.heads WHERE session_id = %(session_id)s"
EVENT = """
SELECT hash, at FROM vola.events WHERE session_id = %(session_id)s AND version = %(version)s
"""
SEALS = """
SELECT hash FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(after)s AND version <= %(upto)s
 ORDER BY version
"""
MOST = 512


class UnknownVersion(Exception):
    """The evening never had version {version}."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The evening never had version {version}.")
        self.version = version


class Signed(msgspec.Struct, frozen=True, kw_only=True):
    """A version, and the note that says so."""

    version: int
    hash: bytes
    at: int
    note: str


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What stood at a version, and that the evening that is now at `head` went on from there."""

    session_id: UUID
    key: bytes
    own: Signed
    head: Signed
    inclusion: list[bytes]  # of the own event in the head's tree
    consistency: list[bytes]  # from the own tree to the head's


class Receipts:
    """Signs and proves what stands in the book. Threads may share one; processes have one each."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.keys = Keys(pool)
        self._trees: OrderedDict[UUID, Tree] = OrderedDict()
        self._lock = Lock()

    def checkpoint(self, session_id: UUID, version: int) -> Signed:
        """One version, signed. UnknownSession, UnknownVersion."""
        return self.receipt(session_id, version, version).own

    def receipt(self, session_id: UUID, version: int, to: int | None = None) -> Receipt:
        """From this version to that one, or to the newest. UnknownSession, UnknownVersion."""
        key = self.keys.private
        with self.pool.connection() as db:
            row = db.execute(HEAD, {"session_id": session_id}).fetchone()
            if row is None:
                raise UnknownSession
            newest = int(row[0])
            end = newest if to is None else to
            for asked in (version, end):
                if not 1 <= asked <= newest:
                    raise UnknownVersion(asked)
            assert version <= end, "a receipt leads forward"
            hash_then, at_then = _event(db, session_id, version)
            hash_now, at_now = _event(db, session_id, end)
            tree = self._tree(db, session_id, end)

        def signed(size: int, digest: bytes, at: int) -> Signed:
            stood = Checkpoint(
                session_id=session_id, size=size, root=tree.root(size), hash=digest, at=at
            )
            note = checkpoints.signed(key, stood)
            return Signed(version=size, hash=digest, at=at, note=note)

        own = signed(version, hash_then, at_then)
        return Receipt(
            session_id=session_id,
            key=self.keys.public,
            own=own,
            head=own if end == version else signed(end, hash_now, at_now),
            inclusion=tree.inclusion(version - 1, end),
            consistency=tree.consistency(version, end),
        )

    def _tree(self, db: Connection, session_id: UUID, size: int) -> Tree:
        """A tree of at least this size, over what is stored."""
        with self._lock:
            tree = self._trees.get(session_id, Tree())
        shared = min(tree.size, size)
        if shared and tree.leaf(shared - 1) != merkle.leaf(_event(db, session_id, shared)[0]):
            tree = Tree()  # the database was set back and has gone another way since
        if tree.size < size:
            ask = {"session_id": session_id, "after": tree.size, "upto": size}
            tree = tree.grown(row[0] for row in db.execute(SEALS, ask))
        assert tree.size >= size, "versions have no holes"
        with self._lock:
            self._trees[session_id] = tree
            self._trees.move_to_end(session_id)
            if len(self._trees) > MOST:
                self._trees.popitem(last=False)
        return tree


def _event(db: Connection, session_id: UUID, version: int) -> tuple[bytes, int]:
    row = db.execute(EVENT, {"session_id": session_id, "version": version}).fetchone()
    assert row is not None, "versions have no holes"
    digest, at = row
    return bytes(digest), int(at)
