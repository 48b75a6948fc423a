"""One process that serves: the app behind its reception, with a pool of its own."""

import signal
from collections.abc import Iterable
from typing import TYPE_CHECKING

from api import logs, settings
from api.app import create_app
from api.limits import Limits
from api.orphan import die_with_parent
from api.reception import THREADS, Reception
from ledger import database

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SPARE = 3
"""Connections beside those of requests at work: for health, for figures, and for the one who looks
for live changes."""


def app() -> Reception:
    """The app of one server process; the pool opens here, after the fork."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # the parent's are no use here, until granian's are
    die_with_parent()
    chosen = settings.read()
    logs.begin(chosen.log)
    assert chosen.database_url, "the process that serves has found the database"
    auditor = chosen.database_audit_url
    times, proxies = chosen.limits, chosen.proxies
    made = create_app(
        database.pool(chosen.database_url, size=THREADS + SPARE, name="vola api"),
        database.pool(auditor, size=2, name="vola audit", follower=True) if auditor else None,
        limits=None if times is None else Limits(times=times, proxies=proxies),
    )
    made.extensions["figures"].keep_writing()
    return Reception(made, behind_https(made))


def behind_https(wsgi: "WSGIApplication") -> "WSGIApplication":
    """Links begin with https when the proxy in front says that it was spoken to that way. Anybody
    may say so: it changes nothing but the links in his own answer."""

    def told(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        if environ.get("HTTP_X_FORWARDED_PROTO") == "https":
            environ["wsgi.url_scheme"] = "https"
        return wsgi(environ, start)

    return told
