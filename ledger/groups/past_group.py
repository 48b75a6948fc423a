"""A group as it stood at an earlier time, under today's names."""

import msgspec

from ledger.groups.groups import Group, GroupSession
from ledger.groups.stored_replies import GroupMoment


def group_at(group: Group, moment: GroupMoment) -> Group:
    """Return a group with the members and sessions that it had at a moment, under today's names."""
    sessions = zip(group.sessions, moment.sessions, strict=False)
    return msgspec.structs.replace(
        group,
        members=dict(list(group.members.items())[: moment.members]),
        sessions=tuple(
            msgspec.structs.replace(session, members=session_moment.members)
            for session, session_moment in sessions
        ),
        membership_changes=tuple(
            change for change in group.membership_changes if change.number <= moment.events
        ),
    )


def with_first_sessions(group: Group, count: int) -> Group:
    """Return a group as it was when it had `count` sessions: players whom later ones made members
    are guests."""
    return msgspec.structs.replace(
        group,
        sessions=tuple(
            _with_members_of(session, count)
            for session in group.sessions
            if session.number <= count
        ),
    )


def _with_members_of(session: GroupSession, count: int) -> GroupSession:
    members = {
        player: member
        for player, member in session.members.items()
        if session.enrolled.get(player, 0) <= count
    }
    return msgspec.structs.replace(session, members=members)
