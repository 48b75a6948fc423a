"""An append is one question where the evening stands as it is remembered; where anything is
otherwise nothing was written by it, and whoever takes the evening finds out what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest

from api import shapes
from engine.errors import RuleViolation
from ledger import handling, phones
from ledger import store as storing
from ledger.audit import audit, snapshot
from ledger.cards import Card, Cards
from ledger.clock import Clock
from ledger.store import Store
from ledger.writing import KeyReused, Reply, UnknownSession, Work
from tests.conftest import Urls
from tests.evenings import E1, lines
from tests.ledger.evening import act, nothing, open_session, play_e1, request

OPEN: list[dict[str, Any]] = [{"type": "open_deal"}]
PASSED: list[dict[str, Any]] = [{"type": "all_pass"}]
BODIES = "SELECT body FROM vola.replies WHERE session_id = %s ORDER BY version"
ROWS = {
    table: f"SELECT * FROM projections.{table} WHERE session_id = %s ORDER BY 1, 2"
    for table in ("pot", "bets", "balances", "payments", "scores", "deals", "journal")
}


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What PostgreSQL is asked about evenings from here on, by name."""
    asked = list[str]()
    for name in ("take", "put", "append"):
        honest = getattr(storing, name)

        def told(*given: Any, name: str = name, honest: Any = honest, **more: Any) -> Any:
            asked.append(name)
            return honest(*given, **more)

        monkeypatch.setattr(storing, name, told)
    return asked


@pytest.fixture
def other(store: Store) -> Store:
    """Another process with the same book."""
    return Store(store.pool)


@pytest.fixture
def evening(store: Store) -> UUID:
    """Open, its first deal begun: from now on this process knows the time and how it stands."""
    session_id = open_session(store)
    act(store, session_id, OPEN)
    return session_id


@pytest.fixture
def clean(store: Store, urls: Urls) -> Iterator[Callable[[UUID], bool]]:
    with psycopg.connect(urls.audit) as db:

        def look(session_id: UUID) -> bool:
            with snapshot(db):
                return audit(db, session_id) == []

        yield look


def rows(store: Store, session_id: UUID) -> dict[str, list[tuple[Any, ...]]]:
    """All that a screen is made of, without whose evening it is and when it was."""
    with store.pool.connection() as db:
        return {
            table: [row[1:] for row in db.execute(asked, [session_id])]
            for table, asked in ROWS.items()
            if table != "payments"
        }


def test_whoever_knows_the_evening_asks_once(
    store: Store, evening: UUID, questions: list[str]
) -> None:
    reply = act(store, evening, PASSED)
    assert questions == ["append"]
    assert (reply.version, reply.body, reply.replayed) == (4, b"4", False)


def test_whoever_does_not_takes_it_first(
    store: Store, other: Store, evening: UUID, questions: list[str]
) -> None:
    act(other, evening, PASSED)
    assert questions == ["take", "put"]


def test_the_book_is_the_same_by_either_road(
    store: Store,
    other: Store,
    clean: Callable[[UUID], bool],
    questions: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short = play_e1(store)
    assert questions.count("append") == 7 - 1  # the first act of a process hears the clock
    monkeypatch.setattr(Store, "_at_once", lambda *_: None)
    long = play_e1(other)
    assert rows(store, short) == rows(other, long)
    assert clean(short)
    assert clean(long)
    with store.pool.connection() as db:
        told = [db.execute(BODIES, [one]).fetchall() for one in (short, long)]
    assert told[0] == told[1]


def test_what_another_process_wrote_meanwhile_is_built_on(
    store: Store,
    other: Store,
    evening: UUID,
    clean: Callable[[UUID], bool],
    questions: list[str],
) -> None:
    act(other, evening, PASSED)
    questions.clear()
    act(store, evening, [{"type": "open_deal", "number": 2}])  # here deal 1 is still open: refused
    assert questions == ["take", "put"]
    act(other, evening, PASSED)
    questions.clear()
    assert act(store, evening, OPEN).version == 8
    assert questions == ["take", "put"]
    assert clean(evening)


def test_what_is_believed_is_looked_at_under_the_lock(
    store: Store, other: Store, evening: UUID, questions: list[str]
) -> None:
    """An action that is allowed before and after: only the version tells that it is another one."""
    act(store, evening, [{"type": "declare", "players": ["p2"]}])
    act(other, evening, [{"type": "trick", "winner": "p2"}])
    questions.clear()
    act(store, evening, [{"type": "trick", "winner": "p3"}])
    assert questions == ["append", "take", "put"]
    tricks = [e for e in store.events(evening, 0, 10) if e.type == "trick_recorded"]
    assert [msgspec.json.decode(e.data)["winner"] for e in tricks] == ["p2", "p3"]


def test_a_refusal_is_told_by_who_holds_the_evening(
    store: Store, evening: UUID, questions: list[str]
) -> None:
    with pytest.raises(RuleViolation):
        act(store, evening, OPEN)
    assert questions == ["take"]


def test_a_key_that_was_used_is_answered_as_it_was(store: Store, evening: UUID) -> None:
    first = act(store, evening, PASSED, key="once")
    again = act(store, evening, OPEN, key="once")
    assert (again.body, again.replayed) == (first.body, True)
    assert store.read(evening).version == first.version
    asked = msgspec.structs.replace(request("once"), digest=b"another")
    with pytest.raises(KeyReused):
        store.write(evening, asked, lambda _: Work(events=()), nothing)


def test_a_phone_that_was_shut_out_meanwhile_writes_nothing(store: Store, evening: UUID) -> None:
    with store.pool.connection() as db:
        phone = phones.let_in(db, evening, "scorer", None, None)

    def passed() -> Reply:
        asked = msgspec.structs.replace(request(), by=phone.id)
        commands = shapes.commands(PASSED)
        return store.write(
            evening, asked, lambda at: Work(events=handling.actions(at, commands)), nothing
        )

    with store.pool.connection() as db:
        phones.shut_out(db, evening, phone.number)
    with pytest.raises(UnknownSession):
        passed()
    assert store.read(evening).version == 2


@pytest.mark.parametrize("changed", [False, True])
def test_a_name_that_was_erased_meanwhile_is_in_no_answer(
    store: Store, evening: UUID, questions: list[str], changed: bool
) -> None:
    seen = Cards(store.pool).card(evening)
    assert seen is not None
    if changed:
        with store.pool.connection() as db:
            db.execute(
                "UPDATE vola.players SET name = NULL, sounds = NULL, salt = NULL"
                " WHERE session_id = %s AND player_id = 'p2'",
                [evening],
            )
    called: list[Any] = [seen.names]
    reply = store.write(
        evening,
        request(),
        lambda at: Work(events=handling.actions(at, shapes.commands(PASSED))),
        lambda *_: str(called[-1]["p2"]).encode(),
        called.append,
        seen,
    )
    assert reply.body == (b"None" if changed else b"Bo")
    assert questions == (["append", "take", "put"] if changed else ["append"])


def test_who_has_just_seen_that_it_went_on_does_not_ask_in_vain(
    store: Store, evening: UUID, questions: list[str]
) -> None:
    seen = Card(title=None, generations=(0, 0, 0), names={}, version=9)
    work = Work(events=handling.actions(store.read(evening), shapes.commands(PASSED)))
    store.write(evening, request(), lambda _: work, nothing, seen=seen)
    assert questions == ["take", "put"]


@pytest.mark.parametrize("seconds", [2, 3600])
def test_the_time_is_the_books_whatever_this_machine_believes(
    store: Store, evening: UUID, seconds: int, questions: list[str]
) -> None:
    before, now = store.read(evening).at, store._clock.now()
    assert now is not None
    store._clock.heard(now + seconds * 1_000_000)
    after = act(store, evening, PASSED)
    at = store.read(evening).at
    assert after.version == 4
    assert before <= at < before + 60_000_000
    assert questions[-2:] == ["take", "put"]
    questions.clear()
    act(store, evening, OPEN)
    assert questions == ["append"]  # it has heard the time anew


def test_a_hundred_at_once_under_one_key_and_a_hundred_under_their_own(
    store: Store, evening: UUID, clean: Callable[[UUID], bool]
) -> None:
    act(store, evening, PASSED)
    with ThreadPoolExecutor(16) as pool:
        same = list(pool.map(lambda _: act(store, evening, OPEN, key="one"), range(100)))
        act(store, evening, [{"type": "declare", "players": ["p2"]}])
        trick = [{"type": "trick", "winner": "p2"}]
        tricks = list(pool.map(lambda _: tried(store, evening, trick), range(20)))
    assert len({reply.body for reply in same}) == 1
    assert sum(not reply.replayed for reply in same) == 1
    assert sum(reply is not None for reply in tricks) == 5
    assert clean(evening)


def tried(store: Store, evening: UUID, actions: list[dict[str, Any]]) -> Reply | None:
    try:
        return act(store, evening, actions)
    except RuleViolation:
        return None


def test_a_clock_says_what_it_heard_and_how_long_ago_that_was() -> None:
    own = iter([5_000_000, 7_000_000, 9_000_000])
    clock = Clock(lambda: next(own))
    assert clock.now() is None
    clock.heard(1_000_000)
    assert [clock.now(), clock.now()] == [1_002_000, 1_004_000]


def test_a_long_evening_is_remembered_between_its_deals(store: Store, questions: list[str]) -> None:
    session_id = open_session(store)
    for line in lines(E1):
        act(store, session_id, line.actions())
    assert questions.count("take") == 1
