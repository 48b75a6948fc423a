"""So much and no more, whatever happens to Redis; and a table of six phones never notices."""

import http.client
import io
import json
import threading
import time
from collections import OrderedDict
from ipaddress import ip_address

import psycopg
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from api import access, caller
from api.app import create_app
from api.limits import HEARTBEATS, OPENINGS, REQUESTS, STRANGERS, WRITES, Limits, Regulars
from api.quotas import NANOSECONDS, Meter, Quota
from api.reception import Reception
from ledger.writing import UnknownSession
from tests.api.conftest import FOUR, Table, keys
from tests.conftest import copied, rung_apart, serving
from tests.crowd import alone

HERE, THERE = "203.0.113.7", "198.51.100.9"


class Clock:
    """Stands still until told."""

    def __init__(self) -> None:
        self.now = 5_000 * NANOSECONDS

    def __call__(self) -> int:
        return self.now

    def wait(self, seconds) -> None:
        self.now += int(seconds * NANOSECONDS)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def limits(clock):
    return Limits(clock=clock)


@pytest.fixture
def client(app, limits):
    """As anybody from HERE, at the house of the other tests."""
    made = create_app(app.extensions["store"].pool, limits=limits).test_client(use_cookies=False)
    made.environ_base["REMOTE_ADDR"] = HERE
    return made


def opened(client, **more):
    body = {"game": "polskt_pass", "players": FOUR}
    key = {"Idempotency-Key": f"limited-{next(keys)}"}
    return client.post("/v1/sessions", json=body, headers=key, **more)


@pytest.fixture
def table(client):
    made = opened(client).json
    return Table(client, made["id"], made["tokens"])


def refused(answer):
    assert (answer.status_code, answer.json["code"]) == (429, "too_many_requests"), answer.text
    assert int(answer.headers["Retry-After"]) >= 1
    return int(answer.headers["Retry-After"])


# what a meter promises


def test_so_many_at_once_and_then_as_fast_as_they_come_back(clock):
    meter = Meter(Quota("cards", 5, 10), clock=clock)
    assert [meter.take("Ada").left for _ in range(5)] == [4, 3, 2, 1, 0]
    assert not meter.take("Ada").allowed
    assert meter.take("Bo").allowed
    clock.wait(1.9)
    assert (meter.take("Ada").allowed, meter.take("Ada").seconds) == (False, 1)
    clock.wait(0.1)
    assert [meter.take("Ada").allowed for _ in range(2)] == [True, False]
    clock.wait(3600)
    assert [meter.take("Ada").allowed for _ in range(6)] == [True] * 5 + [False]


@given(
    most=st.integers(1, 50),
    seconds=st.integers(1, 600),
    waits=st.lists(st.integers(0, 20 * NANOSECONDS), max_size=200),
)
def test_no_pattern_of_asking_gets_more_and_waiting_as_told_is_enough(most, seconds, waits):
    clock, taken = Clock(), []
    meter = Meter(Quota("any", most, seconds), clock=clock)
    each = seconds * NANOSECONDS // most
    for wait in waits:
        clock.now += wait
        left = meter.take("Ada")
        if left.allowed:
            taken.append(clock.now)
        else:
            assert left.seconds >= 1
            later = Clock()
            later.now = clock.now + left.seconds * NANOSECONDS
            copy = Meter(meter.quota, clock=later)
            copy._whole_at.update(meter._whole_at)
            assert copy.take("Ada").allowed
    for first in range(len(taken)):
        for last in range(first, len(taken)):
            assert last - first + 1 <= most + (taken[last] - taken[first]) // each


def test_a_flood_of_addresses_does_not_grow_it(clock):
    meter = Meter(REQUESTS, clock=clock, most_known=100)
    for number in range(10_000):
        meter.take(str(number))
    assert len(meter) == 100
    known = Regulars(most=100)
    for number in range(10_000):
        known.add(str(number).encode())
    assert len(known) == 100
    assert b"9999" in known


def test_who_keeps_asking_is_not_forgotten_in_a_flood_and_who_comes_late_is_measured(clock):
    meter = Meter(Quota("cards", 2, 10), clock=clock, most_known=100)
    got = 0
    for number in range(1000):
        got += meter.take("Ada").allowed
        meter.take(str(number))
    assert got == 2
    assert [meter.take("Bo").allowed for _ in range(3)] == [True, True, False]


def test_threads_share_a_meter(clock):
    meter, got = Meter(Quota("cards", 500, 10), clock=clock), []
    start = threading.Barrier(8)

    class Interrupted(OrderedDict):
        def get(self, *given):
            found = super().get(*given)
            time.sleep(0)  # another thread's turn, between looking and writing
            return found

    meter._whole_at = Interrupted()

    def ask():
        start.wait()
        got.extend(meter.take("Ada").allowed for _ in range(200))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(got) == 500


def test_six_phones_behind_one_address_never_notice(clock):
    """All open the page at once, 120 files each; for three hours each asks every 0.3 seconds, as
    while a la vola is being settled, and one writes every second."""
    requests, writes = Meter(REQUESTS, clock=clock), Meter(WRITES, clock=clock)
    assert all(requests.take(HERE).allowed for _ in range(6 * 120))
    for tick in range(3 * 3600 * 10):
        clock.wait(0.1)
        asked = [requests.take(HERE) for _ in range(2)]  # six phones, each in its own third
        if tick % 10 == 0:
            asked += [requests.take(HERE), writes.take("scorer")]
        assert all(left.allowed for left in asked)


def test_an_evening_without_network_is_sent_at_once(clock):
    writes = Meter(WRITES, clock=clock)
    assert all(writes.take("scorer").allowed for _ in range(60 * 10))


# whose request it is


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "found"),
    [
        (HERE, None, "", HERE),
        (HERE, THERE, "", HERE),  # anybody may write that
        ("127.0.0.1", None, "", "127.0.0.1"),
        ("127.0.0.1", THERE, "", THERE),
        ("127.0.0.1", f"192.0.2.1, {THERE}", "", THERE),  # only the last is the proxy's own word
        ("127.0.0.1", f"{THERE}, 127.0.0.1", "", THERE),
        ("::1", THERE, "", THERE),
        ("::ffff:127.0.0.1", THERE, "", THERE),
        (f"::ffff:{HERE}", None, "", HERE),
        ("127.0.0.1", "unknown", "", "127.0.0.1"),
        ("127.0.0.1", "", "", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1", "", "127.0.0.1"),
        ("10.0.0.5", THERE, "", "10.0.0.5"),
        ("10.0.0.5", THERE, "10.0.0.5", THERE),
        ("10.0.0.5", f"{THERE}, 10.0.0.6", "10.0.0.0/24, 2001:db8::/64", THERE),
        ("2001:db8:1:2:3:4:5:6", None, "", "2001:db8:1:2::/64"),
        ("", None, "", "?"),
        ("unix:", THERE, "", "?"),
    ],
)
def test_the_address_is_the_callers_and_not_the_proxys(peer, forwarded, proxies, found):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    environ = EnvironBuilder(headers=headers, environ_base={"REMOTE_ADDR": peer}).get_environ()
    assert caller.household(environ, caller.networks(proxies)) == found


def test_many_forwarded_addresses_are_read_to_the_last(client):
    long = ", ".join(str(ip_address(2**31 + number)) for number in range(1000))
    answer = client.get("/v1/games", headers={"X-Forwarded-For": long})
    assert answer.status_code == 200


# at the door


def test_too_many_requests_of_one_address_are_refused_until_they_have_waited(client, limits, clock):
    for _ in range(REQUESTS.most):
        limits.meters["requests"].take(HERE)
    wait = refused(client.get("/v1/games"))
    assert refused(client.get("/nowhere")) == refused(client.get("/")) == wait
    assert client.get("/healthz").status_code == 200
    assert client.get("/v1/games", environ_base={"REMOTE_ADDR": THERE}).status_code == 200
    clock.wait(wait)
    assert client.get("/v1/games").status_code == 200


def test_what_is_left_is_told_as_the_draft_names_it(client, limits, table):
    told = table.get().headers
    assert told["RateLimit-Policy"] == '"requests";q=1000;w=10'
    assert told["RateLimit"] == '"requests";r=998;t=1'
    assert "RateLimit" not in client.get("/").headers
    for _ in range(OPENINGS.most - 1):
        limits.meters["openings"].take(HERE)
    answer = opened(client)
    refused(answer)
    assert answer.headers["RateLimit-Policy"] == '"openings";q=60;w=600'
    assert answer.headers["RateLimit"] == '"openings";r=0;t=10'
    assert answer.headers["Content-Language"] == "sv"
    assert answer.json["detail"].startswith("För många")


@pytest.mark.parametrize("what", ["/v1/sessions", "/v1/circles"])
def test_evenings_and_circles_are_opened_by_the_dozen_and_not_by_the_thousand(
    client, limits, clock, what
):
    for _ in range(OPENINGS.most):
        limits.meters["openings"].take(HERE)
    wait = refused(client.post(what, json={}))
    assert wait == OPENINGS.seconds // OPENINGS.most
    assert client.post(what, json={}, environ_base={"REMOTE_ADDR": THERE}).status_code != 429
    clock.wait(wait)
    assert client.post(what, json={}).status_code != 429


class Body(io.BytesIO):
    """Knows whether anybody looked into it."""

    was_read = False

    def read(self, *most):
        self.was_read = True
        return super().read(*most)

    def readinto(self, into):
        self.was_read = True
        return super().readinto(into)


def test_nothing_is_read_of_a_request_that_is_refused(client, limits):
    def sent():
        body = Body(b"{}" * 40)
        given = {"input_stream": body, "content_length": 80, "content_type": "application/json"}
        return client.post("/v1/sessions", headers={"Idempotency-Key": "k"}, **given), body

    answer, body = sent()
    assert (answer.status_code, body.was_read) == (400, True)
    for _ in range(OPENINGS.most):
        limits.meters["openings"].take(HERE)
    answer, body = sent()
    assert (refused(answer), body.was_read) == (10, False)


def test_writes_are_measured_by_token(client, limits, table, clock):
    limits.meters["writes"] = Meter(Quota("writes", 3, 30), clock=clock)

    def written(role="host"):
        return table.write("/actions", {}, match="*", role=role)

    assert [written().status_code for _ in range(4)] == [422, 422, 422, 429]
    wait = refused(written())
    assert written("scorer").status_code == 422
    assert table.get().status_code == 200
    clock.wait(wait)
    assert [written().status_code for _ in range(2)] == [422, 429]


def test_saying_that_one_writes_a_deal_down_costs_no_write(client, limits, table, clock):
    right = {"Authorization": f"Bearer {table.tokens['scorer']}"}

    def beat():
        return client.put(f"{table.here}/recording/Qm3xk9", json={"deal": 1}, headers=right)

    for _ in range(HEARTBEATS.most):
        limits.meters["writes"].take("somebody")
    assert beat().status_code == 204
    stopped = client.delete(f"{table.here}/recording/Qm3xk9", headers=right)
    assert stopped.headers["RateLimit-Policy"] == '"heartbeats";q=120;w=60'
    assert [beat().status_code for _ in range(HEARTBEATS.most - 2)] == [204] * 118
    wait = refused(beat())
    assert table.act({"type": "open_deal"}, match="*", role="scorer").status_code == 201
    assert table.get("/recording").status_code == 200
    clock.wait(wait)
    assert beat().status_code == 204


def test_twenty_phones_that_came_by_one_link_may_all_say_that_they_write(clock):
    heartbeats = Meter(HEARTBEATS, clock=clock)
    for _ in range(60):
        assert all(heartbeats.take("scorer").allowed for _ in range(20))
        clock.wait(10)


def test_tokens_cannot_be_tried_one_after_the_other(client, table, clock):
    elsewhere = "/v1/sessions/00000000-0000-4000-8000-000000000000"

    def tried(path, token):
        return client.get(path, headers={"Authorization": f"Bearer {token}"})

    for number in range(STRANGERS.most):
        assert tried(table.here, f"host0.{number}").status_code == 404
    wait = refused(tried(table.here, "host0.another"))
    for path in (table.here, elsewhere, f"{table.here}/pot", "/v1/circles/nothing"):
        assert refused(tried(path, "host0.another")) == wait
    same = tried(table.here, table.tokens["viewer"])
    assert (refused(same), same.data) == (wait, tried(elsewhere, "x").data)
    assert client.get("/v1/games").status_code == 200
    clock.wait(wait)
    assert tried(table.here, table.tokens["viewer"]).status_code == 200
    assert tried(elsewhere, "x").status_code == 404


def test_codes_cannot_be_tried_one_after_the_other(client, table, clock):
    door = table.write("/code", {}, match="*").json["code"]

    def knocked(code):
        body, key = {"code": code, "label": "Emil"}, {"Idempotency-Key": f"knock-{next(keys)}"}
        return client.post("/v1/knocks", json=body, headers=key)

    for number in range(STRANGERS.most // 2):
        assert knocked(f"ZZ{number}").status_code == 404
        assert knocked(door if number % 10 == 0 else "").status_code in (201, 422)
    for number in range(STRANGERS.most // 2):
        assert client.get(f"/v1/sessions/{number}").status_code == 404
    wait = refused(knocked("ZZ"))
    assert refused(knocked(door)) == wait
    clock.wait(wait)
    assert knocked(door).status_code == 201


def test_whoever_was_let_in_is_not_slowed_down_by_a_stranger_behind_the_same_address(
    client, table, limits
):
    assert table.get().status_code == 200
    for number in range(STRANGERS.most + 1):
        table.client.get(table.here, headers={"Authorization": f"Bearer {number}"})
    assert table.get().status_code == 200
    assert table.act({"type": "open_deal"}, match='"1"').status_code == 201
    refused(table.get(role="viewer"))  # this one was never here before
    by_cookie = {"Cookie": f"vola-{table.id}={table.tokens['viewer']}"}
    refused(client.get(table.here, headers=by_cookie))


def test_being_let_in_costs_no_tries(client, table):
    for number in range(STRANGERS.most + 1):
        seat = {"Cookie": f"vola-{table.id}={table.tokens['viewer']}; number={number}"}
        assert client.get(table.here, headers=seat).status_code == 200  # each is new here
        assert client.put(f"{table.here}/actions", headers=seat).status_code == 405
    for _ in range(STRANGERS.most + 1):
        assert table.act({"type": "open_deal"}, match="*", role="viewer").status_code == 403
    for number in range(STRANGERS.most):
        assert client.get(f"/v1/circles/{number}").status_code == 404
    refused(client.get("/v1/circles/another"))


@pytest.mark.parametrize("told", ["Bearer {}", "bEaReR   {}", "bearer {} "])
def test_a_right_is_the_same_however_it_is_spelled(table, limits, monkeypatch, told):
    monkeypatch.setattr(limits, "regulars", Regulars(most=2))
    rights = set()
    honest = limits._right
    monkeypatch.setattr(limits, "_right", lambda: rights.add(honest()) or honest())
    for spelled in ("Bearer {}", told):
        given = {"Authorization": spelled.format(table.tokens["host"])}
        assert table.client.get(table.here, headers=given).status_code == 200
    assert len(rights) == 1


def test_a_right_that_was_taken_away_is_a_strangers(table, limits, monkeypatch):
    assert table.get().status_code == 200
    assert len(limits.regulars) == 1

    def nobody(*_, **__):
        raise UnknownSession

    monkeypatch.setattr(access, "enter", nobody)
    for _ in range(STRANGERS.most):
        assert table.get().status_code == 404
    assert len(limits.regulars) == 0
    refused(table.get())


def test_tokens_are_not_kept_in_memory(table, limits):
    table.get()
    table.act({"type": "open_deal"}, match='"1"')
    kept = repr(vars(limits)) + repr([vars(m) for m in limits.meters.values()])
    kept += repr(vars(limits.regulars))
    for token in table.tokens.values():
        assert token.split(".")[1] not in kept
    assert HERE in kept


def test_a_house_with_many_tables_gets_so_many_times_as_much(clock):
    meters = Limits(times=8, clock=clock).meters
    assert meters["requests"].quota == Quota("requests", 8000, 10)
    assert meters["strangers"].quota.most == 480


def test_without_limits_there_are_none(app):
    client = app.test_client()
    tried = {client.get("/v1/sessions/x").status_code for _ in range(STRANGERS.most * 2)}
    assert tried == {404}


class Unread:
    """A request as granian tells it, whose body never comes."""

    method, path, query_string, scheme, http_version = "POST", "/v1/sessions", "", "http", "1.1"
    server, client, headers = "127.0.0.1:80", f"{HERE}:5000", {"content-length": "90"}
    answer: tuple[int, dict[str, str], bytes] | None = None

    def __call__(self):
        raise AssertionError("somebody waits for the body")

    def response_bytes(self, status, headers, body):
        self.answer = status, dict(headers), body


def test_the_server_does_not_wait_for_the_body_of_who_came_too_soon(limits, store):
    app = create_app(store.pool, limits=limits)
    reception = Reception(app, app.wsgi_app)
    with pytest.raises(AssertionError, match="waits"):
        alone(reception.__rsgi__(Unread(), Unread()))
    for _ in range(REQUESTS.most - 1):
        limits.meters["requests"].take(HERE)
    late = Unread()
    alone(reception.__rsgi__(late, late))
    status, headers, body = late.answer
    assert (status, json.loads(body)["code"]) == (429, "too_many_requests")
    assert headers["Retry-After"] == "1"
    assert headers["RateLimit"] == '"requests";r=0;t=1'
    assert headers["Content-Type"] == "application/problem+json"
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    told = app.test_client().get("/metrics").text
    assert 'vola_rate_limited_total{limit="requests"} 1' in told


def test_an_answer_that_breaks_off_before_anything_was_sent_is_a_refusal_like_any_other(store):
    class Asked(Unread):
        method, headers = "GET", {}

    def broken(error):
        def wsgi(_, start):
            start("200 OK", [])
            yield b"half"
            raise error

        return wsgi

    app = create_app(store.pool)
    for error, status, code in (
        (psycopg.OperationalError("gone"), 503, "database_unavailable"),
        (OSError("No space left on device"), 500, "internal_error"),
    ):
        asked = Asked()
        alone(Reception(app, broken(error)).__rsgi__(asked, asked))
        said, headers, body = asked.answer
        problem = json.loads(body)
        assert (said, problem["status"], problem["code"]) == (status, status, code)
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Request-Id"] in problem.get("detail", "") or code != "internal_error"


def test_a_request_is_counted_once_however_it_arrives(client, limits):
    environ = EnvironBuilder("/v1/games", environ_base={"REMOTE_ADDR": HERE}).get_environ()
    limits.arrive(environ)
    _, _, headers = run_wsgi_app(client.application, environ)
    assert headers["RateLimit"] == '"requests";r=999;t=1'


def test_limits_of_a_running_server_survive_an_emptied_redis(cluster, bell, data):
    """Two processes, each with its own: twice as much at most, and then 429 from both."""
    urls, redis_url = copied(cluster, "vola_limited"), rung_apart(bell, 7)
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": redis_url,
        "VOLA_DATA": str(data),
        "VOLA_RATE_LIMITS": "1",
        "VOLA_LOG": "json",
    }
    log = data / "limited.log"
    with serving(environment, log) as server:
        began = time.monotonic()
        seen = [status(server.port, HERE)]
        while seen[-40:].count(429) < 40:  # the kernel deals connections out as it likes
            seen.append(status(server.port, HERE))
        assert set(seen) == {400, 429}  # without a key
        redis.from_url(redis_url).flushdb()
        seen += [status(server.port, HERE) for _ in range(40)]
        come_back = (time.monotonic() - began) * OPENINGS.most / OPENINGS.seconds
        assert OPENINGS.most <= seen.count(400) <= 2 * (OPENINGS.most + come_back + 1)
        assert status(server.port, THERE) == 400
    told = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    codes = {one["code"] for one in told if one["message"] == "answered" and one["status"] == 429}
    assert codes == {"too_many_requests"}


def status(port, address):
    there = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    there.request(
        "POST", "/v1/sessions", b"{}",
        {"Content-Type": "application/json", "X-Forwarded-For": address},
    )  # fmt: skip
    found = there.getresponse().status
    there.close()
    return found
