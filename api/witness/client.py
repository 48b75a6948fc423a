"""Requests to another book, which is not trusted. Only `vola witness` sends them.

Every request has a time limit as a whole and every answer a maximum size; no redirect is followed;
certificates are verified.
"""

import json
import socket
import ssl
import time
from contextlib import suppress
from http.client import HTTPS_PORT, HTTPConnection, HTTPException
from threading import Timer
from typing import Any

import msgspec

from api.witness.invite_link import InviteLink, Server

CONNECT_SECONDS = 10
REQUEST_SECONDS = 30
"""For the whole of a request, however slowly the answer comes."""
ANSWER_BYTES = 4 * 1024 * 1024


class Unreachable(Exception):
    """A sentence: why there is no usable answer, without the link."""


class UnexpectedAnswer(Unreachable):
    """The answer is none that a book gives."""

    def __init__(self, server: Server) -> None:
        super().__init__(f"{server} gives an answer that no book gives")


class BookClient:
    """Sends requests to other books. `tls` verifies the servers of https links."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self.tls = tls

    def request(
        self, link: InviteLink, method: str, path: str, body: Any = None
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON object of the answer. Raise Unreachable for everything
        else, and for every status but success and refusal (4xx)."""
        server = link.server
        try:
            status, content = self._send(link, method, path, body)
        except TimeoutError:
            raise Unreachable(f"{server} does not answer in time") from None
        except (OSError, HTTPException, UnicodeError) as error:
            raise Unreachable(f"{server} cannot be reached: {_reason(error)}") from None
        if 300 <= status < 400:
            raise Unreachable(f"{server} redirects elsewhere, which is not followed")
        if len(content) > ANSWER_BYTES:
            raise Unreachable(f"{server} sends more than a book does")
        if status >= 500 or status == 429:
            raise Unreachable(f"{server} cannot answer now (status {status})")
        try:
            document = msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            raise UnexpectedAnswer(server) from None
        if not isinstance(document, dict):
            raise UnexpectedAnswer(server)
        return status, document

    def _send(self, link: InviteLink, method: str, path: str, body: Any) -> tuple[int, bytes]:
        """Return the status and the content. Raise TimeoutError, OSError or HTTPException."""
        server = link.server
        connection = HTTPConnection(server.host, server.port, timeout=CONNECT_SECONDS)
        connected = socket.create_connection((server.host, server.port), CONNECT_SECONDS)
        if server.scheme == "https":
            connection.default_port = HTTPS_PORT
            connected = self.tls.wrap_socket(
                connected, server_hostname=server.host, do_handshake_on_connect=False
            )
        connection.sock = connected
        ends_at = time.monotonic() + REQUEST_SECONDS
        timer = Timer(REQUEST_SECONDS, _interrupt, [connected])
        timer.start()
        headers = {"Authorization": f"Bearer {link.token}", "Accept": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            if isinstance(connected, ssl.SSLSocket):
                connected.do_handshake()
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            return response.status, response.read(ANSWER_BYTES + 1)
        finally:
            timer.cancel()
            connection.close()
            connected.close()
            # an interrupted answer may have looked like a whole one
            if time.monotonic() >= ends_at:
                raise TimeoutError


def _interrupt(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, UnicodeError):
        return "its host name is malformed"
    if isinstance(error, OSError):
        return error.strerror or "it closes the connection"
    return "its answer is no HTTP"
