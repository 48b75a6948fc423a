"""Three PostgreSQL servers: one leads, and one standby has everything that it acknowledged."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.verification.chaos.ha.etcd import Etcd
from tests.verification.chaos.ha.haproxy import Haproxy
from tests.verification.chaos.ha.node import CARELESS_SETTINGS, SETTINGS, Node, Ports
from tests.verification.chaos.ha.programs import free_ports
from tests.verification.chaos.ha.sentinel import ValkeyServers

NODES = 3
ROLES = ("postgres", "replicator", "rewinder", "vola_owner", "vola_app", "vola_auditor")
VOLA_ROLES = ROLES[3:]


class Cluster:
    """Everything that Vola's server needs, in one folder; it runs inside the `with`."""

    def __init__(self, folder: Path, *, careless: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.careless = careless
        settings = CARELESS_SETTINGS if careless else SETTINGS
        self.passwords = {role: secrets.token_hex(16) for role in ROLES}
        self.etcd = Etcd(folder)
        ports = [Ports(postgres=p, rest=r) for p, r in zip(*_pairs(), strict=True)]
        self.nodes = [
            Node(folder, f"node{n}", node_ports, self.etcd.hosts, self.passwords, settings)
            for n, node_ports in enumerate(ports)
        ]
        self.valkeys = ValkeyServers(folder, secrets.token_hex(16))
        self.haproxy = Haproxy(folder, self.nodes, self.valkeys.ports, self.valkeys.password)

    def __enter__(self) -> Cluster:
        try:
            self.etcd.start()
            self.valkeys.start()
            for node in self.nodes:
                node.program.start()
                _wait(lambda: self.leader() is not None, "nobody leads")
            self.haproxy.program.start()
            _wait(self.is_healthy, "the cluster does not come together")
            _wait(self._create_roles_and_database, "the leader cannot be reached")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.haproxy.program.stop(3)
        for node in self.nodes:
            node.program.stop()
        self.valkeys.stop()
        self.etcd.stop()

    def members(self) -> list[dict[str, Any]]:
        """Return the members as the first node that answers sees them."""
        for node in self.nodes:
            reply = node.get("/cluster")
            if reply:
                return list(reply["members"])
        return []

    def leader(self) -> Node | None:
        """Return the node that says that it leads and holds the lock, or None."""
        return next((node for node in self.nodes if node.get("/primary")), None)

    def standby(self) -> Node | None:
        """Return the standby that has everything that was acknowledged, or None."""
        names = [m["name"] for m in self.members() if m["role"] == "sync_standby"]
        return next((node for node in self.nodes if node.name in names), None)

    def is_healthy(self) -> bool:
        """Return whether one node leads, all others stream, and one of them (unless the cluster is
        careless) is synchronous."""
        members = self.members()
        followers = [m for m in members if m["role"] != "leader"]
        return (
            len(members) == NODES
            and len(followers) == NODES - 1
            and all(m["state"] == "streaming" for m in followers)
            and (self.careless or any(m["role"] == "sync_standby" for m in followers))
        )

    def wait_until_healthy(self, seconds: float) -> None:
        """Wait until the cluster is healthy. Raise TimeoutError after `seconds`."""
        _wait(self.is_healthy, f"the cluster does not come together: {self.members()}", seconds)

    def url(self, role: str, database: str = "vola") -> str:
        """Return an address through HAProxy, as any client uses it."""
        return (
            f"postgresql://{role}:{self.passwords[role]}@127.0.0.1:{self.haproxy.postgres}"
            f"/{database}?sslmode=disable&connect_timeout=5"
        )

    def redis_url(self) -> str:
        return f"redis://:{self.valkeys.password}@127.0.0.1:{self.haproxy.valkey}/0"

    def _create_roles_and_database(self) -> bool:
        """Create Vola's three roles and its database as in `docs/running.md`.

        Return False if HAProxy does not know the leader yet."""
        try:
            with psycopg.connect(self.url("postgres", "postgres"), autocommit=True) as db:
                for role in VOLA_ROLES:
                    make = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
                    db.execute(make.format(sql.Identifier(role), self.passwords[role]))
                db.execute("CREATE DATABASE vola OWNER vola_owner")
        except psycopg.OperationalError:
            return False  # HAProxy does not know the leader yet
        return True


def _pairs() -> tuple[list[int], list[int]]:
    ports = free_ports(2 * NODES)
    return ports[:NODES], ports[NODES:]


def _wait(condition: Callable[[], object], message: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(message)
        time.sleep(0.2)
