"""A session as a file that stands by itself: every event with its seal, in order, and signed.

The canonical bytes are carried as text, so that whoever verifies need not write them again; the
checkpoint and the public key are there, so that he need not ask us. `verify.py` reads it.
"""

from uuid import UUID

import msgspec

from ledger.receipts import Receipts
from ledger.store import Store
from ledger.times import iso


def as_json(store: Store, receipts: Receipts, session_id: UUID) -> str:
    """The export, one event a line. UnknownSession."""
    session = store.read(session_id)
    head = {
        "format": "vola session 1",
        "session": str(session.id),
        "version": session.version,
        "hash": session.hash.hex(),
        "at": iso(session.at),
        "key": receipts.keys.public.hex(),
        "checkpoint": receipts.checkpoint(session_id, session.version).note,
    }
    lines = [
        {
            "version": r.version,
            "type": r.type,
            "schema": r.schema,
            "at": r.at,
            "by": r.by,
            "data": r.data,
            "hash": r.hash.hex(),
        }
        for r in store.events(session_id, 0, session.version)
    ]
    encode = msgspec.json.encode
    opening = encode(head).decode()[:-1]
    body = ",\n".join(encode(line).decode() for line in lines)
    return f'{opening},"events":[\n{body}\n]}}\n'
