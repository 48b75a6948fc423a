"""Erase the name of a group's member: in the group, and in every session the member played in."""

from collections.abc import Callable
from contextlib import suppress

from engine.values import Player
from ledger.access.name_erasure import erase_player_name, replace_in_label
from ledger.events.event_types import Member
from ledger.groups.current_sessions import SessionsChanged
from ledger.groups.groups import Group, GroupStore, lock_group
from ledger.groups.stored_replies import GroupMoment, GroupReply, read_reply
from ledger.store.append_request import AppendRequest
from ledger.store.append_sql import lock_stream
from ledger.store.connection_pool import Connection

ERASE_MEMBER_NAME = """
UPDATE vola.group_members SET name = NULL, matching_key = NULL
 WHERE group_id = %(group_id)s AND member_id = %(member)s
"""
RENAME_GROUP = "UPDATE vola.groups SET name = %(name)s WHERE group_id = %(group_id)s"
NAMED_PLAYERS = """
SELECT p.session_id, p.player_id
  FROM vola.group_members m
  JOIN vola.group_sessions e ON e.group_id = m.group_id
  JOIN vola.attendance own ON own.session_id = e.session_id AND own.member_id = m.member_id
  JOIN vola.players p ON p.session_id = e.session_id AND p.name IS NOT NULL
  LEFT JOIN vola.attendance a ON a.session_id = p.session_id AND a.player_id = p.player_id
  LEFT JOIN vola.group_members o ON o.group_id = m.group_id AND o.member_id = a.member_id
 WHERE m.group_id = %(group_id)s AND m.member_id = %(member)s
   AND (a.member_id = m.member_id OR o.name IS NULL AND (
          p.matching_key = m.matching_key OR m.matching_key IN (
            SELECT s.matching_key FROM vola.spellings s
             WHERE s.session_id = p.session_id AND s.player_id = p.player_id)))
"""
"""The member's players whose names are not erased yet. In the same sessions also players who have,
or had before a respelling, the member's name, and who are no member or a member without a name:
they joined after the member's own player was erased there, and may have become members when a
balance was carried forward (`attendance.enroll_players`)."""


def erase_member_name(
    groups: GroupStore,
    group: Group,
    member: Member,
    request: AppendRequest,
    member_replacement: str,
    replacement: Callable[[Player], str],
) -> GroupReply:
    """Erase a member's name from the group and its name, and from every session that the member
    played in.

    `member_replacement` is what the member is called from now on, `replacement` returns it for a
    player of a session. The sessions come first
    and the group last, so that the same request completes an erasure that was interrupted.
    Raise UnknownGroup, KeyReused.
    """
    parameters = {"group_id": group.id, "member": member}

    def erase_in_group(db: Connection, locked_group: Group) -> GroupMoment:
        if db.execute(NAMED_PLAYERS, parameters).fetchone() is not None:
            raise SessionsChanged
        db.execute(ERASE_MEMBER_NAME, parameters)
        names = [name for name in locked_group.members.values() if name]
        if erased_name := locked_group.members[member]:
            name = replace_in_label(locked_group.name, erased_name, member_replacement, names)
            db.execute(RENAME_GROUP, {"group_id": group.id, "name": name})
        return GroupMoment(members=len(locked_group.members))

    while True:  # the group's lock is never held while a session's is waited for
        with groups.pool.connection() as db:
            # before anything is erased: a refusal changes nothing
            lock_group(db, group.id, groups.grant)
            reply = read_reply(db, group.id, request)
            if reply is not None:
                return reply
            named_players = db.execute(NAMED_PLAYERS, parameters).fetchall()
        for session_id, player in named_players:
            with groups.pool.connection() as db:
                lock_stream(db, session_id)
                erase_player_name(db, session_id, player, replacement(player))
        with suppress(SessionsChanged):
            return groups.change(group.id, request, erase_in_group)
