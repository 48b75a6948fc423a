"""A session as a file that stands by itself: every event with its seal, in order, and signed.

The canonical bytes are carried as text, so that whoever verifies need not write them again; the
checkpoint and the public key are there, so that he need not ask us. `verify.py` reads it. With its
labels it is all there is to an evening, and another book can take it in (ledger/importing.py).
"""

from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from ledger import labels
from ledger.database import Connection
from ledger.labels import Labels
from ledger.receipts import Receipts
from ledger.store import Store
from ledger.times import iso
from ledger.writing import Name

TITLE = "SELECT title FROM vola.sessions WHERE session_id = %(session_id)s"
NAMES = """
SELECT player_id, name, salt FROM vola.players WHERE session_id = %(session_id)s
 ORDER BY length(player_id), player_id
"""
REMARKS = """
SELECT version, remark FROM vola.remarks
 WHERE session_id = %(session_id)s AND version <= %(upto)s ORDER BY version
"""


def as_json(store: Store, receipts: Receipts, session_id: UUID, *, labelled: bool = False) -> str:
    """The export, one event a line; `labelled` with title, names, salts and remarks, and a note
    over them. UnknownSession."""
    session = store.read(session_id)
    head: dict[str, Any] = {
        "format": "vola session 1",
        "session": str(session.id),
        "version": session.version,
        "hash": session.hash.hex(),
        "at": iso(session.at),
        "key": receipts.keys.public.hex(),
        "checkpoint": receipts.checkpoint(session_id, session.version).note,
    }
    if labelled:
        with store.pool.connection() as db:
            found = read_labels(db, session_id, session.version)
        known = session.table.players  # who has joined since is in none of these events
        found = replace(found, names=tuple(n for n in found.names if n.player in known))
        head |= told(found)
        head["labels"] = labels.signed(receipts.keys.private, session_id, session.version, found)
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


def read_labels(db: Connection, session_id: UUID, version: int) -> Labels:
    """What the evening is called and who is who, and what was remarked up to a version."""
    ask = {"session_id": session_id, "upto": version}
    row = db.execute(TITLE, ask).fetchone()
    names = db.execute(NAMES, ask).fetchall()
    return Labels(
        title=row[0] if row else None,
        names=tuple(
            Name(player=player, name=name, salt=None if salt is None else bytes(salt))
            for player, name, salt in names
        ),
        remarks=tuple((at, remark) for at, remark in db.execute(REMARKS, ask).fetchall()),
    )


def told(found: Labels) -> dict[str, Any]:
    """Labels as a file has them; the note over them is beside."""
    return {
        "title": found.title,
        "names": [
            {"id": n.player, "name": n.name, "salt": None if n.salt is None else n.salt.hex()}
            for n in found.names
        ],
        "remarks": [{"version": version, "remark": remark} for version, remark in found.remarks],
    }
