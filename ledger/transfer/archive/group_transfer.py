"""Export a group and import it with its sessions, which must be there already.

Its links are not exported: their tokens come from the secret of each book. Knows neither HTTP nor
files.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
from msgspec.structs import asdict

from ledger.access.session_metadata import MAX_GENERATION
from ledger.groups import group_event_log, groups
from ledger.groups.group_events import StoredGroupEvent
from ledger.groups.groups import Group, InAnotherGroup
from ledger.groups.stored_replies import GroupMoment, store_reply
from ledger.store.append_request import AppendRequest
from ledger.store.connection_pool import Connection, Pool, fetch_value
from ledger.store.name_matching import is_name_conflict
from ledger.transfer.archive import archive_format
from ledger.transfer.archive.archive_format import ArchiveRefused, ExportedGroup
from ledger.transfer.export_format import ExportedEvent

INSERT_GROUP = """
INSERT INTO vola.groups (group_id, name, token_generations)
VALUES (%(group_id)s, %(name)s, %(generations)s)
ON CONFLICT (group_id) DO NOTHING
"""
IS_IMPORTED = """
SELECT true FROM vola.group_creation_keys
 WHERE group_id = %(group_id)s AND starts_with(key, '↧ ')
"""
COUNT_PLAYERS = """
SELECT count(*) FROM vola.players
 WHERE session_id = %(session_id)s AND player_id = ANY(%(players)s)
"""
OTHER_HISTORY = "a group with this id is here, with another history"
MORE_OF_IT = (
    "the archive has more of it than is here, and an import adds nothing to a group: to have all "
    "of it, import the archive into a new book (VOLA_DATA)"
)


def export_group(db: Connection, group_id: UUID) -> ExportedGroup:
    """Return the group as it stands in this transaction. Raise UnknownGroup."""
    group = groups.load_group(db, group_id)
    return ExportedGroup(
        format="vola group 1",
        group=str(group_id),
        name=group.name,
        generation=min(max(group.generations) + 1, MAX_GENERATION),
        members=tuple(
            archive_format.ExportedMember(member, name) for member, name in group.members.items()
        ),
        sessions=tuple(
            archive_format.ExportedGroupSession(str(s.session_id), s.members, s.enrolled)
            for s in group.sessions
        ),
        events=tuple(
            ExportedEvent(**{**asdict(event), "hash": event.hash.hex()})
            for event in group_event_log.load_stored_events(db, group_id)
        ),
    )


def import_group(pool: Pool, exported: ExportedGroup, request: AppendRequest) -> bool:
    """Write the group, its members and its sessions in one transaction, and return True; False if
    the group is here already, as it was exported or grown since. Raise ArchiveRefused for another
    group of that id, or one that this book's sessions do not allow."""
    group_id = UUID(exported.group)
    with pool.connection() as db:
        claim = {"key": request.key, "group_id": group_id}
        if db.execute(groups.CLAIM_CREATION_KEY, claim).fetchone() is None:
            return False  # this very file was imported before
        parameters = {
            "group_id": group_id,
            "name": exported.name,
            "generations": [exported.generation] * 3,
        }
        if not db.execute(INSERT_GROUP, parameters).rowcount:
            stored = export_group(db, group_id)
            db.rollback()  # the key is free again
            if _continues(stored, exported):
                return False
            raise ArchiveRefused(MORE_OF_IT if _continues(exported, stored) else OTHER_HISTORY)
        try:
            for place, member in enumerate(exported.members, start=1):
                if member.id != f"m{place}":
                    raise ArchiveRefused(f"its member m{place} is missing")
                groups.insert_member(db, group_id, member.id, member.name)
        except psycopg.errors.UniqueViolation as conflict:
            if not is_name_conflict(conflict):
                raise
            raise ArchiveRefused("two of its members have the same name") from None
        group = groups.load_group(db, group_id)
        for place, group_session in enumerate(exported.sessions, start=1):
            later_places = range(place + 1, len(exported.sessions) + 1)
            if not set(group_session.enrolled.values()) <= set(later_places):
                raise ArchiveRefused(
                    f"a guest of its session {place} became a member in no later one"
                )
            _add_session(db, group, group_session)
        _insert_events(db, group, exported.events)
        moment = GroupMoment(members=len(exported.members), events=len(exported.events))
        store_reply(db, group_id, request, moment)
    return True


def is_imported_group(db: Connection, group_id: UUID) -> bool:
    """Return whether a group came from another book."""
    return fetch_value(db, IS_IMPORTED, {"group_id": group_id}) is not None


def _continues(group: ExportedGroup, earlier_group: ExportedGroup) -> bool:
    """Whether a group has at least what it had earlier. Names may differ: those that were erased or
    corrected stay so."""
    if group.events[: len(earlier_group.events)] != earlier_group.events:
        return False
    members = {member.id for member in earlier_group.members}
    is_shorter = len(group.sessions) < len(earlier_group.sessions)
    if is_shorter or not members <= {member.id for member in group.members}:
        return False
    return all(
        after.session == before.session
        and before.members.items() <= after.members.items()
        and all(
            # an archive of an earlier version does not say it
            after.enrolled.get(player, number) == number
            for player, number in before.enrolled.items()
        )
        for after, before in zip(group.sessions, earlier_group.sessions, strict=False)
    )


def _insert_events(db: Connection, group: Group, exported: Sequence[ExportedEvent]) -> None:
    events = [
        StoredGroupEvent(**{**asdict(event), "hash": bytes.fromhex(event.hash)})
        for event in exported
    ]
    for fault in group_event_log.find_faults(group.id, events, group.members):
        raise ArchiveRefused(f"its event {fault.number} is wrong: {fault.detail}")
    group_event_log.insert_group_events(db, group.id, events)


def _add_session(
    db: Connection, group: Group, group_session: archive_format.ExportedGroupSession
) -> None:
    session_id, attendance = UUID(group_session.session), group_session.members
    players: dict[str, Any] = {"session_id": session_id, "players": list(attendance)}
    is_known = fetch_value(db, COUNT_PLAYERS, players) == len(attendance)
    members = set(attendance.values())
    if not (is_known and members <= group.members.keys() and len(members) == len(attendance)):
        raise ArchiveRefused(f"it names other people in session {session_id} than played there")
    try:
        groups.add_session(db, group, session_id, attendance, group_session.enrolled)
    except InAnotherGroup:
        raise ArchiveRefused(f"session {session_id} is in another group here") from None
