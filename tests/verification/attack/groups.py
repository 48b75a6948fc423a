"""Attacks on groups: attendance, sessions, members, keys and stored replies."""

from __future__ import annotations

from uuid import UUID

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Forger, NotApplicable

ATTACKS = Attacks()

GROUP_ID = "SELECT group_id FROM vola.group_sessions WHERE session_id = %s"
SAME_NAMES = """
SELECT a.player_id, a.member_id, m.matching_key FROM vola.attendance a
  JOIN vola.group_sessions e ON e.session_id = a.session_id
  JOIN vola.group_members m ON m.group_id = e.group_id AND m.member_id = a.member_id
  JOIN vola.players p ON p.session_id = a.session_id AND p.player_id = a.player_id
 WHERE a.session_id = %s AND m.matching_key = p.matching_key
"""
"""The players who have the same name in the session as in the group."""
SET_MEMBER = "UPDATE vola.attendance SET member_id = %s WHERE session_id = %s AND player_id = %s"
DELETE_ATTENDANCE = "DELETE FROM vola.attendance WHERE session_id = %s"
REMOVE_FROM_GROUP = "DELETE FROM vola.group_sessions WHERE session_id = %s"
SET_GROUP = "UPDATE vola.group_sessions SET group_id = %s, number = %s WHERE session_id = %s"
OTHER_GROUPS = """
SELECT group_id, max(number) + 1 FROM vola.group_sessions WHERE group_id <> %s GROUP BY group_id
"""
SESSIONS_WITHOUT_GROUP = """
SELECT session_id FROM vola.sessions
 WHERE session_id = ANY(%s) AND session_id NOT IN (SELECT session_id FROM vola.group_sessions)
"""
ADD_TO_SAME_GROUP = """
INSERT INTO vola.group_sessions
SELECT %s, group_id, number + 50 FROM vola.group_sessions WHERE session_id = %s
"""
ABSENT_MEMBERS = """
SELECT member_id FROM vola.group_members WHERE group_id = %s AND name IS NOT NULL
   AND member_id NOT IN (SELECT member_id FROM vola.attendance WHERE session_id = %s)
"""
ALL_NAMED = """
SELECT 1 FROM (SELECT bool_and(name IS NOT NULL) FROM vola.players WHERE session_id = %s)
    AS players (all_named) WHERE all_named
"""
OF_MEMBER = " WHERE group_id = %s AND member_id = %s"
OF_FIRST_MEMBER = """
 WHERE group_id = %s AND member_id = (SELECT min(member_id) FROM vola.group_members
                                       WHERE group_id = %s AND name IS NOT NULL)
"""
OF_GROUP = " WHERE group_id = %s"


def _find_group(forger: Forger) -> UUID:
    """Return the session's group. Raise NotApplicable if it is in none."""
    (group_id,) = forger.pick_row(GROUP_ID, forger.session_id)
    return group_id


def _find_opening_group(forger: Forger) -> UUID:
    """Return the group in which the session was opened; no stored reply need mention the group.

    Raise NotApplicable if the session was not opened in a group."""
    forger.pick_row(
        "SELECT 1 FROM vola.creation_keys WHERE session_id = %s AND starts_with(key, '○ ')",
        forger.session_id,
    )
    return _find_group(forger)


def _session_in_group(forger: Forger) -> tuple[UUID]:
    _find_group(forger)
    return (forger.session_id,)


def _session_opened_in_group(forger: Forger) -> tuple[UUID]:
    _find_opening_group(forger)
    return (forger.session_id,)


@ATTACKS.register("two players who are each other's member of the group")
def swap_members(forger: Forger) -> None:
    _find_opening_group(forger)
    named = forger.db.execute(SAME_NAMES, (forger.session_id,)).fetchall()
    if len(named) < 2:
        raise NotApplicable
    (player, member_id, _), (other_player, other_member_id, _) = forger.die.sample(named, 2)
    forger.execute(SET_MEMBER, "m0", forger.session_id, player)  # a member may attend only once
    forger.execute(SET_MEMBER, member_id, forger.session_id, other_player)
    forger.execute(SET_MEMBER, other_member_id, forger.session_id, player)


@ATTACKS.register("a player who is another member of the group")
def assign_another_member(forger: Forger) -> None:
    group_id = _find_opening_group(forger)
    player, _, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    (absent_id,) = forger.pick_row(ABSENT_MEMBERS, group_id, forger.session_id)
    forger.execute(SET_MEMBER, absent_id, forger.session_id, player)


@ATTACKS.register("a player who is no member of the group")
def remove_attendance(forger: Forger) -> None:
    _find_opening_group(forger)
    player, _, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    forger.pick_row(ALL_NAMED, forger.session_id)
    forger.execute(DELETE_ATTENDANCE + " AND player_id = %s", forger.session_id, player)


ATTACKS.register_statements(
    {"no player is a member of the group": DELETE_ATTENDANCE},
    pick_parameters=_session_opened_in_group,
)
ATTACKS.register_statements(
    {
        "a member who came, but is no player of the evening": (
            "INSERT INTO vola.attendance VALUES (%s, 'p88', 'm88')"
        ),
        "a player who became a member with an evening that is not there": (
            "UPDATE vola.attendance SET enrolling_session = 99 WHERE session_id = %s"
        ),
        "the evening is not the group's any more": REMOVE_FROM_GROUP,
    },
    pick_parameters=_session_in_group,
)


@ATTACKS.register("the evening is not the group's, and no player is a member")
def remove_group_and_attendance(forger: Forger) -> None:
    _find_opening_group(forger)
    forger.db.execute(DELETE_ATTENDANCE, (forger.session_id,))
    forger.execute(REMOVE_FROM_GROUP, forger.session_id)


@ATTACKS.register("the evening is another group's")
def move_to_another_group(forger: Forger) -> None:
    group_id = _find_opening_group(forger)
    other_group_id, number = forger.pick_row(OTHER_GROUPS, group_id)
    forger.execute(SET_GROUP, other_group_id, number, forger.session_id)


@ATTACKS.register("the evening has another number in its group")
def renumber_session(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.group_sessions SET number = number + 100 WHERE session_id = %s",
        forger.session_id,
    )


@ATTACKS.register("an evening that the group does not have")
def add_session(forger: Forger) -> None:
    _find_group(forger)
    row = forger.db.execute(SESSIONS_WITHOUT_GROUP, (forger.other_ids,)).fetchone()
    if row is None:
        raise NotApplicable
    forger.execute(ADD_TO_SAME_GROUP, row[0], forger.session_id)


@ATTACKS.register("a member is gone")
def delete_member(forger: Forger) -> None:
    group_id = _find_group(forger)
    (member_id,) = forger.pick_row("SELECT member_id FROM vola.group_members" + OF_GROUP, group_id)
    forger.execute("DELETE FROM vola.group_members" + OF_MEMBER, group_id, member_id)


@ATTACKS.register("a member called something else")
def rename_member(forger: Forger) -> None:
    group_id = _find_opening_group(forger)
    _, member_id, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    rename = "UPDATE vola.group_members SET name = 'Nils', matching_key = 'nils'"
    forger.execute(rename + OF_MEMBER, group_id, member_id)


@ATTACKS.register("a member who sounds like another")
def change_matching_key(forger: Forger) -> None:
    group_id = _find_group(forger)
    change = "UPDATE vola.group_members SET matching_key = 'somebody'"
    forger.execute(change + OF_FIRST_MEMBER, group_id, group_id)


ATTACKS.register_statements(
    {
        "the group is gone": "DELETE FROM vola.groups",
        "the key that created the group is gone": "DELETE FROM vola.group_creation_keys",
        "the group's stored replies are gone": "DELETE FROM vola.group_stored_replies",
        "a stored reply of the group that cannot be read": (
            "UPDATE vola.group_stored_replies SET operands = '[]'"
        ),
        "a stored reply of the group about members that it never had": (
            "UPDATE vola.group_stored_replies SET operands = operands || '{\"members\": 99}'"
        ),
        "a stored reply of the group with another status": (
            "UPDATE vola.group_stored_replies SET status = 500"
        ),
    },
    OF_GROUP,
    lambda forger: (_find_group(forger),),
)
