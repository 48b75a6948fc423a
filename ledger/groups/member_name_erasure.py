"""Erase the name of a group's member: in the group, and in every session the member played in."""

from collections.abc import Callable

from engine.values import Player
from ledger.access.name_erasure import erase_player
from ledger.groups.groups import Group, GroupStore, Member
from ledger.groups.stored_replies import GroupMoment, GroupReply
from ledger.store.append_request import AppendRequest
from ledger.store.connection_pool import Connection

FORGET_MEMBER = """
UPDATE vola.group_members SET name = NULL, matching_key = NULL
 WHERE group_id = %(group_id)s AND member_id = %(member)s
"""
STILL_NAMED = """
SELECT p.session_id, p.player_id
  FROM vola.group_members m
  JOIN vola.group_sessions e ON e.group_id = m.group_id
  JOIN vola.attendance was ON was.session_id = e.session_id AND was.member_id = m.member_id
  JOIN vola.players p ON p.session_id = e.session_id AND p.name IS NOT NULL
  LEFT JOIN vola.attendance a ON a.session_id = p.session_id AND a.player_id = p.player_id
 WHERE m.group_id = %(group_id)s AND m.member_id = %(member)s
   AND (a.member_id = m.member_id OR a.member_id IS NULL AND p.matching_key = m.matching_key)
"""
"""Where he has played; also as somebody new of the same name, once his first was erased there."""


def erase_member_name(
    book: GroupStore,
    circle: Group,
    member: Member,
    request: AppendRequest,
    instead: Callable[[Player], str],
) -> GroupReply:
    """Erase a member's name from the circle and from every evening he has been to.

    `instead`: what a player of an evening is called from now on. Evening by evening, the circle
    last: when it breaks off in between, the same request goes on with it.
    """
    ask = {"group_id": circle.id, "member": member}

    def work(db: Connection, now: Group) -> GroupMoment:
        if db.execute(STILL_NAMED, ask).fetchone() is not None:
            raise _CameMeanwhile
        db.execute(FORGET_MEMBER, ask)
        return GroupMoment(members=len(now.members))

    while True:  # the circle's lock is never held while an evening's is waited for
        with book.pool.connection() as db:
            named = db.execute(STILL_NAMED, ask).fetchall()
        for session_id, player in named:
            erase_player(book.pool, session_id, player, instead(player))
        try:
            return book.change(circle.id, request, work)
        except _CameMeanwhile:
            continue


class _CameMeanwhile(Exception):
    """While he was being erased, he came to one more evening."""
