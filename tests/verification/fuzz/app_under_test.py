"""The app on a database of its own, with a relay that settles what falls due."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.app import limited_app
from tests.support.databases import DatabaseUrls
from workers.outbox_relay import OutboxRelay


@contextmanager
def app_under_test(urls: DatabaseUrls) -> Iterator[Any]:
    """Yield the Flask app, in this process; a relay settles payments without a queue."""
    pool, auditor = database.open_pool(urls.app, size=8), database.open_pool(urls.audit, size=2)
    stop = Event()
    relay = Thread(
        target=OutboxRelay(EventStore(pool), urls.app, None).run, args=(stop,), name="relay"
    )
    relay.start()
    try:
        yield limited_app(pool, auditor)
    finally:
        stop.set()
        relay.join()
        pool.close()
        auditor.close()
