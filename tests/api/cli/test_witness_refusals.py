"""`vola witness` refuses wrong links, options and servers in one sentence without a token."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from tests.support.api.command_line import assert_refused
from tests.support.api.hostile_server import Answer, hostile_server, json_answer
from tests.support.api.witnesses import run_witness

SOME_ID, SOME_TOKEN = "8b9cb826-de6e-42e5-a518-f13ce4e1d7ed", "t" * 43

HUGE = [b"HTTP/1.1 200 OK\r\n\r\n{", *[b" " * 2**20] * 64]
ANSWERS = {
    "not JSON": (json_answer(b"<html>"), "no book gives"),
    "no object": (json_answer(b"[1]"), "no book gives"),
    "brackets": (json_answer(b"[" * 2**20), "no book gives"),
    "not UTF-8": (json_answer(b'{"version": "\xff"}'), "no book gives"),
    "half a sign": (json_answer(b'{"title": "\\ud800", "version": 1}'), "no book gives"),
    "no receipt": (json_answer(b'{"title": null, "version": 3}'), "no book gives"),
    "a version that is text": (json_answer(b'{"title": null, "version": "3"}'), "no book gives"),
    "an endless number": (json_answer(b'{"version": ' + b"9" * 10**6 + b"}"), "no book gives"),
    "a title that is a list": (json_answer(b'{"title": [], "version": 3}'), "no book gives"),
    "too much": (HUGE, "sends more than a book does"),
    "too much, as it says": (
        [b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", *HUGE[1:]], "sends more"),
    "endless headers": (
        [b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 60_000 + b"\r\n"] * 200], "is no HTTP"),
    "a long status line": ([b"HTTP/1.1 200 " + b"y" * 10**6], "is no HTTP"),
    "nothing": ([], "cannot be reached"),
    "no HTTP": ([b"SSH-2.0-OpenSSH\r\n"], "is no HTTP"),
    "half an answer": ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"], "no book gives"),
    "a redirect": (
        [b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"],
        "redirects elsewhere"),
    "an error": (json_answer(b"{}", "500 Oops"), "cannot answer now"),
    "no access": (json_answer(b'{"code": "unknown_session"}', "404 No"), "gives no access"),
    "an endless code": (json_answer(b'{"code": "' + b"y" * 10**6 + b'"}', "403 No"), "y" * 40),
    "a code that is markup": (json_answer(b'{"code": "\\u001b[2J"}', "403 No"), "refuses"),
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", ["s", "c"])
def test_a_server_that_is_no_book_is_refused_in_a_sentence(tmp_path, answer, kind):
    pieces, words = ANSWERS[answer]
    with hostile_server(lambda _: pieces) as url:
        refused = run_witness(tmp_path, f"{url}/#/{kind}/{SOME_ID}/{SOME_TOKEN}")
    assert_refused(refused, words)
    assert SOME_TOKEN not in refused.stdout + refused.stderr
    assert "\x1b" not in refused.stderr
    assert len(refused.stderr) < 1000


def test_an_answer_that_trickles_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("api.witness.client.REQUEST_SECONDS", 1)

    def trickle(_: BaseHTTPRequestHandler) -> Answer:
        def pieces() -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\n"
            while True:
                yield b"X: y\r\n"
                time.sleep(0.1)  # a server that is slow on purpose

        return pieces()  # type: ignore[return-value]

    with hostile_server(trickle) as url:
        refused = run_witness(tmp_path, f"{url}/#/s/{SOME_ID}/{SOME_TOKEN}")
    assert_refused(refused, "does not answer in time")


def test_a_malformed_host_name_is_refused_in_a_sentence(tmp_path):
    refused = run_witness(tmp_path, f"https://a..example.org/#/s/{SOME_ID}/{SOME_TOKEN}")
    assert_refused(refused, "host name is malformed")


def test_an_unreachable_server_is_refused_in_a_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for address in (f"http://127.0.0.1:{port}", "http://nowhere.invalid"):
        refused = run_witness(tmp_path, f"{address}/#/s/{SOME_ID}/{SOME_TOKEN}")
        assert_refused(refused, "cannot be reached")
        assert SOME_TOKEN not in refused.stderr


@pytest.mark.parametrize(
    "link",
    [
        "",
        "Fredag",
        f"ftp://127.0.0.1/#/s/{SOME_ID}/{SOME_TOKEN}",
        f"file:///etc/#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http:///#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http://ada:secret@127.0.0.1/#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http://127.0.0.1:99999/#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http://[::1/#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http://127.0.0.1/elsewhere#/s/{SOME_ID}/{SOME_TOKEN}",
        f"http://127.0.0.1/#/s/{SOME_ID}",
        f"http://127.0.0.1/#/s/{SOME_ID}/{SOME_TOKEN}/deals",
        f"http://127.0.0.1/#/s/../../{SOME_TOKEN}",
        f"http://127.0.0.1/#/s/{SOME_ID}/{SOME_TOKEN}\r\nX: y",
    ],
)
def test_what_is_no_link_is_refused_without_being_repeated(tmp_path, link):
    refused = run_witness(tmp_path, link)
    assert_refused(refused, "Link 1 is no invite link")
    assert SOME_TOKEN not in refused.stderr


def test_a_byte_order_mark_is_no_part_of_the_first_link(tmp_path):
    links = tmp_path / "links"
    links.write_text(f"http://127.0.0.1:1/#/s/{SOME_ID}/{SOME_TOKEN}\n", "utf-8-sig")
    assert_refused(run_witness(tmp_path, "--links", str(links)), "127.0.0.1:1 cannot be reached")


def test_options_that_make_no_sense_are_refused(tmp_path):
    link = f"http://127.0.0.1:1/#/s/{SOME_ID}/{SOME_TOKEN}"
    assert_refused(run_witness(tmp_path), "at least one link")
    assert_refused(run_witness(tmp_path, link, "--name", "Bo & Co"), "name of a witness")
    assert_refused(run_witness(tmp_path, link, "--key", "abc"), "64 hexadecimal digits")
    assert_refused(run_witness(tmp_path, link, "--links", str(tmp_path / "none")), "Cannot read")
    assert_refused(run_witness(tmp_path, link, "--ca-file", str(tmp_path / "none")), "Cannot read")
    assert_refused(run_witness(tmp_path, link, "--every", "0"), "0.0 is not in the range")
    assert_refused(run_witness(tmp_path, link, "--every", "nan"), "--every must be a number")
