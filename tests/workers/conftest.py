"""Fixtures: a queue of jobs that no other test's worker reads, and polls of an outbox relay."""

import psycopg
import pytest
from rq import Queue

from tests.support.databases import valkey_url
from workers import queue


@pytest.fixture
def job_queue(valkey) -> Queue:
    opened_queue = queue.open_queue(queue.connect(valkey_url(valkey, 4)))
    opened_queue.connection.flushdb()
    return opened_queue


@pytest.fixture
def poll(urls):
    """Return a function that polls a relay for due payments."""

    def poll_relay(relay, times=1):
        with psycopg.connect(urls.app, autocommit=True) as db:
            for _ in range(times):
                relay.poll(db)

    return poll_relay
