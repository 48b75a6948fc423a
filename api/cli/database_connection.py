"""A database pool for one command, over the servers that the settings name."""

from collections.abc import Iterator
from contextlib import contextmanager

from api.server import supervisor
from api.settings import Settings
from ledger.store import connection_pool
from ledger.store.connection_pool import Pool


@contextmanager
def open_app_pool(settings: Settings, *, existing: bool) -> Iterator[Pool]:
    """Connect as the app's role; `existing`: refuse to create a database that is not there."""
    with (
        supervisor.running_servers(settings, must_exist=existing) as addresses,
        connection_pool.open_pool(addresses.app, size=1) as pool,
    ):
        yield pool
