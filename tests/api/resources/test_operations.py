"""For those who run it: figures that Prometheus reads and that are everybody's sum, and whether it
is ready, with the reasons."""

from __future__ import annotations

import re
import socket
import time
import urllib.request
from typing import NamedTuple

import psycopg
import pytest

import migrations
from api import figures
from api.answered import Answered, turned_away
from api.app import create_app
from api.limits import OPENINGS, Limits
from ledger import database, tallies
from ledger.store import Store
from ledger.tallies import Tallies
from tests.api.conftest import FOUR, Table, keys
from tests.ledger.evening import act, open_session


class Metric(NamedTuple):
    kind: str
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float]


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\d+(?:\.\d+)?)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')


def parsed(text: str) -> dict[str, Metric]:
    """Strictly by the text format 0.0.4: families in one piece, help and type before samples,
    no sample twice, histograms that add up."""
    assert text.endswith("\n")
    found: dict[str, Metric] = {}
    helped = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped = re.fullmatch(rf"# HELP ({NAME}) \S.*", line)[1]
            assert helped not in found, line
        elif line.startswith("# TYPE "):
            name, kind = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line).groups()
            assert name == helped, line
            found[name] = Metric(kind, {})
        else:
            name, inside, value = SAMPLE.fullmatch(line).groups()
            suffixes = ("_bucket", "_sum", "_count") if found[helped].kind == "histogram" else ("",)
            assert name in {helped + suffix for suffix in suffixes}, line
            key = name, frozenset(labels(inside or ""))
            assert key not in found[helped].samples, line
            found[helped].samples[key] = float(value)
    for name, metric in found.items():
        if metric.kind == "counter":
            assert name.endswith("_total")
        if metric.kind == "histogram":
            adds_up(name, metric)
    return found


def labels(inside: str):
    at = 0
    while at < len(inside):
        one = LABEL.match(inside, at)
        assert one, inside[at:]
        yield one[1], one[2]
        at = one.end()


def adds_up(name: str, metric: Metric) -> None:
    counts = [(k[1], n) for k, n in metric.samples.items() if k[0] == f"{name}_count"]
    for of, count in counts:
        buckets = {
            float(dict(inside)["le"]): n
            for (called, inside), n in metric.samples.items()
            if called == f"{name}_bucket" and of < inside
        }
        assert list(buckets) == sorted(buckets)
        assert list(buckets.values()) == sorted(buckets.values())
        assert buckets[float("inf")] == count
        assert (f"{name}_sum", of) in metric.samples


@pytest.fixture
def fresh(urls):
    """An app over a database where nobody has asked for anything."""
    pool = database.pool(urls.app, size=4)
    yield create_app(pool, limits=Limits())
    pool.close()


FULL = """
DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$
"""


def scraped(client) -> dict[str, Metric]:
    answer = client.get("/metrics")
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    return parsed(answer.text)


def value(told: dict[str, Metric], name: str, **wanted: str) -> float:
    return told[name].samples.get((name, frozenset(wanted.items())), 0)


def opened(client, **more):
    headers = {"Idempotency-Key": f"figures-{next(keys)}"}
    return client.post(
        "/v1/sessions", json={"game": "polskt_pass", "players": FOUR, **more}, headers=headers
    )


def test_requests_are_told_by_route_and_method_and_how_they_ended(fresh):
    client = fresh.test_client()
    evenings = [opened(client).json for _ in range(3)]
    for evening in evenings:
        right = {"Authorization": f"Bearer {evening['tokens']['viewer']}"}
        assert client.get(f"/v1/sessions/{evening['id']}", headers=right).status_code == 200
        assert client.get(f"/v1/sessions/{evening['id']}/deals/7", headers=right).status_code == 404
    assert opened(client, currency="gold").status_code == 422
    client.get("/nowhere")
    client.open("/nowhere", method='GET"} 1\nvola_writable')
    told = scraped(client)

    def requests(method, route, status):
        return value(told, "vola_requests_total", method=method, route=route, status=status)

    assert requests("POST", "/v1/sessions", "2xx") == 3
    assert requests("POST", "/v1/sessions", "4xx") == 1
    assert requests("GET", "/v1/sessions/{session}", "2xx") == 3
    assert requests("GET", "/v1/sessions/{session}/deals/{deal}", "4xx") == 3
    assert requests("GET", "none", "4xx") == requests("other", "none", "4xx") == 1
    assert value(told, "vola_refusals_total", code="unknown_deal") == 3
    assert value(told, "vola_refusals_total", code="wrong_shape") == 1
    assert value(told, "vola_refusals_total", code="not_found") == 2
    took = told["vola_request_seconds"].samples
    assert took["vola_request_seconds_count", frozenset({("method", "POST")})] == 4
    assert 0 < took["vola_request_seconds_sum", frozenset({("method", "POST")})] < 60
    assert value(scraped(client), "vola_requests_total", method="GET", route="/metrics",
                 status="2xx") == 1  # fmt: skip


def test_who_was_told_to_wait_is_counted_by_limit(fresh):
    client = fresh.test_client()
    for _ in range(OPENINGS.most + 5):
        client.post("/v1/circles", json={})
    told = scraped(client)
    assert value(told, "vola_rate_limited_total", limit="openings") == 5
    assert value(told, "vola_refusals_total", code="too_many_requests") == 5


def test_who_was_turned_away_before_the_app_saw_him_is_counted_too(fresh):
    late = {"status": 408, "code": "too_slow", "request_id": "", "bytes": 90, "micros": 1}
    for method in ("POST", "BREW"):
        fresh.extensions["tell"](turned_away(method=method, **late))
    told = scraped(fresh.test_client())
    for method in ("POST", "other"):
        named = {"method": method, "route": "none", "status": "4xx"}
        assert value(told, "vola_requests_total", **named) == 1
    assert value(told, "vola_refusals_total", code="too_slow") == 2


def test_an_answer_falls_into_the_bucket_that_it_took(store):
    mine = figures.Figures(store.pool)
    took = (0, 5_000, 5_001, 99_000, 2_500_000, 10_000_001)
    for micros in took:
        mine.answered(Answered(request_id="", method="PUT", route="/", status=200, code=None,
                               role=None, bytes=0, micros=micros))  # fmt: skip
    mine.write()
    told = parsed(figures.exposition(figures.families(tallies.tallies(store.pool))))
    name = "vola_request_seconds"
    at_most = {
        dict(inside)["le"]: n
        for (called, inside), n in told[name].samples.items()
        if called == f"{name}_bucket"
    }
    assert at_most == {
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
    assert told[name].samples[f"{name}_sum", frozenset({("method", "PUT")})] == 12.609002


def test_what_a_label_holds_cannot_end_it():
    told = figures.Family("vola_x", "gauge", "X.", [("", (("a", 'q"\\\n{},'), ("b", "")), 1)])
    text = figures.exposition([told])
    assert text.splitlines()[2] == r'vola_x{a="q\"\\\n{},",b=""} 1'
    parsed(text)


def test_figures_are_the_sum_of_all_processes(urls, fresh):
    """Each counts by itself and adds to the book, in one order: nobody waits crosswise."""
    pool = database.pool(urls.app, size=4)
    other = create_app(pool)
    for client in (fresh.test_client(), other.test_client(), other.test_client()):
        client.get("/v1/games")
    other.extensions["figures"].write()
    told = scraped(fresh.test_client())
    assert value(told, "vola_requests_total", method="GET", route="/v1/games", status="2xx") == 3
    pool.close()


def test_figures_of_a_running_server_come_by_themselves(server):
    """Two processes behind one port: whichever is asked tells what both have answered."""
    pool = database.pool(server.environment["DATABASE_URL"], size=1)

    def told():
        """What has been added, without asking the server for it: that would add what it holds."""
        return tallies.tallies(pool).get("request GET 2xx /v1/games", 0)

    def asked(times):
        for _ in range(times):
            urllib.request.urlopen(f"{server.url}/v1/games", timeout=20).read()

    def more_than(least):
        if told() < least:
            raise OSError(told())

    asked(1)
    server.wait_until(lambda: more_than(1))
    before = told()
    asked(30)
    server.wait_until(lambda: more_than(before + 30))
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=20) as answer:
        route = {"method": "GET", "route": "/v1/games", "status": "2xx"}
        shown = value(parsed(answer.read().decode()), "vola_requests_total", **route)
    assert shown >= before + 30
    pool.close()


def test_a_flood_of_addresses_makes_no_new_series(fresh):
    client = fresh.test_client()
    for number in range(30):
        client.get(f"/v1/{number}")
        client.get(f"/v1/sessions/{number}/deals/{number}")
        client.open("/", method=f"X{number}")
    assert len(scraped(client)["vola_requests_total"].samples) == 3


# ready


def test_ready(fresh):
    answer = fresh.test_client().get("/readyz")
    assert (answer.status_code, answer.json) == (
        200,
        {"status": "ready", "reasons": [], "payments_due": 0, "oldest_due_ms": 0},
    )


def unready(app):
    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (503, "not_ready"), answer.text
    assert answer.headers["Retry-After"] == "2"
    assert app.test_client().get("/healthz").status_code == 200
    return answer.json


def test_a_database_out_of_reach_is_told_soon_and_also_to_prometheus():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"postgresql://nobody:secret@127.0.0.1:{nobody.getsockname()[1]}/nothing"
        pool = database.pool(url, size=1)
        app, began = create_app(pool), time.monotonic()
        assert unready(app) == {
            "status": "not_ready",
            "reasons": ["database_out_of_reach"],
            "payments_due": None,
            "oldest_due_ms": None,
        }
        told = scraped(app.test_client())
        assert time.monotonic() - began < 9
        assert list(told) == ["vola_writable"]
        assert value(told, "vola_writable") == 0
        pool.close()


def test_a_database_that_cannot_be_written(fresh, urls):
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {db.info.dbname} SET default_transaction_read_only = on")
    pool = database.pool(urls.app, size=1)
    app = create_app(pool)
    assert unready(app)["reasons"] == ["database_read_only"]
    told = scraped(app.test_client())
    assert value(told, "vola_writable") == 0
    assert "vola_payments_due" in told
    pool.close()


def test_a_disk_without_room(fresh, monkeypatch):
    """Known from what is counted: it is the one thing that is written every second."""
    assert fresh.test_client().get("/readyz").status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(tallies, "ADD", FULL)
        fresh.extensions["figures"].write()
        assert unready(fresh)["reasons"] == ["database_read_only"]
        assert value(scraped(fresh.test_client()), "vola_writable") == 0
    fresh.extensions["figures"].write()
    assert fresh.test_client().get("/readyz").status_code == 200


def test_an_address_that_is_this_machine_in_other_letters_is(fresh):
    client = fresh.test_client()
    for address, status in (
        ("::ffff:127.0.0.1", 200),
        ("::1", 200),
        ("::ffff:10.0.0.7", 404),
        ("", 404),
    ):
        asked = client.get("/metrics", environ_base={"REMOTE_ADDR": address})
        assert asked.status_code == status, address


def test_functions_that_are_for_those_who_were_granted_them(cluster):
    """As a house may have it that gives nothing to everybody."""
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute("CREATE DATABASE vola_strict OWNER vola_owner")
    owner, app, audit = (
        url.rpartition("/")[0] + "/vola_strict?" + url.partition("?")[2]
        for url in (cluster.owner_url, cluster.app_url, cluster.audit_url)
    )
    with psycopg.connect(owner) as db:
        db.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    migrations.apply(owner, app_url=app, audit_url=audit)
    pool = database.pool(app, size=1)
    act(Store(pool), open_session(Store(pool)), [{"type": "open_deal"}])
    assert create_app(pool).test_client().get("/readyz").status_code == 200
    with psycopg.connect(owner) as db:
        db.execute("REVOKE EXECUTE ON FUNCTION vola.put FROM vola_app")
    assert unready(create_app(pool))["reasons"] == ["rights_missing"]
    pool.close()


def test_while_projections_are_made_anew_an_audit_is_refused_at_once(fresh, urls):
    """By whoever may look: it would hold a thread for as long as that takes."""
    made = fresh.test_client().post(
        "/v1/sessions",
        json={"game": "polskt_pass", "players": FOUR},
        headers={"Idempotency-Key": f"open-{next(keys)}"},
    )
    table = Table(fresh.test_client(), made.json["id"], made.json["tokens"])
    with psycopg.connect(urls.owner) as rebuilder:
        rebuilder.execute("SELECT pg_advisory_lock(7316053)")
        refused = table.get("/audit", role="viewer")
        assert (refused.status_code, refused.json["code"]) == (503, "overloaded")
        assert refused.headers["Retry-After"] == "2"
    assert table.get("/audit", role="viewer").json["clean"] is True


def test_tables_that_are_older_than_the_program(fresh, urls):
    with psycopg.connect(urls.super) as db:
        db.execute("DELETE FROM public.vola_migrations WHERE name LIKE '0005%'")
    assert unready(fresh)["reasons"] == ["migrations_pending"]


def test_a_database_without_any_tables(cluster):
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute("CREATE DATABASE vola_bare")
    pool = database.pool(cluster.app_url.rpartition("/")[0] + "/vola_bare", size=1)
    assert unready(create_app(pool))["reasons"] == ["migrations_pending"]
    pool.close()


@pytest.mark.parametrize(
    "taken",
    [
        "INSERT ON vola.events",
        "USAGE ON SCHEMA vola",
        "SELECT ON public.vola_migrations",
        "SELECT ON projections.payments",
    ],
)
def test_a_role_that_may_not_do_what_the_app_does(fresh, urls, taken):
    with psycopg.connect(urls.super) as db:
        db.execute(f"REVOKE {taken} FROM vola_app")
    assert unready(fresh)["reasons"] == ["rights_missing"]


def test_payments_that_nobody_settles(fresh, urls, store):
    from tests.evenings import E1, lines

    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    assert fresh.test_client().get("/readyz").json["payments_due"] == 3
    with psycopg.connect(urls.super) as db:
        db.execute("UPDATE projections.payments SET due_at = due_at - 31000000")
    told = unready(fresh)
    assert (told["reasons"], told["payments_due"]) == (["payments_stick"], 3)
    assert told["oldest_due_ms"] >= 31_000


# what is counted


def test_counts_are_added_once_whoever_writes(urls, store):
    pool = database.pool(urls.app, size=2)
    one, two = Tallies(store.pool), Tallies(pool)
    for number in range(50):
        one.add(f"deal {number}")
        two.add(f"deal {49 - number}", 2)
    one.write(now=True)
    two.write(now=True)
    one.write(now=True)
    assert tallies.tallies(pool) == {f"deal {number}": 3 for number in range(50)}
    pool.close()


def test_what_could_not_be_added_is_kept_for_the_next_time(urls, store):
    pool = database.pool(urls.app, size=1)
    counts = Tallies(pool)
    counts.add("dealt", 3)
    with psycopg.connect(urls.super) as db:
        db.execute("REVOKE INSERT ON vola.tallies FROM vola_app")
    counts.write(now=True)
    counts.add("dealt")
    with psycopg.connect(urls.super) as db:
        db.execute("GRANT INSERT ON vola.tallies TO vola_app")
    counts.write(now=True)
    assert tallies.tallies(pool) == {"dealt": 4}
    pool.close()
