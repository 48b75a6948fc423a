"""Where an evening comes from: most begin in this book, some were kept in another one before.

Told by the key that it was written down under, and nothing else: its events are the same.
"""

from hashlib import sha256
from uuid import UUID

from ledger.store.connection_pool import Connection

LAST_IMPORTED_VERSION = """
SELECT r.version FROM vola.creation_keys c
  JOIN vola.stored_replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s AND starts_with(c.key, '↧ ')
"""


def import_key(key: str) -> str:
    """The key under which an evening is taken in; it begins as no client's key can."""
    return f"↧ {sha256(key.encode()).hexdigest()}"


def last_imported_version(db: Connection, session_id: UUID) -> int:
    """The last version that was written in another book; 0 for an evening that began here."""
    row = db.execute(LAST_IMPORTED_VERSION, {"session_id": session_id}).fetchone()
    return 0 if row is None else int(row[0])
