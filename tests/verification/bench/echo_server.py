"""The reference for requests: JSON in, the same JSON out, by Flask on granian with the settings of
Vola's own server, and nothing else.

`python -m tests.bench.echo PORT flask` is Flask alone (WSGI, as many threads as Vola has);
`… reception` has Vola's reception before it; `… insert` is Flask alone, and writes a row before it
answers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flask import Flask, Response, request
from granian.constants import Interfaces

from api import serving
from api.app import create_app
from api.reception import THREADS, Reception
from api.settings import Settings
from ledger import database
from tests.bench import bare


def flask() -> Flask:
    app = Flask(__name__)

    @app.post("/echo")
    def echo() -> Response:
        return app.json.response(request.get_json())

    return app


def insert() -> Flask:
    """A row is durable before the answer is given."""
    app, write = flask(), bare.Bare(os.environ["DATABASE_URL"], connections=THREADS)
    app.before_request(write)
    return app


def reception() -> Reception:
    """What the reception asks of an app, from ours; who answers is the other one."""
    ours = create_app(database.pool(os.environ["DATABASE_URL"], size=1))
    return Reception(ours, flask())


def main() -> int:
    port, kind = sys.argv[1:]
    made = serving.granian(Settings(data=Path(), port=int(port)))
    made.target = f"tests.bench.echo:{kind}"
    if kind != reception.__name__:
        made.interface, made.blocking_threads = Interfaces.WSGI, THREADS
    made.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
