"""Whether a session was imported, and up to which version.

Only the creation key tells it: the events of an imported session are like any others.
"""

from hashlib import sha256
from uuid import UUID

from ledger.store.connection_pool import Connection, fetch_value

LAST_IMPORTED_VERSION = """
SELECT r.version FROM vola.creation_keys c
  JOIN vola.stored_replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s AND starts_with(c.key, '↧ ')
"""


def import_key(key: str) -> str:
    """Return the stored form of the key of an import. No client's key can begin like it."""
    return f"↧ {sha256(key.encode()).hexdigest()}"


def last_imported_version(db: Connection, session_id: UUID) -> int:
    """Return the last version that was imported; 0 for a session that was opened here."""
    return fetch_value(db, LAST_IMPORTED_VERSION, {"session_id": session_id}) or 0
