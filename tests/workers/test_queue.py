"""RQ's registries of failed jobs are emptied in any state; an outage of Redis is logged once."""

import socket
from threading import Event
from uuid import uuid4

import pytest
from redis import RedisError
from rq.job import JobStatus

from ledger.operations.counters import read_counters
from workers import main, queue
from workers.outbox_relay import OutboxRelay


class HurriedEvent(Event):
    """An event that nobody waits for."""

    def wait(self, timeout=None):
        return self.is_set()


def failed(job_queue, payment_id):
    queue.enqueue_settlement(job_queue, "00000000-0000-4000-8000-000000000000", payment_id)
    job = job_queue.jobs[-1]
    job_queue.remove(job)
    job_queue.failed_job_registry.add(job, ttl=60)
    return job


def test_a_failed_job_is_deleted_with_its_results(job_queue):
    failed(job_queue, "5-p1-p3")
    assert queue.delete_failed_jobs(job_queue) == 1
    assert queue.delete_failed_jobs(job_queue) == 0


def test_a_job_with_an_expired_attempt_does_not_stop_the_cleanup(job_queue):
    """After a worker was killed, the attempt expires before the registry entry that names it."""
    job = failed(job_queue, "5-p1-p3")
    job_queue.connection.zadd(f"rq:executions:{job.id}", {"gone": 2**40})
    failed(job_queue, "5-p2-p3")
    assert queue.delete_failed_jobs(job_queue) == 2
    assert not job_queue.connection.keys("rq:job:*")
    assert not job_queue.connection.keys("rq:executions:*")


def test_a_job_that_a_killed_worker_left_behind_is_deleted(job_queue):
    queue.enqueue_settlement(job_queue, "00000000-0000-4000-8000-000000000000", "5-p1-p3")
    [job] = job_queue.jobs
    job_queue.remove(job)
    job.set_status(JobStatus.STARTED)
    job_queue.connection.zadd(job_queue.started_job_registry.key, {f"{job.id}:abandoned": 1})
    assert queue.delete_failed_jobs(job_queue) == 1
    assert not job_queue.connection.keys("rq:job:*")


def test_a_push_that_gets_no_answer_is_not_sent_again():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        redis = queue.connect(f"redis://127.0.0.1:{port}", patience_seconds=0.01)
        with pytest.raises(RedisError):
            redis.ping()
        server.setblocking(False)
        server.accept()[0].close()
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_worker_told_to_stop_while_it_starts_takes_no_job(job_queue, monkeypatch):
    """The signal came before the worker had handlers of its own, which end its wait for a job."""
    monkeypatch.setattr(queue.signal, "signal", lambda *_: None)
    queue.enqueue_settlement(job_queue, "00000000-0000-4000-8000-000000000000", "5-p1-p3")
    stop = Event()
    stop.set()
    assert not queue.Worker(job_queue, stop).work(burst=True)
    assert len(job_queue.jobs) == 1


def test_an_outage_of_redis_is_logged_when_it_begins_changes_and_ends(
    job_queue, monkeypatch, caplog
):
    stop = HurriedEvent()
    outcomes = iter(["refused", "refused", "refused", "loading", "loading", None, "refused"])

    class FailingWorker(queue.Worker):
        def work(self, **options):
            outcome = next(outcomes, "over")
            if outcome == "over":
                stop.set()
            elif outcome is not None:
                raise RedisError(outcome)
            return super().work(burst=True, **options)

    monkeypatch.setattr(queue, "Worker", FailingWorker)
    with caplog.at_level("WARNING", "vola.worker"):
        main.process_queue(job_queue, stop)
    assert [r.getMessage() for r in caplog.records if r.name == "vola.worker"] == [
        *("Redis is out of reach: refused", "Redis is out of reach: loading", "Redis is back"),
        *("Redis is out of reach: refused", "Redis is back"),
    ]


def test_a_full_redis_is_logged_once(job_queue, monkeypatch, caplog):
    """Its error quotes the refused command, which is another one at each try."""
    stop, workers = HurriedEvent(), []

    class CountedWorker(queue.Worker):
        def work(self, **options):
            workers.append(self)
            if len(workers) == 3:
                stop.set()
            return super().work(burst=True, **options)

    monkeypatch.setattr(queue, "Worker", CountedWorker)
    job_queue.connection.config_set("maxmemory", 1)
    try:
        with caplog.at_level("WARNING", "vola.worker"):
            main.process_queue(job_queue, stop)
    finally:
        job_queue.connection.config_set("maxmemory", 0)
    [line] = [r.getMessage() for r in caplog.records if r.name == "vola.worker"]
    assert line.endswith("command not allowed when used memory > 'maxmemory'.")


def test_the_relay_logs_an_outage_of_redis_when_it_begins_and_ends(
    store, urls, job_queue, monkeypatch, caplog
):
    """Not every five seconds, at each session with due payments, for as long as it is away."""
    outcomes = iter(["refused", "refused", None, "refused"])

    def enqueue_or_fail(*_):
        if reason := next(outcomes):
            raise RedisError(reason)

    monkeypatch.setattr(queue, "enqueue_settlement", enqueue_or_fail)
    relay = OutboxRelay(store, urls.app, job_queue)
    with caplog.at_level("WARNING", "vola.relay"):
        for _ in range(4):
            relay.queue_paused_until = 0.0
            relay._enqueue(uuid4(), "5-p1-p3")
    assert [r.getMessage() for r in caplog.records if r.name == "vola.relay"] == [
        "Redis is out of reach: refused",
        "Redis is back",
        "Redis is out of reach: refused",
    ]
    relay.counters.write(now=True)
    assert read_counters(store.pool) == {"enqueued": 1, "not_enqueued": 3}
