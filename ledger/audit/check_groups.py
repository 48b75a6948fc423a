"""Check that a session belongs to the group it was opened in, and its players to the members; and
the group's own events.

Groups are not part of the hash chain of a session. But the key that opened a session, the names in
it, the numbering of sessions and members, and the stored replies of the group must all agree. The
events of a group have a hash chain of their own.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger.audit.findings import Finding
from ledger.groups.group_event_log import find_faults, load_stored_events
from ledger.groups.groups import GROUP_OF_SESSION, session_creation_key
from ledger.groups.stored_replies import EVENT_COUNT, GroupMoment
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.name_matching import matching_key

OPENING_KEYS = """
SELECT key FROM vola.creation_keys WHERE session_id = %(session_id)s AND starts_with(key, '○ ')
"""
PLAYERS_AND_MEMBERS = """
SELECT coalesce(a.player_id, p.player_id), p.player_id IS NOT NULL,
       ARRAY(SELECT p.matching_key WHERE p.matching_key IS NOT NULL UNION ALL
             SELECT s.matching_key FROM vola.spellings s
              WHERE s.session_id = p.session_id AND s.player_id = p.player_id),
       a.member_id, m.member_id IS NOT NULL, m.matching_key
  FROM (SELECT * FROM vola.attendance WHERE session_id = %(session_id)s) a
  FULL JOIN (SELECT * FROM vola.players WHERE session_id = %(session_id)s) p USING (player_id)
  LEFT JOIN vola.group_members m ON m.group_id = %(group_id)s AND m.member_id = a.member_id
 ORDER BY 1
"""
GROUP_IDS = """
SELECT group_id FROM vola.groups UNION SELECT group_id FROM vola.group_members
 UNION SELECT group_id FROM vola.group_sessions UNION SELECT group_id FROM vola.group_events
 ORDER BY group_id
"""
"""Every group that occurs in any table, complete or not."""
ATTENDEES = "SELECT player_id FROM vola.attendance WHERE session_id = %(session_id)s ORDER BY 1"
FOUNDATION = """
SELECT (SELECT count(*) FROM vola.groups WHERE group_id = %(group_id)s),
       (SELECT count(*) FROM vola.group_creation_keys c
          JOIN vola.group_stored_replies r ON r.group_id = c.group_id AND r.key = c.key
         WHERE c.group_id = %(group_id)s)
"""
GROUP_SESSIONS = """
SELECT e.number, e.session_id,
       (SELECT jsonb_object_agg(a.player_id, a.member_id) FROM vola.attendance a
         WHERE a.session_id = e.session_id)
  FROM vola.group_sessions e WHERE e.group_id = %(group_id)s
"""
WRONGLY_ENROLLED = """
SELECT a.member_id FROM vola.group_sessions e JOIN vola.attendance a USING (session_id)
 WHERE e.group_id = %(group_id)s AND a.enrolling_session NOT BETWEEN e.number + 1 AND (
   SELECT max(number) FROM vola.group_sessions WHERE group_id = %(group_id)s)
 ORDER BY 1
"""
MEMBERS = (
    "SELECT member_id, name, matching_key FROM vola.group_members WHERE group_id = %(group_id)s"
)
STORED_REPLIES = (
    "SELECT status, operands FROM vola.group_stored_replies WHERE group_id = %(group_id)s"
)


def check_session_in_group(db: Connection, session_id: UUID) -> Iterator[Finding]:
    """Yield findings about this session as one of a group."""
    for fault in _session_faults(db, session_id):
        yield Finding("group_wrong", fault)


def check_groups(db: Connection, session_id: UUID | None = None) -> Iterator[tuple[UUID, Finding]]:
    """Yield each group with each of its findings: all groups, or only that of a session."""
    query = GROUP_IDS if session_id is None else GROUP_OF_SESSION
    for (group_id,) in db.execute(query, {"session_id": session_id}).fetchall():
        for fault in _numbering_faults(db, group_id):
            yield group_id, Finding("group_wrong", fault)
        for finding in check_group_events(db, group_id):
            yield group_id, finding


def check_group_events(db: Connection, group_id: UUID) -> Iterator[Finding]:
    """Yield findings about the events of a group. A finding's `version` is of a session, so the
    number of the event is in its sentence."""
    rows = load_stored_events(db, group_id)
    members = {member for member, *_ in db.execute(MEMBERS, {"group_id": group_id})}
    for fault in find_faults(group_id, rows, members):
        yield Finding(fault.code, f"Event {fault.number} of the group: {fault.detail}")


def _session_faults(db: Connection, session_id: UUID) -> Iterator[str]:
    group_id = fetch_value(db, GROUP_OF_SESSION, {"session_id": session_id})
    parameters = {"session_id": session_id, "group_id": group_id}
    keys = [key for (key,) in db.execute(OPENING_KEYS, parameters)]
    if group_id is None:
        if keys or db.execute(ATTENDEES, parameters).fetchone() is not None:
            yield "It was opened in a group, or has members, and belongs to no group."
        return
    if any(not key.startswith(session_creation_key(group_id)) for key in keys):
        yield "It was opened in another group."
    yield from _player_faults(db, parameters, opened=bool(keys))


def _player_faults(db: Connection, parameters: dict[str, Any], *, opened: bool) -> Iterator[str]:
    """Check that every player is a member under the same name, or was in another spelling. In a
    session that was opened outside the group, the host matched players and members: their names may
    differ."""
    rows = db.execute(PLAYERS_AND_MEMBERS, parameters).fetchall()
    erased = any(plays and not keys and member for _, plays, keys, member, *_ in rows)
    members_names = {member_key for *_, member_key in rows if member_key}
    for player, plays, player_keys, member, is_member, member_key in rows:
        if member is None:
            if opened and not erased:  # else the player may have joined again as somebody new
                yield f"{player} is no member of the group."
        elif not plays:
            yield f"{member} is named as {player}, who is no player of the session."
        elif not is_member:
            yield f"{player} is named as {member}, who is no member of the group."
        elif opened and player_keys and member_key and member_key not in player_keys:
            yield f"{player} and {member} are one person with different names."
        elif opened and player_keys and not member_key and members_names.isdisjoint(player_keys):
            # else a member without a name, since another one who is present has it
            yield f"{member} has been erased, and {player} has not."


def _numbering_faults(db: Connection, group_id: UUID) -> Iterator[str]:
    """Check that sessions and members are numbered without gaps, and are those in the replies."""
    parameters = {"group_id": group_id}
    if db.execute(FOUNDATION, parameters).fetchone() != (1, 1):
        yield "The group or the reply to its creation is missing, or there are several."
    evenings = {
        session: (number, attendance or {})
        for number, session, attendance in db.execute(GROUP_SESSIONS, parameters)
    }
    if sorted(number for number, _ in evenings.values()) != list(range(1, len(evenings) + 1)):
        yield "An evening of the group is missing."
    members = set()
    for member, name, stored_key in db.execute(MEMBERS, parameters).fetchall():
        members.add(member)
        if stored_key != (None if name is None else matching_key(name)):
            yield f"The matching key of {member} of the group does not match the name."
    if members != {f"m{place}" for place in range(1, len(members) + 1)}:
        yield "A member of the group is missing."
    attending = {member for _, attendance in evenings.values() for member in attendance.values()}
    for member in sorted(attending - members):
        yield f"{member} took part in an evening of the group and is no member of it."
    for (member,) in db.execute(WRONGLY_ENROLLED, parameters).fetchall():
        yield f"{member} of the group became a member by an evening that is not a later one."
    event_count = fetch_value(db, EVENT_COUNT, parameters)
    for status, operands in db.execute(STORED_REPLIES, parameters).fetchall():
        try:
            moment = msgspec.convert(operands, GroupMoment)
        except msgspec.ValidationError:
            yield "A reply of the group cannot be read."
            continue
        yield from _reply_faults(moment, status, len(members), evenings)
        if moment.events > event_count:
            yield "An event of the group is missing."


def _reply_faults(
    moment: GroupMoment, status: int, member_count: int, evenings: dict[UUID, Any]
) -> Iterator[str]:
    """Check that every member and session of a stored reply is still there and still the same."""
    if not 200 <= status < 300:
        yield f"A stored reply of the group of status {status}."
    if moment.members > member_count:
        yield "A member of the group is missing."
    for place, session in enumerate(moment.sessions, start=1):
        number, attendance = evenings.get(session.session, (0, {}))
        if number != place:
            yield f"A reply of the group has another evening {place}."
        elif not session.members.items() <= attendance.items():
            yield f"In evening {number} of the group a player is another member than in a reply."
