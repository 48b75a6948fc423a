"""A hundred phones that send the same request at the same time, over connections of their own.

All requests are sent before the first answer is read.
"""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

HUNDRED = 100


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    replayed: bool

    @property
    def definite(self) -> bool:
        return self.status != HTTPStatus.SERVICE_UNAVAILABLE


class HundredClients:
    """A hundred connections to one server. A context manager."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.address = (parts.hostname, parts.port or 80)
        self.lines = [socket.create_connection(self.address, timeout=60) for _ in range(HUNDRED)]
        for line in self.lines:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> HundredClients:
        return self

    def __exit__(self, *_: object) -> None:
        for line in self.lines:
            line.close()

    def post(self, path: str, body: Any, headers: dict[str, str]) -> list[Answer]:
        """Send the same request over every connection, and return the answers. Where the answer is
        503, the request is sent again, as any phone does."""
        content = json.dumps(body).encode()
        all_headers = {
            "Host": f"{self.address[0]}:{self.address[1]}",
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())
        request = f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + content
        answers = dict[socket.socket, Answer]()
        while unanswered := [line for line in self.lines if line not in answers]:
            for line in unanswered:
                line.sendall(request)
            answers |= {
                line: answer for line in unanswered if (answer := self._answer(line)).definite
            }
        return [answers[line] for line in self.lines]

    def get(self, path: str, token: str) -> Any:
        """Return what one client reads afterwards."""
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def _answer(self, line: socket.socket) -> Answer:
        response = http.client.HTTPResponse(line, method="POST")
        response.begin()
        replayed = response.getheader("Idempotency-Replayed") == "true"
        return Answer(response.status, response.read(), replayed)
