"""Check of cosignatures: each must be what a phone or a witness signed for this history."""

from collections.abc import Collection, Iterator
from uuid import UUID

import msgspec
from psycopg.rows import class_row

from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.proofs.checkpoint import UnverifiedNote, checkpoint_body
from ledger.proofs.cosignature import Cosignature, cosigner_name, verify_cosignature
from ledger.proofs.merkle_tree import MerkleTree
from ledger.proofs.receipts import COSIGNATURES
from ledger.proofs.witnesses import list_witnesses
from ledger.store.connection_pool import Connection

COSIGNERS = """
SELECT session_id, version, false, array_agg(name ORDER BY length(player_id), player_id)
  FROM (SELECT DISTINCT c.session_id, c.version, c.player_id, coalesce(p.name, c.player_id) AS name
          FROM vola.cosignatures c LEFT JOIN vola.players p USING (session_id, player_id)
         WHERE c.version = (SELECT max(version) FROM vola.cosignatures
                             WHERE session_id = c.session_id)) AS players
 GROUP BY session_id, version
 UNION ALL
SELECT session_id, version, true, array_agg(name ORDER BY name)
  FROM vola.witnesses GROUP BY session_id, version
 ORDER BY 1, 2, 3
"""
"""The newest version of each session that phones have cosigned, and that each witness has."""


class Cosigners(msgspec.Struct, frozen=True):
    """Who has cosigned a version: players, or witnesses such as other books."""

    session_id: UUID
    version: int
    are_witnesses: bool
    names: list[str]  # a player whose name is erased is named by id


def list_cosigners(db: Connection, session_ids: Collection[UUID]) -> list[Cosigners]:
    """Return who has cosigned these sessions, whose audit has found each cosignature genuine."""
    rows = (Cosigners(*row) for row in db.execute(COSIGNERS))
    return [cosigners for cosigners in rows if cosigners.session_id in session_ids]


def check_cosignatures(db: Connection, session_id: UUID, stream: StoredStream) -> Iterator[Finding]:
    """Yield a finding for each cosignature that is not of the stored events."""
    with db.cursor(row_factory=class_row(Cosignature)) as cursor:
        cosignatures = cursor.execute(COSIGNATURES, {"session_id": session_id}).fetchall()
    cosigners: list[tuple[str, str, int, bytes, bytes]] = [
        *((c.player, cosigner_name(session_id, c.player), c.version, c.key, c.signature)
          for c in cosignatures),
        *((w.name, w.name, w.version, w.key, w.signature)
          for w in list_witnesses(db, session_id)),
    ]  # fmt: skip
    if not cosigners:
        return
    tree = MerkleTree().with_leaves(digest for digest, _ in stream.hashes.values())
    for cosigner, name, version, key, signature in cosigners:
        if version not in stream.hashes:
            detail = f"{cosigner} has cosigned a version {version}; there is none."
            yield Finding("tail_missing", detail, version)
            continue
        digest, at = stream.hashes[version]
        text = checkpoint_body(session_id, tree, version, digest, at)
        try:
            verify_cosignature(name, key, signature, text)
        except UnverifiedNote:
            detail = f"What {cosigner} has cosigned is another history than the stored one."
            yield Finding("cosignature_wrong", detail, version)
