"""Issue receipts: signed checkpoints with proof that the session's history still holds them.

Merkle trees are built from the stored event hashes and cached. A cached tree whose last leaf is not
the stored hash is dropped. A proof reads only the events that were added since.
"""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

import msgspec
from psycopg_pool import ConnectionPool

from ledger.events.recorded_event import UnknownSession
from ledger.proofs.checkpoint import Checkpoint, checkpoint_body, sign_note
from ledger.proofs.merkle_tree import MerkleTree, leaf_hash
from ledger.proofs.signing_key import Connection, SigningKey, load_signing_key

Pool = ConnectionPool[Connection]
HEAD = "SELECT version FROM vola.heads WHERE session_id = %(session_id)s"
HASH_AND_TIME = """
SELECT hash, at FROM vola.events WHERE session_id = %(session_id)s AND version = %(version)s
"""
EVENT_HASHES = """
SELECT hash FROM vola.events
 WHERE session_id = %(session_id)s AND version > %(after)s AND version <= %(upto)s
 ORDER BY version
"""
MAX_CACHED_TREES = 512


class UnknownVersion(Exception):
    """The session never had version {version}."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The session never had version {version}.")
        self.version = version


class SignedCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a session with its signed note."""

    version: int
    hash: bytes
    at: int
    note: str


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """A signed version, the signed head, and the proof that the head continues from the version."""

    session_id: UUID
    key: SigningKey
    checkpoint: SignedCheckpoint
    head: SignedCheckpoint
    inclusion: list[bytes]  # of the version's event in the head's tree
    consistency: list[bytes]  # from the version's tree to the head's


class ReceiptIssuer:
    """Issues receipts for stored sessions. Threads may share one; a process has its own."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._trees: OrderedDict[UUID, MerkleTree] = OrderedDict()
        self._lock = Lock()

    def signing_key(self) -> SigningKey:
        """Return the key to sign with now; the first call in the life of a book creates it."""
        with self.pool.connection() as db:
            return load_signing_key(db)

    def sign_checkpoint(self, session_id: UUID, version: int, key: SigningKey) -> SignedCheckpoint:
        """Return one version, signed with `key`. UnknownSession, UnknownVersion."""
        return self.issue_receipt(session_id, version, version, key).checkpoint

    def issue_receipt(
        self,
        session_id: UUID,
        version: int,
        head_version: int | None = None,
        key: SigningKey | None = None,
    ) -> Receipt:
        """Return a receipt up to `head_version`, or the newest, signed with `key`, or the newest.
        UnknownSession, UnknownVersion."""
        with self.pool.connection() as db:
            key = key or load_signing_key(db)
            row = db.execute(HEAD, {"session_id": session_id}).fetchone()
            if row is None:
                raise UnknownSession
            newest = int(row[0])
            end = newest if head_version is None else head_version
            for requested_version in (version, end):
                if not 1 <= requested_version <= newest:
                    raise UnknownVersion(requested_version)
            assert version <= end, "a receipt leads forward"
            tree = self._load_tree(db, session_id, end)

            def signed(size: int) -> SignedCheckpoint:
                digest, at = _read_hash_and_time(db, session_id, size)
                checkpoint = Checkpoint(
                    session_id=session_id, size=size, root=tree.root(size), hash=digest, at=at
                )
                note = sign_note(key.private_key, session_id, checkpoint_body(checkpoint))
                return SignedCheckpoint(version=size, hash=digest, at=at, note=note)

            own = signed(version)
            head = own if end == version else signed(end)
        return Receipt(
            session_id=session_id,
            key=key,
            checkpoint=own,
            head=head,
            inclusion=tree.inclusion_proof(version - 1, end),
            consistency=tree.consistency_proof(version, end),
        )

    def _load_tree(self, db: Connection, session_id: UUID, size: int) -> MerkleTree:
        """Return a tree of at least this size over the stored event hashes."""
        with self._lock:
            tree = self._trees.get(session_id, MerkleTree())
        shared = min(tree.size, size)
        if shared and tree.leaf_hash(shared - 1) != leaf_hash(
            _read_hash_and_time(db, session_id, shared)[0]
        ):
            tree = MerkleTree()  # the database was restored and continued differently
        if tree.size < size:
            parameters = {"session_id": session_id, "after": tree.size, "upto": size}
            tree = tree.with_leaves(row[0] for row in db.execute(EVENT_HASHES, parameters))
        assert tree.size >= size, "versions are contiguous"
        with self._lock:
            self._trees[session_id] = tree
            self._trees.move_to_end(session_id)
            if len(self._trees) > MAX_CACHED_TREES:
                self._trees.popitem(last=False)
        return tree


def _read_hash_and_time(db: Connection, session_id: UUID, version: int) -> tuple[bytes, int]:
    ((digest, at),) = db.execute(HASH_AND_TIME, {"session_id": session_id, "version": version})
    return bytes(digest), int(at)
