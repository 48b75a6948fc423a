"""An address in front of PostgreSQL that a test can shut, or make unresponsive."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class ConnectionGate:
    """An address that forwards connections to a server while its state is `open`.

    When `shut`, it closes connections at once; when `deaf`, it accepts them and never answers, as
    the address of a hanging machine does.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.server_port = parts.port
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.url = url.replace(f":{parts.port}/", f":{port}/")
        self.state = "open"
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def set_state(self, state: str) -> None:
        self.state = state
        if state == "shut":
            for end in self.sockets:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                self.sockets.append(caller)
                if self.state == "open":
                    server = socket.create_connection(("127.0.0.1", self.server_port))
                    self.sockets.append(server)
                    for ends in ((caller, server), (server, caller)):
                        threading.Thread(target=_forward, args=ends, daemon=True).start()
                elif self.state == "shut":
                    caller.close()

    def close(self) -> None:
        self.set_state("shut")
        self.listener.close()
        for end in self.sockets:
            end.close()


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
