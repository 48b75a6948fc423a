"""One worker process: the relay in a thread, the doorbell answered in front."""

import logging
import signal
from contextlib import suppress
from threading import Event, Thread

import psycopg
from psycopg_pool import PoolTimeout
from redis import RedisError
from rq import Queue

from ledger.operations.counters import Counters
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from workers import queue
from workers import settle_job as la_vola
from workers.outbox_relay import OutboxRelay

log = logging.getLogger("vola.worker")

ENQUEUE_TIMEOUT_SECONDS = 0.3


def run_worker(database_url: str, redis_url: str | None, *, relay: bool = True) -> None:
    """Settle what is due until SIGTERM or SIGINT; what is in hand is finished first."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    store = EventStore(database.open_pool(database_url, size=4, name="vola worker"))
    tallies = Counters(store.pool)
    la_vola.configure(store, tallies)
    bell = queue.open_queue(queue.connect(redis_url)) if redis_url else None
    # who rings must not wait for a Redis that hangs: what is due is settled by hand instead
    quick = (
        queue.connect(redis_url, patience_seconds=ENQUEUE_TIMEOUT_SECONDS) if redis_url else None
    )
    follower = OutboxRelay(store, database_url, queue.open_queue(quick) if quick else None, tallies)
    thread = Thread(target=follower.run, args=(stop,), name="relay")
    if relay:
        thread.start()
    try:
        process_queue(bell, stop)
    finally:
        stop.set()
        if relay:
            thread.join()
        with suppress(psycopg.Error, PoolTimeout):
            tallies.write(now=True)
        store.pool.close()


def process_queue(bell: Queue | None, stop: Event) -> None:
    """Work off the queue; when Redis is lost, come back to it. The relay does without."""
    while not stop.is_set():
        if bell is None:
            stop.wait(3600)
            continue
        try:
            queue.Worker(bell, stop).work(logging_level="WARNING")
        except (RedisError, OSError) as error:
            log.warning("the doorbell is out of reach: %s", error)
        stop.wait(0.5)
