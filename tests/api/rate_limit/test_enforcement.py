"""Rate limits hold whatever happens to Redis, and six devices at one table never reach them."""

import errno
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

from api.app import create_app
from api.auth import access
from api.http import client_address
from api.rate_limit import gcra
from api.rate_limit.enforcement import KnownTokens, RateLimits
from api.rate_limit.gcra import MAX_CLIENTS, NANOSECONDS, Quota, RateLimiter
from api.rate_limit.policy import (
    CREATIONS,
    HEARTBEATS,
    IMPORTS,
    REQUESTS,
    UNKNOWN_TOKENS,
    WRITES,
    policy_of,
)
from api.server.rsgi_adapter import RsgiAdapter
from ledger.events.recorded_event import UnknownSession
from tests.support.api.session_client import SessionClient, keys
from tests.support.api.socket_clients import run_in_thread
from tests.support.databases import copy_database, valkey_url
from tests.support.player_names import FOUR_PLAYERS
from tests.support.server_process import run_server

OWN_ADDRESS, OTHER_ADDRESS = "203.0.113.7", "198.51.100.9"


class StoppedClock:
    """A clock that moves only when `wait` is called."""

    def __init__(self) -> None:
        self.now = 5_000 * NANOSECONDS

    def __call__(self) -> int:
        return self.now

    def wait(self, seconds) -> None:
        self.now += int(seconds * NANOSECONDS)


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def rate_limits(clock):
    return RateLimits(clock=clock)


@pytest.fixture
def client(app, rate_limits):
    """A client at OWN_ADDRESS, over the database of the other tests."""
    test_client = create_app(app.extensions["store"].pool, rate_limits=rate_limits).test_client(
        use_cookies=False
    )
    test_client.environ_base["REMOTE_ADDR"] = OWN_ADDRESS
    return test_client


def post_session(client, **more):
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
    key = {"Idempotency-Key": f"within the limits, {next(keys):06}"}
    return client.post("/v1/sessions", json=body, headers=key, **more)


@pytest.fixture
def session(client):
    opened = post_session(client).json
    return SessionClient(client, opened["id"], opened["tokens"])


def assert_refused(answer):
    assert (answer.status_code, answer.json["code"]) == (429, "too_many_requests"), answer.text
    assert int(answer.headers["Retry-After"]) >= 1
    return int(answer.headers["Retry-After"])


# The limiter


def test_a_quota_allows_a_burst_and_then_a_steady_rate(clock):
    limiter = RateLimiter(Quota("cards", 5, 10), clock=clock)
    assert [limiter.consume("Ada").remaining for _ in range(5)] == [4, 3, 2, 1, 0]
    assert not limiter.consume("Ada").allowed
    assert limiter.consume("Bo").allowed
    clock.wait(1.9)
    assert (limiter.consume("Ada").allowed, limiter.consume("Ada").seconds) == (False, 1)
    clock.wait(0.1)
    assert [limiter.consume("Ada").allowed for _ in range(2)] == [True, False]
    clock.wait(3600)
    assert [limiter.consume("Ada").allowed for _ in range(6)] == [True] * 5 + [False]


@given(
    limit=st.integers(1, 50),
    seconds=st.integers(1, 600),
    waits=st.lists(st.integers(0, 20 * NANOSECONDS), max_size=200),
)
def test_no_pattern_exceeds_the_quota_and_waiting_as_told_suffices(limit, seconds, waits):
    clock, times = StoppedClock(), []
    limiter = RateLimiter(Quota("any", limit, seconds), clock=clock)
    interval = seconds * NANOSECONDS // limit
    for wait in waits:
        clock.now += wait
        result = limiter.consume("Ada")
        if result.allowed:
            times.append(clock.now)
        else:
            assert result.seconds >= 1
            later_clock = StoppedClock()
            later_clock.now = clock.now + result.seconds * NANOSECONDS
            copy = RateLimiter(limiter.quota, clock=later_clock)
            copy._full_at.update(limiter._full_at)
            assert copy.consume("Ada").allowed
    for first in range(len(times)):
        for last in range(first, len(times)):
            assert last - first + 1 <= limit + (times[last] - times[first]) // interval


def test_a_flood_of_addresses_does_not_grow_the_limiter(clock):
    limiter, tokens = RateLimiter(REQUESTS, clock=clock), KnownTokens()
    for number in range(2 * MAX_CLIENTS):
        limiter.consume(str(number))
        tokens.add(str(number).encode())
    assert len(limiter._full_at) == len(tokens) == MAX_CLIENTS
    assert str(2 * MAX_CLIENTS - 1).encode() in tokens


def test_a_flood_neither_resets_a_caller_nor_exempts_a_new_one(clock, monkeypatch):
    monkeypatch.setattr(gcra, "MAX_CLIENTS", 100)
    limiter = RateLimiter(Quota("cards", 2, 10), clock=clock)
    allowed = 0
    for number in range(1000):
        allowed += limiter.consume("Ada").allowed
        limiter.consume(str(number))
    assert allowed == 2
    assert [limiter.consume("Bo").allowed for _ in range(3)] == [True, True, False]


def test_threads_share_a_limiter(clock):
    limiter, results = RateLimiter(Quota("cards", 500, 10), clock=clock), []
    start = threading.Barrier(8)

    class YieldingDict(OrderedDict):
        def get(self, *arguments):
            value = super().get(*arguments)
            time.sleep(0)  # lets another thread run between reading and writing
            return value

    limiter._full_at = YieldingDict()

    def take_many():
        start.wait()
        results.extend(limiter.consume("Ada").allowed for _ in range(200))

    threads = [threading.Thread(target=take_many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results) == 500


def test_six_devices_behind_one_address_never_reach_a_limit(clock):
    """All open the page at once, 120 files each; for three hours each polls every 0.3 seconds,
    as while a la vola is being settled, and one writes every second."""
    requests, writes = RateLimiter(REQUESTS, clock=clock), RateLimiter(WRITES, clock=clock)
    assert all(requests.consume(OWN_ADDRESS).allowed for _ in range(6 * 120))
    for tick in range(3 * 3600 * 10):
        clock.wait(0.1)
        results = [
            requests.consume(OWN_ADDRESS) for _ in range(2)
        ]  # six phones, each in its own third
        if tick % 10 == 0:
            results += [requests.consume(OWN_ADDRESS), writes.consume("scorer")]
        assert all(result.allowed for result in results)


def test_a_session_recorded_offline_can_be_sent_at_once(clock):
    writes = RateLimiter(WRITES, clock=clock)
    assert all(writes.consume("scorer").allowed for _ in range(60 * 10))


# The address of the caller


@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "key"),
    [
        (OWN_ADDRESS, None, "", OWN_ADDRESS),
        (OWN_ADDRESS, OTHER_ADDRESS, "", OWN_ADDRESS),  # anyone can write this header
        ("127.0.0.1", None, "", "127.0.0.1"),
        ("127.0.0.1", OTHER_ADDRESS, "", OTHER_ADDRESS),
        (
            "127.0.0.1",
            f"192.0.2.1, {OTHER_ADDRESS}",
            "",
            OTHER_ADDRESS,
        ),  # only the last one was written by the proxy
        ("127.0.0.1", f"{OTHER_ADDRESS}, 127.0.0.1", "", OTHER_ADDRESS),
        ("::1", OTHER_ADDRESS, "", OTHER_ADDRESS),
        ("::ffff:127.0.0.1", OTHER_ADDRESS, "", OTHER_ADDRESS),
        (f"::ffff:{OWN_ADDRESS}", None, "", OWN_ADDRESS),
        ("127.0.0.1", "unknown", "", "127.0.0.1"),
        ("127.0.0.1", "", "", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1", "", "127.0.0.1"),
        ("10.0.0.5", OTHER_ADDRESS, "", "10.0.0.5"),
        ("10.0.0.5", OTHER_ADDRESS, "10.0.0.5", OTHER_ADDRESS),
        ("10.0.0.5", f"{OTHER_ADDRESS}, 10.0.0.6", "10.0.0.0/24, 2001:db8::/64", OTHER_ADDRESS),
        ("2001:db8:1:2:3:4:5:6", None, "", "2001:db8:1:2::/64"),
        ("", None, "", "?"),
        ("unix:", OTHER_ADDRESS, "", "?"),
    ],
)
def test_the_address_is_the_callers_and_not_the_proxys(peer, forwarded, proxies, key):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    environ = EnvironBuilder(headers=headers, environ_base={"REMOTE_ADDR": peer}).get_environ()
    assert client_address.rate_limit_key(environ, client_address.parse_networks(proxies)) == key


def test_many_forwarded_addresses_are_read_to_the_last(client):
    addresses = ", ".join(str(ip_address(2**31 + number)) for number in range(1000))
    answer = client.get("/v1/games", headers={"X-Forwarded-For": addresses})
    assert answer.status_code == 200


# Requests


def test_requests_beyond_the_quota_are_refused_until_the_wait_is_over(client, rate_limits, clock):
    for _ in range(REQUESTS.limit):
        rate_limits.limiters["requests"].consume(OWN_ADDRESS)
    wait = assert_refused(client.get("/v1/games"))
    assert assert_refused(client.get("/nowhere")) == assert_refused(client.get("/")) == wait
    assert client.get("/healthz").status_code == 200
    assert client.get("/v1/games", environ_base={"REMOTE_ADDR": OTHER_ADDRESS}).status_code == 200
    clock.wait(wait)
    assert client.get("/v1/games").status_code == 200


def test_the_quota_left_is_reported_in_the_headers_of_the_draft(client, rate_limits, session):
    headers = session.get().headers
    assert headers["RateLimit-Policy"] == '"requests";q=1000;w=10'
    assert headers["RateLimit"] == '"requests";r=998;t=1'
    assert "RateLimit" not in client.get("/").headers
    for _ in range(CREATIONS.limit - 1):
        rate_limits.limiters["openings"].consume(OWN_ADDRESS)
    answer = post_session(client)
    assert_refused(answer)
    assert answer.headers["RateLimit-Policy"] == '"openings";q=60;w=600'
    assert answer.headers["RateLimit"] == '"openings";r=0;t=10'
    assert answer.headers["Content-Language"] == "sv"
    assert answer.json["detail"].startswith("För många")


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/groups"])
def test_creations_of_sessions_and_groups_have_a_quota(client, rate_limits, clock, path):
    for _ in range(CREATIONS.limit):
        rate_limits.limiters["openings"].consume(OWN_ADDRESS)
    wait = assert_refused(client.post(path, json={}))
    assert wait == CREATIONS.seconds // CREATIONS.limit
    assert (
        client.post(path, json={}, environ_base={"REMOTE_ADDR": OTHER_ADDRESS}).status_code != 429
    )
    clock.wait(wait)
    assert client.post(path, json={}).status_code != 429


def test_a_preflight_counts_as_no_creation(client, rate_limits):
    for _ in range(CREATIONS.limit):
        rate_limits.limiters["openings"].consume(OWN_ADDRESS)
    assert client.options("/v1/sessions").status_code == 200
    assert_refused(post_session(client))


def test_imports_have_a_quota(client, rate_limits, clock):
    for _ in range(IMPORTS.limit):
        assert client.post("/v1/imports", json={}).status_code != 429
    wait = assert_refused(client.post("/v1/imports", json={}))
    assert wait == IMPORTS.seconds // IMPORTS.limit
    assert post_session(client).status_code == 201
    clock.wait(wait)
    assert client.post("/v1/imports", json={}).status_code != 429


def test_quotas_belong_to_views_whatever_their_path(app):
    """Every view that accepts a POST without a token has a quota."""

    assert policy_of(app, "sessions.open_session").address_quota == CREATIONS
    assert policy_of(app, "groups.create_group").address_quota == CREATIONS
    assert policy_of(app, "group_sessions.open_group_session").address_quota == CREATIONS
    assert policy_of(app, "imports.import_export").address_quota == IMPORTS
    assert (
        policy_of(app, "presence.announce_presence").write_quota
        == policy_of(app, "presence.withdraw_presence").write_quota
        == HEARTBEATS
    )
    assert policy_of(app, "join_requests.create_join_request").limits_attempts
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        if "POST" in rule.methods and not hasattr(view, "needs_role"):
            policy = policy_of(app, rule.endpoint)
            assert policy.address_quota or policy.limits_attempts, rule


class WatchedBody(io.BytesIO):
    """A body that records whether it was read."""

    was_read = False

    def read(self, *size):
        self.was_read = True
        return super().read(*size)

    def readinto(self, buffer):
        self.was_read = True
        return super().readinto(buffer)


def test_the_body_of_a_refused_request_is_not_read(client, rate_limits):
    def send():
        body = WatchedBody(b"{}" * 40)
        request_body = {
            "input_stream": body,
            "content_length": 80,
            "content_type": "application/json",
        }
        return client.post(
            "/v1/sessions", headers={"Idempotency-Key": "k" * 22}, **request_body
        ), body

    answer, body = send()
    assert (answer.status_code, body.was_read) == (400, True)
    for _ in range(CREATIONS.limit):
        rate_limits.limiters["openings"].consume(OWN_ADDRESS)
    answer, body = send()
    assert (assert_refused(answer), body.was_read) == (10, False)


def test_writes_are_counted_by_token(client, rate_limits, session, clock):
    rate_limits.limiters["writes"] = RateLimiter(Quota("writes", 3, 30), clock=clock)

    def write(role="host"):
        return session.write("/actions", {}, match="*", role=role)

    answers = [write() for _ in range(4)]
    assert [answer.status_code for answer in answers] == [422, 422, 422, 429]
    policies = {answer.headers["RateLimit-Policy"] for answer in answers}
    assert policies == {'"writes";q=3;w=30'}, "the quota that ends first"
    wait = assert_refused(write())
    assert write("scorer").status_code == 422
    assert session.get().status_code == 200
    clock.wait(wait)
    assert [write().status_code for _ in range(2)] == [422, 429]


def test_announcing_presence_counts_as_no_write(client, rate_limits, session, clock):
    credentials = {"Authorization": f"Bearer {session.tokens['scorer']}"}

    def announce():
        return client.put(f"{session.path}/presence/Qm3xk9", json={"deal": 1}, headers=credentials)

    for _ in range(HEARTBEATS.limit):
        rate_limits.limiters["writes"].consume("somebody")
    assert announce().status_code == 204
    stopped = client.delete(f"{session.path}/presence/Qm3xk9", headers=credentials)
    assert stopped.headers["RateLimit-Policy"] == '"heartbeats";q=120;w=60'
    assert [announce().status_code for _ in range(HEARTBEATS.limit - 2)] == [204] * 118
    wait = assert_refused(announce())
    assert session.act({"type": "open_deal"}, match="*", role="scorer").status_code == 201
    assert session.get("/presence").status_code == 200
    clock.wait(wait)
    assert announce().status_code == 204


def test_twenty_devices_of_one_link_may_all_announce_presence(clock):
    heartbeats = RateLimiter(HEARTBEATS, clock=clock)
    for _ in range(60):
        assert all(heartbeats.consume("scorer").allowed for _ in range(20))
        clock.wait(10)


def test_a_request_that_is_refused_unread_makes_no_guess_known(client, rate_limits, session):
    guess = {"Authorization": "Bearer host0.guess"}
    unread = client.post(
        f"{session.path}/actions", data=b"", content_type="text/plain", headers=guess
    )
    assert unread.status_code == 415
    for _ in range(UNKNOWN_TOKENS.limit):
        rate_limits.limiters[UNKNOWN_TOKENS.name].consume(OWN_ADDRESS)
    assert_refused(client.get(session.path, headers=guess))


def test_tokens_cannot_be_guessed_one_after_another(client, session, clock):
    other_path = "/v1/sessions/00000000-0000-4000-8000-000000000000"

    def get_with_token(path, token):
        return client.get(path, headers={"Authorization": f"Bearer {token}"})

    for number in range(UNKNOWN_TOKENS.limit):
        assert get_with_token(session.path, f"host0.{number}").status_code == 404
    wait = assert_refused(get_with_token(session.path, "host0.another"))
    for path in (session.path, other_path, f"{session.path}/pot", "/v1/groups/nothing"):
        assert assert_refused(get_with_token(path, "host0.another")) == wait
    answer = get_with_token(session.path, session.tokens["viewer"])
    assert (assert_refused(answer), answer.data) == (wait, get_with_token(other_path, "x").data)
    assert client.get("/v1/games").status_code == 200
    clock.wait(wait)
    assert get_with_token(session.path, session.tokens["viewer"]).status_code == 200
    assert get_with_token(other_path, "x").status_code == 404


def test_join_codes_cannot_be_guessed_one_after_another(client, session, clock):
    code = session.write("/join-code", {}, match="*").json["code"]

    def send_join_request(code):
        body, key = (
            {"code": code, "label": "Emil"},
            {"Idempotency-Key": f"a request to join, number {next(keys)}"},
        )
        return client.post("/v1/join-requests", json=body, headers=key)

    for number in range(UNKNOWN_TOKENS.limit // 2):
        assert send_join_request(f"ZZ{number}").status_code == 404
        assert send_join_request(code if number % 10 == 0 else "").status_code in (201, 422)
    for number in range(UNKNOWN_TOKENS.limit // 2):
        assert client.get(f"/v1/sessions/{number}").status_code == 404
    wait = assert_refused(send_join_request("ZZ"))
    assert assert_refused(send_join_request(code)) == wait
    clock.wait(wait)
    assert send_join_request(code).status_code == 201


def test_a_known_token_is_not_slowed_by_a_stranger_at_its_address(client, session, rate_limits):
    assert session.get().status_code == 200
    for number in range(UNKNOWN_TOKENS.limit + 1):
        session.client.get(session.path, headers={"Authorization": f"Bearer {number}"})
    assert session.get().status_code == 200
    assert session.act({"type": "open_deal"}, match='"1"').status_code == 201
    assert_refused(session.get(role="viewer"))  # this token was never used here
    by_cookie = {"Cookie": f"vola-{session.id}={session.tokens['viewer']}"}
    assert_refused(client.get(session.path, headers=by_cookie))


def test_valid_tokens_cost_no_attempts(client, session):
    for number in range(UNKNOWN_TOKENS.limit + 1):
        headers = {"Cookie": f"vola-{session.id}={session.tokens['viewer']}; number={number}"}
        assert (
            client.get(session.path, headers=headers).status_code == 200
        )  # each cookie is new to the server
        assert client.put(f"{session.path}/actions", headers=headers).status_code == 405
    for _ in range(UNKNOWN_TOKENS.limit + 1):
        assert session.act({"type": "open_deal"}, match="*", role="viewer").status_code == 403
    for number in range(UNKNOWN_TOKENS.limit):
        assert client.get(f"/v1/groups/{number}").status_code == 404
    assert_refused(client.get("/v1/groups/another"))


@pytest.mark.parametrize("header_format", ["Bearer {}", "bEaReR   {}", "bearer {} "])
def test_a_token_counts_the_same_however_its_header_is_written(
    session, rate_limits, monkeypatch, header_format
):
    monkeypatch.setattr(rate_limits, "known_tokens", KnownTokens())
    digests = set()
    token_of = rate_limits._token_digest
    monkeypatch.setattr(rate_limits, "_token_digest", lambda: digests.add(token_of()) or token_of())
    for spelling in ("Bearer {}", header_format):
        headers = {"Authorization": spelling.format(session.tokens["host"])}
        assert session.client.get(session.path, headers=headers).status_code == 200
    assert len(digests) == 1


def test_a_revoked_token_counts_as_a_strangers(session, rate_limits, monkeypatch):
    assert session.get().status_code == 200
    assert len(rate_limits.known_tokens) == 1

    def fail(*_, **__):
        raise UnknownSession

    monkeypatch.setattr(access, "authenticate", fail)
    for _ in range(UNKNOWN_TOKENS.limit):
        assert session.get().status_code == 404
    assert len(rate_limits.known_tokens) == 0
    assert_refused(session.get())


def test_tokens_are_not_kept_in_memory(session, rate_limits):
    session.get()
    session.act({"type": "open_deal"}, match='"1"')
    memory = repr(vars(rate_limits)) + repr([vars(m) for m in rate_limits.limiters.values()])
    memory += repr(vars(rate_limits.known_tokens))
    for token in session.tokens.values():
        assert token.split(".")[1] not in memory
    assert OWN_ADDRESS in memory


def test_limits_can_be_multiplied_for_a_large_installation(clock):
    limiters = RateLimits(factor=8, clock=clock).limiters
    assert limiters["requests"].quota == Quota("requests", 8000, 10)
    assert limiters["strangers"].quota.limit == 480


def test_limits_can_be_switched_off(app):
    client = app.test_client()
    statuses = {client.get("/v1/sessions/x").status_code for _ in range(UNKNOWN_TOKENS.limit * 2)}
    assert statuses == {404}


class UnreadRequest:
    """A request with the interface of granian, whose body never arrives."""

    method, path, query_string, scheme, http_version = "POST", "/v1/sessions", "", "http", "1.1"
    server, client, headers = "127.0.0.1:80", f"{OWN_ADDRESS}:5000", {"content-length": "90"}
    answer: tuple[int, dict[str, str], bytes] | None = None

    def __call__(self):
        raise AssertionError("somebody waits for the body")

    def response_bytes(self, status, headers, body):
        self.answer = status, dict(headers), body


def test_a_request_over_the_limit_is_refused_without_its_body(rate_limits, store):
    app = create_app(store.pool, rate_limits=rate_limits)
    reception = RsgiAdapter(app)
    with pytest.raises(AssertionError, match="waits"):
        run_in_thread(reception.__rsgi__(UnreadRequest(), UnreadRequest()))
    for _ in range(REQUESTS.limit - 1):
        rate_limits.limiters["requests"].consume(OWN_ADDRESS)
    refused = UnreadRequest()
    run_in_thread(reception.__rsgi__(refused, refused))
    status, headers, body = refused.answer
    assert (status, json.loads(body)["code"]) == (429, "too_many_requests")
    assert headers["Retry-After"] == "1"
    assert headers["RateLimit"] == '"requests";r=0;t=1'
    assert headers["Content-Type"] == "application/problem+json"
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    metrics = app.test_client().get("/metrics").text
    assert 'vola_rate_limited_total{limit="requests"} 1' in metrics


def test_an_answer_that_fails_before_anything_was_sent_is_a_problem(store):
    class StubRequest(UnreadRequest):
        method, headers = "GET", {}

    def failing_app(error):
        def wsgi(_, start):
            start("200 OK", [])
            yield b"half"
            raise error

        return wsgi

    app = create_app(store.pool)
    for error, status, code in (
        (psycopg.OperationalError("gone"), 503, "database_unavailable"),
        (OSError(errno.ENOSPC, "No space left on device"), 503, "disk_full"),
        (OSError("Too many open files"), 500, "internal_error"),
    ):
        request, app.wsgi_app = StubRequest(), failing_app(error)
        run_in_thread(RsgiAdapter(app).__rsgi__(request, request))
        response_status, headers, body = request.answer
        problem = json.loads(body)
        assert (response_status, problem["status"], problem["code"]) == (status, status, code)
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Request-Id"] in problem.get("detail", "") or code != "internal_error"


def test_a_request_is_counted_once_however_it_arrives(client, rate_limits):
    environ = EnvironBuilder("/v1/games", environ_base={"REMOTE_ADDR": OWN_ADDRESS}).get_environ()
    rate_limits.count_request(environ)
    _, _, headers = run_wsgi_app(client.application, environ)
    assert headers["RateLimit"] == '"requests";r=999;t=1'


def test_limits_of_a_running_server_survive_an_emptied_redis(cluster, valkey, data):
    """Two processes count separately: at most twice the quota, and then 429 from both."""
    urls, redis_url = copy_database(cluster, "vola_limited"), valkey_url(valkey, 7)
    environment = {
        **urls.environment,
        "REDIS_URL": redis_url,
        "VOLA_DATA": str(data),
        "VOLA_RATE_LIMITS": "1",
        "VOLA_LOG": "json",
    }
    log = data / "limited.log"
    with run_server(environment, log) as server:
        started = time.monotonic()
        statuses = [get_status(server.port, OWN_ADDRESS)]
        while statuses[-40:].count(429) < 40:  # the kernel distributes connections as it likes
            statuses.append(get_status(server.port, OWN_ADDRESS))
        assert set(statuses) == {400, 429}  # 400: they have no idempotency key
        redis.from_url(redis_url).flushdb()
        statuses += [get_status(server.port, OWN_ADDRESS) for _ in range(40)]
        refilled = (time.monotonic() - started) * CREATIONS.limit / CREATIONS.seconds
        assert CREATIONS.limit <= statuses.count(400) <= 2 * (CREATIONS.limit + refilled + 1)
        assert get_status(server.port, OTHER_ADDRESS) == 400
    log_lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    codes = {
        entry["code"]
        for entry in log_lines
        if entry["message"] == "answered" and entry["status"] == 429
    }
    assert codes == {"too_many_requests"}


def get_status(port, address):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(
        "POST", "/v1/sessions", b"{}",
        {"Content-Type": "application/json", "X-Forwarded-For": address},
    )  # fmt: skip
    code = connection.getresponse().status
    connection.close()
    return code
