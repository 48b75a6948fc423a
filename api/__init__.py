"""The API and the phone form, as one Flask app. Shapes and access here; rules in the engine."""

import secrets

from flask import Flask, Response, g

from api import (
    actions,
    circles,
    deals,
    form,
    games,
    money,
    names,
    operating,
    paying,
    problems,
    receipts,
    sessions,
    statements,
    verify,
)
from api.circles import statement
from ledger.cards import Cards
from ledger.circles import Circles
from ledger.database import Pool
from ledger.receipts import Receipts
from ledger.store import Store

CONTENT_SECURITY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "style-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def create_app(pool: Pool, auditor: Pool | None = None) -> Flask:
    """The app over an open pool. `auditor` reads as the auditor's role; without one, the app's."""
    app = Flask(__name__)
    app.url_map.strict_slashes = False
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["store"] = Store(pool)
    app.extensions["receipts"] = Receipts(pool)
    app.extensions["cards"] = Cards(pool)
    app.extensions["circles"] = Circles(pool)
    app.extensions["auditor"] = auditor or pool
    for module in (
        *(sessions, actions, deals, money, statements, receipts),
        *(games, operating, form, verify, names, paying, circles, statement),
    ):
        app.register_blueprint(module.blueprint)
    problems.register(app)

    @app.before_request
    def _named() -> None:
        g.request_id = secrets.token_hex(8)

    @app.after_request
    def _guarded(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers["X-Request-Id"] = g.get("request_id", "")
        return response

    return app
