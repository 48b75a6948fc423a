"""A group together with its sessions, read so that no session is missing among them."""

from ledger.groups.groups import Group, GroupStore
from ledger.groups.open_balances import PlayedSession, load_played_sessions
from ledger.store.event_store import EventStore


class SessionsChanged(Exception):
    """A session of the group went on, or another was added, after the sessions were read. A write
    that finds this under the group's lock releases the lock and reads them again."""


def load_current_sessions(
    groups: GroupStore, store: EventStore, group: Group
) -> tuple[Group, tuple[PlayedSession, ...]]:
    """Return a group and every session of it as it stands. If a session was carried forward after
    `group` was read, the group is read again: the session that it was carried to counts instead."""
    while True:
        played = load_played_sessions(group, store.load)
        session_ids = {None, *(str(session.id) for _, session in played)}
        if all(session.carried_to in session_ids for _, session in played):
            return group, played
        latest = groups.load(group.id)
        if len(latest.sessions) == len(group.sessions):  # carried to one outside the group
            return group, played
        group = latest
