"""The Ed25519 key that checkpoints, receipts and statements are signed with.

It is created once and stored in the database, so that every process signs with the same key. Only
the app's database role may read the private half, and no role may replace it.
"""

from functools import cached_property
from typing import Any

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg_pool import ConnectionPool

from ledger.proofs.checkpoint import public_bytes

Connection = psycopg.Connection[tuple[Any, ...]]
Pool = ConnectionPool[Connection]
SELECT_SECRET = "SELECT secret FROM vola.signing_key"  # noqa: S105  # a query, not a password
INSERT_KEY = """
INSERT INTO vola.signing_key (public, secret) VALUES (%(public)s, %(secret)s) ON CONFLICT DO NOTHING
"""


class SigningKey:
    """The signing key, read once per process and created if there is none."""

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
