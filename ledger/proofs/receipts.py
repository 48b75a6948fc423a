"""Issue receipts: signed checkpoints with proof that the session's history still holds them.

Merkle trees are built from the stored event hashes and cached. A cached tree whose last leaf is not
the stored hash is dropped. A proof reads only the events that were added since.
"""

from collections import OrderedDict
from functools import cached_property
from threading import Lock
from typing import Any
from uuid import UUID

import msgspec
import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg_pool import ConnectionPool

from ledger.events.recorded_event import UnknownSession
from ledger.proofs.checkpoint import Checkpoint, checkpoint_body, public_bytes, sign_note
from ledger.proofs.merkle_tree import MerkleTree, leaf_hash

Connection = psycopg.Connection[tuple[Any, ...]]
Pool = ConnectionPool[Connection]
SELECT_SECRET = "SELECT secret FROM vola.signing_key"  # noqa: S105  # a query, not a password
INSERT_KEY = """
INSERT INTO vola.signing_key (public, secret) VALUES (%(public)s, %(secret)s) ON CONFLICT DO NOTHING
"""
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
    key: bytes
    checkpoint: SignedCheckpoint
    head: SignedCheckpoint
    inclusion: list[bytes]  # of the version's event in the head's tree
    consistency: list[bytes]  # from the version's tree to the head's


class SigningKey:
    """The Ed25519 key that checkpoints, receipts and statements are signed with.

    It is created once and stored in the database, so that every process signs with the same key,
    and read once per process. Only the app's database role may read the private half, and no role
    may replace it.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    @cached_property
    def private_key(self) -> Ed25519PrivateKey:
        with self.pool.connection() as db:
            row = db.execute(SELECT_SECRET).fetchone()
            if row is None:
                new_key = Ed25519PrivateKey.generate()
                pair = {"public": public_bytes(new_key), "secret": new_key.private_bytes_raw()}
                db.execute(INSERT_KEY, pair)  # keeps the key of a process that was faster
                row = db.execute(SELECT_SECRET).fetchone()
        assert row is not None, "this process or another created it"
        return Ed25519PrivateKey.from_private_bytes(row[0])

    @cached_property
    def public_bytes(self) -> bytes:
        return public_bytes(self.private_key)


class ReceiptIssuer:
    """Issues receipts for stored sessions. Threads may share one; a process has its own."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.signing_key = SigningKey(pool)
        self._trees: OrderedDict[UUID, MerkleTree] = OrderedDict()
        self._lock = Lock()

    def sign_checkpoint(self, session_id: UUID, version: int) -> SignedCheckpoint:
        """Return one version, signed. UnknownSession, UnknownVersion."""
        return self.issue_receipt(session_id, version, version).checkpoint

    def issue_receipt(
        self, session_id: UUID, version: int, head_version: int | None = None
    ) -> Receipt:
        """Return a receipt up to `head_version`, or the newest. UnknownSession, UnknownVersion."""
        key = self.signing_key.private_key
        with self.pool.connection() as db:
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
                note = sign_note(key, session_id, checkpoint_body(checkpoint))
                return SignedCheckpoint(version=size, hash=digest, at=at, note=note)

            own = signed(version)
            head = own if end == version else signed(end)
        return Receipt(
            session_id=session_id,
            key=self.signing_key.public_bytes,
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
