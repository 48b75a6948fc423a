"""RQ's registries of failed jobs are emptied in any state."""

import pytest

from tests.support.databases import valkey_url
from workers import queue


@pytest.fixture
def bell_queue(bell):
    opened_queue = queue.open_queue(queue.connect(valkey_url(bell, 4)))
    opened_queue.connection.flushdb()
    return opened_queue


def failed(bell_queue, payment_id):
    queue.enqueue_settlement(bell_queue, "00000000-0000-4000-8000-000000000000", payment_id)
    job = bell_queue.jobs[-1]
    bell_queue.remove(job)
    bell_queue.failed_job_registry.add(job, ttl=60)
    return job


def test_a_failed_job_is_deleted_with_its_results(bell_queue):
    failed(bell_queue, "5-p1-p3")
    assert queue.delete_failed_jobs(bell_queue) == 1
    assert queue.delete_failed_jobs(bell_queue) == 0


def test_a_job_with_an_expired_attempt_does_not_stop_the_cleanup(bell_queue):
    """After a killed worker the attempt expires first, the registry that names it later."""
    job = failed(bell_queue, "5-p1-p3")
    bell_queue.connection.zadd(f"rq:executions:{job.id}", {"gone": 2**40})
    failed(bell_queue, "5-p2-p3")
    assert queue.delete_failed_jobs(bell_queue) == 2
    assert not bell_queue.connection.keys("rq:job:*")
    assert not bell_queue.connection.keys("rq:executions:*")
