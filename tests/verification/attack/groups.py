"""Attacks on groups: attendance, sessions, members, keys and stored replies."""

from __future__ import annotations

from uuid import UUID

from tests.verification.attack.attacks import Attacks
from tests.verification.attack.forger import Forger, NotApplicable

ATTACKS = Attacks()

GROUP_AND_NUMBER = "SELECT group_id, number FROM vola.group_sessions WHERE session_id = %s"
SAME_NAMES = """
SELECT a.player_id, a.member_id, m.matching_key FROM vola.attendance a
  JOIN vola.group_sessions e ON e.session_id = a.session_id
  JOIN vola.group_members m ON m.group_id = e.group_id AND m.member_id = a.member_id
  JOIN vola.players p ON p.session_id = a.session_id AND p.player_id = a.player_id
 WHERE a.session_id = %s AND m.matching_key = p.matching_key
"""
"""The players who have the same name in the session as in the group."""
SET_MEMBER = "UPDATE vola.attendance SET member_id = %s WHERE session_id = %s AND player_id = %s"
OF_GROUP = " WHERE group_id = %s"


def _group_id(forger: Forger) -> UUID:
    group_id, _ = forger.pick_row(GROUP_AND_NUMBER, forger.session_id)
    return group_id


def _opening_group_id(forger: Forger) -> UUID:
    """Return the group in which the session was opened; no stored reply need mention the group.

    Raise NotApplicable if the session was not opened in a group."""
    forger.pick_row(
        "SELECT 1 FROM vola.creation_keys WHERE session_id = %s AND starts_with(key, '○ ')",
        forger.session_id,
    )
    return _group_id(forger)


def _in_group(forger: Forger) -> tuple[UUID]:
    _group_id(forger)
    return (forger.session_id,)


def _opened_in_group(forger: Forger) -> tuple[UUID]:
    _opening_group_id(forger)
    return (forger.session_id,)


@ATTACKS.register("two players who are each other's member of the group")
def swap_members(forger: Forger) -> None:
    _opening_group_id(forger)
    named = forger.db.execute(SAME_NAMES, (forger.session_id,)).fetchall()
    if len(named) < 2:
        raise NotApplicable
    (first_player, first, _), (second_player, second, _) = forger.die.sample(named, 2)
    forger.execute(SET_MEMBER, "m0", forger.session_id, first_player)
    forger.execute(SET_MEMBER, first, forger.session_id, second_player)
    forger.execute(SET_MEMBER, second, forger.session_id, first_player)


@ATTACKS.register("a player who is another member of the group")
def assign_another_member(forger: Forger) -> None:
    group_id = _opening_group_id(forger)
    player, _, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    (absent,) = forger.pick_row(
        "SELECT member_id FROM vola.group_members WHERE group_id = %s AND name IS NOT NULL"
        "   AND member_id NOT IN (SELECT member_id FROM vola.attendance WHERE session_id = %s)",
        group_id,
        forger.session_id,
    )
    forger.execute(SET_MEMBER, absent, forger.session_id, player)


@ATTACKS.register("a player who is no member of the group")
def remove_attendance(forger: Forger) -> None:
    _opening_group_id(forger)
    player, _, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    forger.pick_row(
        "SELECT 1 FROM (SELECT bool_and(name IS NOT NULL) FROM vola.players"
        " WHERE session_id = %s) AS everybody (named) WHERE named",
        forger.session_id,
    )
    forger.execute(
        "DELETE FROM vola.attendance WHERE session_id = %s AND player_id = %s",
        forger.session_id,
        player,
    )


ATTACKS.register_statements(
    {"no player is a member of the group": "DELETE FROM vola.attendance WHERE session_id = %s"},
    pick_parameters=_opened_in_group,
)
ATTACKS.register_statements(
    {
        "a member who came, but is no player of the evening": (
            "INSERT INTO vola.attendance VALUES (%s, 'p88', 'm88')"
        ),
        "a player who became a member with an evening that is not there": (
            "UPDATE vola.attendance SET enrolling_session = 99 WHERE session_id = %s"
        ),
        "the evening is not the group's any more": (
            "DELETE FROM vola.group_sessions WHERE session_id = %s"
        ),
    },
    pick_parameters=_in_group,
)


@ATTACKS.register("the evening is not the group's, and no player is a member")
def remove_group_and_attendance(forger: Forger) -> None:
    _opening_group_id(forger)
    forger.db.execute("DELETE FROM vola.attendance WHERE session_id = %s", (forger.session_id,))
    forger.execute("DELETE FROM vola.group_sessions WHERE session_id = %s", forger.session_id)


@ATTACKS.register("the evening is another group's")
def move_to_another_group(forger: Forger) -> None:
    group_id = _opening_group_id(forger)
    other_group, number = forger.pick_row(
        "SELECT group_id, max(number) + 1 FROM vola.group_sessions WHERE group_id <> %s"
        " GROUP BY group_id",
        group_id,
    )
    forger.execute(
        "UPDATE vola.group_sessions SET group_id = %s, number = %s WHERE session_id = %s",
        other_group,
        number,
        forger.session_id,
    )


@ATTACKS.register("the evening has another number in its group")
def renumber_session(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.group_sessions SET number = number + 100 WHERE session_id = %s",
        forger.session_id,
    )


@ATTACKS.register("an evening that the group does not have")
def add_session(forger: Forger) -> None:
    _group_id(forger)
    stray = forger.db.execute(
        "SELECT session_id FROM vola.sessions WHERE session_id = ANY(%s) AND session_id NOT IN"
        " (SELECT session_id FROM vola.group_sessions)",
        (forger.other_ids,),
    ).fetchall()
    if not stray:
        raise NotApplicable
    forger.execute(
        "INSERT INTO vola.group_sessions SELECT %s, group_id, number + 50"
        " FROM vola.group_sessions WHERE session_id = %s",
        stray[0][0],
        forger.session_id,
    )


@ATTACKS.register("a member is gone")
def delete_member(forger: Forger) -> None:
    group_id = _group_id(forger)
    (member_id,) = forger.pick_row("SELECT member_id FROM vola.group_members" + OF_GROUP, group_id)
    forger.execute(
        "DELETE FROM vola.group_members" + OF_GROUP + " AND member_id = %s", group_id, member_id
    )


@ATTACKS.register("a member called something else")
def rename_member(forger: Forger) -> None:
    group_id = _opening_group_id(forger)
    _, member_id, _ = forger.pick_row(SAME_NAMES, forger.session_id)
    forger.execute(
        "UPDATE vola.group_members SET name = 'Nils', matching_key = 'nils'"
        + OF_GROUP
        + " AND member_id = %s",
        group_id,
        member_id,
    )


@ATTACKS.register("a member who sounds like another")
def change_matching_key(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.group_members SET matching_key = 'somebody'" + OF_GROUP + " AND member_id ="
        " (SELECT min(member_id) FROM vola.group_members WHERE group_id = %s"
        "  AND name IS NOT NULL)",
        *(_group_id(forger),) * 2,
    )


CHANGED_ROWS = {
    "the group is gone": "DELETE FROM vola.groups",
    "the key that created the group is gone": "DELETE FROM vola.group_creation_keys",
    "the group's stored replies are gone": "DELETE FROM vola.group_stored_replies",
    "a stored reply of the group that cannot be read": (
        "UPDATE vola.group_stored_replies SET operands = '[]'"
    ),
}
for name, statement in CHANGED_ROWS.items():
    ATTACKS.register(name)(
        lambda forger, statement=statement: forger.execute(statement + OF_GROUP, _group_id(forger))
    )


@ATTACKS.register("a stored reply of the group about members that it never had")
def add_members_to_reply(forger: Forger) -> None:
    add_members = "UPDATE vola.group_stored_replies SET operands = operands || '{\"members\": 99}'"
    forger.execute(add_members + OF_GROUP, _group_id(forger))


@ATTACKS.register("a stored reply of the group with another status")
def change_reply_status(forger: Forger) -> None:
    forger.execute(
        "UPDATE vola.group_stored_replies SET status = 500" + OF_GROUP, _group_id(forger)
    )
