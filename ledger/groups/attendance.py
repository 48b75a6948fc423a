"""Which member a player of a group's session is, and who may be one; new players become members."""

from collections.abc import Iterable
from uuid import UUID

from engine.errors import RuleViolation
from engine.values import Player
from ledger.events.event_types import Member
from ledger.groups.groups import (
    INSERT_ATTENDANCE,
    Group,
    GroupSession,
    UnknownMember,
    insert_member,
    next_member,
)
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.name_matching import matching_key

LOCK_GROUP_OF_SESSION = """
SELECT 1 FROM vola.groups WHERE group_id IN (
  SELECT group_id FROM vola.group_sessions WHERE session_id = %(session_id)s) FOR UPDATE
"""
GROUP_WITHOUT_NAMESAKE = """
SELECT s.group_id, (SELECT count(*) FROM vola.group_members m WHERE m.group_id = s.group_id)
  FROM vola.group_sessions s
 WHERE s.session_id = %(session_id)s
   AND NOT EXISTS (SELECT 1 FROM vola.group_members m
                    WHERE m.group_id = s.group_id AND m.matching_key = %(matching_key)s)
"""
INSERT_NEWCOMER_ATTENDANCE = """
INSERT INTO vola.attendance (session_id, player_id, member_id)
SELECT e.session_id, %(player)s, m.member_id
  FROM vola.group_sessions e
  JOIN vola.group_members m ON m.group_id = e.group_id AND m.matching_key = %(matching_key)s
 WHERE e.session_id = %(session_id)s
ON CONFLICT DO NOTHING
"""
FORMER_NAMESAKE = """
SELECT m.member_id FROM vola.group_sessions s
  JOIN vola.group_members m ON m.group_id = s.group_id AND m.matching_key = %(matching_key)s
  JOIN LATERAL (SELECT e.type FROM vola.group_events e
                 WHERE e.group_id = s.group_id AND e.type IN ('member_left', 'member_returned')
                   AND e.data::jsonb ->> 'member' = m.member_id
                 ORDER BY e.number DESC LIMIT 1) latest ON latest.type = 'member_left'
 WHERE s.session_id = %(session_id)s
"""
PLAYER_NAME = """
SELECT name FROM vola.players WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class MemberHasLeft(RuleViolation):
    """{member} has left the group; the host can take the member back."""


def check_present(group: Group, members: Iterable[Member]) -> None:
    """Raise UnknownMember or MemberHasLeft unless all are members who have not left."""
    for member in members:
        if member not in group.members:
            raise UnknownMember(member)
        if member in group.former_members:
            raise MemberHasLeft(member=member)


def enroll_players(
    db: Connection, group: Group, group_session: GroupSession, players: Iterable[Player]
) -> dict[Player, Member]:
    """Return which member each player of a session is, enrolling the given players with the session
    that is added next. A player becomes the member of the same name who was absent, or else a new
    member; without a name if a member who was present has it. Raise TooManyMembers."""
    attendance, members = dict(group_session.members), dict(group.members)
    for player in players:
        if player in attendance:
            continue
        parameters = {"session_id": group_session.session_id, "player": player}
        name = fetch_value(db, PLAYER_NAME, parameters)
        key = name and matching_key(name)
        namesakes = (
            m for m, other_name in members.items() if other_name and matching_key(other_name) == key
        )
        member = next(namesakes, None)
        if member is None or member in attendance.values():
            named = None if member else name
            member = next_member(len(members))
            insert_member(db, group.id, member, named)
            members[member] = named
        enrolling_session = len(group.sessions) + 1
        enrolled = {"member": member, "enrolling_session": enrolling_session}
        db.execute(INSERT_ATTENDANCE, {**parameters, **enrolled})
        attendance[player] = member
    return attendance


def enroll_newcomer(db: Connection, session_id: UUID, player: Player, name: str) -> None:
    """Make a player who joins a group's session the member of the same name, or a new member.
    Raise MemberHasLeft, TooManyMembers."""
    parameters = {
        "session_id": session_id,
        "player": player,
        "name": name,
        "matching_key": matching_key(name),
    }
    db.execute(LOCK_GROUP_OF_SESSION, parameters)
    if fetch_value(db, FORMER_NAMESAKE, parameters) is not None:
        raise MemberHasLeft(member=name)  # a session knows no members by id
    for group_id, count in db.execute(GROUP_WITHOUT_NAMESAKE, parameters).fetchall():
        insert_member(db, group_id, next_member(count), name)
    db.execute(INSERT_NEWCOMER_ATTENDANCE, parameters)
