"""A proxy between the phones and the server, which can cut a request or its answer.

Every connection carries one request and its answer. With `cut_reply`, the proxy delivers the
request and drops the answer: then a phone cannot know whether its request was executed.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Literal

Disturbance = Literal["cut_reply", "cut_request", "half_reply", "slow_reply"]
BUFFER = 65536


class Proxy:
    """A proxy on a port of its own; `disturb_next` says what happens to the next request."""

    def __init__(self, port: int) -> None:
        self.target_port = port
        self._next_disturbances: list[Disturbance] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    def disturb_next(self, disturbance: Disturbance) -> None:
        """Disturb the next undisturbed request in this way."""
        with self._lock:
            self._next_disturbances.append(disturbance)

    def stop_disturbing(self) -> None:
        with self._lock:
            self._next_disturbances.clear()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client:
            try:
                request = _read_request(client)
            except OSError:
                return
            if not request:
                return
            with self._lock:
                disturbance = self._next_disturbances.pop(0) if self._next_disturbances else None
            if disturbance == "cut_request":
                request = request[: len(request) // 2]
            try:
                with socket.create_connection(("127.0.0.1", self.target_port), timeout=5) as server:
                    server.settimeout(30)
                    server.sendall(request)
                    if disturbance == "cut_request":
                        return
                    self._answer(client, server, disturbance)
            except OSError:
                return

    @staticmethod
    def _answer(
        client: socket.socket, server: socket.socket, disturbance: Disturbance | None
    ) -> None:
        if disturbance == "slow_reply":
            time.sleep(0.3)
        first = True
        while piece := server.recv(BUFFER):
            if disturbance == "cut_reply":
                continue  # read to the end, so that the server does all its work
            if disturbance == "half_reply":
                if first:
                    client.sendall(piece[: len(piece) // 2])
                    first = False
                continue
            client.sendall(piece)


def _read_request(client: socket.socket) -> bytes:
    """Return one request, head and body, or nothing if the client hangs up."""
    client.settimeout(10)
    received = b""
    while b"\r\n\r\n" not in received:
        piece = client.recv(BUFFER)
        if not piece:
            return b""
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        piece = client.recv(BUFFER)
        if not piece:
            return b""
        body += piece
    return head + b"\r\n\r\n" + body
