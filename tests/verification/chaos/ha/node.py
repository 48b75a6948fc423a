"""One machine of the cluster: a PostgreSQL, and the Patroni that manages it."""

from __future__ import annotations

import json
import signal
import sys
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.process_tree import has_argument, is_alive, list_children
from tests.verification.chaos.ha.programs import Program, postgres, send, tree

# What decides whether an acknowledged commit can be lost, and how long there is no leader.
SETTINGS: dict[str, Any] = {
    "ttl": 20,  # how long a silent leader keeps the lead; Patroni takes no shorter time
    "loop_wait": 2,
    "retry_timeout": 5,
    "synchronous_mode": True,  # only a node with every acknowledged commit may lead
    "synchronous_mode_strict": True,  # and without such a standby, nothing is acknowledged
    "synchronous_node_count": 1,
    "maximum_lag_on_failover": 1048576,
    "primary_start_timeout": 0,  # no wait for a fallen leader while another is ready
    "postgresql": {
        "use_pg_rewind": True,
        "parameters": {
            "synchronous_commit": "on",  # flushed here and on the standby
            "fsync": "on",
            "full_page_writes": "on",
            "max_connections": 100,
            "shared_buffers": "64MB",
            "wal_keep_size": "256MB",
            "timezone": "UTC",
        },
    },
}

CARELESS_SETTINGS: dict[str, Any] = {
    **SETTINGS,
    "synchronous_mode": False,
    "synchronous_mode_strict": False,
}
"""A leader that acknowledges what it alone has: with it, the checks must find a loss."""


@dataclass(frozen=True, kw_only=True)
class Ports:
    postgres: int
    rest: int


class Node:
    """One machine; Patroni calls it `name`."""

    def __init__(
        self,
        folder: Path,
        name: str,
        ports: Ports,
        hosts: list[str],
        passwords: dict[str, str],
        settings: dict[str, Any],
    ) -> None:
        self.name, self.ports, self.settings = name, ports, settings
        config = folder / f"{name}.yaml"
        self.program = Program(
            folder / name, [sys.executable, "-m", "patroni", config], unprivileged=True
        )
        self.data = self.program.folder / "data"
        config.write_text(yaml.safe_dump(self._configuration(hosts, passwords)))

    def _configuration(self, hosts: list[str], passwords: dict[str, str]) -> dict[str, Any]:
        address = f"127.0.0.1:{self.ports.postgres}"
        rest = f"127.0.0.1:{self.ports.rest}"
        authentication = {
            part: {"username": user, "password": passwords[user]}
            for part, user in (
                ("superuser", "postgres"),
                ("replication", "replicator"),
                ("rewind", "rewinder"),
            )
        }
        return {
            "scope": "vola",
            "name": self.name,
            "restapi": {"listen": rest, "connect_address": rest},
            "etcd3": {"hosts": hosts},
            "bootstrap": {
                "dcs": self.settings,
                "initdb": [
                    {"encoding": "UTF8"},
                    {"locale": "C"},
                    {"locale-provider": "builtin"},
                    {"builtin-locale": "C.UTF-8"},
                    {"auth": "scram-sha-256"},
                    "data-checksums",
                ],
            },
            "postgresql": {
                "listen": address,
                "connect_address": address,
                "data_dir": str(self.data),
                "bin_dir": str(postgres()),
                "pgpass": str(self.program.folder / "pgpass"),
                "authentication": authentication,
                "parameters": {"unix_socket_directories": ""},
                "pg_hba": [
                    "host replication replicator 127.0.0.1/32 scram-sha-256",
                    "host all all 127.0.0.1/32 scram-sha-256",
                ],
            },
            "watchdog": {"mode": "off"},
        }

    def get(self, path: str) -> Any:
        """Return what its Patroni answers, or None if it does not answer."""
        with suppress(OSError, ValueError):
            url = f"http://127.0.0.1:{self.ports.rest}{path}"
            with urllib.request.urlopen(url, timeout=3) as answer:
                return json.load(answer)
        return None

    def post(self, path: str, body: dict[str, str]) -> None:
        """Make its Patroni do something. Raise OSError if it refuses."""
        url = f"http://127.0.0.1:{self.ports.rest}{path}"
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode()), timeout=60)

    def postmaster(self) -> int | None:
        """Return PostgreSQL's first process, even if no Patroni manages it, or None."""
        with suppress(OSError, ValueError, IndexError):
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            return pid if is_alive(pid) and has_argument(pid, str(self.data)) else None
        return None

    def senders(self) -> list[int]:
        """Return the processes that send a leader's log to the standbys."""
        postmaster = self.postmaster()
        return (
            [pid for pid in list_children(postmaster) if has_argument(pid, "walsender")]
            if postmaster
            else []
        )

    def pids(self) -> list[int]:
        """Return every process of this machine."""
        postmaster = self.postmaster()
        return list(
            dict.fromkeys([*self.program.pids(), *(tree(postmaster) if postmaster else [])])
        )

    def send(self, number: signal.Signals) -> None:
        send(self.pids(), number)
