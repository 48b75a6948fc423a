"""RQ's registries of failed jobs are emptied in any state."""

import pytest

from tests.support.databases import valkey_url
from workers import queue


@pytest.fixture
def job_queue(valkey):
    opened_queue = queue.open_queue(queue.connect(valkey_url(valkey, 4)))
    opened_queue.connection.flushdb()
    return opened_queue


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
