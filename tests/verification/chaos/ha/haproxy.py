"""HAProxy: one address for the leading PostgreSQL, and one for the leading Valkey.

So Vola's server knows nothing of the cluster: `DATABASE_URL` and `REDIS_URL` are plain addresses.
HAProxy asks Patroni which node leads, and each Valkey for its role, so Sentinel need not notify it.
"""

from __future__ import annotations

from pathlib import Path

from tests.verification.chaos.ha.node import Node
from tests.verification.chaos.ha.programs import Program, free_ports, haproxy

CONFIGURATION = """\
global
    maxconn 500
defaults
    mode tcp
    timeout connect 2s
    timeout client 30m
    timeout server 30m
    timeout check 2s
    # a connection to somebody who no longer leads is cut: the pool makes a new one
    default-server inter 1s fall 2 rise 2 on-marked-down shutdown-sessions
listen postgres
    bind 127.0.0.1:{postgres}
    option httpchk OPTIONS /primary
    http-check expect status 200
{nodes}
listen valkey
    bind 127.0.0.1:{valkey}
    option tcp-check
    tcp-check connect
    tcp-check send "AUTH {password}\\r\\n"
    tcp-check expect string +OK
    tcp-check send "INFO replication\\r\\n"
    tcp-check expect string role:master
{valkeys}
"""


class Haproxy:
    """HAProxy; the ports `postgres` and `valkey` lead to the leaders."""

    def __init__(self, folder: Path, nodes: list[Node], valkeys: list[int], password: str) -> None:
        self.postgres, self.valkey = free_ports(2)
        config = folder / "haproxy.cfg"
        config.write_text(
            CONFIGURATION.format(
                postgres=self.postgres,
                valkey=self.valkey,
                password=password,
                nodes="\n".join(
                    f"    server {node.name} 127.0.0.1:{node.ports.postgres}"
                    f" check port {node.ports.rest}"
                    for node in nodes
                ),
                valkeys="\n".join(
                    f"    server valkey{n} 127.0.0.1:{port} check" for n, port in enumerate(valkeys)
                ),
            )
        )
        self.program = Program(folder / "haproxy", [haproxy(), "-db", "-f", config])
