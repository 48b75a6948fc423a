"""Check of what one session carried forward to the next: both must say the same.

The events link both ways: the earlier session names the later one, the later session names the
hash of the earlier. Amounts, bets and owners are compared with the earlier session's tables.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger.audit.check_hash_chain import StoredStream
from ledger.audit.findings import Finding
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.read_stream import HEAD

CARRY_EVENTS = """
SELECT version, type, data FROM vola.events
 WHERE session_id = %(session_id)s AND type IN ('carried_forward', 'brought_forward')
 ORDER BY version
"""
CARRIED_FORWARD = """
SELECT data FROM vola.events
 WHERE session_id = %(session_id)s AND version = %(version)s AND type = 'carried_forward'
"""
BROUGHT_FORWARD = """
SELECT data FROM vola.events WHERE session_id = %(session_id)s AND type = 'brought_forward'
"""
STATE_BEFORE = """
SELECT coalesce(max(version) FILTER (WHERE type = 'evening_closed'), 0)
         > coalesce(max(version) FILTER (WHERE type = 'session_reopened'), 0),
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
"""In the order in which they were to be played for (docs/rules.md §1.8, A-PP-6)."""
ATTENDANCE = "SELECT player_id, member_id FROM vola.attendance WHERE session_id = %(session_id)s"
IS_LATER_IN_GROUP = """
SELECT later.group_id = earlier.group_id AND later.number > earlier.number
  FROM vola.group_sessions later, vola.group_sessions earlier
 WHERE later.session_id = %(session_id)s AND earlier.session_id = %(earlier)s
"""

JOINING_EVENTS = """
SELECT type, data FROM vola.events
 WHERE session_id = %(session_id)s AND version < %(version)s
   AND type IN ('session_opened', 'player_joined')
"""

PLAYED_BEFORE = "It took over what an earlier evening left open after something was played."
OPEN_BEFORE = "It was carried forward before it was closed."
NO_PLAYER = "It took over a bet of somebody who is no player of it."

MemberByPlayer = dict[str, str]
"""The member id of every player; a player who is no member keeps the player id."""


def check_carry_forward(
    db: Connection, session_id: UUID, stream: StoredStream
) -> Iterator[Finding]:
    """Yield findings about what this session took over and what it passed on."""
    for version, kind, data in db.execute(CARRY_EVENTS, {"session_id": session_id}).fetchall():
        try:
            if version <= stream.imported_version:
                check_event = _imported_faults
            elif kind == "brought_forward":
                check_event = _brought_forward_faults
            else:
                check_event = _carried_forward_faults
            for fault in check_event(db, session_id, version, msgspec.json.decode(data)):
                yield Finding("carried_wrong", fault, version)
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            yield Finding("event_impossible", f"It cannot be read: {error}", version)


def _imported_faults(db: Connection, session_id: UUID, version: int, event: Any) -> Iterator[str]:
    """Check an event written in another book, where the session that it names is: only that the id
    is one (ValueError), that the event came at its time, and that bets are of players."""
    was_closed, was_played = _state_before(db, session_id, version)
    if "session" in event:  # brought forward
        _check_id(event["session"])
        if was_played:
            yield PLAYED_BEFORE
        owners = {player for bet in event["bets"] for player in bet["by"]}
        if not owners <= _players_before(db, session_id, version):
            yield NO_PLAYER
    else:
        _check_id(event["to"])
        if not was_closed:
            yield OPEN_BEFORE


def _check_id(text: str) -> None:
    """Raise ValueError unless this is an id as Vola writes it; Python reads other spellings too."""
    if str(UUID(text)) != text:
        raise ValueError(f"{text} is not written as an id")


def _brought_forward_faults(
    db: Connection, session_id: UUID, version: int, event: Any
) -> Iterator[str]:
    earlier = {"session_id": UUID(event["session"]), "version": event["version"]}
    _, was_played = _state_before(db, session_id, version)
    if was_played:
        yield PLAYED_BEFORE
    carried_event = fetch_value(db, CARRIED_FORWARD, earlier)
    if carried_event is None or msgspec.json.decode(carried_event)["to"] != str(session_id):
        yield "The earlier evening was not carried forward to this one."
        return
    head = db.execute(HEAD, earlier).fetchone()
    if head is None or (head[0], bytes(head[1]).hex()) != (event["version"], event["hash"]):
        yield "The earlier evening does not end with the version and hash that are named here."
    places = {"session_id": session_id, "earlier": earlier["session_id"]}
    if not fetch_value(db, IS_LATER_IN_GROUP, places):
        yield "The two evenings are not of one group, or not in this order."
    brought_leftovers = _brought_by_member(event, _member_by_player(db, session_id))
    if _leftovers_by_member(db, earlier) != brought_leftovers:
        yield "It took over other amounts than the earlier evening left open, or of other people."


def _member_by_player(db: Connection, session_id: UUID) -> MemberByPlayer:
    return dict(db.execute(ATTENDANCE, {"session_id": session_id}).fetchall())


def _leftovers_by_member(db: Connection, earlier: dict[str, Any]) -> Any:
    """Return the pot, balances and bets that the earlier session left open, by member."""
    members = _member_by_player(db, earlier["session_id"])
    bets = [
        (number, amount, [members.get(player, player) for player in by], paid)
        for number, (amount, by, paid) in enumerate(db.execute(BETS, earlier), start=1)
    ]
    balances = {members.get(p, p): amount for p, amount in db.execute(BALANCES, earlier)}
    return fetch_value(db, POT, earlier) or 0, balances, bets


def _brought_by_member(event: Any, members: MemberByPlayer) -> Any:
    """Return the same as the later session recorded it."""
    bets = [
        (b["bet"], b["each"] * len(b["by"]), [members.get(p, "") for p in b["by"]], b["paid"])
        for b in event["bets"]
    ]
    return event["pot"], {members.get(p, ""): n for p, n in event["balances"].items()}, bets


def _carried_forward_faults(
    db: Connection, session_id: UUID, version: int, event: Any
) -> Iterator[str]:
    was_closed, _ = _state_before(db, session_id, version)
    if not was_closed:
        yield OPEN_BEFORE
    head = db.execute(HEAD, {"session_id": session_id}).fetchone()
    if head is not None and head[0] != version:
        yield "Something happened after it was carried forward."
    beginning = fetch_value(db, BROUGHT_FORWARD, {"session_id": UUID(event["to"])})
    if beginning is None or msgspec.json.decode(beginning).get("session") != str(session_id):
        yield "The later evening did not take over what this one left open."


def _players_before(db: Connection, session_id: UUID, version: int) -> set[str]:
    """Return the players who had joined before this version."""
    players: set[str] = set()
    parameters = {"session_id": session_id, "version": version}
    for kind, data in db.execute(JOINING_EVENTS, parameters):
        event = msgspec.json.decode(data)
        players |= {*event["players"]} if kind == "session_opened" else {event["player"]}
    return players


def _state_before(db: Connection, session_id: UUID, version: int) -> tuple[bool, bool]:
    """Whether the session was closed before this version, and whether anything was played."""
    (row,) = db.execute(STATE_BEFORE, {"session_id": session_id, "version": version})
    return row
