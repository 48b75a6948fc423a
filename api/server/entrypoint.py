"""The entry point of a server process: the app behind the RSGI adapter, with its own pool."""

import signal

from api import settings
from api.app import create_app
from api.observability.logging_config import configure_logging
from api.rate_limit.enforcement import RateLimits
from api.server.child_process import die_with_parent
from api.server.rsgi_adapter import LONG_POOLS, THREADS, RsgiAdapter
from ledger.store.connection_pool import open_pool

SPARE_CONNECTIONS = 3
"""Connections besides those of running requests: for health, counters and the change feed."""
POOL_SIZE = THREADS + sum(LONG_POOLS.values()) + SPARE_CONNECTIONS


def create_server_app() -> RsgiAdapter:
    """Return the app of one server process; its pool opens here, after the fork."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # the parent's are inherited; granian sets its own
    die_with_parent()
    chosen = settings.read_settings()
    configure_logging(chosen.log)
    assert chosen.database_url, "the supervisor has set DATABASE_URL"
    audit_pool = None
    if audit_url := chosen.database_audit_url:
        audit_pool = open_pool(audit_url, size=2, name="vola audit", follower=True)
    times, proxies = chosen.limits, chosen.proxies
    app = create_app(
        open_pool(chosen.database_url, size=POOL_SIZE, name="vola api"),
        audit_pool,
        limits=None if times is None else RateLimits(times=times, proxies=proxies),
    )
    app.extensions["request_counters"].start_writing()
    app.config.update(HSTS=chosen.hsts, CORS_ORIGINS=chosen.cors_origins)
    return RsgiAdapter(app, app, proxies)
