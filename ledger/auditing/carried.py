"""Where an evening goes on with what an earlier one left open: both must tell it alike.

Each seals the other: the earlier says where it went on, the later with which seal it began. What
lay there and who owed what is read from the earlier evening's own tables.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger.auditing.findings import Finding, finding
from ledger.database import Connection

SAID = """
SELECT version, type, data FROM vola.events
 WHERE session_id = %(session_id)s AND type IN ('carried_forward', 'brought_forward')
 ORDER BY version
"""
HEAD = "SELECT version, hash FROM vola.heads WHERE session_id = %(session_id)s"
WENT_ON = """
SELECT data FROM vola.events
 WHERE session_id = %(session_id)s AND version = %(version)s AND type = 'carried_forward'
"""
BEGAN = """
SELECT data FROM vola.events WHERE session_id = %(session_id)s AND type = 'brought_forward'
"""
LEFT = """
SELECT 'balance', amount, 1, true FROM projections.balances
 WHERE session_id = %(session_id)s AND amount <> 0
 UNION ALL
SELECT 'pot', amount, 1, true FROM projections.pot WHERE session_id = %(session_id)s AND amount <> 0
 UNION ALL
SELECT 'bet', amount, cardinality("by"), paid FROM projections.bets
 WHERE session_id = %(session_id)s
"""
MEMBERS = """
SELECT a.member_id, b.amount FROM projections.balances b
  JOIN vola.attendance a ON a.session_id = b.session_id AND a.player_id = b.player_id
 WHERE b.session_id = %(session_id)s AND b.amount <> 0
"""
ATTENDANCE = "SELECT player_id, member_id FROM vola.attendance WHERE session_id = %(session_id)s"


def check(db: Connection, session_id: UUID) -> Iterator[Finding]:
    """Findings about where this evening began, and where it went on."""
    for version, kind, data in db.execute(SAID, {"session_id": session_id}).fetchall():
        try:
            said = msgspec.json.decode(data)
            how = _began if kind == "brought_forward" else _went_on
            yield from how(db, session_id, version, said)
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            yield finding("event_impossible", version, f"It cannot be read: {error}")


def _began(db: Connection, session_id: UUID, version: int, said: Any) -> Iterator[Finding]:
    earlier = {"session_id": UUID(said["session"]), "version": said["version"]}
    went_on = db.execute(WENT_ON, earlier).fetchone()
    if went_on is None or msgspec.json.decode(went_on[0])["to"] != str(session_id):
        detail = "The evening that it says it goes on with does not say so."
        yield finding("carried_wrong", version, detail)
        return
    head = db.execute(HEAD, earlier).fetchone()
    if head is None or (head[0], bytes(head[1]).hex()) != (said["version"], said["hash"]):
        detail = "The evening that it goes on with does not end with the seal it began with."
        yield finding("carried_wrong", version, detail)
    if sorted(db.execute(LEFT, earlier).fetchall()) != sorted(_brought(said)):
        detail = "It did not begin with what the earlier evening left open."
        yield finding("carried_wrong", version, detail)
    who: dict[str, str] = dict(db.execute(ATTENDANCE, {"session_id": session_id}).fetchall())
    now = {who.get(player): amount for player, amount in said["balances"].items()}
    if dict(db.execute(MEMBERS, earlier).fetchall()) != now:
        yield finding("carried_wrong", version, "Somebody began with what was another's.")


def _brought(said: Any) -> Iterator[tuple[str, int, int, bool]]:
    for amount in said["balances"].values():
        yield "balance", amount, 1, True
    if said["pot"]:
        yield "pot", said["pot"], 1, True
    for bet in said["bets"]:
        yield "bet", bet["each"] * len(bet["by"]), len(bet["by"]), bet["paid"]


def _went_on(db: Connection, session_id: UUID, version: int, said: Any) -> Iterator[Finding]:
    head = db.execute(HEAD, {"session_id": session_id}).fetchone()
    if head is not None and head[0] != version:
        yield finding("carried_wrong", version, "Something happened after it was carried forward.")
    began = db.execute(BEGAN, {"session_id": UUID(said["to"])}).fetchone()
    if began is None or msgspec.json.decode(began[0]).get("session") != str(session_id):
        detail = "The evening that it was carried forward to does not say so."
        yield finding("carried_wrong", version, detail)
