"""For operators: metrics for Prometheus, summed over all processes, and readiness with its
reasons."""

from __future__ import annotations

import re
import socket
import urllib.request
from types import SimpleNamespace
from typing import NamedTuple

import psycopg
import pytest
from prometheus_client.exposition import generate_latest

import migrations
from api.app import create_app
from api.observability.metrics import RequestCounters, request_metrics
from api.observability.request_log import RequestRecord, known_method
from api.rate_limit.enforcement import RateLimits
from api.rate_limit.policy import CREATIONS
from ledger.operations import counters, health
from ledger.operations.counters import Counters
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.api.session_client import keys
from tests.support.databases import create_database
from tests.support.ledger.store_session import act, open_session
from tests.support.player_names import FOUR_PLAYERS


class Metric(NamedTuple):
    kind: str
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float]


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')


def parse_exposition(text: str) -> dict[str, Metric]:
    """Parse the text format 0.0.4 strictly: families in one piece, HELP and TYPE before samples,
    no sample twice, histograms that add up."""
    assert text.endswith("\n")
    metrics: dict[str, Metric] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = re.fullmatch(rf"# HELP ({NAME}) \S.*", line)[1]
            assert family not in metrics, line
        elif line.startswith("# TYPE "):
            name, kind = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line).groups()
            assert name == family, line
            metrics[name] = Metric(kind, {})
        else:
            name, label_text, value = SAMPLE.fullmatch(line).groups()
            suffixes = (
                ("_bucket", "_sum", "_count") if metrics[family].kind == "histogram" else ("",)
            )
            assert name in {family + suffix for suffix in suffixes}, line
            key = name, frozenset(parse_labels(label_text or ""))
            assert key not in metrics[family].samples, line
            metrics[family].samples[key] = float(value)
    for name, metric in metrics.items():
        if metric.kind == "counter":
            assert name.endswith("_total")
        if metric.kind == "histogram":
            assert_histogram_adds_up(name, metric)
    return metrics


def parse_labels(text: str):
    position = 0
    while position < len(text):
        match = LABEL.match(text, position)
        assert match, text[position:]
        yield match[1], match[2]
        position = match.end()


def assert_histogram_adds_up(name: str, metric: Metric) -> None:
    counts = [(k[1], n) for k, n in metric.samples.items() if k[0] == f"{name}_count"]
    for label_set, count in counts:
        buckets = {
            float(dict(sample_labels)["le"]): n
            for (sample, sample_labels), n in metric.samples.items()
            if sample == f"{name}_bucket" and label_set < sample_labels
        }
        assert list(buckets) == sorted(buckets)
        assert list(buckets.values()) == sorted(buckets.values())
        assert buckets[float("inf")] == count
        assert (f"{name}_sum", label_set) in metric.samples


def exposition(metrics: list[Metric]) -> str:
    return generate_latest(SimpleNamespace(collect=lambda: metrics)).decode()


@pytest.fixture
def fresh_app(urls):
    """An app over a database that has served no request."""
    pool = database.open_pool(urls.app, size=4)
    yield create_app(pool, rate_limits=RateLimits())
    pool.close()


DISK_FULL = """
DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$
"""


def scrape(client) -> dict[str, Metric]:
    answer = client.get("/metrics")
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return parse_exposition(answer.text)


def sample_value(metrics: dict[str, Metric], name: str, **label_values: str) -> float:
    return metrics[name].samples.get((name, frozenset(label_values.items())), 0)


def post_session(client, **more):
    headers = {"Idempotency-Key": f"an evening of figures {next(keys)}"}
    return client.post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": FOUR_PLAYERS, **more},
        headers=headers,
    )


def test_requests_are_counted_by_route_method_and_status(fresh_app):
    client = fresh_app.test_client()
    evenings = [post_session(client).json for _ in range(3)]
    for evening in evenings:
        credentials = {"Authorization": f"Bearer {evening['tokens']['viewer']}"}
        assert client.get(f"/v1/sessions/{evening['id']}", headers=credentials).status_code == 200
        assert (
            client.get(f"/v1/sessions/{evening['id']}/deals/7", headers=credentials).status_code
            == 404
        )
    assert post_session(client, currency="gold").status_code == 422
    client.get("/nowhere")
    client.open("/nowhere", method='GET"} 1\nvola_writable')
    metrics = scrape(client)

    def requests(method, route, status):
        return sample_value(
            metrics, "vola_requests_total", method=method, route=route, status=status
        )

    assert requests("POST", "/v1/sessions", "2xx") == 3
    assert requests("POST", "/v1/sessions", "4xx") == 1
    assert requests("GET", "/v1/sessions/{session}", "2xx") == 3
    assert requests("GET", "/v1/sessions/{session}/deals/{deal}", "4xx") == 3
    assert requests("GET", "none", "4xx") == requests("other", "none", "4xx") == 1
    assert sample_value(metrics, "vola_refusals_total", code="unknown_deal") == 3
    assert sample_value(metrics, "vola_refusals_total", code="wrong_shape") == 1
    assert sample_value(metrics, "vola_refusals_total", code="not_found") == 2
    durations = metrics["vola_request_seconds"].samples
    assert durations["vola_request_seconds_count", frozenset({("method", "POST")})] == 4
    assert 0 < durations["vola_request_seconds_sum", frozenset({("method", "POST")})] < 60
    assert sample_value(scrape(client), "vola_requests_total", method="GET", route="/metrics",
                 status="2xx") == 1  # fmt: skip


def test_requests_told_to_wait_are_counted_by_limit(fresh_app):
    client = fresh_app.test_client()
    for _ in range(CREATIONS.limit + 5):
        client.post("/v1/groups", json={})
    metrics = scrape(client)
    assert sample_value(metrics, "vola_rate_limited_total", limit="openings") == 5
    assert sample_value(metrics, "vola_refusals_total", code="too_many_requests") == 5


def test_requests_refused_before_the_app_are_counted_too(fresh_app):
    record = {"status": 408, "code": "too_slow", "request_id": "", "bytes": 90, "micros": 1}
    for method in ("POST", "BREW"):
        refusal = RequestRecord(method=known_method(method), **record)
        fresh_app.extensions["record_request"](refusal)
    metrics = scrape(fresh_app.test_client())
    for method in ("POST", "other"):
        label_values = {"method": method, "route": "none", "status": "4xx"}
        assert sample_value(metrics, "vola_requests_total", **label_values) == 1
    assert sample_value(metrics, "vola_refusals_total", code="too_slow") == 2


def test_a_duration_falls_into_its_bucket(store):
    recorder = RequestCounters(store.pool)
    durations = (0, 5_000, 5_001, 99_000, 2_500_000, 10_000_001)
    for micros in durations:
        recorder.count_request(
            RequestRecord(
                request_id="",
                method="PUT",
                route="/",
                status=200,
                code=None,
                role=None,
                bytes=0,
                micros=micros,
            )
        )
    recorder.write(now=True)
    metrics = parse_exposition(exposition(request_metrics(counters.read_counters(store.pool))))
    name = "vola_request_seconds"
    buckets = {
        dict(sample_labels)["le"]: n
        for (sample, sample_labels), n in metrics[name].samples.items()
        if sample == f"{name}_bucket"
    }
    assert buckets == {
        "0.005": 2,
        "0.01": 3,
        "0.025": 3,
        "0.05": 3,
        "0.1": 4,
        "0.25": 4,
        "0.5": 4,
        "1": 4,
        "2.5": 5,
        "10": 5,
        "+Inf": 6,
    }
    assert metrics[name].samples[f"{name}_sum", frozenset({("method", "PUT")})] == 12.609002


def test_label_values_are_escaped():
    text = exposition(request_metrics({'refused q"\\\n{},': 1}))
    assert r'vola_refusals_total{code="q\"\\\n{},"} 1.0' in text.splitlines()
    parse_exposition(text)


def test_metrics_are_the_sum_of_all_processes(urls, fresh_app):
    """Each process adds its own counts to the database, in one order, so that none waits for
    another in a cycle."""
    pool = database.open_pool(urls.app, size=4)
    other_app = create_app(pool)
    for client in (fresh_app.test_client(), other_app.test_client(), other_app.test_client()):
        client.get("/v1/games")
    other_app.extensions["request_counters"].write(now=True)
    metrics = scrape(fresh_app.test_client())
    assert (
        sample_value(metrics, "vola_requests_total", method="GET", route="/v1/games", status="2xx")
        == 3
    )
    pool.close()


def test_metrics_of_a_running_server_include_both_processes(server):
    """Two processes share one port: each reports what both have answered."""
    pool = database.open_pool(server.environment["DATABASE_URL"], size=1)

    def stored_count():
        """Return the stored count, without asking the server, which would then store what it
        holds."""
        return counters.read_counters(pool).get("request GET 2xx /v1/games", 0)

    def request_games(times):
        for _ in range(times):
            urllib.request.urlopen(f"{server.url}/v1/games", timeout=20).read()

    def require_count(minimum):
        if stored_count() < minimum:
            raise OSError(stored_count())

    request_games(1)
    server.wait_until(lambda: require_count(1))
    before = stored_count()
    request_games(30)
    server.wait_until(lambda: require_count(before + 30))
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=20) as answer:
        route = {"method": "GET", "route": "/v1/games", "status": "2xx"}
        total = sample_value(
            parse_exposition(answer.read().decode()), "vola_requests_total", **route
        )
    assert total >= before + 30
    pool.close()


def test_a_flood_of_paths_makes_no_new_series(fresh_app):
    client = fresh_app.test_client()
    for number in range(30):
        client.get(f"/v1/{number}")
        client.get(f"/v1/sessions/{number}/deals/{number}")
        client.open("/", method=f"X{number}")
    assert len(scrape(client)["vola_requests_total"].samples) == 3


# Readiness


def test_a_working_server_is_ready(fresh_app):
    answer = fresh_app.test_client().get("/readyz")
    assert (answer.status_code, answer.json) == (
        200,
        {"status": "ready", "reasons": [], "payments_due": 0, "oldest_due_ms": 0},
    )


def assert_not_ready(app):
    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (503, "not_ready"), answer.text
    assert answer.headers["Retry-After"] == "2"
    assert app.test_client().get("/healthz").status_code == 200
    return answer.json


def test_an_unreachable_database_is_reported_to_health_and_metrics(monkeypatch):
    """No request waits longer than the pool timeout of the check."""
    waits = []

    def connect(timeout=None):
        waits.append(timeout)
        return connection(timeout=timeout)

    with socket.socket() as unanswered:
        unanswered.bind(("127.0.0.1", 0))
        url = f"postgresql://nobody:secret@127.0.0.1:{unanswered.getsockname()[1]}/nothing"
        pool = database.open_pool(url, size=1)
        app, connection = create_app(pool), pool.connection
        monkeypatch.setattr(pool, "connection", connect)
        assert assert_not_ready(app) == {
            "status": "not_ready",
            "reasons": ["database_out_of_reach"],
            "payments_due": None,
            "oldest_due_ms": None,
        }
        metrics = scrape(app.test_client())
        assert set(waits) == {health.POOL_TIMEOUT_SECONDS}
        assert sum(waits) < 9
        assert list(metrics) == ["vola_writable"]
        assert sample_value(metrics, "vola_writable") == 0
        pool.close()


def test_a_read_only_database_is_not_ready(fresh_app, urls):
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {db.info.dbname} SET default_transaction_read_only = on")
    pool = database.open_pool(urls.app, size=1)
    app = create_app(pool)
    assert assert_not_ready(app)["reasons"] == ["database_read_only"]
    metrics = scrape(app.test_client())
    assert sample_value(metrics, "vola_writable") == 0
    assert "vola_payments_due" in metrics
    pool.close()


def test_a_full_disk_is_not_ready(fresh_app, monkeypatch):
    """The counters detect it, because they are written every second."""
    assert fresh_app.test_client().get("/readyz").status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(counters, "ADD_COUNTS", DISK_FULL)
        fresh_app.extensions["request_counters"].write(now=True)
        assert assert_not_ready(fresh_app)["reasons"] == ["database_read_only"]
        assert sample_value(scrape(fresh_app.test_client()), "vola_writable") == 0
    fresh_app.extensions["request_counters"].write(now=True)
    assert fresh_app.test_client().get("/readyz").status_code == 200


def test_loopback_in_any_notation_may_read_metrics(fresh_app):
    client = fresh_app.test_client()
    for address, status in (
        ("::ffff:127.0.0.1", 200),
        ("::1", 200),
        ("::ffff:10.0.0.7", 404),
        ("", 404),
    ):
        answer = client.get("/metrics", environ_base={"REMOTE_ADDR": address})
        assert answer.status_code == status, address


@pytest.mark.parametrize("host", ["vola.example", "evil.example:8080", "localhost.evil.example"])
def test_a_host_on_the_internet_gets_no_metrics(fresh_app, host):
    """A proxy may say no more than this; a page whose host was made to mean 127.0.0.1 says it."""
    client = fresh_app.test_client()
    assert client.get("/metrics", headers={"Host": host}).status_code == 404


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "10.0.0.7", ""])
def test_a_host_of_this_machine_gets_metrics(fresh_app, host):
    assert fresh_app.test_client().get("/metrics", headers={"Host": host}).status_code == 200


def test_missing_execute_rights_are_not_ready(cluster):
    """As in an installation where PUBLIC has no default privileges."""
    urls = create_database(cluster, "vola_strict")
    with psycopg.connect(urls.owner) as db:
        db.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    migrations.apply(urls.owner, app_url=urls.app, audit_url=urls.audit)
    pool = database.open_pool(urls.app, size=1)
    act(EventStore(pool), open_session(EventStore(pool)), [{"type": "open_deal"}])
    assert create_app(pool).test_client().get("/readyz").status_code == 200
    with psycopg.connect(urls.owner) as db:
        db.execute("REVOKE EXECUTE ON FUNCTION vola.append FROM vola_app")
    assert assert_not_ready(create_app(pool))["reasons"] == ["rights_missing"]
    pool.close()


def test_tables_older_than_the_program_are_not_ready(fresh_app, urls):
    with psycopg.connect(urls.super) as db:
        db.execute("DELETE FROM public.vola_migrations WHERE name LIKE '0005%'")
    assert assert_not_ready(fresh_app)["reasons"] == ["migrations_pending"]


def test_a_server_is_not_ready_for_tables_that_only_a_newer_one_can_use(fresh_app, urls):
    with psycopg.connect(urls.owner) as db:
        db.execute("INSERT INTO public.vola_migrations (name) VALUES ('9998_newer.sql')")
    assert fresh_app.test_client().get("/readyz").status_code == 200, "both work side by side"
    with psycopg.connect(urls.owner) as db:
        db.execute("COMMENT ON TABLE public.vola_migrations IS '9999_newer.sql'")
    assert assert_not_ready(fresh_app)["reasons"] == ["server_outdated"]


def test_a_database_without_tables_is_reported_to_health_and_metrics(cluster):
    pool = database.open_pool(create_database(cluster, "vola_bare").app, size=1)
    app = create_app(pool)
    assert assert_not_ready(app)["reasons"] == ["migrations_pending"]
    metrics = scrape(app.test_client())
    assert list(metrics) == ["vola_writable"]
    assert sample_value(metrics, "vola_writable") == 0
    pool.close()


@pytest.mark.parametrize(
    "privilege",
    [
        "INSERT ON vola.events",
        "USAGE ON SCHEMA vola",
        "SELECT ON public.vola_migrations",
        "SELECT ON projections.payments",
        "SELECT ON vola.secret",
        "SELECT ON vola.signing_key",
        "INSERT (public, secret) ON vola.signing_key",
    ],
)
def test_missing_table_rights_are_not_ready(fresh_app, urls, privilege):
    with psycopg.connect(urls.super) as db:
        db.execute(f"REVOKE {privilege} FROM vola_app")
    assert assert_not_ready(fresh_app)["reasons"] == ["rights_missing"]


def test_payments_that_are_overdue_are_not_ready(fresh_app, urls, store):
    from tests.support.worked_evenings import E1, lines

    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    assert fresh_app.test_client().get("/readyz").json["payments_due"] == 3
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.payments SET due_at = due_at - 31000000")
    problem = assert_not_ready(fresh_app)
    assert (problem["reasons"], problem["payments_due"]) == (["payments_stick"], 3)
    assert problem["oldest_due_ms"] >= 31_000


# Counters


def test_counts_are_added_once_by_each_process(urls, store):
    pool = database.open_pool(urls.app, size=2)
    first, second = Counters(store.pool), Counters(pool)
    for number in range(50):
        first.add(f"deal {number}")
        second.add(f"deal {49 - number}", 2)
    first.write(now=True)
    second.write(now=True)
    first.write(now=True)
    assert counters.read_counters(pool) == {f"deal {number}": 3 for number in range(50)}
    pool.close()


def test_counts_that_could_not_be_stored_are_kept_for_the_next_write(urls, store):
    pool = database.open_pool(urls.app, size=1)
    counts = Counters(pool)
    counts.add("dealt", 3)
    with psycopg.connect(urls.super) as db:
        db.execute("REVOKE INSERT ON vola.counters FROM vola_app")
    counts.write(now=True)
    counts.add("dealt")
    with psycopg.connect(urls.super) as db:
        db.execute("GRANT INSERT ON vola.counters TO vola_app")
    counts.write(now=True)
    assert counters.read_counters(pool) == {"dealt": 4}
    pool.close()
