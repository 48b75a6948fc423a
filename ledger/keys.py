"""The book's own pen: the key that its receipts are signed with, made once and never changed.

It lies in the database, so that every process of the book signs alike; only the app may read the
secret half, and nobody may replace it.
"""

from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.checkpoints import public
from ledger.database import Pool

SECRET = "SELECT secret FROM vola.keys"  # noqa: S105  # a query, not a password
MAKE = """
INSERT INTO vola.keys (public, secret) VALUES (%(public)s, %(secret)s) ON CONFLICT DO NOTHING
"""


class Keys:
    """The key, read once and made when there is none yet."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    @cached_property
    def private(self) -> Ed25519PrivateKey:
        with self.pool.connection() as db:
            row = db.execute(SECRET).fetchone()
            if row is None:
                made = Ed25519PrivateKey.generate()
                pair = {"public": public(made), "secret": made.private_bytes_raw()}
                db.execute(MAKE, pair)  # waits for another that makes one, and then leaves his
                row = db.execute(SECRET).fetchone()
        assert row is not None, "somebody has made it"
        return Ed25519PrivateKey.from_private_bytes(row[0])

    @cached_property
    def public(self) -> bytes:
        return public(self.private)
