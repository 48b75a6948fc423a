"""An append takes one round trip while the cached state is current; otherwise it writes nothing,
and a second attempt under the lock finds the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest

from api.schemas.commands import load_commands
from engine.errors import RuleViolation
from ledger.access import devices
from ledger.access.session_metadata import rotate_link
from ledger.audit.run import audit_session
from ledger.events.recorded_event import UnknownSession
from ledger.session import command_handlers
from ledger.store import event_store
from ledger.store.append_request import AppendResult, Decision, KeyReused, StoredReply
from ledger.store.connection_pool import fetch_value
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore, ServerClock
from tests.support.databases import DatabaseUrls
from tests.support.ledger.store_session import (
    act,
    append_actions,
    make_request,
    open_session,
    play_e1,
)
from tests.support.polling import wait_until
from tests.support.worked_evenings import E1, lines

OPEN: list[dict[str, Any]] = [{"type": "open_deal"}]
PASSED: list[dict[str, Any]] = [{"type": "all_pass"}]
REPLIES = """
SELECT status, version, event_count, operands FROM vola.stored_replies
 WHERE session_id = %s ORDER BY version
"""
ROWS = {
    table: f"SELECT * FROM projections.{table} WHERE session_id = %s ORDER BY 1, 2"
    for table in ("pot", "bets", "balances", "payments", "scores", "journal")
}


@pytest.fixture
def query_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the queries sent to PostgreSQL from now on, in order."""
    names: list[str] = []
    for name in ("lock_stream", "write_changes", "append_if_unchanged"):
        original = getattr(event_store, name)

        def record_query(
            *arguments: Any, name: str = name, original: Any = original, **options: Any
        ) -> Any:
            names.append(name)
            return original(*arguments, **options)

        monkeypatch.setattr(event_store, name, record_query)
    return names


@pytest.fixture
def second_store(store: EventStore) -> EventStore:
    """An event store as in another process, with an empty cache."""
    return EventStore(store.pool)


@pytest.fixture
def session_id(store: EventStore) -> UUID:
    """A session with an open deal, whose state and time this process has cached."""
    session_id = open_session(store)
    act(store, session_id, OPEN)
    return session_id


@pytest.fixture
def audits_clean(store: EventStore, urls: DatabaseUrls) -> Iterator[Callable[[UUID], bool]]:
    with psycopg.connect(urls.audit) as db:

        def audit_is_clean(session_id: UUID) -> bool:
            with database_snapshot(db):
                return audit_session(db, session_id) == []

        yield audit_is_clean


def rows(store: EventStore, session_id: UUID) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of a session without its id and its times."""
    with store.pool.connection() as db:
        return {
            table: [row[1:] for row in db.execute(query, [session_id])]
            for table, query in ROWS.items()
            if table != "payments"
        }


def test_an_append_with_a_cached_session_takes_one_query(
    store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    reply = act(store, session_id, PASSED)
    assert query_names == ["append_if_unchanged"]
    assert (reply.version, reply.event_count, reply.replayed) == (4, 2, False)


def test_an_append_without_a_cached_session_locks_it_first(
    store: EventStore, second_store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    act(second_store, session_id, PASSED)
    assert query_names == ["lock_stream", "write_changes"]


def test_both_ways_of_appending_write_the_same_rows(
    store: EventStore,
    second_store: EventStore,
    audits_clean: Callable[[UUID], bool],
    query_names: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short = play_e1(store)
    # the first append of a process reads the clock
    assert query_names.count("append_if_unchanged") == 7 - 1
    monkeypatch.setattr(EventStore, "_append_if_unchanged", lambda *_: None)
    long = play_e1(second_store)
    assert rows(store, short) == rows(second_store, long)
    assert audits_clean(short)
    assert audits_clean(long)
    with store.pool.connection() as db:
        replies = [db.execute(REPLIES, [session_id]).fetchall() for session_id in (short, long)]
    assert replies[0] == replies[1]


def test_an_append_builds_on_the_writes_of_another_process(
    store: EventStore,
    second_store: EventStore,
    session_id: UUID,
    audits_clean: Callable[[UUID], bool],
    query_names: list[str],
) -> None:
    act(second_store, session_id, PASSED)
    query_names.clear()
    act(
        store, session_id, [{"type": "open_deal", "number": 2}]
    )  # refused by the cached state, where deal 1 is still open
    assert query_names == ["lock_stream", "write_changes"]
    act(second_store, session_id, PASSED)
    query_names.clear()
    assert act(store, session_id, OPEN).version == 8
    assert query_names == ["lock_stream", "write_changes"]
    assert audits_clean(session_id)


def test_the_expected_version_is_checked_under_the_lock(
    store: EventStore, second_store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    """The action is legal before and after; only the version shows that the state has changed."""
    act(store, session_id, [{"type": "declare", "players": ["p2"]}])
    act(second_store, session_id, [{"type": "trick", "winner": "p2"}])
    query_names.clear()
    act(store, session_id, [{"type": "trick", "winner": "p3"}])
    assert query_names == ["append_if_unchanged", "lock_stream", "write_changes"]
    tricks = [e for e in store.load_events(session_id, 0, 10) if e.type == "trick_recorded"]
    assert [msgspec.json.decode(e.data)["winner"] for e in tricks] == ["p2", "p3"]


def test_a_late_reader_does_not_replace_a_newer_cached_version(
    store: EventStore,
    second_store: EventStore,
    session_id: UUID,
    query_names: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    act(second_store, session_id, PASSED)  # gives this process events to read
    original = EventStore._fold_to_head
    written: list[int] = []

    def fold_late(self: EventStore, *arguments: Any) -> Any:
        if not written:
            written.append(0)
            written.append(act(store, session_id, OPEN).version)  # after the query for the head
        return original(self, *arguments)

    monkeypatch.setattr(EventStore, "_fold_to_head", fold_late)
    assert store.load(session_id).version < written[-1]
    query_names.clear()
    act(store, session_id, PASSED)
    assert query_names == ["append_if_unchanged"]


def test_a_refusal_is_decided_under_the_lock(
    store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    with pytest.raises(RuleViolation):
        act(store, session_id, OPEN)
    assert query_names == ["lock_stream"]


def test_an_error_in_a_decision_surfaces_at_once(
    store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    """It is a programming error, and a second decision would only hide its place."""
    decided: list[int] = []

    def work(session: Any) -> Decision:
        decided.append(session.version)
        raise KeyError("p9")

    with pytest.raises(KeyError) as failed:
        store.append(session_id, make_request(), work)
    assert (decided, query_names) == ([2], [])
    assert failed.value.__context__ is None
    assert act(store, session_id, PASSED).version == 4  # and the lock is free


@pytest.mark.parametrize("later_deals", [0, 1])
def test_a_repeated_key_gets_the_session_as_it_stood(
    store: EventStore, session_id: UUID, later_deals: int
) -> None:
    first = append_actions(store, session_id, PASSED, key="once")
    for _ in range(later_deals):
        act(store, session_id, [*OPEN, *PASSED])
    latest = store.load(session_id).version
    repeated = append_actions(store, session_id, OPEN, key="once")
    assert repeated.reply.replayed
    assert (repeated.session.version, repeated.session.hash) == (4, first.session.hash)
    assert repeated.recorded == first.recorded
    assert store.load(session_id).version == latest
    other_request = msgspec.structs.replace(make_request("once"), digest=b"another")
    with pytest.raises(KeyReused):
        store.append(session_id, other_request, lambda _: Decision(events=()))


def test_a_revoked_device_writes_nothing(store: EventStore, session_id: UUID) -> None:
    """Nor does it because a device of another session has the same number."""
    with store.pool.connection() as db:
        device = devices.add_device(db, session_id, "scorer", None, None)
        assert devices.add_device(db, open_session(store), "scorer", None, None).id == device.id

    def write() -> AppendResult:
        device_request = msgspec.structs.replace(make_request(), by=device.id)
        commands = load_commands(PASSED)
        return store.append(
            session_id,
            device_request,
            lambda at: Decision(events=command_handlers.record_actions(at, commands)),
        )

    with store.pool.connection() as db:
        devices.revoke_device(db, session_id, device.number)
    with pytest.raises(UnknownSession):
        write()
    assert store.load(session_id).version == 2


LOCKS_AWAITED = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
ENDINGS = {
    "link": "UPDATE vola.sessions SET token_generations[3] = 1 WHERE session_id = %s",
    "device": "UPDATE vola.devices SET ended_at = 1 WHERE session_id = %s",
}


@pytest.mark.parametrize("ended", ENDINGS)
def test_after_a_token_has_ended_others_are_checked_under_the_lock(
    store: EventStore, session_id: UUID, query_names: list[str], ended: str
) -> None:
    with store.pool.connection() as db:
        devices.add_device(db, session_id, "scorer", None, None)
        db.execute(ENDINGS[ended], [session_id])
    act(store, session_id, PASSED)
    assert query_names == ["append_if_unchanged", "lock_stream", "write_changes"]
    append_actions(store, session_id, OPEN, access_version=1)
    assert query_names[3:] == ["append_if_unchanged"]


def test_an_append_without_an_access_version_locks_first(
    store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    append_actions(store, session_id, PASSED, access_version=None)
    assert query_names == ["lock_stream", "write_changes"]


def test_a_link_that_ends_while_an_append_waits_writes_nothing(
    store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    with ThreadPoolExecutor(1) as threads:
        with store.pool.connection() as db:
            rotate_link(db, session_id, 0)
            waiting = threads.submit(append_actions, store, session_id, PASSED)
            with store.pool.connection() as watching:
                wait_until(lambda: fetch_value(watching, LOCKS_AWAITED))
                watching.commit()
        with pytest.raises(UnknownSession):
            waiting.result()
    assert query_names == ["append_if_unchanged", "lock_stream"]
    assert store.load(session_id).version == 2


@pytest.mark.parametrize("cached", [True, False])
def test_an_append_returns_the_names_as_they_are(
    store: EventStore, second_store: EventStore, session_id: UUID, cached: bool
) -> None:
    with store.pool.connection() as db:
        db.execute(
            "UPDATE vola.players SET name = NULL, matching_key = NULL, salt = NULL"
            " WHERE session_id = %s AND player_id = 'p2'",
            [session_id],
        )
    writer = store if cached else second_store
    first = append_actions(writer, session_id, PASSED, key="once")
    assert first.names == {"p1": "Ada", "p2": None, "p3": "Cilla", "p4": "Disa"}
    assert append_actions(writer, session_id, PASSED, key="once").names == first.names


@pytest.mark.parametrize("seconds", [2, 3600])
def test_the_time_is_that_of_the_database(
    store: EventStore, session_id: UUID, seconds: int, query_names: list[str]
) -> None:
    before, now = store.load(session_id).at, store._clock.estimate()
    assert now is not None
    store._clock.observe(now + seconds * 1_000_000)
    after = act(store, session_id, PASSED)
    event_time = store.load(session_id).at
    assert after.version == 4
    assert before <= event_time < before + 60_000_000
    assert query_names[-2:] == ["lock_stream", "write_changes"]
    query_names.clear()
    act(store, session_id, OPEN)
    assert query_names == ["append_if_unchanged"]  # the time has been read again


def test_a_session_ahead_of_the_clock_is_written_as_any_other(
    store: EventStore, second_store: EventStore, session_id: UUID, query_names: list[str]
) -> None:
    """The clock was once a day ahead, or the session was imported from such a machine."""
    original, day = event_store.build_changes, 24 * 3600 * 1_000_000
    build_future_changes = lambda before, work, now, asked: original(before, work, now + day, asked)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_store, "build_changes", build_future_changes)
        act(second_store, session_id, PASSED)
    event_time = store.load(session_id).at
    query_names.clear()
    act(store, session_id, OPEN)
    act(store, session_id, PASSED)
    assert query_names == ["append_if_unchanged", "append_if_unchanged"]
    assert store.load(session_id).at == event_time  # a clock set back does not reorder events


def test_a_hundred_requests_with_one_key_and_a_hundred_with_their_own(
    store: EventStore, session_id: UUID, audits_clean: Callable[[UUID], bool]
) -> None:
    act(store, session_id, PASSED)
    with ThreadPoolExecutor(16) as pool:
        same_key = list(
            pool.map(lambda _: append_actions(store, session_id, OPEN, key="one"), range(100))
        )
        act(store, session_id, [{"type": "declare", "players": ["p2"]}])
        trick = [{"type": "trick", "winner": "p2"}]
        tricks = list(pool.map(lambda _: append_or_none(store, session_id, trick), range(20)))
    assert len({(result.session.hash, result.recorded) for result in same_key}) == 1
    assert sum(not result.reply.replayed for result in same_key) == 1
    assert sum(reply is not None for reply in tricks) == 5
    assert audits_clean(session_id)


def append_or_none(
    store: EventStore, session_id: UUID, actions: list[dict[str, Any]]
) -> StoredReply | None:
    try:
        return act(store, session_id, actions)
    except RuleViolation:
        return None


def test_a_clock_estimates_from_its_last_reading() -> None:
    own = iter([5_000_000, 7_000_000, 9_000_000])
    clock = ServerClock(lambda: next(own))
    assert clock.estimate() is None
    clock.observe(1_000_000)
    assert [clock.estimate(), clock.estimate()] == [1_002_000, 1_004_000]


def test_a_long_session_stays_cached_between_its_deals(
    store: EventStore, query_names: list[str]
) -> None:
    session_id = open_session(store)
    for line in lines(E1):
        act(store, session_id, line.actions())
    assert query_names.count("lock_stream") == 1
