"""People who meet again: a circle's members, and which evenings are theirs.

A circle keeps no money and no history; it finds evenings. Its writers take turns by its own row,
and an answer is kept for its key as evenings keep theirs. Knows neither HTTP nor any game.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from uuid import UUID

import msgspec

from engine.values import Player
from ledger import circle_replies as replies
from ledger.circle_replies import Answered
from ledger.database import Connection, Pool
from ledger.names import sounds
from ledger.writing import Request

Member = str
"""`m1`, `m2` …: an id, never a name."""

Generations = tuple[int, int, int]
"""Of the links of host, scorer, viewer."""

Right = tuple[int, int]
"""The place of a role among host, scorer, viewer, and the generation of the link that gave it."""

MOST_MEMBERS = 60

CIRCLE = "SELECT name, tokens FROM vola.circles WHERE circle_id = %(circle_id)s"
LOCK = "SELECT tokens FROM vola.circles WHERE circle_id = %(circle_id)s FOR UPDATE"
MEMBERS = """
SELECT member_id, name FROM vola.members WHERE circle_id = %(circle_id)s
 ORDER BY length(member_id), member_id
"""
EVENINGS = """
SELECT e.number, e.session_id, s.title, s.tokens,
       (SELECT jsonb_object_agg(a.player_id, a.member_id) FROM vola.attendance a
         WHERE a.session_id = e.session_id)
  FROM vola.evenings e JOIN vola.sessions s ON s.session_id = e.session_id
 WHERE e.circle_id = %(circle_id)s ORDER BY e.number
"""
CIRCLE_OF = "SELECT circle_id FROM vola.evenings WHERE session_id = %(session_id)s"
NEW_CIRCLE = "INSERT INTO vola.circles (circle_id, name) VALUES (%(circle_id)s, %(name)s)"
NEW_MEMBER = """
INSERT INTO vola.members (circle_id, member_id, name, sounds)
VALUES (%(circle_id)s, %(member)s, %(name)s, %(sounds)s)
"""
NEW_EVENING = """
INSERT INTO vola.evenings (session_id, circle_id, number)
SELECT %(session_id)s, %(circle_id)s, coalesce(max(number), 0) + 1
  FROM vola.evenings WHERE circle_id = %(circle_id)s
ON CONFLICT (session_id) DO NOTHING
"""
ATTENDS = """
INSERT INTO vola.attendance (session_id, player_id, member_id)
VALUES (%(session_id)s, %(player)s, %(member)s)
"""
CLAIM = """
INSERT INTO vola.circle_creations (key, circle_id) VALUES (%(key)s, %(circle_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CLAIMED = "SELECT circle_id FROM vola.circle_creations WHERE key = %(key)s"
LOCK_OF_EVENING = """
SELECT 1 FROM vola.circles WHERE circle_id IN (
  SELECT circle_id FROM vola.evenings WHERE session_id = %(session_id)s) FOR UPDATE
"""
GUEST = """
INSERT INTO vola.members (circle_id, member_id, name, sounds)
SELECT e.circle_id,
       'm' || (SELECT count(*) + 1 FROM vola.members m WHERE m.circle_id = e.circle_id),
       %(name)s, %(sounds)s
  FROM vola.evenings e WHERE e.session_id = %(session_id)s
ON CONFLICT (circle_id, sounds) DO NOTHING
"""
GUEST_ATTENDS = """
INSERT INTO vola.attendance (session_id, player_id, member_id)
SELECT e.session_id, %(player)s, m.member_id
  FROM vola.evenings e JOIN vola.members m ON m.circle_id = e.circle_id AND m.sounds = %(sounds)s
 WHERE e.session_id = %(session_id)s
ON CONFLICT DO NOTHING
"""


CALLED = """
SELECT name FROM vola.players WHERE session_id = %(session_id)s AND player_id = %(player)s
"""


class UnknownCircle(Exception):
    """There is no such circle."""


class UnknownMember(Exception):
    """There is no such member."""

    def __init__(self, member: Member) -> None:
        super().__init__(member)
        self.member = member


class TooManyMembers(Exception):
    """A circle has its bounds."""


class OfAnotherCircle(Exception):
    """An evening is of one circle."""


class Evening(msgspec.Struct, frozen=True, kw_only=True):
    """An evening of the circle, and which member was which player."""

    number: int
    session_id: UUID
    title: str | None
    generations: Generations  # of the evening's own tokens
    members: dict[Player, Member]


class Circle(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    name: str
    generations: Generations
    members: dict[Member, str | None]  # an erased name is none
    evenings: tuple[Evening, ...]  # the oldest first


class Circles:
    """The book of all circles. `right`: of whoever writes, if his link may end while he waits."""

    def __init__(self, pool: Pool, right: Right | None = None) -> None:
        self.pool, self.right = pool, right

    def circle(self, circle_id: UUID) -> Circle | None:
        with self.pool.connection() as db:
            return read(db, circle_id)

    def generations(self, circle_id: UUID) -> Generations | None:
        """Of its tokens, and nothing more: as little work for a circle as for none."""
        with self.pool.connection() as db:
            row = db.execute(CIRCLE, {"circle_id": circle_id}).fetchone()
        return None if row is None else _three(row[1])

    def of_evening(self, session_id: UUID) -> UUID | None:
        """The circle that an evening is of."""
        with self.pool.connection() as db:
            row = db.execute(CIRCLE_OF, {"session_id": session_id}).fetchone()
        return None if row is None else row[0]

    def create(
        self,
        request: Request,
        circle_id: UUID,
        name: str,
        members: Sequence[str],
        render: Callable[[Circle], bytes],
    ) -> Answered:
        """Found a circle, or answer again what this key was answered. KeyReused."""
        ask = {"key": request.key, "circle_id": circle_id}
        with self.pool.connection() as db:
            if db.execute(CLAIM, ask).fetchone() is None:
                row = db.execute(CLAIMED, ask).fetchone()
                assert row is not None
                given = replies.given(db, row[0], request)
                assert given is not None
                return given
            db.execute(NEW_CIRCLE, {"circle_id": circle_id, "name": name})
            for place, called in enumerate(members, start=1):
                _join(db, circle_id, f"m{place}", called)
            circle = read(db, circle_id)
            assert circle is not None
            return replies.keep(db, circle.id, request, render(circle))

    def join(
        self,
        circle_id: UUID,
        request: Request,
        name: str,
        render: Callable[[Circle], bytes],
    ) -> Answered:
        """A new member, the last of them all. UnknownCircle, KeyReused, TooManyMembers;
        UniqueViolation of the name."""

        def work(db: Connection, circle: Circle) -> Circle:
            if len(circle.members) >= MOST_MEMBERS:
                raise TooManyMembers
            member = f"m{len(circle.members) + 1}"
            _join(db, circle_id, member, name)
            return msgspec.structs.replace(circle, members={**circle.members, member: name})

        return self.write(circle_id, request, work, render)

    def add(
        self,
        circle_id: UUID,
        session_id: UUID,
        request: Request,
        members: Mapping[Player, Member],
        render: Callable[[Circle], bytes],
    ) -> Answered:
        """An evening that was opened by itself is of the circle from now on.

        UnknownCircle, KeyReused, UnknownMember, OfAnotherCircle.
        """

        def work(db: Connection, circle: Circle) -> Circle:
            attend(db, circle, session_id, members)
            for member in members.values():
                if circle.members[member] is None:  # or his name would be in the circle again
                    raise UnknownMember(member)
            changed = read(db, circle_id)
            assert changed is not None
            return changed

        return self.write(circle_id, request, work, render)

    def write(
        self,
        circle_id: UUID,
        request: Request,
        work: Callable[[Connection, Circle], Circle],
        render: Callable[[Circle], bytes],
    ) -> Answered:
        """Change the circle, once for a key. UnknownCircle, KeyReused; what `work` refuses with."""
        with self.pool.connection() as db:
            still(self.right, lock(db, circle_id))
            given = replies.given(db, circle_id, request)
            if given is not None:
                return given
            circle = read(db, circle_id)
            assert circle is not None
            return replies.keep(db, circle_id, request, render(work(db, circle)))


def own_key(circle_id: UUID, key: str = "") -> str:
    """The key under which an evening of this circle is opened; it begins as no client's key can.
    Without `key`: how it begins."""
    digest = sha256(circle_id.bytes + key.encode()).hexdigest() if key else ""
    return f"○ {circle_id} {digest}"


def lock(db: Connection, circle_id: UUID) -> Generations:
    """Whoever writes waits for whoever is writing. The generations as of then. UnknownCircle."""
    row = db.execute(LOCK, {"circle_id": circle_id}).fetchone()
    if row is None:
        raise UnknownCircle
    return _three(row[0])


def still(right: Right | None, now: Generations) -> None:
    """UnknownCircle if this right was one until now: its link has ended while he waited."""
    if right is not None and not holds(right, now):
        raise UnknownCircle


def holds(right: Right, now: Generations) -> bool:
    place, generation = right
    return now[place] == generation


def read(db: Connection, circle_id: UUID) -> Circle | None:
    ask = {"circle_id": circle_id}
    row = db.execute(CIRCLE, ask).fetchone()
    if row is None:
        return None
    name, generations = row
    return Circle(
        id=circle_id,
        name=name,
        generations=_three(generations),
        members=dict(db.execute(MEMBERS, ask).fetchall()),
        evenings=tuple(
            Evening(
                number=number,
                session_id=session_id,
                title=title,
                generations=_three(tokens),
                members=members or {},
            )
            for number, session_id, title, tokens, members in db.execute(EVENINGS, ask)
        ),
    )


def attend(
    db: Connection, circle: Circle, session_id: UUID, members: Mapping[Player, Member]
) -> None:
    """Write down that this evening is the circle's, and who was who.

    UnknownMember, OfAnotherCircle (which may be adding it at this moment).
    """
    if not db.execute(NEW_EVENING, {"session_id": session_id, "circle_id": circle.id}).rowcount:
        raise OfAnotherCircle
    for player, member in members.items():
        if member not in circle.members:
            raise UnknownMember(member)
        db.execute(ATTENDS, {"session_id": session_id, "player": player, "member": member})


def enrol(
    db: Connection, circle: Circle, evening: Evening, players: Iterable[Player]
) -> dict[Player, Member]:
    """Who was who in an evening. A player who was nobody in the circle yet becomes the member of
    his name who was not there, or somebody new; without a name, if another has it."""
    who, members = dict(evening.members), dict(circle.members)
    for player in players:
        if player in who:
            continue
        name = _called(db, evening.session_id, player)
        heard = name and sounds(name)
        alike = next((m for m, other in members.items() if other and sounds(other) == heard), None)
        if alike is None or alike in who.values():
            named = None if alike else name
            alike = f"m{len(members) + 1}"
            _join(db, circle.id, alike, named)
            members[alike] = named
        db.execute(ATTENDS, {"session_id": evening.session_id, "player": player, "member": alike})
        who[player] = alike
    return who


def _called(db: Connection, session_id: UUID, player: Player) -> str | None:
    row = db.execute(CALLED, {"session_id": session_id, "player": player}).fetchone()
    return None if row is None else row[0]


def welcome(db: Connection, session_id: UUID, player: Player, name: str) -> None:
    """Who comes to an evening of a circle is one of it; who is called like a member is that one."""
    guest = {"session_id": session_id, "player": player, "name": name, "sounds": sounds(name)}
    for statement in (LOCK_OF_EVENING, GUEST, GUEST_ATTENDS):
        db.execute(statement, guest)


def _join(db: Connection, circle_id: UUID, member: Member, name: str | None) -> None:
    known = {"circle_id": circle_id, "member": member, "name": name}
    db.execute(NEW_MEMBER, {**known, "sounds": None if name is None else sounds(name)})


def _three(generations: Sequence[int]) -> Generations:
    host, scorer, viewer = generations
    return host, scorer, viewer
