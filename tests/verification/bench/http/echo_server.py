"""The reference for requests: a Flask echo of JSON, which first writes a row with psycopg.

It runs on granian with the settings of Vola's own server. `python -m
tests.verification.bench.http.echo_server PORT` serves `POST /echo` (WSGI, as many threads as Vola
has), and writes to DATABASE_URL.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flask import Flask, Response, request
from granian.constants import Interfaces

from api.server.granian_server import create_granian
from api.server.rsgi_adapter import THREADS
from api.settings import Settings
from tests.verification.bench.appends import bare_inserts


def create_echo() -> Flask:
    """Return the app, which answers when its row is durable."""
    app = Flask(__name__)
    app.before_request(bare_inserts.BareInserts(os.environ["DATABASE_URL"], connections=THREADS))

    @app.post("/echo")
    def echo() -> Response:
        return app.json.response(request.get_json())

    return app


def main() -> int:
    server = create_granian(Settings(data=Path(), port=int(sys.argv[1])))
    server.target = f"tests.verification.bench.http.echo_server:{create_echo.__name__}"
    server.interface, server.blocking_threads = Interfaces.WSGI, THREADS
    server.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
