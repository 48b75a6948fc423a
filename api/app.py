"""The composition root: one Flask app of the API and the phone form, over a connection pool."""

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.routing import IntegerConverter
from werkzeug.utils import find_modules, import_string

from api.auth import cookies
from api.http import conditional, problems, query_parameters, security_headers
from api.observability import request_log
from api.observability.metrics import RequestCounters
from api.rate_limit.enforcement import RateLimits
from api.resources.change_feed import ChangeFeed
from api.statements.printed_link import page as printed_link_page
from api.verify import page as verify_page
from api.web import pages
from ledger.access.session_metadata import SessionMetadataStore
from ledger.groups.groups import GroupStore
from ledger.operations.automatic_backups import AutomaticBackups
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore

RESOURCES = [import_string(name) for name in find_modules("api.resources", recursive=True)]
PAGES = (pages, verify_page, printed_link_page)


class Vola(Flask):
    """A Flask app whose views are all plain functions: Flask need not check each call for that."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


class PlainNumber(IntegerConverter):
    """A number in a path, in its one spelling, so that what it names has one address."""

    regex = "0|[1-9][0-9]*"


def create_app(
    pool: Pool,
    auditor: Pool | None = None,
    *,
    rate_limits: RateLimits | None = None,
    backups: AutomaticBackups | None = None,
) -> Flask:
    """Return the app over an open pool.

    Audits read through `auditor`, as the auditor's role; without it, through `pool`. Without
    `rate_limits` no request is rate limited. `backups` are those that the book makes by itself, if
    any.
    """
    app = Vola(__name__, static_folder="resources/static", template_folder="resources/templates")
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # or Flask redirects to any host that a request names
    app.url_map.converters["int"] = PlainNumber
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["store"] = EventStore(pool)
    app.extensions["receipts"] = ReceiptIssuer(pool)
    app.extensions["session_metadata"] = SessionMetadataStore(pool)
    app.extensions["groups"] = GroupStore(pool)
    app.extensions["auditor"] = auditor or pool
    app.extensions["automatic_backups"] = backups
    app.extensions["change_feed"] = ChangeFeed(pool)
    app.extensions["request_counters"] = counters = RequestCounters(pool)
    for module in (*RESOURCES, *PAGES):
        app.register_blueprint(module.blueprint)
    problems.register(app)
    conditional.register(app)
    request_log.register(app, counters.count_request)
    if rate_limits is not None:
        rate_limits.register(app)
    app.before_request(query_parameters.reject_repeated_parameters)
    security_headers.register(app)
    app.after_request(cookies.drop_ended_token)
    return app
