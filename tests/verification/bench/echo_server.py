"""The reference for requests: JSON in and the same JSON out, by Flask on granian with the settings
of Vola's own server.

`python -m tests.verification.bench.echo_server PORT KIND`: `flask` is Flask alone (WSGI, as many
threads as Vola has); `reception` has Vola's RSGI adapter before it; `insert` is Flask alone, and
writes a row before it answers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flask import Flask, Response, request
from granian.constants import Interfaces

from api.app import create_app
from api.server.granian_server import create_granian
from api.server.rsgi_adapter import THREADS, RsgiAdapter
from api.settings import Settings
from ledger.store import connection_pool as database
from tests.verification.bench import bare_inserts


def flask() -> Flask:
    app = Flask(__name__)

    @app.post("/echo")
    def echo() -> Response:
        return app.json.response(request.get_json())

    return app


def insert() -> Flask:
    """A row is durable before the answer is given."""
    app, write = flask(), bare_inserts.Bare(os.environ["DATABASE_URL"], connections=THREADS)
    app.before_request(write)
    return app


def reception() -> RsgiAdapter:
    """What the reception asks of an app, from ours; who answers is the other one."""
    ours = create_app(database.open_pool(os.environ["DATABASE_URL"], size=1))
    return RsgiAdapter(ours, flask())


def main() -> int:
    port, kind = sys.argv[1:]
    server = create_granian(Settings(data=Path(), port=int(port)))
    server.target = f"tests.verification.bench.echo_server:{kind}"
    if kind != reception.__name__:
        server.interface, server.blocking_threads = Interfaces.WSGI, THREADS
    server.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
