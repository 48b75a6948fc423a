"""The supervised server on a cluster: the same two commands with HAProxy's addresses."""

from __future__ import annotations

from pathlib import Path

from tests.support.supervised_server import SupervisedServer
from tests.verification.chaos.ha.cluster import Cluster


class ServerOnCluster(SupervisedServer):
    """A server that knows the cluster by its addresses alone, like any `vola serve` elsewhere."""

    def __init__(self, data: Path, cluster: Cluster) -> None:
        super().__init__(data)
        self.cluster = cluster
        self.set_environment(
            {
                "DATABASE_URL": cluster.url("vola_app"),
                "DATABASE_OWNER_URL": cluster.url("vola_owner"),
                "DATABASE_AUDIT_URL": cluster.url("vola_auditor"),
                "REDIS_URL": cluster.redis_url(),
            }
        )

    def database_url(self, role: str, database: str = "vola") -> str:
        return self.cluster.url(role, database)

    def redis_url(self) -> str:
        return self.cluster.redis_url()
