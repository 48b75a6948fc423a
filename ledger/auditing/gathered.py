"""Whether an evening is still of the circle it was of, and its players still who they were.

Nothing of a circle is sealed; but the key that opened an evening, the names in it, the numbers of
evenings and members, and what the circle has answered all have to tell the same.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from ledger.auditing.findings import Finding
from ledger.circles import own_key
from ledger.database import Connection
from ledger.names import sounds

EVENING = "SELECT circle_id FROM vola.evenings WHERE session_id = %(session_id)s"
OPENED = """
SELECT key FROM vola.creations WHERE session_id = %(session_id)s AND starts_with(key, '○ ')
"""
PEOPLE = """
SELECT coalesce(a.player_id, p.player_id), p.player_id IS NOT NULL, p.sounds,
       a.member_id, m.member_id IS NOT NULL, m.sounds
  FROM (SELECT * FROM vola.attendance WHERE session_id = %(session_id)s) a
  FULL JOIN (SELECT * FROM vola.players WHERE session_id = %(session_id)s) p USING (player_id)
  LEFT JOIN vola.members m ON m.circle_id = %(circle_id)s AND m.member_id = a.member_id
 ORDER BY 1
"""
ATTENDED = "SELECT player_id FROM vola.attendance WHERE session_id = %(session_id)s ORDER BY 1"
FOUNDED = """
SELECT (SELECT count(*) FROM vola.circles WHERE circle_id = %(circle_id)s),
       (SELECT count(*) FROM vola.circle_creations c
          JOIN vola.circle_replies r ON r.circle_id = c.circle_id AND r.key = c.key
         WHERE c.circle_id = %(circle_id)s)
"""
EVENINGS = """
SELECT e.number, e.session_id::text,
       (SELECT jsonb_object_agg(a.player_id, a.member_id) FROM vola.attendance a
         WHERE a.session_id = e.session_id)
  FROM vola.evenings e WHERE e.circle_id = %(circle_id)s
"""
MEMBERS = "SELECT member_id, name, sounds FROM vola.members WHERE circle_id = %(circle_id)s"
REPLIES = "SELECT status, body FROM vola.circle_replies WHERE circle_id = %(circle_id)s"


class Member(msgspec.Struct):
    id: str


class Evening(msgspec.Struct):
    number: int
    session: str
    members: dict[str, str]


class Answer(msgspec.Struct):
    """What a circle has answered: of itself, or of one member."""

    id: str
    members: list[Member] = []
    evenings: list[Evening] = []


def check(db: Connection, session_id: UUID) -> Iterator[Finding]:
    """Findings about this evening as one of a circle, and about that circle."""
    ask = {"session_id": session_id}
    keys = [key for (key,) in db.execute(OPENED, ask)]
    row = db.execute(EVENING, ask).fetchone()
    if row is None:
        if keys or db.execute(ATTENDED, ask).fetchone() is not None:
            yield _finding("It was an evening of a circle, and is of none.")
        return
    where = {**ask, "circle_id": row[0]}
    if any(not key.startswith(own_key(row[0])) for key in keys):
        yield _finding("It was opened in another circle.")
    yield from _people(db, where, opened=bool(keys))
    yield from _circle(db, where)


def _people(db: Connection, ask: dict[str, Any], *, opened: bool) -> Iterator[Finding]:
    """Every player of it who is somebody in the circle, and is called what he is called there.

    In an evening that was opened by itself, its host has said who is who, whatever the names.
    """
    rows = db.execute(PEOPLE, ask).fetchall()
    erased = any(plays and heard is None and member for _, plays, heard, member, *_ in rows)
    for player, plays, heard, member, known, called in rows:
        if member is None:
            if opened and not erased:  # or he may have come a second time, as somebody new
                yield _finding(f"{player} is nobody in the circle.")
        elif not plays:
            yield _finding(f"{member} was {player}, who never came.")
        elif not known:
            yield _finding(f"{player} was {member}, who is nobody in the circle.")
        elif opened and heard and called and heard != called:
            yield _finding(f"{player} was not {member}: they are called differently.")
        elif opened and heard and called is None:
            yield _finding(f"{member} has been erased, and {player} has not.")


def _circle(db: Connection, ask: dict[str, Any]) -> Iterator[Finding]:
    """Evenings and members are numbered without holes, and are those that were told of."""
    if db.execute(FOUNDED, ask).fetchone() != (1, 1):
        yield _finding("Its circle was never founded.")
    evenings = {session: (number, who) for number, session, who in db.execute(EVENINGS, ask)}
    if sorted(number for number, _ in evenings.values()) != list(range(1, len(evenings) + 1)):
        yield _finding("An evening of its circle is missing.")
    members = set()
    for member, name, heard in db.execute(MEMBERS, ask).fetchall():
        members.add(member)
        if heard != (None if name is None else sounds(name)):
            yield _finding(f"{member} of its circle sounds like somebody else.")
    if members != {f"m{place}" for place in range(1, len(members) + 1)}:
        yield _finding("A member of its circle is missing.")
    came = {member for _, who in evenings.values() for member in (who or {}).values()}
    for member in sorted(came - members):
        yield _finding(f"{member} of its circle is gone.")
    for status, body in db.execute(REPLIES, ask).fetchall():
        try:
            told = msgspec.json.decode(body, type=Answer)
        except msgspec.DecodeError:
            yield _finding("An answer of its circle cannot be read.")
            continue
        yield from _told(told, status, members, evenings)


def _told(
    told: Answer, status: int, members: set[str], evenings: dict[str, Any]
) -> Iterator[Finding]:
    """Members and evenings are never fewer than were once told of, and never others."""
    if not 200 <= status < 300:
        yield _finding(f"An answer of status {status} is never kept.")
    named = {member.id for member in told.members}
    if told.id.startswith("m"):
        named.add(told.id)
    for member in sorted(named - members):
        yield _finding(f"{member} of its circle is gone.")
    for evening in told.evenings:
        number, who = evenings.get(evening.session, (0, None))
        if number != evening.number:
            yield _finding(f"Its circle has told of another evening {evening.number}.")
        elif not evening.members.items() <= (who or {}).items():
            yield _finding(f"Somebody in evening {number} of its circle was another.")


def _finding(detail: str) -> Finding:
    return Finding(code="circle_wrong", detail=detail)
