"""The house on a cluster: the same two commands, given the doorman's addresses."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.ha.cluster import Cluster
from tests.chaos.house import House


class HouseOnCluster(House):
    """Knows its servers by their addresses alone, as any `vola serve` on another machine would."""

    def __init__(self, data: Path, cluster: Cluster) -> None:
        super().__init__(data)
        self.cluster = cluster
        self.environment |= {
            "DATABASE_URL": cluster.url("vola_app"),
            "DATABASE_OWNER_URL": cluster.url("vola_owner"),
            "DATABASE_AUDIT_URL": cluster.url("vola_auditor"),
            "REDIS_URL": cluster.redis_url(),
        }

    def url(self, role: str, database: str = "vola") -> str:
        return self.cluster.url(role, database)

    def redis_url(self) -> str:
        return self.cluster.redis_url()
