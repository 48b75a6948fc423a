"""One run on a cluster: phones keep score while leaders fail, then the ledger is checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.verification.chaos import request_history
from tests.verification.chaos.ha.cluster import Cluster
from tests.verification.chaos.ha.heartbeat import Heartbeat, longest_gap
from tests.verification.chaos.ha.nemesis import Nemesis
from tests.verification.chaos.ha.server_on_cluster import ServerOnCluster
from tests.verification.chaos.run import (
    HISTORY,
    Result,
    conclude,
    run_phones,
    wait_until_settled,
)
from tests.verification.chaos.run_context import InFlight


def run(
    folder: Path,
    seed: str,
    *,
    faults: int,
    phones: int = 8,
    only_kinds: tuple[str, ...] = (),
    careless: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Run everything from the first election to the verdict."""
    began = time.monotonic()
    with Cluster(folder / "cluster", careless=careless) as cluster, Heartbeat(cluster) as heartbeat:
        say(f"a leader and two standbys after {time.monotonic() - began:.0f} s")
        with ServerOnCluster(folder / "server", cluster) as server:
            with run_phones(folder, server.port, InFlight(), seed, phones) as context:
                nemesis = Nemesis(cluster, heartbeat, context, seed, faults, only_kinds)
                nemesis.run(say)
            server.wait_until_ready()
            findings = {"late": wait_until_settled(server), "cluster": nemesis.failed}
            result = conclude(began, seed, server, folder, context, nemesis, findings)
    requests = request_history.read_history(folder / HISTORY)
    acknowledged = sorted(
        request.ended for request in requests if request.key and request.outcome == "done"
    )
    for record in nemesis.faults:
        record.waited_seconds = longest_gap(acknowledged, record.started_at, record.ended_at)
    return result
