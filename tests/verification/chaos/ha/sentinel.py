"""Two Valkey servers, and three Sentinels that let the other one lead when the leader is gone.

Valkey's data may be lost without harm, so nothing here is waited for or stored.
"""

from __future__ import annotations

from pathlib import Path

from tests.verification.chaos.ha.programs import Program, free_ports, valkey

SENTINELS = 3

SERVER = """\
bind 127.0.0.1
port {port}
dir {folder}
save ""
appendonly no
requirepass {password}
primaryauth {password}
"""
SENTINEL = """\
bind 127.0.0.1
port {port}
dir {folder}
sentinel monitor vola 127.0.0.1 {watched} 2
sentinel auth-pass vola {password}
sentinel down-after-milliseconds vola 2000
sentinel failover-timeout vola 10000
"""


class ValkeyServers:
    """The Valkey servers at `ports`, of which the first leads at the start, and the Sentinels."""

    def __init__(self, folder: Path, password: str) -> None:
        self.password = password
        self.ports = free_ports(2)
        self.servers = []
        for n, port in enumerate(self.ports):
            text = SERVER + (f"replicaof 127.0.0.1 {self.ports[0]}\n" if n else "")
            self.servers.append(self._program(folder / f"valkey{n}", text, port))
        self.sentinels = [
            self._program(folder / f"sentinel{n}", SENTINEL, port, "--sentinel")
            for n, port in enumerate(free_ports(SENTINELS))
        ]

    def _program(self, folder: Path, text: str, port: int, *more: str) -> Program:
        config = folder.with_suffix(".conf")  # the programs write to it what they have agreed on
        program = Program(folder, [valkey(), config, *more])
        config.write_text(
            text.format(port=port, folder=folder, password=self.password, watched=self.ports[0])
        )
        return program

    def start(self) -> None:
        for program in (*self.servers, *self.sentinels):
            program.start()

    def stop(self) -> None:
        for program in (*self.sentinels, *self.servers):
            program.stop(3)
