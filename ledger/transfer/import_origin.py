"""Where an evening comes from: most begin in this book, some were kept in another one before.

Told by the key that it was written down under, and nothing else: its events are the same.
"""

from hashlib import sha256
from uuid import UUID

from ledger.database import Connection

UPTO = """
SELECT r.version FROM vola.creations c
  JOIN vola.replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s AND starts_with(c.key, '↧ ')
"""


def own_key(key: str) -> str:
    """The key under which an evening is taken in; it begins as no client's key can."""
    return f"↧ {sha256(key.encode()).hexdigest()}"


def upto(db: Connection, session_id: UUID) -> int:
    """The last version that was written in another book; 0 for an evening that began here."""
    row = db.execute(UPTO, {"session_id": session_id}).fetchone()
    return 0 if row is None else int(row[0])
