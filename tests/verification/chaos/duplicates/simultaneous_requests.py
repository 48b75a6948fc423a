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
        self.connections = [
            socket.create_connection(self.address, timeout=60) for _ in range(HUNDRED)
        ]
        for connection in self.connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> HundredClients:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.close()

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
        answers: dict[socket.socket, Answer] = {}
        while unanswered := [
            connection for connection in self.connections if connection not in answers
        ]:
            for connection in unanswered:
                connection.sendall(request)
            answers |= {
                connection: answer
                for connection in unanswered
                if (answer := self._answer(connection)).definite
            }
        return [answers[connection] for connection in self.connections]

    def get(self, path: str, token: str) -> Any:
        """Return what one client reads afterwards."""
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def _answer(self, connection: socket.socket) -> Answer:
        response = http.client.HTTPResponse(connection, method="POST")
        response.begin()
        replayed = response.getheader("Idempotency-Replayed") == "true"
        return Answer(response.status, response.read(), replayed)
