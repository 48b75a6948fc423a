"""The app over a database of its own, with somebody who settles what falls due."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from api.app import create_app
from ledger import database
from ledger.store import Store
from tests.conftest import Urls
from workers.relay import Relay


@contextmanager
def house(urls: Urls) -> Iterator[Any]:
    """The Flask app, in this process; the relay settles by its own hand."""
    pool, auditor = database.pool(urls.app, size=8), database.pool(urls.audit, size=2)
    stop = Event()
    relay = Thread(target=Relay(Store(pool), urls.app, None).run, args=(stop,), name="relay")
    relay.start()
    try:
        yield create_app(pool, auditor)
    finally:
        stop.set()
        relay.join()
        pool.close()
        auditor.close()
