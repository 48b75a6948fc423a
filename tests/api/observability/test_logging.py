"""The server's log has enough to find a fault, and nothing about people."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import urllib.request

import pytest

from api.observability import logging_config as logs
from tests.support.api.hostile_names import TRICKS
from tests.support.worked_evenings import E1, lines

MARK = "Zxq"
"""A part of every text that users write and of every secret: no log may contain it."""
FIELDS = {
    *("time", "level", "logger", "message", "request_id", "method", "route", "status", "code"),
    *("role", "bytes", "duration_ms"),
}


@pytest.fixture
def log_entries():
    """A function that returns everything logged so far, parsed from JSON lines."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logs.JsonFormatter())
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logs.access.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in text.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)
    logs.access.setLevel(logging.NOTSET)


def test_a_request_is_one_line(client, session, log_entries):
    answer = session.get("/deals/7", role="viewer", **{"X-Forwarded-For": "203.0.113.7"})
    (line,) = log_entries()
    assert set(line) == FIELDS
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line.pop("request_id") == answer.headers["X-Request-Id"]
    assert 0 < line.pop("duration_ms") < 60_000
    assert line == {
        "level": "info",
        "logger": "vola.access",
        "message": "answered",
        "method": "GET",
        "route": "/v1/sessions/{session}/deals/{deal}",
        "status": 404,
        "code": "unknown_deal",
        "role": "viewer",
        "bytes": len(answer.data),
    }


def test_bytes_are_counted_also_of_a_streamed_response(session, client, log_entries):
    tag = session.get().headers["ETag"]
    sizes: list[int] = []
    for kind in ("csv", "pdf", "json"):
        answer = session.get(f"/statement?format={kind}")
        sizes.append(len(answer.data))
        answer.close()  # as a server does; until then it is being sent
    assert session.get(**{"If-None-Match": tag}).status_code == 304
    credentials = {"Authorization": f"Bearer {session.tokens['host']}"}
    client.head(f"{session.path}/statement?format=csv", headers=credentials).close()
    logged_sizes = [line["bytes"] for line in log_entries()]
    assert logged_sizes[1:] == [*sizes, 0, 0]
    assert len({line["request_id"] for line in log_entries()}) == len(logged_sizes) == 6


def test_an_evening_leaves_no_name_no_token_and_no_word_of_anybody(
    client, open_session, log_entries
):
    tricks = [trick for trick in TRICKS if len(trick) <= 35]
    names = [{"name": f"{trick} {MARK}"} for trick in tricks]
    sessions = []
    for place in range(0, len(names) - 4, 4):
        body = {"game": "polskt_pass", "players": names[place : place + 4], "title": MARK}
        key = {"Idempotency-Key": f"{MARK}, so that it is long: {place}"}
        opened = client.post("/v1/sessions", json=body, headers=key)
        assert opened.status_code in (201, 400, 422)
        sessions += [opened.json] if opened.status_code == 201 else []
    assert len(sessions) > 5

    session = open_session(players=names[:4], title=f"Fredag {MARK}")
    for line in lines(E1):
        assert (
            session.act(*line.actions(), match=None, key=f"{MARK}-d{line.number}").status_code < 300
        )
    session.write(f"/deals/3?reason={MARK}", method="DELETE", match="*")
    session.write("/devices", {"label": f"<b> {MARK}"})
    session.write("/devices", {"label": f"\x1b[2J{MARK}"})
    code = session.write("/join-code", {}).json["code"]
    for path, body in (
        ("/v1/join-requests", {"code": code, "label": f"אבג {MARK}"}),
        ("/v1/join-requests", {"code": f"\n{MARK}", "label": f"\u202e{MARK}"}),
        ("/v1/groups", {"name": f"=1 {MARK}", "members": [{"name": f"<i> {MARK}"}]}),
    ):
        client.post(path, json=body, headers={"Idempotency-Key": f"{MARK}-{path}-{body}"[:200]})
    session.write("/players", {"name": f"\r\n{MARK}"}, match="*")
    session.write("/players", {"name": MARK}, match="*")
    session.write("/players/p1/name", method="DELETE", match="*")
    session.write("/transfers", {"from": "p1", "to": "p2", "amount": 1, "method": MARK}, match="*")
    session.write("/closure", {"leftover_policy": MARK}, match="*")
    session.write("/actions", {MARK: f"\x1b[31m{MARK}"}, match=f'"{MARK}"')
    client.post("/v1/sessions", data=f'{{"{MARK}', headers={"Content-Type": f"{MARK}/json"})
    for path in (
        *("", "/events", "/deals", "/settlement", "/audit", "/links", "/export", "/receipts/2"),
        *("/statement?format=csv", f"/statement?player={MARK}", f"/settlement?through={MARK}"),
        f"/settlement/p1/p2/qr?kind=swish&number=0701234567&name={MARK}",
    ):
        session.get(path)
    for path in (f"/v1/{MARK}", f"/form/0/static/{MARK}.js", f"/v1/sessions/{MARK}", f"/?{MARK}"):
        headers = {
            "Authorization": f"Bearer {session.tokens['host']}{MARK}",
            "Cookie": f"vola-{session.id}={MARK}",
            "User-Agent": MARK,
            "Referer": f"https://{MARK}.example/",
            "X-Request-Id": MARK,
            "X-Forwarded-For": MARK,
            "Accept-Language": MARK,
        }
        client.get(f"{path}%0a%0d{MARK}", headers=headers)
        client.open(path, method=MARK, headers=headers)
    client.put(
        f"{session.path}/cookie", headers={"Authorization": f"Bearer {session.tokens['host']}"}
    )

    entries = log_entries()
    assert len(entries) > 60
    assert all(set(line) == FIELDS for line in entries if line["logger"] == "vola.access")
    text = "\n".join(json.dumps(line) + repr(line) for line in entries)
    assert MARK.lower() not in text.lower()
    for opened in (*sessions, {"id": session.id, "tokens": session.tokens}):
        assert opened["id"] not in text
        for token in opened["tokens"].values():
            assert token not in text
            assert token.split(".")[1][:12] not in text
    assert "0701234567" not in text
    assert {line.get("route") for line in entries} > {"none", "/", "/v1/sessions"}
    assert {line.get("method") for line in entries} >= {"GET", "POST", "PUT", "DELETE", "other"}


def test_an_internal_error_is_logged_with_its_place_and_no_message(
    session, app, monkeypatch, log_entries
):
    def stumble(*_, **__):
        try:
            raise KeyError(f"Ada has {MARK}")
        except KeyError as error:
            raise RuntimeError(f"{session.tokens['host']}\n{MARK}") from error

    monkeypatch.setattr(app.extensions["store"], "append", stumble)
    failed = session.act({"type": "open_deal"}, match="*")
    assert failed.status_code == 500
    assert set(failed.json) == {"type", "title", "status", "code", "detail", "request_id"}
    assert failed.json["code"] == "internal_error"
    assert failed.json["request_id"] == failed.headers["X-Request-Id"]
    for inside in ("RuntimeError", "stumble", "api/", "Traceback", MARK):
        assert inside not in failed.text
    error, answered = (
        line for line in log_entries() if line["request_id"] == failed.json["request_id"]
    )
    assert (error["level"], answered["status"], answered["code"]) == (
        "error",
        500,
        "internal_error",
    )
    assert re.search(r"test_logging.py\", line \d+, in stumble", error["traceback"])
    assert re.search(r"KeyError\nwhich led to\n(.|\n)*RuntimeError\Z", error["traceback"])
    assert "host0." not in error["traceback"]
    assert MARK not in error["traceback"]


def test_an_error_in_a_decision_is_logged_once_with_its_place(session, monkeypatch, log_entries):
    session.act({"type": "open_deal"})
    decided = []

    def stumble(*_):
        decided.append(1)
        raise ZeroDivisionError

    monkeypatch.setattr("api.resources.actions.command_handlers.record_actions", stumble)
    failed = session.act({"type": "all_pass"})
    [error] = [line for line in log_entries() if line["level"] == "error"]
    assert (failed.status_code, len(decided)) == (500, 1)
    assert re.search(r"test_logging.py\", line \d+, in stumble", error["traceback"])
    assert "which led to" not in error["traceback"]


def test_text_is_for_people_and_cannot_steer_a_terminal():
    record = logging.LogRecord(
        "vola", logging.WARNING, "", 1, "Bo säger\n%s", ("\x1b[2J\u202e",), None
    )
    assert logs.TextFormatter().format(record) == "WARNING vola: Bo säger\\n\\x1b[2J\\u202e"
    try:
        raise ValueError(MARK)
    except ValueError:
        record.exc_info = sys.exc_info()
    assert logs.TextFormatter().format(record).splitlines()[-1] == "ValueError"
    assert len(json.loads(logs.JsonFormatter().format(record))["message"].splitlines()) == 2
    assert logs.JsonFormatter().format(record).isascii()


LOGGING_PROGRAM = """
import logging
from api.observability import logging_config as logs
logs.configure_logging({form!r})
logging.getLogger("vola.worker").warning("Redis is out of reach")
logs.access.info("answered")
"""


@pytest.mark.parametrize(
    ("form", "terminal", "json_lines"),
    [(None, True, 0), (None, False, 2), ("json", True, 2), ("text", False, 0)],
)
def test_a_terminal_gets_sentences_and_a_log_file_gets_json(form, terminal, json_lines):
    """A host does not need to see every request on the terminal; a log file has them all."""
    ours, theirs = os.openpty() if terminal else os.pipe()
    process = subprocess.run(
        [sys.executable, "-c", LOGGING_PROGRAM.format(form=form)], stderr=theirs, check=False
    )
    os.close(theirs)
    output = b""
    try:
        while chunk := os.read(ours, 4096):
            output += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert process.returncode == 0
    log_lines = output.decode().split("\n")[:-1]
    if json_lines:
        assert [json.loads(line)["message"] for line in log_lines] == [
            "Redis is out of reach",
            "answered",
        ]
    else:
        assert [line.strip() for line in log_lines] == [
            "WARNING vola.worker: Redis is out of reach"
        ]


@pytest.fixture
def pool_log():
    """The log of the connection pools, as a server configures it; afterwards as it was before."""
    root, log = logging.getLogger(), logging.getLogger("psycopg.pool")
    before = root.handlers[:], root.level, logs.access.level
    logs.configure_logging("json")
    yield log
    root.handlers[:], root.level, logs.access.level = before
    log.filters.clear()


def test_a_pool_without_a_database_warns_once_a_minute(pool_log, log_entries):
    for second, pool in (0, "api"), (0, "relay"), (59, "api"), (60, "api"), (-3600, "api"):
        fields = {"name": pool_log.name, "levelno": logging.WARNING, "created": 1e9 + second}
        fields |= {"msg": "error connecting in %r", "args": (pool,)}
        pool_log.handle(logging.makeLogRecord(fields))
    pool_log.warning("discarding closed connection: %s", "one")
    assert [entry["message"] for entry in log_entries()] == [
        *["error connecting in 'api'"] * 3,
        "discarding closed connection: one",
    ]


def test_a_running_server_logs_every_request(server):
    url = f"{server.url}/v1/games?lang={MARK}"
    request_ids = {
        urllib.request.urlopen(url, timeout=20).headers["X-Request-Id"] for _ in range(20)
    }
    server.wait_until(lambda: check_all_logged(server.log, request_ids))
    assert MARK not in server.log.read_text("utf-8")


def check_all_logged(log, request_ids):
    """Raise OSError if the line of a request is missing."""
    lines = (line for line in log.read_text("utf-8").splitlines() if line.startswith("{"))
    logged_ids = {json.loads(line).get("request_id") for line in lines}
    if missing_ids := request_ids - logged_ids:
        raise OSError(missing_ids)
