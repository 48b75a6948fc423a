"""The snapshot cache: the latest sessions, up to a limit of events."""

from uuid import UUID

import pytest

from ledger.session.session_state import SessionState
from ledger.store import read_stream
from ledger.store.read_stream import SnapshotCache


def session_at(number: int, version: int = 1) -> SessionState:
    return SessionState(id=UUID(int=number), version=version)


def remembered(cache: SnapshotCache, numbers: range) -> list[int]:
    return [number for number in numbers if cache.get(UUID(int=number))]


def test_the_latest_sessions_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_stream, "MAX_SESSIONS", 3)
    cache = SnapshotCache()
    for number in (1, 2, 3, 1, 4):
        cache.put(session_at(number))
    assert remembered(cache, range(1, 5)) == [1, 3, 4]


def test_a_long_session_takes_the_room_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_stream, "MAX_EVENTS", 100)
    cache = SnapshotCache()
    for number in range(1, 5):
        cache.put(session_at(number, 30))
    assert remembered(cache, range(1, 5)) == [2, 3, 4]
    cache.put(session_at(4, 45))  # a newer version
    assert remembered(cache, range(1, 5)) == [3, 4]
    cache.put(session_at(5, 1_000))  # above the limit, but the latest
    assert remembered(cache, range(1, 6)) == [5]
    cache.put(session_at(6, 10))
    assert remembered(cache, range(1, 7)) == [6]


def test_a_late_older_snapshot_is_not_cached() -> None:
    cache, first, late, newest = SnapshotCache(), session_at(1), session_at(1, 2), session_at(1, 3)
    cache.put(first)
    cache.put(newest, first)
    cache.put(late, first)  # folded before, and put only now
    assert cache.get(first.id) is newest


def test_after_a_database_rollback_the_older_snapshot_is_cached() -> None:
    cache, lost_snapshot, restored_snapshot = SnapshotCache(), session_at(1, 9), session_at(1, 2)
    cache.put(lost_snapshot)
    cache.put(restored_snapshot, lost_snapshot)
    assert cache.get(lost_snapshot.id) is restored_snapshot
