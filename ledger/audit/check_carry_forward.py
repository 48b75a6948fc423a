"""Where an evening goes on with what an earlier one left open: both must tell it alike.

Each seals the other: the earlier says where it went on, the later with which seal it began. What
lay there, in which order, and whose it was is read from the earlier evening's own tables.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger import origins
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
BEFORE = """
SELECT coalesce(bool_or(type = 'evening_closed'), false),
       coalesce(bool_or(type NOT IN ('session_opened', 'player_joined')), false)
  FROM vola.events WHERE session_id = %(session_id)s AND version < %(version)s
"""
POT = "SELECT amount FROM projections.pot WHERE session_id = %(session_id)s"
BALANCES = """
SELECT player_id, amount FROM projections.balances
 WHERE session_id = %(session_id)s AND amount <> 0
"""
BETS = """
SELECT b.amount, b."by", b.paid FROM projections.bets b
  JOIN vola.events o ON o.session_id = b.session_id AND o.version = 1
 WHERE b.session_id = %(session_id)s
 ORDER BY b.amount,
          CASE o.data::jsonb #>> '{options,bet_tie}' WHEN 'newest' THEN -b.deal ELSE b.deal END,
          b.bet
"""
"""In the order in which they were to be played for (rules.md §1.8, A-PP-6)."""
ATTENDANCE = "SELECT player_id, member_id FROM vola.attendance WHERE session_id = %(session_id)s"
PLACES = """
SELECT later.circle_id = earlier.circle_id AND later.number > earlier.number
  FROM vola.evenings later, vola.evenings earlier
 WHERE later.session_id = %(session_id)s AND earlier.session_id = %(earlier)s
"""

Who = dict[str, str]
"""Which member a player was; somebody who was none stays who he is, and is nobody else."""


def check(db: Connection, session_id: UUID) -> Iterator[Finding]:
    """Findings about where this evening began, and where it went on."""
    since = origins.upto(db, session_id)
    for version, kind, data in db.execute(SAID, {"session_id": session_id}).fetchall():
        try:
            said = msgspec.json.decode(data)
            if version <= since:
                yield from _elsewhere(db, session_id, version, said)
                continue
            how = _began if kind == "brought_forward" else _went_on
            yield from how(db, session_id, version, said)
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            yield finding("event_impossible", version, f"It cannot be read: {error}")


def _elsewhere(db: Connection, session_id: UUID, version: int, said: Any) -> Iterator[Finding]:
    """Said in another book, of an evening there: only whether it fits into this evening."""
    UUID(said["session"] if "session" in said else said["to"])
    closed, begun = _before(db, session_id, version)
    if begun if "session" in said else not closed:
        detail = "It was carried from or to another evening while it was going on."
        yield finding("carried_wrong", version, detail)


def _began(db: Connection, session_id: UUID, version: int, said: Any) -> Iterator[Finding]:
    earlier = {"session_id": UUID(said["session"]), "version": said["version"]}
    if _before(db, session_id, version)[1]:
        yield finding("carried_wrong", version, "It was not what the evening began with.")
    went_on = db.execute(WENT_ON, earlier).fetchone()
    if went_on is None or msgspec.json.decode(went_on[0])["to"] != str(session_id):
        detail = "The evening that it says it goes on with does not say so."
        yield finding("carried_wrong", version, detail)
        return
    head = db.execute(HEAD, earlier).fetchone()
    if head is None or (head[0], bytes(head[1]).hex()) != (said["version"], said["hash"]):
        detail = "The evening that it goes on with does not end with the seal it began with."
        yield finding("carried_wrong", version, detail)
    places = {"session_id": session_id, "earlier": earlier["session_id"]}
    if db.execute(PLACES, places).fetchone() != (True,):
        detail = "It does not come after the evening that it goes on with in one circle."
        yield finding("carried_wrong", version, detail)
    if _left(db, earlier) != _brought(said, _who(db, session_id)):
        detail = "It did not begin with what the earlier evening left open, of the same people."
        yield finding("carried_wrong", version, detail)


def _who(db: Connection, session_id: UUID) -> Who:
    return dict(db.execute(ATTENDANCE, {"session_id": session_id}).fetchall())


def _left(db: Connection, earlier: dict[str, Any]) -> Any:
    """Pot, balances and bets of the earlier evening, by member."""
    who = _who(db, earlier["session_id"])
    pot = db.execute(POT, earlier).fetchone()
    bets = [
        (number, amount, [who.get(player, player) for player in by], paid)
        for number, (amount, by, paid) in enumerate(db.execute(BETS, earlier), start=1)
    ]
    balances = db.execute(BALANCES, earlier).fetchall()
    return pot[0] if pot else 0, {who.get(p, p): amount for p, amount in balances}, bets


def _brought(said: Any, who: Who) -> Any:
    """The same as the later evening says it."""
    bets = [
        (b["bet"], b["each"] * len(b["by"]), [who.get(p, "") for p in b["by"]], b["paid"])
        for b in said["bets"]
    ]
    return said["pot"], {who.get(p, ""): n for p, n in said["balances"].items()}, bets


def _went_on(db: Connection, session_id: UUID, version: int, said: Any) -> Iterator[Finding]:
    if not _before(db, session_id, version)[0]:
        yield finding("carried_wrong", version, "It was carried forward before it was over.")
    head = db.execute(HEAD, {"session_id": session_id}).fetchone()
    if head is not None and head[0] != version:
        yield finding("carried_wrong", version, "Something happened after it was carried forward.")
    began = db.execute(BEGAN, {"session_id": UUID(said["to"])}).fetchone()
    if began is None or msgspec.json.decode(began[0]).get("session") != str(session_id):
        detail = "The evening that it was carried forward to does not say so."
        yield finding("carried_wrong", version, detail)


def _before(db: Connection, session_id: UUID, version: int) -> tuple[bool, bool]:
    """Whether the evening was over by this version, and whether anything had been said at all."""
    row = db.execute(BEFORE, {"session_id": session_id, "version": version}).fetchone()
    assert row is not None
    closed, begun = row
    return bool(closed), bool(begun)
