"""Export a session to a file: every event with its hash, in order, and a signed checkpoint.

The file contains the canonical bytes of the events, the checkpoint and the public key, so that
`verify.py` can check it without this server. With its labels it is the whole session, and another
Vola can import it (ledger/transfer/import_check.py).
"""

from collections import defaultdict
from typing import Any
from uuid import UUID

import msgspec

from engine.values import Player
from ledger.events.timestamps import format_timestamp
from ledger.proofs.checkpoint import sign_note
from ledger.proofs.receipts import ReceiptIssuer
from ledger.session.session_state import SessionState
from ledger.store.append_request import PlayerName, Remark, Spelling
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.event_store import EventStore
from ledger.transfer.export_format import EXPORT_FORMAT, ExportedName
from ledger.transfer.session_labels import Labels, labels_text

TITLE = "SELECT title FROM vola.sessions WHERE session_id = %(session_id)s"
NAMES = """
SELECT player_id, name, salt FROM vola.players WHERE session_id = %(session_id)s
 ORDER BY length(player_id), player_id
"""
SPELLINGS = """
SELECT player_id, name, replaced_at, replaced_by FROM vola.spellings
 WHERE session_id = %(session_id)s
 ORDER BY player_id, number
"""
REMARKS = """
SELECT version, remark FROM vola.remarks
 WHERE session_id = %(session_id)s AND version <= %(upto)s ORDER BY version
"""


def export_session(
    store: EventStore, receipts: ReceiptIssuer, session_id: UUID, *, labelled: bool = False
) -> str:
    """Return the export, one event a line; `labelled` with title, names, salts and remarks, and a
    signed note over them. Raise UnknownSession."""
    session, key = store.load(session_id), receipts.signing_key()
    head: dict[str, Any] = {
        "format": EXPORT_FORMAT,
        "session": str(session.id),
        "version": session.version,
        "hash": session.hash.hex(),
        "at": format_timestamp(session.at),
        **key.json_fields(),
        "checkpoint": receipts.sign_checkpoint(session_id, session.version, key).note,
        **receipts.cosigned_fields(session_id, session.version, key),
    }
    if labelled:
        with store.pool.connection() as db:
            labels = read_labels(db, session)
        head |= labels_json(labels)
        text = labels_text(session_id, session.version, labels)
        head["labels"] = sign_note(key.private_key, session_id, text)
    recorded = store.load_events(session_id, 0, session.version)
    encode = msgspec.json.encode
    opening = encode(head).decode()[:-1]
    body = ",\n".join(encode(r.columns(r.hash.hex())).decode() for r in recorded)
    return f'{opening},"events":[\n{body}\n]}}\n'


def read_labels(db: Connection, session: SessionState) -> Labels:
    """Return the title, the names of the session's players, and the remarks up to its version."""
    parameters = {"session_id": session.id, "upto": session.version}
    names = db.execute(NAMES, parameters).fetchall()
    spellings: defaultdict[Player, tuple[Spelling, ...]] = defaultdict(tuple)
    for player, name, until, by in db.execute(SPELLINGS, parameters):
        spellings[player] += (Spelling(name=name, until=until, by=by),)
    return Labels(
        title=fetch_value(db, TITLE, parameters),
        names=tuple(
            PlayerName(player=player, name=name, salt=salt, spellings=spellings[player])
            for player, name, salt in names
            if player in session.table.players  # else the player has joined since
        ),
        remarks=tuple(Remark(*row) for row in db.execute(REMARKS, parameters)),
    )


def labels_json(labels: Labels) -> dict[str, Any]:
    """Return the labels as an export contains them, without the note over them."""
    return {
        "title": labels.title,
        "names": msgspec.to_builtins([ExportedName.of(name) for name in labels.names]),
        "remarks": [msgspec.to_builtins(remark) for remark in labels.remarks],
    }
