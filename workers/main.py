"""A worker process: it works off the queue, and runs the outbox relay in a thread."""

import logging
import signal
from threading import Event, Thread

from redis import RedisError
from rq import Queue

from ledger.operations.counters import Counters
from ledger.store import connection_pool
from ledger.store.event_store import EventStore
from workers import queue, settle_job
from workers.outage_log import OutageLog
from workers.outbox_relay import OutboxRelay

log = logging.getLogger("vola.worker")

ENQUEUE_TIMEOUT_SECONDS = 0.3


def run_worker(database_url: str, redis_url: str | None, *, relay: bool = True) -> None:
    """Settle due payments until a signal stops it; a job that runs is finished first."""
    stop = Event()
    for number in queue.stop_signals():
        signal.signal(number, lambda *_: stop.set())
    store = EventStore(connection_pool.open_pool(database_url, size=4, name="vola worker"))
    counters = Counters(store.pool)
    settle_job.configure(store, counters)
    job_queue = relay_queue = None
    if redis_url:
        job_queue = queue.open_queue(queue.connect(redis_url))
        # a Redis that hangs must not hold up the relay, which settles by itself instead
        quick = queue.connect(redis_url, patience_seconds=ENQUEUE_TIMEOUT_SECONDS)
        relay_queue = queue.open_queue(quick)
    outbox_relay = OutboxRelay(store, database_url, relay_queue, counters)
    thread = Thread(target=outbox_relay.run, args=(stop,), name="relay")
    if relay:
        thread.start()
    try:
        process_queue(job_queue, stop)
    finally:
        stop.set()
        if relay:
            thread.join()
        counters.write(now=True)
        store.pool.close()


def process_queue(job_queue: Queue | None, stop: Event) -> None:
    """Work off the queue, and reconnect when Redis was lost. The relay works without it."""
    outage_log = OutageLog(log, "Redis")
    while not stop.is_set():
        if job_queue is None:
            stop.wait(3600)
            continue
        try:
            queue.Worker(job_queue, stop, outage_log.note_answer).work(logging_level="WARNING")
        except (RedisError, OSError) as error:
            outage_log.note_failure(error)
        stop.wait(0.5)
