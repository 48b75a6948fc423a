"""With a certificate of its own the page is served by https alone, and what could not work is said
at once: certificates made here, for one run, by nobody."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from api import certificate
from api.certificate import NEITHER
from api.settings import BadSetting
from tests.api.conftest import FOUR
from tests.api.test_cli import refused, vola
from tests.conftest import Server, copied, rung_apart

HOST = "127.0.0.1"
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "vola for a test")])
DAY = timedelta(days=1)
Pair = tuple[Path, Path]
Make = Callable[..., Pair]


def pair(
    folder: Path,
    name: str,
    key: Any = None,
    *,
    begins: timedelta = -DAY,
    ends: timedelta = DAY,
    encryption: Any = None,
) -> Pair:
    """A certificate for 127.0.0.1 that vouches for itself, and its key."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=NAME,
        subject_name=NAME,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now + begins,
        not_valid_after=now + ends,
    )
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))])
    digest = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    made = builder.add_extension(here, critical=False).sign(key, digest)
    cert, secret = folder / f"{name}.pem", folder / f"{name}-key.pem"
    cert.write_bytes(made.public_bytes(Encoding.PEM))
    hidden = encryption or NoEncryption()
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hidden))
    return cert, secret


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda name="good", *more, **how: pair(tmp_path, name, *more, **how)


# --- a server that runs ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def secure(
    cluster: Any, bell: Any, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Path]]:
    """A running server, and the certificate by which it is known."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = pair(folder, "served")
    urls = copied(cluster, "vola_tls")
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 11),
        "VOLA_DATA": str(data),
        "TLS_CERT": str(cert),
        "TLS_KEY": str(key),
    }
    server = Server(environment, folder / "log")
    server.url = server.url.replace("http:", "https:")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(cert))  # whoever asks whether it is ready knows it, too
        server.start()
    yield server, cert
    server.stop()


def asked(
    secure: tuple[Server, Path], method: str, path: str, body: Any = None, **headers: str
) -> Any:
    """The answer, from a server whose certificate and address were looked at."""
    server, cert = secure
    trusting = ssl.create_default_context(cafile=cert)
    line = http.client.HTTPSConnection(HOST, server.port, context=trusting, timeout=20)
    text = None if body is None else json.dumps(body)
    sent = {"Content-Type": "application/json", **headers} if text else headers
    line.request(method, path, text, {k.replace("_", "-"): v for k, v in sent.items()})
    answer = line.getresponse()
    answer.text = answer.read().decode()  # type: ignore[attr-defined]
    line.close()
    return answer


def shaken(secure: tuple[Server, Path], most: ssl.TLSVersion) -> str | None:
    """How both agreed to speak; SSLError when they did not. The client would stoop to anything."""
    server, cert = secure
    context = ssl.create_default_context(cafile=cert)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, most
    context.set_ciphers("ALL:@SECLEVEL=0")
    with (
        socket.create_connection((HOST, server.port), timeout=20) as line,
        context.wrap_socket(line, server_hostname=HOST) as hidden,
    ):
        return hidden.version()


def test_an_evening_is_played_and_remembered_by_https(secure: tuple[Server, Path]) -> None:
    wanted = {"game": "polskt_pass", "players": FOUR}
    opened = asked(secure, "POST", "/v1/sessions", wanted, Idempotency_Key="tls")
    assert opened.status == 201, opened.text
    evening = json.loads(opened.text)
    here, right = f"/v1/sessions/{evening['id']}", f"Bearer {evening['tokens']['host']}"
    given = asked(secure, "PUT", f"{here}/cookie", Authorization=right)
    assert given.status == 204
    crumb, _, rest = given.headers["Set-Cookie"].partition(";")
    assert crumb.startswith(f"__Host-vola-{evening['id']}=")
    said = {part.strip() for part in rest.split(";")}
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= said
    assert not any(part.lower().startswith("domain") for part in said)
    assert asked(secure, "GET", here, Cookie=crumb).status == 200
    assert asked(secure, "GET", here, Cookie=crumb.removeprefix("__Host-")).status == 404
    links = json.loads(asked(secure, "GET", f"{here}/links", Authorization=right).text)["links"]
    home = f"{secure[0].url}/#/s/{evening['id']}/"
    assert len(links) == 3
    assert all(link["url"].startswith(home) for link in links)


@pytest.mark.parametrize("path", ["/", "/v1/games", "/nowhere", "/readyz"])
def test_every_answer_says_that_it_is_https_from_now_on(
    secure: tuple[Server, Path], path: str
) -> None:
    told = asked(secure, "GET", path).headers["Strict-Transport-Security"]
    assert told == "max-age=31536000; includeSubDomains"


def test_nothing_older_than_tls_1_3_is_spoken(secure: tuple[Server, Path]) -> None:
    assert shaken(secure, ssl.TLSVersion.MAXIMUM_SUPPORTED) == "TLSv1.3"
    for old in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1):
        with pytest.raises(ssl.SSLError, match="_ALERT_"):  # it is the server that says no
            shaken(secure, old)


def test_who_speaks_plain_http_there_gets_no_answer(secure: tuple[Server, Path]) -> None:
    with socket.create_connection((HOST, secure[0].port), timeout=20) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: vola.example\r\n\r\n")
        assert b"HTTP" not in line.recv(4096)


# --- what cannot work ------------------------------------------------------------------------


def serve(cert: Path | None, key: Path | None) -> Any:
    """The server, which comes as far as looking at its certificate and no further."""
    given = {"TLS_CERT": str(cert or ""), "TLS_KEY": str(key or "")}
    away = "postgresql://nobody:secret@127.0.0.1:1/nothing"
    done = vola("serve", **given, DATABASE_URL=away, PORT="18097", VOLA_LOG="text")
    assert "secret" not in done.stderr
    return done


def test_a_certificate_without_its_key_or_a_key_alone_is_refused(make: Make) -> None:
    cert, key = make()
    for one in (serve(cert, None), serve(None, key)):
        refused(one, "TLS_CERT and TLS_KEY go together: set both, or neither.")


def test_a_key_of_another_certificate_is_refused(make: Make) -> None:
    refused(serve(make("one")[0], make("other")[1]), NEITHER)


@pytest.mark.parametrize("setting", ["TLS_CERT", "TLS_KEY"])
def test_a_file_that_is_not_there_is_refused_by_its_name(make: Make, setting: str) -> None:
    both = dict(zip(("TLS_CERT", "TLS_KEY"), make(), strict=True))
    both[setting].unlink()
    said = f"{setting} names a file that cannot be read: {both[setting]}."
    refused(serve(*both.values()), said)


def test_a_file_that_is_not_pem_is_refused(make: Make) -> None:
    cert, key = make()
    key.write_text("not PEM")
    refused(serve(cert, key), NEITHER)


def test_a_certificate_of_yesterday_is_warned_of_and_served(make: Make) -> None:
    """It is the clock that may be wrong (docs/decisions.md)."""
    warned, stopped = serve(*make(begins=-2 * DAY, ends=-DAY)).stderr.strip().splitlines()
    assert warned.startswith("WARNING vola: The certificate (TLS_CERT) is good from 20")
    assert "database" in stopped  # it came that far


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("text", [b"", b"\x30\x82\x01\x00", b"\xff" * 200, None])
def test_whatever_else_is_no_certificate_or_no_key_is_refused(
    make: Make, tmp_path: Path, place: int, text: bytes | None
) -> None:
    both = [*make()]
    if text is None:
        both[place] = tmp_path  # a folder
    else:
        both[place].write_bytes(text)
    with pytest.raises(BadSetting, match=NEITHER):
        certificate.check(*both)


def test_a_key_behind_a_password_is_refused_and_nobody_is_asked_for_it(make: Make) -> None:
    with pytest.raises(BadSetting, match="unencrypted"):
        certificate.check(*make(encryption=BestAvailableEncryption(b"4711")))


@pytest.mark.parametrize("marked", [0, 1])
def test_a_mark_before_the_text_is_refused(make: Make, marked: int) -> None:
    """As some editors write it: the server would start and fall, again and again."""
    both = make()
    both[marked].write_bytes(b"\xef\xbb\xbf" + both[marked].read_bytes())
    with pytest.raises(BadSetting, match=NEITHER):
        certificate.check(*both)


@pytest.mark.parametrize(
    "key",
    [
        lambda: ec.generate_private_key(ec.SECP521R1()),
        lambda: ec.generate_private_key(ec.SECP256K1()),
        lambda: ec.generate_private_key(ec.BrainpoolP256R1()),
        lambda: rsa.generate_private_key(65537, 1024),
    ],
)
def test_a_key_that_others_could_use_and_the_server_cannot_is_refused(
    make: Make, key: Callable[[], Any]
) -> None:
    with pytest.raises(BadSetting, match="a key that the server cannot use; it can RSA"):
        certificate.check(*make("odd", key()))


@pytest.mark.parametrize(
    "key",
    [
        lambda: ec.generate_private_key(ec.SECP384R1()),
        lambda: rsa.generate_private_key(65537, 2048),
        ed25519.Ed25519PrivateKey.generate,
    ],
)
def test_a_certificate_of_today_is_not_spoken_of(
    make: Make, key: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    certificate.check(*make("fine", key()))
    assert caplog.text == ""
    certificate.check(*make("early", key(), begins=DAY, ends=2 * DAY))
    assert "phones will refuse it" in caplog.text
