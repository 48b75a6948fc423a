"""The Flask app over a database, with the rate limits of production times RATE_LIMIT_FACTOR."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ledger.store import connection_pool as database
from ledger.store.connection_pool import Pool
from tests.support.databases import DatabaseUrls

RATE_LIMIT_FACTOR = 1000
"""A factor for the rate limits, since all tests use the same address."""


def limited_app(pool: Pool, auditor: Pool | None = None) -> Any:
    """Return the app with the rate limits of production times RATE_LIMIT_FACTOR."""
    from api.app import create_app
    from api.rate_limit.enforcement import RateLimits

    return create_app(pool, auditor, rate_limits=RateLimits(factor=RATE_LIMIT_FACTOR))


@contextmanager
def app_over(urls: DatabaseUrls) -> Iterator[Any]:
    """Yield the app over a database that no other test writes to."""
    pool, auditor = database.open_pool(urls.app, size=8), database.open_pool(urls.audit, size=2)
    yield limited_app(pool, auditor)
    pool.close()
    auditor.close()
