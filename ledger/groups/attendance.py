"""Which member a player of a group's session is, and who may be one; new players become members."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from engine.errors import RuleViolation
from engine.values import Player
from ledger.events.event_types import Member
from ledger.groups.groups import (
    GROUP_OF_SESSION,
    INSERT_ATTENDANCE,
    Group,
    GroupSession,
    UnknownMember,
    insert_member,
    load_group,
    lock_group,
    next_member,
)
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.name_matching import matching_key

PLAYER_NAME = """
SELECT name FROM vola.players WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class MemberHasLeft(RuleViolation):
    """{member} has left the group; the host can take the member back."""


def check_members(group: Group, *members: Member | None) -> None:
    """Raise UnknownMember unless all are members, who may have left. None is skipped."""
    for member in members:
        if member is not None and member not in group.members:
            raise UnknownMember(member)


def check_present(group: Group, members: Iterable[Member]) -> None:
    """Raise UnknownMember or MemberHasLeft unless all are members who have not left."""
    for member in members:
        check_members(group, member)
        if member in group.former_members:
            raise MemberHasLeft(member=member)


def check_may_sit(db: Connection, session_id: UUID, players: Iterable[Player]) -> None:
    """Raise MemberHasLeft if one of the players who sit down is a member who has left: the player
    is there for a balance that was carried forward. In a session of no group everybody may."""
    group_id = fetch_value(db, GROUP_OF_SESSION, {"session_id": session_id})
    if group_id is None:
        return
    # no lock: nobody leaves the group during an evening that is carried forward to
    group = load_group(db, group_id)
    members = next(s.members for s in group.sessions if s.session_id == session_id)
    for player in players:
        member = members.get(player)
        if member is not None and member in group.former_members:
            raise MemberHasLeft(member=group.members[member] or player)


def enroll_players(
    db: Connection, group: Group, group_session: GroupSession, players: Iterable[Player]
) -> dict[Player, Member]:
    """Return which member each player of a session is, enrolling the given players with the session
    that is added next. A player becomes the member of the same name who was absent, or else a new
    member; without a name if a member who was present or has left has it. Raise
    TooManyMembers."""
    attendance, members = dict(group_session.members), dict(group.members)
    session_id, enrolling_session = group_session.session_id, len(group.sessions) + 1
    for player in players:
        if player in attendance:
            continue
        name = fetch_value(db, PLAYER_NAME, {"session_id": session_id, "player": player})
        member = name and _namesake(members, name)
        if member is None or member in attendance.values() or member in group.former_members:
            named = None if member else name
            member = next_member(len(members))
            insert_member(db, group.id, member, named)
            members[member] = named
        attending = {"player": player, "member": member, "enrolling_session": enrolling_session}
        db.execute(INSERT_ATTENDANCE, {"session_id": session_id, **attending})
        attendance[player] = member
    return attendance


def enroll_newcomer(db: Connection, session_id: UUID, player: Player, name: str) -> None:
    """Make a player who joins a group's session the member of the same name, or a new member.
    Raise MemberHasLeft, TooManyMembers."""
    group_id = fetch_value(db, GROUP_OF_SESSION, {"session_id": session_id})
    if group_id is None:
        return
    lock_group(db, group_id)
    group = load_group(db, group_id)
    member = _namesake(group.members, name)
    if member in group.former_members:
        raise MemberHasLeft(member=name)  # a session knows no members by id
    if member is None:
        member = next_member(len(group.members))
        insert_member(db, group_id, member, name)
    present = next(s.members for s in group.sessions if s.session_id == session_id)
    if member not in present.values():
        attending = {"player": player, "member": member, "enrolling_session": None}
        db.execute(INSERT_ATTENDANCE, {"session_id": session_id, **attending})


def _namesake(members: Mapping[Member, str | None], name: str) -> Member | None:
    key = matching_key(name)
    same_names = (
        member for member, spelling in members.items() if spelling and matching_key(spelling) == key
    )
    return next(same_names, None)
