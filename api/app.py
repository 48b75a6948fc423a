"""The API and the phone form, as one Flask app. Shapes and access here; rules in the engine."""

from collections.abc import Callable
from typing import Any

from flask import Flask

from api import (
    actions,
    answered,
    circles,
    deals,
    door,
    form,
    games,
    guard,
    imports,
    live,
    logs,
    money,
    names,
    operating,
    paying,
    phones,
    problems,
    receipts,
    recording,
    sessions,
    statements,
    verify,
)
from api.circles import links as circle_links
from api.circles import statement
from api.figures import Figures
from api.form import offline
from api.limits import Limits
from ledger.cards import Cards
from ledger.circles import Circles
from ledger.database import Pool
from ledger.receipts import Receipts
from ledger.store import Store


class Vola(Flask):
    """No view is a coroutine, so Flask need not ask each one, each time."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(pool: Pool, auditor: Pool | None = None, *, limits: Limits | None = None) -> Flask:
    """The app over an open pool. `auditor` reads as the auditor's role; without one, the app's.
    Without `limits` everybody may ask as often as he likes."""
    app = Vola(__name__)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # it would answer with a redirect to whatever host was named
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["store"] = Store(pool)
    app.extensions["receipts"] = Receipts(pool)
    app.extensions["cards"] = Cards(pool)
    app.extensions["circles"] = Circles(pool)
    app.extensions["auditor"] = auditor or pool
    app.extensions["live"] = live.Watch(pool)
    app.extensions["figures"] = counted = Figures(pool)
    for module in (
        *(sessions, live, actions, deals, money, statements, receipts),
        *(games, operating, form, verify, names, paying, circles, statement, imports),
        *(phones, door, recording, circle_links),
    ):
        app.register_blueprint(module.blueprint)
    app.register_blueprint(offline.blueprint)
    problems.register(app)
    answered.register(app, begun=counted.answered, ended=logs.answered)
    if limits is not None:
        limits.register(app)

    guard.register(app)
    return app
