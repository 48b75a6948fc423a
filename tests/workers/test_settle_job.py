"""La vola is settled exactly once, by a worker or by the outbox relay itself."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import psycopg_pool
import pytest
from psycopg.conninfo import make_conninfo
from redis.exceptions import TimeoutError as RedisTimeout

from ledger.operations import settlement_failures
from ledger.operations.counters import Counters, read_counters
from ledger.store import append_sql, event_store
from ledger.store.event_store import EventStore
from tests.support.ledger.store_session import (
    act,
    open_session,
    open_with_payments_due,
    settle_payment,
)
from tests.support.worked_evenings import E1, lines
from workers import outbox_relay, queue, settle_job
from workers.outbox_relay import OutboxRelay


class HurriedEvent(threading.Event):
    """An event that nobody waits for."""

    def wait(self, timeout=None):
        return self.is_set()


@pytest.fixture
def session_id(store):
    """The id of a session with three payments due."""
    return open_with_payments_due(store)


def statuses(store, session_id):
    return [payment.status for payment in store.load(session_id).payments.values()]


@pytest.fixture
def count_wakeups(urls):
    """Return a function that counts the notifications that would wake the relay."""
    with psycopg.connect(urls.app, autocommit=True) as db:
        db.execute("LISTEN vola_due")
        yield lambda: len(list(db.notifies(timeout=2, stop_after=1)))


REMEMBERS = {"on the evening as it is remembered": True, "on an evening that is taken": False}


@pytest.mark.parametrize("remembers", REMEMBERS.values(), ids=REMEMBERS)
def test_due_payments_are_announced_after_their_commit(
    store, count_wakeups, monkeypatch, remembers
):
    """A transaction that notifies holds a lock on the whole database until it commits, so another
    session's notification would wait for it."""
    parameters, original = [], append_sql._parameters

    def record_parameters(*arguments):
        parameters.append(original(*arguments))
        return parameters[-1]

    monkeypatch.setattr(append_sql, "_parameters", record_parameters)
    if not remembers:
        monkeypatch.setattr(EventStore, "_append_if_unchanged", lambda *_: None)
    second_session = open_with_payments_due(store)
    assert count_wakeups() == 1
    assert statuses(store, second_session) == ["due"] * 3
    assert not any('"due":true' in document["document"] for document in parameters)


@pytest.mark.parametrize("remembers", REMEMBERS.values(), ids=REMEMBERS)
def test_a_write_succeeds_with_or_without_its_notification(store, monkeypatch, remembers):
    monkeypatch.setattr(event_store, "NOTIFY_DUE", "NOTIFY 'cannot be said'")
    if not remembers:
        monkeypatch.setattr(EventStore, "_append_if_unchanged", lambda *_: None)
    session_id = open_with_payments_due(store)
    assert statuses(store, session_id) == ["due"] * 3


def test_the_relay_enqueues_one_job_for_all_payments_of_a_session(
    store, urls, session_id, job_queue, poll
):
    poll(OutboxRelay(store, urls.app, job_queue), times=2)
    enqueued = [tuple(job.args) for job in job_queue.jobs]
    assert enqueued == [(str(session_id), min(store.load(session_id).payments))]
    assert statuses(store, session_id) == ["due"] * 3


def test_a_worker_takes_the_job_and_settles(store, urls, session_id, job_queue, poll):
    poll(OutboxRelay(store, urls.app, job_queue))
    settle_job.configure(store)
    queue.Worker(job_queue, threading.Event()).work(burst=True, logging_level="WARNING")
    assert statuses(store, session_id) == ["settled"] * 3
    assert job_queue.count == 0
    assert not job_queue.connection.keys("rq:job:*")
    assert job_queue.failed_job_registry.count == 0


def test_a_job_leaves_an_error_of_the_whole_server_to_the_relay(
    store, urls, session_id, job_queue, poll, caplog, monkeypatch
):
    """RQ would log a traceback for each job, with the message of the error and the query in it."""

    def refuse(*_, **__):
        raise psycopg.errors.ReadOnlySqlTransaction("of the server")

    poll(OutboxRelay(store, urls.app, job_queue))
    settle_job.configure(store)
    monkeypatch.setattr(store, "settle", refuse)
    monkeypatch.setattr(logging.getLogger("rq.worker"), "propagate", True)
    queue.Worker(job_queue, threading.Event()).work(burst=True, logging_level="WARNING")
    assert "of the server" not in caplog.text
    assert job_queue.count == job_queue.failed_job_registry.count == 0
    assert statuses(store, session_id) == ["due"] * 3


def test_a_job_enqueued_twenty_times_settles_once(store, session_id):
    settle_job.configure(store)
    payments = list(store.load(session_id).payments) * 20
    with ThreadPoolExecutor(4) as workers:
        results = list(workers.map(lambda p: settle_job.settle(str(session_id), p), payments))
    assert sum(results) == 3
    assert store.load(session_id).balances == {"p1": -50, "p2": -30, "p3": 160, "p4": -120}


def test_counters_say_who_settled_and_which_runs_had_nothing_to_settle(store, session_id):
    counters, other_session = Counters(store.pool), open_with_payments_due(store)
    settled = [
        settle_job.settle_session(store, counters, session, by)
        for session, by in (
            *((session_id, "relay"), (session_id, "worker"), (other_session, "worker")),
        )
    ]
    assert settled == [3, 0, 3]
    counters.write(now=True)
    assert read_counters(store.pool) == {
        "absorbed": 1,
        "settled_by_relay": 3,
        "settled_by_worker": 3,
    }


def test_a_session_that_cannot_be_settled_is_counted_and_says_why(store, session_id, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(store, "settle", fail)
    counters = Counters(store.pool)
    with pytest.raises(settle_job.NotSettled, match="ZeroDivisionError"):
        settle_job.settle_session(store, counters, session_id, "worker")
    counters.write(now=True)
    assert read_counters(store.pool) == {"failed": 1}
    (failure,) = settlement_failures.list_failures(store.pool)
    assert failure.reason.startswith("ZeroDivisionError")


def test_without_a_queue_the_relay_settles_by_itself(store, urls, session_id):
    with psycopg.connect(urls.app, autocommit=True) as db:
        OutboxRelay(store, urls.app, None).poll(db)
    assert statuses(store, session_id) == ["settled"] * 3


def test_a_lost_database_is_logged_when_it_is_lost_and_when_it_is_back(
    store, urls, monkeypatch, caplog
):
    """Not four times a second, for as long as it is away."""
    stop, connect = HurriedEvent(), psycopg.connect
    outcomes = iter(["refused", "refused", "starting", "starting", None, "refused"])

    def connect_or_fail(*arguments, **options):
        outcome = next(outcomes, "over")
        if outcome == "over":
            stop.set()
        elif outcome is not None:
            raise psycopg.OperationalError(outcome)
        return connect(*arguments, **options)

    class FailingRelay(OutboxRelay):
        def clean_up(self):
            raise psycopg.OperationalError("closed")

    monkeypatch.setattr(outbox_relay.psycopg, "connect", connect_or_fail)
    with caplog.at_level("WARNING", "vola.relay"):
        FailingRelay(store, urls.app, None).run(stop)
    assert [r.getMessage().removeprefix("the database is ") for r in caplog.records] == [
        *("out of reach: refused", "out of reach: starting", "back"),
        *("out of reach: closed", "out of reach: refused"),
    ]


def test_a_database_that_can_only_be_read_is_not_called_out_of_reach(urls):
    """A cluster with one machine left is so, and the relay would log it every minute."""
    read_only = make_conninfo(urls.app, options="-c default_transaction_read_only=on")
    with psycopg_pool.ConnectionPool(read_only, min_size=1) as pool:
        OutboxRelay(EventStore(pool), read_only, None).clean_up()


def test_a_locked_session_does_not_delay_others(store, urls, session_id):
    locked_session = open_with_payments_due(store)
    relay = OutboxRelay(store, urls.app, None)
    with psycopg.connect(urls.app) as holder, psycopg.connect(urls.app, autocommit=True) as db:
        holder.execute("SELECT FROM vola.heads WHERE session_id = %s FOR UPDATE", (locked_session,))
        relay.poll(db)
        assert (statuses(store, locked_session), statuses(store, session_id)) == (
            ["due"] * 3,
            ["settled"] * 3,
        )
        holder.rollback()
        relay.poll(db)
    assert statuses(store, locked_session) == ["settled"] * 3


def test_the_relay_settles_itself_when_no_worker_takes_the_job(store, urls, session_id, job_queue):
    relay = OutboxRelay(store, urls.app, job_queue)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.poll(db)
        assert statuses(store, session_id) == ["due"] * 3
        # two seconds later
        relay.enqueued = {
            session_id: (due, since - 2) for session_id, (due, since) in relay.enqueued.items()
        }
        relay.poll(db)
    assert statuses(store, session_id) == ["settled"] * 3


def test_the_relay_is_woken_by_the_commit_that_makes_payments_due(store, urls):
    session_id = open_session(store)
    stop = threading.Event()
    relay = threading.Thread(target=OutboxRelay(store, urls.app, None).run, args=(stop,))
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


def test_a_payment_undone_in_time_is_never_settled(store, urls, session_id):
    act(store, session_id, [{"type": "undo"}])
    assert store.settle(session_id) == 0
    assert statuses(store, session_id) == ["cancelled"] * 3


def test_a_leg_that_was_settled_is_paid_back_once_after_an_undo(store, urls, session_id):
    first = next(iter(store.load(session_id).payments))
    assert settle_payment(store, session_id, first)
    act(store, session_id, [{"type": "undo"}])
    with psycopg.connect(urls.app, autocommit=True) as db:
        for _ in range(3):
            OutboxRelay(store, urls.app, None).poll(db)
    assert statuses(store, session_id) == ["settled", "cancelled", "cancelled", "settled"]
    # played again, la vola is due again: the payments have other ids
    act(store, session_id, [{"type": "trick", "winner": "p3"}])
    assert statuses(store, session_id)[4:] == ["due"] * 3


def test_an_unreadable_session_does_not_delay_others(store, urls, session_id):
    """It has an event of a type that only a newer version knows."""
    broken = open_with_payments_due(store)
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute("UPDATE vola.events SET type = 'unheard_of' WHERE session_id = %s", (broken,))
    fresh = EventStore(store.pool)
    relay = OutboxRelay(fresh, urls.app, None)
    with psycopg.connect(urls.app, autocommit=True) as db:
        relay.poll(db)
        relay.poll(db)
    assert statuses(fresh, session_id) == ["settled"] * 3
    [failure] = settlement_failures.list_failures(fresh.pool)
    assert (failure.session_id, failure.due, failure.attempts) == (broken, 3, 1)
    assert failure.reason.startswith("UnreadableEvent in ledger.store.read_stream:")


def test_a_hanging_queue_is_tried_once_and_then_skipped(store, urls, session_id, job_queue):
    class Hanging:
        tries = 0

        def enqueue_call(self, **_):
            self.tries += 1
            raise RedisTimeout

    hanging = Hanging()
    with psycopg.connect(urls.app, autocommit=True) as db:
        OutboxRelay(store, urls.app, hanging).poll(db)
    assert statuses(store, session_id) == ["settled"] * 3
    assert hanging.tries == 1
