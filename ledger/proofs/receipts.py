"""Issue receipts: signed checkpoints with proof that the session's history still holds them.

Merkle trees are built from the stored event hashes and cached. A cached tree whose last leaf is not
the stored hash is dropped. A proof reads only the events that were added since.
"""

from collections import OrderedDict
from threading import Lock
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import asdict
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from engine.errors import RuleViolation
from ledger.events.recorded_event import UnknownSession
from ledger.events.timestamps import format_timestamp
from ledger.proofs.checkpoint import checkpoint_body, note_text, sign_note
from ledger.proofs.cosignature import Cosignature, cosigner_name, verify_cosignature
from ledger.proofs.merkle_tree import MerkleTree, leaf_hash
from ledger.proofs.signing_key import Connection, SigningKey, load_signing_key
from ledger.proofs.witnesses import Witness, list_witnesses, lock_head, store_witness

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
COSIGNATURES = """
SELECT version, player_id AS player, key, signature FROM vola.cosignatures
 WHERE session_id = %(session_id)s ORDER BY version, length(player_id), player_id, key
"""
INSERT_COSIGNATURE = """
INSERT INTO vola.cosignatures (session_id, version, player_id, key, signature)
SELECT %(session_id)s, %(version)s, %(player)s, %(key)s, %(signature)s
 WHERE %(most)s > (SELECT count(*) FROM vola.cosignatures
                    WHERE session_id = %(session_id)s AND (version, key) <> (%(version)s, %(key)s))
ON CONFLICT (session_id, version, key) DO NOTHING
"""
MAX_CACHED_TREES = 512
MAX_COSIGNATURES = 100
"""Of one session: more than its phones make, and few enough to be in every document."""
MAX_BY_VIEWERS = 60
"""The cosignatures from which on viewers add none, who could otherwise use up the others' places
with keys that they make."""


class UnknownVersion(Exception):
    """The session never had version {version}."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The session never had version {version}.")
        self.version = version


class CosignedForAnother(RuleViolation):
    """The key has cosigned this version for {player}, and one key cosigns it for one player."""


class TooManyCosignatures(RuleViolation):
    """The session has {most} cosignatures, as many as it can have."""


class SignedCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a session with its signed note."""

    version: int
    hash: bytes
    at: int
    note: str

    def json_fields(self) -> dict[str, Any]:
        """Return the version, hash, time and checkpoint, as in a signed document."""
        fields = {"version": self.version, "hash": self.hash.hex(), "at": format_timestamp(self.at)}
        return {**fields, "checkpoint": self.note}


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """A signed version, the signed head, and the proof that the head continues from the version."""

    session_id: UUID
    key: SigningKey
    checkpoint: SignedCheckpoint
    head: SignedCheckpoint
    inclusion: list[bytes]  # of the version's event in the head's tree
    consistency: list[bytes]  # from the version's tree to the head's

    def continued_fields(self) -> dict[str, Any]:
        """Return the version, and the proof that the head continues from it."""
        proof = [node.hex() for node in self.consistency]
        return {**self.checkpoint.json_fields(), "consistency": proof}


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
        """Return one version, signed with `key`. Raise UnknownSession, UnknownVersion."""
        return self.issue_receipt(session_id, version, version, key).checkpoint

    def issue_receipt(
        self,
        session_id: UUID,
        version: int,
        head_version: int | None = None,
        key: SigningKey | None = None,
    ) -> Receipt:
        """Return a receipt up to `head_version`, or the newest, signed with `key`, or the newest.
        Raise UnknownSession, UnknownVersion."""
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
                body = checkpoint_body(session_id, tree, size, digest, at)
                note = sign_note(key.private_key, session_id, body)
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

    def cosign(
        self, session_id: UUID, cosignature: Cosignature, *, by_viewer: bool = False
    ) -> None:
        """Store a cosignature; one that is stored already stays. Raise UnknownSession,
        UnknownVersion, UnverifiedNote, TooManyCosignatures, CosignedForAnother."""
        version, limit = cosignature.version, MAX_BY_VIEWERS if by_viewer else MAX_COSIGNATURES
        checkpoint = self.issue_receipt(session_id, version, version).checkpoint
        name, text = cosigner_name(session_id, cosignature.player), note_text(checkpoint.note)
        verify_cosignature(name, cosignature.key, cosignature.signature, text)
        with self.pool.connection() as db:
            store_cosignature(db, session_id, cosignature, limit)
        players = {(row.version, row.key): row.player for row in self.list_cosignatures(session_id)}
        player = players.get((cosignature.version, cosignature.key))
        if player is None:
            raise TooManyCosignatures(most=limit)
        if player != cosignature.player:
            raise CosignedForAnother(player=player)

    def list_cosignatures(self, session_id: UUID) -> list[Cosignature]:
        """Return all cosignatures of a session, by version and player."""
        with self.pool.connection() as db, db.cursor(row_factory=class_row(Cosignature)) as cursor:
            return cursor.execute(COSIGNATURES, {"session_id": session_id}).fetchall()

    def add_witness(self, session_id: UUID, witness: Witness) -> None:
        """Store what a witness has cosigned, unless a newer version is stored. Raise
        UnknownSession, UnknownVersion, UnverifiedNote, TooManyWitnesses."""
        checkpoint = self.issue_receipt(session_id, witness.version, witness.version).checkpoint
        witness.verify(note_text(checkpoint.note))
        with self.pool.connection() as db:
            store_witness(db, session_id, witness)

    def list_witnesses(self, session_id: UUID) -> list[Witness]:
        """Return the witnesses of a session, by name."""
        with self.pool.connection() as db:
            return list_witnesses(db, session_id)

    def cosigned_fields(self, session_id: UUID, upto: int, key: SigningKey) -> dict[str, Any]:
        """Return `witnessed` and `witnesses` of a document of version `upto`; each is left out if
        there is none. Raise UnknownSession, UnknownVersion."""
        return {
            **self._phone_fields(session_id, upto, key),
            **self._witness_fields(session_id, upto, key),
        }

    def _witness_fields(self, session_id: UUID, upto: int, key: SigningKey) -> dict[str, Any]:
        """Return each witness with the version that it has cosigned."""
        witnesses = [
            {
                **witness.json_fields(),
                **self.issue_receipt(session_id, witness.version, upto, key).continued_fields(),
            }
            for witness in self.list_witnesses(session_id)
            if witness.version <= upto
        ]
        return {"witnesses": witnesses} if witnesses else {}

    def _phone_fields(self, session_id: UUID, upto: int, key: SigningKey) -> dict[str, Any]:
        """Return the newest version up to `upto` that phones have cosigned."""
        stored = [c for c in self.list_cosignatures(session_id) if c.version <= upto]
        if not stored:
            return {}
        version = stored[-1].version
        receipt = self.issue_receipt(session_id, version, upto, key)
        cosignatures = [c.json_fields() for c in stored if c.version == version]
        return {"witnessed": {**receipt.continued_fields(), "cosignatures": cosignatures}}

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


def store_cosignature(
    db: Connection, session_id: UUID, cosignature: Cosignature, limit: int
) -> None:
    """Store a cosignature that has been verified, unless it is stored or there are too many. Locks
    the session until the transaction ends."""
    lock_head(db, session_id)
    values = {"session_id": session_id, "most": limit, **asdict(cosignature)}
    db.execute(INSERT_COSIGNATURE, values)


def _read_hash_and_time(db: Connection, session_id: UUID, version: int) -> tuple[bytes, int]:
    ((digest, at),) = db.execute(HASH_AND_TIME, {"session_id": session_id, "version": version})
    return bytes(digest), int(at)
