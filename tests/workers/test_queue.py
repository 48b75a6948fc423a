"""The lists that RQ keeps of what failed are thrown away, whatever state they are in."""

import pytest

from tests.conftest import rung_apart
from workers import queue


@pytest.fixture
def bell_queue(bell):
    made = queue.queue(queue.connect(rung_apart(bell, 4)))
    made.connection.flushdb()
    return made


def failed(bell_queue, payment_id):
    queue.ring(bell_queue, "00000000-0000-4000-8000-000000000000", payment_id)
    job = bell_queue.jobs[-1]
    bell_queue.remove(job)
    bell_queue.failed_job_registry.add(job, ttl=60)
    return job


def test_a_failed_job_is_forgotten_with_all_that_was_kept_of_it(bell_queue):
    failed(bell_queue, "5-p1-p3")
    assert queue.sweep(bell_queue) == 1
    assert queue.sweep(bell_queue) == 0


def test_a_job_whose_last_try_has_expired_keeps_nobody_from_sweeping(bell_queue):
    """A worker was killed at it: its try goes after a while, the list that names the try later."""
    job = failed(bell_queue, "5-p1-p3")
    bell_queue.connection.zadd(f"rq:executions:{job.id}", {"gone": 2**40})
    failed(bell_queue, "5-p2-p3")
    assert queue.sweep(bell_queue) == 2
    assert not bell_queue.connection.keys("rq:job:*")
    assert not bell_queue.connection.keys("rq:executions:*")
