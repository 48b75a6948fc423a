"""With a certificate the page is served over HTTPS alone; an unusable one is refused at start.

The tests make self-signed certificates for one run.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
)

from api.server import tls as certificate
from api.server.tls import NOT_A_PAIR
from api.settings import InvalidSetting
from tests.support.api.command_line import assert_refused, run_vola
from tests.support.certificates import DAY, HOST, Pair, create_certificate
from tests.support.databases import copy_database, valkey_url
from tests.support.player_names import FOUR_PLAYERS
from tests.support.server_process import ServerProcess

Make = Callable[..., Pair]


@pytest.fixture
def make_certificate(tmp_path: Path) -> Make:
    return lambda name="good", *arguments, **options: create_certificate(
        tmp_path, name, *arguments, **options
    )


# A running server


@pytest.fixture(scope="module")
def tls_server(
    cluster: Any, valkey: Any, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ServerProcess, Path]]:
    """A running server and its certificate."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = create_certificate(folder, "served")
    urls = copy_database(cluster, "vola_tls")
    environment = {
        **urls.environment,
        "REDIS_URL": valkey_url(valkey, 11),
        "VOLA_DATA": str(data),
        "TLS_CERT": str(cert),
        "TLS_KEY": str(key),
    }
    server = ServerProcess(environment, folder / "log", certificate=cert).start()
    yield server, cert
    server.stop()


def send_request(
    tls_server: tuple[ServerProcess, Path], method: str, path: str, body: Any = None, **headers: str
) -> Any:
    """Send a request, and verify the certificate and its address."""
    server, cert = tls_server
    trusting = ssl.create_default_context(cafile=cert)
    connection = http.client.HTTPSConnection(HOST, server.port, context=trusting, timeout=20)
    text = None if body is None else json.dumps(body)
    all_headers = {"Content-Type": "application/json", **headers} if text else headers
    connection.request(method, path, text, {k.replace("_", "-"): v for k, v in all_headers.items()})
    answer = connection.getresponse()
    answer.text = answer.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return answer


def negotiated_version(
    tls_server: tuple[ServerProcess, Path], newest: ssl.TLSVersion
) -> str | None:
    """Return the negotiated version, or raise SSLError; the client accepts all up to `newest`."""
    server, cert = tls_server
    context = ssl.create_default_context(cafile=cert)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    context.set_ciphers("ALL:@SECLEVEL=0")
    with (
        socket.create_connection((HOST, server.port), timeout=20) as line,
        context.wrap_socket(line, server_hostname=HOST) as tls,
    ):
        return tls.version()


def test_a_session_is_played_and_remembered_by_https(
    tls_server: tuple[ServerProcess, Path],
) -> None:
    body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
    opened = send_request(
        tls_server, "POST", "/v1/sessions", body, Idempotency_Key="an evening spoken by TLS"
    )
    assert opened.status == 201, opened.text
    evening = json.loads(opened.text)
    path, authorization = f"/v1/sessions/{evening['id']}", f"Bearer {evening['tokens']['host']}"
    cookie_answer = send_request(tls_server, "PUT", f"{path}/cookie", Authorization=authorization)
    assert cookie_answer.status == 204
    crumb, _, rest = cookie_answer.headers["Set-Cookie"].partition(";")
    assert crumb.startswith("__Host-vola=")
    assert crumb.endswith(f":{evening['tokens']['host']}")
    attributes = {part.strip() for part in rest.split(";")}
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= attributes
    assert not any(part.lower().startswith("domain") for part in attributes)
    assert send_request(tls_server, "GET", path, Cookie=crumb).status == 200
    assert send_request(tls_server, "GET", path, Cookie=crumb.removeprefix("__Host-")).status == 404
    links = json.loads(
        send_request(tls_server, "GET", f"{path}/links", Authorization=authorization).text
    )["links"]
    home = f"{tls_server[0].url}/#/s/{evening['id']}/"
    assert len(links) == 3
    assert all(link["url"].startswith(home) for link in links)


@pytest.mark.parametrize("path", ["/", "/v1/games", "/nowhere", "/readyz"])
def test_every_answer_asks_for_https_from_now_on(
    tls_server: tuple[ServerProcess, Path], path: str
) -> None:
    answer = send_request(tls_server, "GET", path, Host="vola.example")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert (
        "Strict-Transport-Security" not in send_request(tls_server, "GET", path).headers
    )  # localhost is exempt


def test_nothing_older_than_tls_1_3_is_accepted(tls_server: tuple[ServerProcess, Path]) -> None:
    assert negotiated_version(tls_server, ssl.TLSVersion.MAXIMUM_SUPPORTED) == "TLSv1.3"
    for old in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1):
        with pytest.raises(ssl.SSLError, match="_ALERT_"):  # the server refuses
            negotiated_version(tls_server, old)


def test_plain_http_on_the_tls_port_gets_no_answer(tls_server: tuple[ServerProcess, Path]) -> None:
    with socket.create_connection((HOST, tls_server[0].port), timeout=20) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: vola.example\r\n\r\n")
        assert b"HTTP" not in line.recv(4096)


# Certificates that cannot work


def run_serve(cert: Path | None, key: Path | None) -> Any:
    """Start the server with a database out of reach, so that it checks its certificate and ends."""
    settings = {"TLS_CERT": str(cert or ""), "TLS_KEY": str(key or "")}
    url = "postgresql://nobody:secret@127.0.0.1:1/nothing"
    result = run_vola("serve", **settings, DATABASE_URL=url, PORT="18097", VOLA_LOG="text")
    assert "secret" not in result.stderr
    return result


def test_a_certificate_without_its_key_or_a_key_alone_is_refused(make_certificate: Make) -> None:
    cert, key = make_certificate()
    for result in (run_serve(cert, None), run_serve(None, key)):
        assert_refused(result, "TLS_CERT and TLS_KEY go together: set both, or neither.")


def test_the_key_of_another_certificate_is_refused(make_certificate: Make) -> None:
    assert_refused(run_serve(make_certificate("one")[0], make_certificate("other")[1]), NOT_A_PAIR)


@pytest.mark.parametrize("setting", ["TLS_CERT", "TLS_KEY"])
def test_a_missing_file_is_refused_by_its_name(make_certificate: Make, setting: str) -> None:
    paths = dict(zip(("TLS_CERT", "TLS_KEY"), make_certificate(), strict=True))
    paths[setting].unlink()
    sentence = f"{setting} names a file that cannot be read: {paths[setting]}."
    assert_refused(run_serve(*paths.values()), sentence)


def test_a_file_that_is_not_pem_is_refused(make_certificate: Make) -> None:
    cert, key = make_certificate()
    key.write_text("not PEM")
    assert_refused(run_serve(cert, key), NOT_A_PAIR)


def test_an_expired_certificate_is_served_with_a_warning(make_certificate: Make) -> None:
    """The clock may be wrong instead of the certificate (docs/decisions.md)."""
    warned, stopped = (
        run_serve(*make_certificate(begins=-2 * DAY, ends=-DAY)).stderr.strip().splitlines()
    )
    assert warned.startswith("WARNING vola: The certificate (TLS_CERT) is good from 20")
    assert "database" in stopped  # the certificate was accepted


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("text", [b"", b"\x30\x82\x01\x00", b"\xff" * 200, None])
def test_anything_that_is_no_certificate_or_key_is_refused(
    make_certificate: Make, tmp_path: Path, place: int, text: bytes | None
) -> None:
    paths = [*make_certificate()]
    if text is None:
        paths[place] = tmp_path  # a folder
    else:
        paths[place].write_bytes(text)
    with pytest.raises(InvalidSetting, match=NOT_A_PAIR):
        certificate.check_certificate(*paths)


def test_a_certificate_of_no_known_version_is_refused(make_certificate: Make) -> None:
    cert, key = make_certificate()
    content, version_3 = ssl.PEM_cert_to_DER_cert(cert.read_text()), b"\xa0\x03\x02\x01\x02"
    assert content.count(version_3) == 1
    changed = content.replace(version_3, version_3[:-1] + b"\x05")
    cert.write_text(ssl.DER_cert_to_PEM_cert(changed))
    with pytest.raises(InvalidSetting, match=NOT_A_PAIR):
        certificate.check_certificate(cert, key)


def test_an_encrypted_key_is_refused_without_asking_for_the_password(
    make_certificate: Make,
) -> None:
    with pytest.raises(InvalidSetting, match="unencrypted"):
        certificate.check_certificate(
            *make_certificate(encryption=BestAvailableEncryption(b"4711"))
        )


@pytest.mark.parametrize("marked", [0, 1])
def test_a_byte_order_mark_before_the_pem_text_is_refused(
    make_certificate: Make, marked: int
) -> None:
    """Some editors write one, and with it the server would start and fail again and again."""
    paths = make_certificate()
    paths[marked].write_bytes(b"\xef\xbb\xbf" + paths[marked].read_bytes())
    with pytest.raises(InvalidSetting, match=NOT_A_PAIR):
        certificate.check_certificate(*paths)


@pytest.mark.parametrize(
    "key",
    [
        lambda: ec.generate_private_key(ec.SECP521R1()),
        lambda: ec.generate_private_key(ec.SECP256K1()),
        lambda: ec.generate_private_key(ec.BrainpoolP256R1()),
        lambda: rsa.generate_private_key(65537, 1024),
    ],
)
def test_a_key_that_the_server_cannot_use_is_refused(
    make_certificate: Make, key: Callable[[], Any]
) -> None:
    with pytest.raises(InvalidSetting, match="a key that the server cannot use; it accepts RSA"):
        certificate.check_certificate(*make_certificate("odd", key()))


@pytest.mark.parametrize(
    "key",
    [
        lambda: ec.generate_private_key(ec.SECP384R1()),
        lambda: rsa.generate_private_key(65537, 2048),
        ed25519.Ed25519PrivateKey.generate,
    ],
)
def test_a_valid_certificate_is_served_without_a_warning(
    make_certificate: Make, key: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    certificate.check_certificate(*make_certificate("fine", key()))
    assert caplog.text == ""
    certificate.check_certificate(*make_certificate("early", key(), begins=DAY, ends=2 * DAY))
    assert "phones will refuse it" in caplog.text
