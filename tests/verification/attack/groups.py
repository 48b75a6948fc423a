"""Attacks on groups: attendance, sessions, members, keys and stored replies."""

from __future__ import annotations

from uuid import UUID

from tests.verification.attack.corruption import other_attack, statement_attacks
from tests.verification.attack.forger import Forger, NotApplicable

MINE = "SELECT group_id, number FROM vola.group_sessions WHERE session_id = %s"
NAMED = """
SELECT a.player_id, a.member_id, m.matching_key FROM vola.attendance a
  JOIN vola.group_sessions e ON e.session_id = a.session_id
  JOIN vola.group_members m ON m.group_id = e.group_id AND m.member_id = a.member_id
  JOIN vola.players p ON p.session_id = a.session_id AND p.player_id = a.player_id
 WHERE a.session_id = %s AND m.matching_key = p.matching_key
"""
"""The players who have the same name in the session as in the group."""
SET = "UPDATE vola.attendance SET member_id = %s WHERE session_id = %s AND player_id = %s"
OF = " WHERE group_id = %s"


def _group_id(f: Forger) -> UUID:
    group_id, _ = f.pick(MINE, f.id)
    return group_id


def _opening_group_id(f: Forger) -> UUID:
    """Return the group in which the session was opened; no stored reply need mention the group.

    Raise NotApplicable if the session was not opened in a group."""
    f.pick(
        "SELECT 1 FROM vola.creation_keys WHERE session_id = %s AND starts_with(key, '○ ')", f.id
    )
    return _group_id(f)


def _in_group(f: Forger) -> tuple[UUID]:
    _group_id(f)
    return (f.id,)


def _opened_in_group(f: Forger) -> tuple[UUID]:
    _opening_group_id(f)
    return (f.id,)


@other_attack("two players who were each other in the circle")
def swapped(f: Forger) -> None:
    _opening_group_id(f)
    named = f.db.execute(NAMED, (f.id,)).fetchall()
    if len(named) < 2:
        raise NotApplicable
    (first_player, first, _), (second_player, second, _) = f.die.sample(named, 2)
    f.run(SET, "m0", f.id, first_player)
    f.run(SET, first, f.id, second_player)
    f.run(SET, second, f.id, first_player)


@other_attack("a player who was somebody else in the circle")
def reassigned(f: Forger) -> None:
    group_id = _opening_group_id(f)
    player, _, _ = f.pick(NAMED, f.id)
    absent, = f.pick(
        "SELECT member_id FROM vola.group_members WHERE group_id = %s AND name IS NOT NULL"
        "   AND member_id NOT IN (SELECT member_id FROM vola.attendance WHERE session_id = %s)",
        group_id, f.id)  # fmt: skip
    f.run(SET, absent, f.id, player)


@other_attack("a player who was nobody in the circle")
def unassigned(f: Forger) -> None:
    _opening_group_id(f)
    player, _, _ = f.pick(NAMED, f.id)
    f.pick("SELECT 1 FROM (SELECT bool_and(name IS NOT NULL) FROM vola.players"
           " WHERE session_id = %s) AS everybody (named) WHERE named", f.id)  # fmt: skip
    f.run("DELETE FROM vola.attendance WHERE session_id = %s AND player_id = %s", f.id, player)


statement_attacks(
    {"nobody was who he was in the circle": "DELETE FROM vola.attendance WHERE session_id = %s"},
    pick_parameters=_opened_in_group,
)
statement_attacks(
    {
        "somebody in the circle who never came to the evening": (
            "INSERT INTO vola.attendance VALUES (%s, 'p88', 'm88')"
        ),
        "the evening is of no circle any more": (
            "DELETE FROM vola.group_sessions WHERE session_id = %s"
        ),
    },
    pick_parameters=_in_group,
)


@other_attack("the evening is of no circle any more, and nobody was anybody in it")
def no_group_and_no_attendance(f: Forger) -> None:
    _opening_group_id(f)
    f.db.execute("DELETE FROM vola.attendance WHERE session_id = %s", (f.id,))
    f.run("DELETE FROM vola.group_sessions WHERE session_id = %s", f.id)


@other_attack("the evening is of another circle")
def other_group_s(f: Forger) -> None:
    group_id = _opening_group_id(f)
    other_group, number = f.pick(
        "SELECT group_id, max(number) + 1 FROM vola.group_sessions WHERE group_id <> %s"
        " GROUP BY group_id", group_id)  # fmt: skip
    f.run("UPDATE vola.group_sessions SET group_id = %s, number = %s WHERE session_id = %s",
          other_group, number, f.id)  # fmt: skip


@other_attack("the evening has another number in its circle")
def number(f: Forger) -> None:
    f.run("UPDATE vola.group_sessions SET number = number + 100 WHERE session_id = %s", f.id)


@other_attack("an evening that the circle does not have")
def extra_session(f: Forger) -> None:
    _group_id(f)
    stray = f.db.execute(
        "SELECT session_id FROM vola.sessions WHERE session_id = ANY(%s) AND session_id NOT IN"
        " (SELECT session_id FROM vola.group_sessions)", (f.other_ids,)).fetchall()  # fmt: skip
    if not stray:
        raise NotApplicable
    f.run("INSERT INTO vola.group_sessions SELECT %s, group_id, number + 50"
          " FROM vola.group_sessions WHERE session_id = %s", stray[0][0], f.id)  # fmt: skip


@other_attack("a member is gone")
def member(f: Forger) -> None:
    group_id = _group_id(f)
    (member_id,) = f.pick("SELECT member_id FROM vola.group_members" + OF, group_id)
    f.run("DELETE FROM vola.group_members" + OF + " AND member_id = %s", group_id, member_id)


@other_attack("a member called something else")
def renamed(f: Forger) -> None:
    group_id = _opening_group_id(f)
    _, member_id, _ = f.pick(NAMED, f.id)
    f.run("UPDATE vola.group_members SET name = 'Nils', matching_key = 'nils'" + OF
          + " AND member_id = %s", group_id, member_id)  # fmt: skip


@other_attack("a member who sounds like another")
def matching_key_changed(f: Forger) -> None:
    f.run("UPDATE vola.group_members SET matching_key = 'somebody'" + OF + " AND member_id ="
          " (SELECT min(member_id) FROM vola.group_members WHERE group_id = %s"
          "  AND name IS NOT NULL)",
          *(_group_id(f),) * 2)  # fmt: skip


CHANGED_ROWS = {
    "the circle is gone": "DELETE FROM vola.groups",
    "the key that founded the circle is gone": "DELETE FROM vola.group_creation_keys",
    "what the circle has answered is gone": "DELETE FROM vola.group_stored_replies",
    "an answer of the circle that cannot be read": (
        "UPDATE vola.group_stored_replies SET operands = '[]'"
    ),
}
for name, statement in CHANGED_ROWS.items():
    other_attack(name)(lambda f, statement=statement: f.run(statement + OF, _group_id(f)))


@other_attack("an answer of the circle about members that it never had")
def more_members(f: Forger) -> None:
    f.run("UPDATE vola.group_stored_replies SET operands = operands || '{\"members\": 99}'" + OF,
          _group_id(f))  # fmt: skip


@other_attack("an answer of the circle of another status")
def status(f: Forger) -> None:
    f.run("UPDATE vola.group_stored_replies SET status = 500" + OF, _group_id(f))
