"""Groups of people who meet again: their members, and which sessions are theirs.

Writers lock the group's row and store their reply by idempotency key, as for sessions. The events
of a group are in group_event_log.py. Knows neither HTTP nor any game.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

import msgspec
from psycopg.rows import class_row, dict_row

from engine.values import Player
from ledger.access.session_metadata import Generations
from ledger.events.event_types import Member
from ledger.groups import stored_replies as replies
from ledger.groups.stored_replies import GroupMoment, GroupReply, read_moment
from ledger.store.append_request import AppendRequest
from ledger.store.connection_pool import Connection, Pool, fetch_value
from ledger.store.name_matching import matching_key

MAX_MEMBERS = 60

GROUP = "SELECT name, token_generations FROM vola.groups WHERE group_id = %(group_id)s"
LOCK = "SELECT token_generations FROM vola.groups WHERE group_id = %(group_id)s FOR UPDATE"
MEMBERS = """
SELECT member_id, name FROM vola.group_members WHERE group_id = %(group_id)s
 ORDER BY length(member_id), member_id
"""
SESSIONS = """
SELECT e.number, e.session_id, s.title, s.token_generations AS generations,
       coalesce(a.members, '{}') AS members, coalesce(a.enrolled, '{}') AS enrolled
  FROM vola.group_sessions e JOIN vola.sessions s ON s.session_id = e.session_id
  LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(player_id, member_id) AS members,
           jsonb_object_agg(player_id, enrolling_session)
             FILTER (WHERE enrolling_session IS NOT NULL) AS enrolled
      FROM vola.attendance WHERE session_id = e.session_id) a ON true
 WHERE e.group_id = %(group_id)s ORDER BY e.number
"""
MEMBERSHIP_CHANGES = """
SELECT number, data::jsonb ->> 'member' AS member, type = 'member_left' AS has_left
  FROM vola.group_events
 WHERE group_id = %(group_id)s AND type IN ('member_left', 'member_returned') ORDER BY number
"""
GROUP_OF_SESSION = "SELECT group_id FROM vola.group_sessions WHERE session_id = %(session_id)s"
INSERT_GROUP = "INSERT INTO vola.groups (group_id, name) VALUES (%(group_id)s, %(name)s)"
INSERT_MEMBER = """
INSERT INTO vola.group_members (group_id, member_id, name, matching_key)
VALUES (%(group_id)s, %(member)s, %(name)s, %(matching_key)s)
"""
INSERT_SESSION = """
INSERT INTO vola.group_sessions (session_id, group_id, number)
SELECT %(session_id)s, %(group_id)s, coalesce(max(number), 0) + 1
  FROM vola.group_sessions WHERE group_id = %(group_id)s
ON CONFLICT (session_id) DO NOTHING
"""
INSERT_ATTENDANCE = """
INSERT INTO vola.attendance (session_id, player_id, member_id, enrolling_session)
VALUES (%(session_id)s, %(player)s, %(member)s, %(enrolling_session)s)
"""
CLAIM_CREATION_KEY = """
INSERT INTO vola.group_creation_keys (key, group_id) VALUES (%(key)s, %(group_id)s)
ON CONFLICT (key) DO NOTHING RETURNING key
"""
CREATED_GROUP = "SELECT group_id FROM vola.group_creation_keys WHERE key = %(key)s"


class LinkGrant(NamedTuple):
    """What the link of a request gives: a role, and the generation of the link that gave it."""

    place: int  # of the role among host, scorer and viewer
    generation: int


class UnknownGroup(Exception):
    """There is no such group."""


class UnknownMember(Exception):
    """The group has no such member."""

    def __init__(self, member: Member) -> None:
        super().__init__(member)
        self.member = member


class TooManyMembers(Exception):
    """The group has its maximum of members."""


class InAnotherGroup(Exception):
    """The session belongs to another group."""


class GroupSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the group, and which member was which player."""

    number: int
    session_id: UUID
    title: str | None
    generations: Generations  # of the session's own tokens
    members: dict[Player, Member]
    enrolled: dict[Player, int] = {}
    """The number of the later session that made a guest a member (`attendance.enroll_players`)."""


class MembershipChange(msgspec.Struct, frozen=True, kw_only=True):
    """A member left or returned, by the group's event of this number."""

    number: int
    member: Member
    has_left: bool


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A group as it was read: who is in it, and which sessions it has."""

    id: UUID
    name: str
    generations: Generations
    members: dict[Member, str | None]  # None if the name is erased
    sessions: tuple[GroupSession, ...]  # oldest first
    membership_changes: tuple[MembershipChange, ...] = ()  # in order

    @property
    def former_members(self) -> frozenset[Member]:
        """The members who have left and not returned."""
        latest = {change.member: change.has_left for change in self.membership_changes}
        return frozenset(member for member, has_left in latest.items() if has_left)


class GroupStore:
    """All groups. `grant` is the writer's link, which may be rotated while the writer waits."""

    def __init__(self, pool: Pool, grant: LinkGrant | None = None) -> None:
        self.pool, self.grant = pool, grant

    def load(self, group_id: UUID) -> Group:
        """Return a group as it stands. Raise UnknownGroup."""
        with self.pool.connection() as db:
            return load_group(db, group_id)

    def generations(self, group_id: UUID) -> Generations | None:
        """Return a group's generations alone; for an unknown group this takes as long."""
        with self.pool.connection() as db:
            row = db.execute(GROUP, {"group_id": group_id}).fetchone()
        return None if row is None else Generations(*row[1])

    def group_of_session(self, session_id: UUID) -> UUID | None:
        """Return the group that a session belongs to."""
        with self.pool.connection() as db:
            group_id: UUID | None = fetch_value(db, GROUP_OF_SESSION, {"session_id": session_id})
        return group_id

    def create(
        self, request: AppendRequest, group_id: UUID, name: str, members: Sequence[str]
    ) -> GroupReply:
        """Create a group, or return the reply stored for this key. Raise KeyReused."""
        claim = {"key": request.key, "group_id": group_id}
        with self.pool.connection() as db:
            if db.execute(CLAIM_CREATION_KEY, claim).fetchone() is None:
                reply = replies.read_reply(db, fetch_value(db, CREATED_GROUP, claim), request)
                assert reply is not None
                return reply
            db.execute(INSERT_GROUP, {"group_id": group_id, "name": name})
            for place, member_name in enumerate(members, start=1):
                insert_member(db, group_id, f"m{place}", member_name)
            return replies.store_reply(db, group_id, request, GroupMoment(members=len(members)))

    def add_member(self, group_id: UUID, request: AppendRequest, name: str) -> GroupReply:
        """Add a member, the last one of the reply's `moment`. Raise UnknownGroup, KeyReused,
        TooManyMembers; UniqueViolation for a name that another member has."""

        def insert_next_member(db: Connection, group: Group) -> GroupMoment:
            member = next_member(len(group.members))
            insert_member(db, group_id, member, name)
            return GroupMoment(members=len(group.members) + 1)

        return self.change(group_id, request, insert_next_member)

    def add_session(
        self,
        group_id: UUID,
        session_id: UUID,
        request: AppendRequest,
        members: Mapping[Player, Member],
    ) -> GroupReply:
        """Add a session that was opened outside the group. The reply's `moment` has every session.
        Raise UnknownGroup, KeyReused, UnknownMember, InAnotherGroup."""

        def insert_session(db: Connection, group: Group) -> GroupMoment:
            add_session(db, group, session_id, members)
            for member in members.values():
                # neither an erased name nor a member who left comes back by an old evening
                if group.members[member] is None or member in group.former_members:
                    raise UnknownMember(member)
            return read_moment(db, group_id, len(group.members))

        return self.change(group_id, request, insert_session)

    def change(
        self,
        group_id: UUID,
        request: AppendRequest,
        change: Callable[[Connection, Group], GroupMoment],
    ) -> GroupReply:
        """Change a group, once per key. `change` returns what the reply is rendered from.

        Raise UnknownGroup, KeyReused, and what `change` refuses with."""
        with self.pool.connection() as db:
            lock_group(db, group_id, self.grant)
            reply = replies.read_reply(db, group_id, request)
            if reply is not None:
                return reply
            moment = change(db, load_group(db, group_id))
            return replies.store_reply(db, group_id, request, moment)


def session_creation_key(group_id: UUID, key: str = "") -> str:
    """Return the stored form of the key that a session of this group is opened under; no client's
    key can begin like it. Without `key`, return only its beginning."""
    digest = sha256(group_id.bytes + key.encode()).hexdigest() if key else ""
    return f"○ {group_id} {digest}"


def lock_group(db: Connection, group_id: UUID, grant: LinkGrant | None = None) -> Generations:
    """Lock a group and return the generations of its links. Raise UnknownGroup, also if the link of
    the `grant` was rotated while the writer waited."""
    row = db.execute(LOCK, {"group_id": group_id}).fetchone()
    if row is None:
        raise UnknownGroup
    generations = Generations(*row[0])
    if grant is not None and not is_current(grant, generations):
        raise UnknownGroup
    return generations


def is_current(grant: LinkGrant, generations: Generations) -> bool:
    """Return whether the link has not been rotated since it gave the grant."""
    return generations[grant.place] == grant.generation


def load_group(db: Connection, group_id: UUID) -> Group:
    """Return a group as it stands in this transaction. Raise UnknownGroup."""
    parameters = {"group_id": group_id}
    row = db.execute(GROUP, parameters).fetchone()
    if row is None:
        raise UnknownGroup
    name, generations = row
    sessions = db.cursor(row_factory=dict_row).execute(SESSIONS, parameters)
    changes = db.cursor(row_factory=class_row(MembershipChange))
    return Group(
        id=group_id,
        name=name,
        generations=Generations(*generations),
        members=dict(db.execute(MEMBERS, parameters).fetchall()),
        sessions=tuple(msgspec.convert(row, GroupSession) for row in sessions),
        membership_changes=tuple(changes.execute(MEMBERSHIP_CHANGES, parameters)),
    )


def add_session(
    db: Connection,
    group: Group,
    session_id: UUID,
    members: Mapping[Player, Member],
    enrolled: Mapping[Player, int] = MappingProxyType({}),
) -> None:
    """Record that this session is the group's, and which player is which member. Raise
    UnknownMember, InAnotherGroup."""
    if not db.execute(INSERT_SESSION, {"session_id": session_id, "group_id": group.id}).rowcount:
        raise InAnotherGroup
    for player, member in members.items():
        if member not in group.members:
            raise UnknownMember(member)
        attending = {"player": player, "member": member, "enrolling_session": enrolled.get(player)}
        db.execute(INSERT_ATTENDANCE, {"session_id": session_id, **attending})


def next_member(count: int) -> Member:
    """Return the id of the next member of a group that has `count` members. Raise
    TooManyMembers."""
    if count >= MAX_MEMBERS:
        raise TooManyMembers
    return f"m{count + 1}"


def insert_member(db: Connection, group_id: UUID, member: Member, name: str | None) -> None:
    """Add a member. UniqueViolation for a name that another member has (`is_name_conflict`)."""
    parameters = {
        "group_id": group_id,
        "member": member,
        "name": name,
        "matching_key": None if name is None else matching_key(name),
    }
    db.execute(INSERT_MEMBER, parameters)
