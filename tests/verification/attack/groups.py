"""Corruption of what a circle knows: who was who, which evenings are its own, whom it has."""

from __future__ import annotations

from uuid import UUID

from tests.verification.attack.corruption import elsewhere
from tests.verification.attack.forger import Forger, Nothing

MINE = "SELECT group_id, number FROM vola.group_sessions WHERE session_id = %s"
NAMED = """
SELECT a.player_id, a.member_id, m.matching_key FROM vola.attendance a
  JOIN vola.group_sessions e ON e.session_id = a.session_id
  JOIN vola.group_members m ON m.group_id = e.group_id AND m.member_id = a.member_id
  JOIN vola.players p ON p.session_id = a.session_id AND p.player_id = a.player_id
 WHERE a.session_id = %s AND m.matching_key = p.matching_key
"""
"""Those who are called in the evening as they are in the circle."""
SET = "UPDATE vola.attendance SET member_id = %s WHERE session_id = %s AND player_id = %s"
OF = " WHERE group_id = %s"


def _circle(f: Forger) -> UUID:
    group_id, _ = f.pick(MINE, f.id)
    return group_id


def _opened_there(f: Forger) -> UUID:
    """Of an evening that an answer of a circle need not tell of."""
    f.pick(
        "SELECT 1 FROM vola.creation_keys WHERE session_id = %s AND starts_with(key, '○ ')", f.id
    )
    return _circle(f)


@elsewhere("two players who were each other in the circle")
def swapped(f: Forger) -> None:
    _opened_there(f)
    named = f.db.execute(NAMED, (f.id,)).fetchall()
    if len(named) < 2:
        raise Nothing
    (one, first, _), (other, second, _) = f.die.sample(named, 2)
    f.run(SET, "m0", f.id, one)
    f.run(SET, first, f.id, other)
    f.run(SET, second, f.id, one)


@elsewhere("a player who was somebody else in the circle")
def another(f: Forger) -> None:
    group_id = _opened_there(f)
    player, _, _ = f.pick(NAMED, f.id)
    absent, = f.pick(
        "SELECT member_id FROM vola.group_members WHERE group_id = %s AND name IS NOT NULL"
        "   AND member_id NOT IN (SELECT member_id FROM vola.attendance WHERE session_id = %s)",
        group_id, f.id)  # fmt: skip
    f.run(SET, absent, f.id, player)


@elsewhere("a player who was nobody in the circle")
def nobody(f: Forger) -> None:
    _opened_there(f)
    player, _, _ = f.pick(NAMED, f.id)
    f.pick("SELECT 1 FROM (SELECT bool_and(name IS NOT NULL) FROM vola.players"
           " WHERE session_id = %s) AS everybody (named) WHERE named", f.id)  # fmt: skip
    f.run("DELETE FROM vola.attendance WHERE session_id = %s AND player_id = %s", f.id, player)


@elsewhere("nobody was who he was in the circle")
def forgotten(f: Forger) -> None:
    _opened_there(f)
    f.run("DELETE FROM vola.attendance WHERE session_id = %s", f.id)


@elsewhere("somebody in the circle who never came to the evening")
def never_came(f: Forger) -> None:
    _circle(f)
    f.run("INSERT INTO vola.attendance VALUES (%s, 'p88', 'm88')", f.id)


@elsewhere("the evening is of no circle any more")
def of_none(f: Forger) -> None:
    _circle(f)
    f.run("DELETE FROM vola.group_sessions WHERE session_id = %s", f.id)


@elsewhere("the evening is of no circle any more, and nobody was anybody in it")
def of_none_at_all(f: Forger) -> None:
    _opened_there(f)
    f.db.execute("DELETE FROM vola.attendance WHERE session_id = %s", (f.id,))
    f.run("DELETE FROM vola.group_sessions WHERE session_id = %s", f.id)


@elsewhere("the evening is of another circle")
def of_another(f: Forger) -> None:
    group_id = _opened_there(f)
    other, number = f.pick(
        "SELECT group_id, max(number) + 1 FROM vola.group_sessions WHERE group_id <> %s"
        " GROUP BY group_id", group_id)  # fmt: skip
    f.run("UPDATE vola.group_sessions SET group_id = %s, number = %s WHERE session_id = %s",
          other, number, f.id)  # fmt: skip


@elsewhere("the evening has another number in its circle")
def number(f: Forger) -> None:
    f.run("UPDATE vola.group_sessions SET number = number + 100 WHERE session_id = %s", f.id)


@elsewhere("an evening that the circle does not have")
def too_many(f: Forger) -> None:
    _circle(f)
    stray = f.db.execute(
        "SELECT session_id FROM vola.sessions WHERE session_id = ANY(%s) AND session_id NOT IN"
        " (SELECT session_id FROM vola.group_sessions)", (f.others,)).fetchall()  # fmt: skip
    if not stray:
        raise Nothing
    f.run("INSERT INTO vola.group_sessions SELECT %s, group_id, number + 50"
          " FROM vola.group_sessions WHERE session_id = %s", stray[0][0], f.id)  # fmt: skip


@elsewhere("a member is gone")
def member(f: Forger) -> None:
    group_id = _circle(f)
    (who,) = f.pick("SELECT member_id FROM vola.group_members" + OF, group_id)
    f.run("DELETE FROM vola.group_members" + OF + " AND member_id = %s", group_id, who)


@elsewhere("a member called something else")
def renamed(f: Forger) -> None:
    group_id = _opened_there(f)
    _, who, _ = f.pick(NAMED, f.id)
    f.run("UPDATE vola.group_members SET name = 'Nils', matching_key = 'nils'" + OF
          + " AND member_id = %s", group_id, who)  # fmt: skip


@elsewhere("a member who sounds like another")
def heard(f: Forger) -> None:
    f.run("UPDATE vola.group_members SET matching_key = 'somebody'" + OF + " AND member_id ="
          " (SELECT min(member_id) FROM vola.group_members WHERE group_id = %s"
          "  AND name IS NOT NULL)",
          *(_circle(f),) * 2)  # fmt: skip


@elsewhere("the circle is gone")
def circle(f: Forger) -> None:
    f.run("DELETE FROM vola.groups" + OF, _circle(f))


@elsewhere("the key that founded the circle is gone")
def unfounded(f: Forger) -> None:
    f.run("DELETE FROM vola.group_creation_keys" + OF, _circle(f))


@elsewhere("what the circle has answered is gone")
def unanswered(f: Forger) -> None:
    f.run("DELETE FROM vola.group_stored_replies" + OF, _circle(f))


@elsewhere("an answer of the circle cut short")
def unreadable(f: Forger) -> None:
    f.run("UPDATE vola.group_stored_replies SET body = substr(body, 1, length(body) - 1)" + OF,
          _circle(f))  # fmt: skip


@elsewhere("an answer of the circle of another status")
def status(f: Forger) -> None:
    f.run("UPDATE vola.group_stored_replies SET status = 500" + OF, _circle(f))
