"""Behind a proxy that terminates TLS, links use the scheme and host of the request, and HSTS covers
this host alone."""

from functools import cache

import pytest
from werkzeug import Response

from api.http import client_address
from api.server.rsgi_adapter import RsgiAdapter
from api.settings import InvalidSetting, read_settings
from tests.support.api.socket_clients import run_in_thread

PROXY, STRANGER = "10.0.0.21", "203.0.113.7"
HTTPS = {"X-Forwarded-Proto": "https"}


@cache
def adapter_of(app):
    return RsgiAdapter(app, client_address.parse_networks("10.0.0.0/24"))


class StubRequest:
    """A request with the interface of granian."""

    method, query_string, scheme, http_version, server = "GET", "", "http", "1.1", "127.0.0.1:80"

    def __init__(self, path, peer, headers):
        self.path, self.client, self.headers = path, f"{peer}:5000", headers
        self.answer = None

    def response_bytes(self, status, headers, body):
        self.answer = Response(body, status, headers)


def get_through_proxy(app, path, host="vola.example", peer="127.0.0.1", headers=None):
    request = StubRequest(path, peer, {"host": host, **(headers or {})})
    run_in_thread(adapter_of(app).__rsgi__(request, request))
    return request.answer


@pytest.mark.parametrize(
    ("forwarded", "scheme"),
    [(None, "http"), ("https", "https"), ("http", "http"), ("javascript", "http"),
     ("http, https", "https"), ("https, http", "http"), ("https,", "http")],
)  # fmt: skip
def test_a_link_uses_the_scheme_seen_by_the_proxy(app, session, forwarded, scheme):
    headers = {"Authorization": f"Bearer {session.tokens['host']}"}
    headers |= {"X-Forwarded-Proto": forwarded} if forwarded else {}
    answer = get_through_proxy(app, f"{session.path}/links", headers=headers)
    assert answer.status_code == 200, answer.text
    for link in answer.json["links"]:
        assert link["url"].startswith(f"{scheme}://vola.example/#/s/"), link


@pytest.mark.parametrize(
    ("peer", "is_trusted"),
    [("127.0.0.1", True), ("::1", True), (PROXY, True), (STRANGER, False), ("", False)],
)
def test_only_a_known_proxy_is_trusted_about_https(app, peer, is_trusted):
    answer = get_through_proxy(app, "/v1/games", peer=peer, headers=HTTPS)
    assert ("Strict-Transport-Security" in answer.headers) == is_trusted
    forwarded = {**HTTPS, "X-Forwarded-For": "127.0.0.1"}  # which anyone can write
    answer = get_through_proxy(app, "/v1/games", peer=peer, headers=forwarded)
    assert ("Strict-Transport-Security" in answer.headers) == is_trusted


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8080", "LOCALHOST", "vola.localhost", "127.0.0.1:8080", "127.9.9.9",
     "[::1]:8080", "[::1]", "192.168.1.20", "localhost."],
)  # fmt: skip
def test_a_name_that_is_not_unique_gets_no_hsts(app, host):
    """HSTS for such a name would also cover every other server on this machine, for a year."""
    assert (
        "Strict-Transport-Security" not in get_through_proxy(app, "/", host, headers=HTTPS).headers
    )


def test_hsts_covers_subdomains_only_when_set_so(app):
    header = get_through_proxy(app, "/", headers=HTTPS).headers["Strict-Transport-Security"]
    assert header == "max-age=31536000"
    app.config["HSTS"] = "subdomains"
    try:
        header = get_through_proxy(app, "/", headers=HTTPS).headers["Strict-Transport-Security"]
        assert header == "max-age=31536000; includeSubDomains"
        app.config["HSTS"] = "off"
        assert "Strict-Transport-Security" not in get_through_proxy(app, "/", headers=HTTPS).headers
    finally:
        app.config["HSTS"] = "host"


def test_hsts_is_a_setting():
    assert read_settings({}).hsts == "host"
    assert read_settings({"VOLA_HSTS": "subdomains"}).hsts == "subdomains"
    with pytest.raises(InvalidSetting, match="VOLA_HSTS must be host, subdomains or off"):
        read_settings({"VOLA_HSTS": "on"})
