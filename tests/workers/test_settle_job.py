"""La vola is settled once in effect, by whoever comes: a worker, or the relay's own hand."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from redis.exceptions import TimeoutError as RedisTimeout
from rq import Queue

from ledger import stuck
from ledger.store import Store
from tests.conftest import rung_apart
from tests.evenings import E1, lines
from tests.ledger.evening import act, open_session
from workers import la_vola, queue
from workers.relay import Relay


@pytest.fixture
def bell_queue(bell) -> Queue:
    made = queue.queue(queue.connect(rung_apart(bell, 3)))
    made.connection.flushdb()
    return made


@pytest.fixture
def owing(store):
    """E1 up to the la vola of deal 5: three payments due."""
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    return session_id


def statuses(store, session_id):
    return [payment.status for payment in store.read(session_id).payments.values()]


def test_the_relay_rings_once_for_an_evening_however_many_payments_are_due(
    store, urls, owing, bell_queue
):
    relay = Relay(store, urls.app, bell_queue)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.look(db)
        relay.look(db)
    rung = [tuple(job.args) for job in bell_queue.jobs]
    assert rung == [(str(owing), min(store.read(owing).payments))]
    assert statuses(store, owing) == ["due"] * 3


def test_a_worker_answers_the_bell_and_settles(store, urls, owing, bell_queue):
    relay = Relay(store, urls.app, bell_queue)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.look(db)
    la_vola.work_on(store)
    queue.Worker(bell_queue, threading.Event()).work(burst=True, logging_level="WARNING")
    assert statuses(store, owing) == ["settled"] * 3
    assert bell_queue.count == 0
    assert bell_queue.failed_job_registry.count == 0


def test_a_bell_rung_twenty_times_settles_once(store, owing):
    la_vola.work_on(store)
    payments = list(store.read(owing).payments) * 20
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(lambda p: la_vola.settle(str(owing), p), payments))
    assert sum(done) == 3
    assert store.read(owing).balances == {"p1": -50, "p2": -30, "p3": 160, "p4": -120}


def test_without_a_bell_the_relay_settles_by_its_own_hand(store, urls, owing):
    with psycopg.connect(urls.app, autocommit=True) as db:
        Relay(store, urls.app, None).look(db)
    assert statuses(store, owing) == ["settled"] * 3


def test_an_evening_that_somebody_holds_keeps_no_other_waiting(store, urls, owing):
    held = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, held, line.actions())
    relay = Relay(store, urls.app, None)
    with psycopg.connect(urls.app) as holder, psycopg.connect(urls.app, autocommit=True) as db:
        holder.execute("SELECT FROM vola.heads WHERE session_id = %s FOR UPDATE", (held,))
        relay.look(db)
        assert (statuses(store, held), statuses(store, owing)) == (["due"] * 3, ["settled"] * 3)
        holder.rollback()
        relay.look(db)
    assert statuses(store, held) == ["settled"] * 3


def test_a_bell_that_nobody_answers_is_not_waited_for_long(store, urls, owing, bell_queue):
    relay = Relay(store, urls.app, bell_queue)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.look(db)
        assert statuses(store, owing) == ["due"] * 3
        # two seconds later
        relay.rung = {which: (due, since - 2) for which, (due, since) in relay.rung.items()}
        relay.look(db)
    assert statuses(store, owing) == ["settled"] * 3


def test_the_relay_is_woken_by_the_commit_that_owes(store, urls):
    session_id = open_session(store)
    stop = threading.Event()
    relay = threading.Thread(target=Relay(store, urls.app, None).run, args=(stop,))
    relay.start()
    try:
        for line in list(lines(E1))[:5]:
            act(store, session_id, line.actions())
        deadline = time.monotonic() + 5
        while "due" in statuses(store, session_id):
            assert time.monotonic() < deadline
    finally:
        stop.set()
        relay.join()


def test_a_payment_taken_back_in_time_is_never_settled(store, urls, owing):
    payments = list(store.read(owing).payments)
    act(store, owing, [{"type": "undo"}])
    assert [store.settle(owing, payment) for payment in payments] == [False] * 3
    assert statuses(store, owing) == ["cancelled"] * 3


def test_a_leg_that_was_settled_is_paid_back_once_after_an_undo(store, urls, owing):
    first = next(iter(store.read(owing).payments))
    store.settle(owing, first)
    act(store, owing, [{"type": "undo"}])
    with psycopg.connect(urls.app, autocommit=True) as db:
        for _ in range(3):
            Relay(store, urls.app, None).look(db)
    assert statuses(store, owing) == ["settled", "cancelled", "cancelled", "settled"]
    # played again, it is owed again: the payments have other ids
    act(store, owing, [{"type": "trick", "winner": "p3"}])
    assert statuses(store, owing)[4:] == ["due"] * 3


def test_an_evening_that_cannot_be_read_keeps_nobody_else_waiting(store, urls, owing):
    """An event of a kind that this version does not know, as from a newer one beside it."""
    broken = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, broken, line.actions())
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute("UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s", (broken,))
    fresh = Store(store.pool)
    relay = Relay(fresh, urls.app, None)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.look(db)
        relay.look(db)
    assert statuses(fresh, owing) == ["settled"] * 3
    [sticks] = stuck.stuck(fresh.pool)
    assert (sticks.session_id, sticks.due, sticks.tries) == (broken, 3, 1)
    assert sticks.reason.startswith("Unreadable in ledger.history:")


def test_a_bell_that_hangs_is_tried_once_and_then_left_alone(store, urls, owing, bell_queue):
    class Hanging:
        tries = 0

        def enqueue_call(self, **_):
            self.tries += 1
            raise RedisTimeout

    hanging = Hanging()
    with psycopg.connect(urls.app, autocommit=True) as db:
        Relay(store, urls.app, hanging).look(db)
    assert statuses(store, owing) == ["settled"] * 3
    assert hanging.tries == 1
