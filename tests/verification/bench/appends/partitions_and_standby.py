"""Two ways to grow beyond one table or one PostgreSQL: partitioned tables, and a standby.

The tables are partitioned by session; the standby follows the server that is written to.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from ledger.access.session_metadata import SESSION_METADATA
from tests.support.api.socket_clients import percentile
from tests.support.postgresql import partitioned_tables as partitions
from tests.support.postgresql.standby import run_replica
from tests.verification.bench import deal_workload
from tests.verification.bench.appends.growth import Player
from tests.verification.bench.appends.large_ledger_appends import time_appends
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import time_call

PARTS = 8
QUERIES = 1000
"""Of a session's metadata, sent to the standby."""
HEAD = "SELECT version FROM vola.heads WHERE session_id = %(session_id)s"


def append_to_partitions(context: BenchContext, appends: int) -> str:
    """Return the time of an append with every table partitioned, beside one with none."""
    with context.database() as plain, context.database() as partitioned:
        partitions.partition_tables(partitioned.super, PARTS)
        plain_player, partitioned_player = Player(plain), Player(partitioned)
        context.checkpoint()
        rounds = [
            (time_appends(plain_player, appends), time_appends(partitioned_player, appends))
            for _ in range(5)
        ]
        plain_player.store.pool.close()
        partitioned_player.store.pool.close()
    ratios = [statistics.median(b) / statistics.median(a) for a, b in rounds]
    ours = statistics.median(ms for _, b in rounds for ms in b)
    return (
        f"a deal appended where each table is in {PARTS} parts: {ours:.2f} ms, "
        f"{statistics.median(ratios):.2f} × ({min(ratios):.2f}–{max(ratios):.2f})"
    )


def standby_lag(context: BenchContext, appends: int) -> Iterator[str]:
    """Yield how far the standby is behind, and how fast it answers queries."""
    with context.database() as urls, TemporaryDirectory(prefix="vola-replica-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user
        player = Player(urls)
        with (
            run_replica(context.postgres, Path(folder) / "standby") as replica_url,
            psycopg.connect(replica_url(urls.app), autocommit=True) as db,
        ):
            lags: list[float] = []
            session_id = deal_workload.open_session(player.store)
            for number in range(appends):
                deal_workload.play_deal(player.store, session_id, number)
                version, began = player.store.load(session_id).version, time.perf_counter()
                while _version(db, session_id) != version:
                    pass
                lags.append((time.perf_counter() - began) * 1000)
            lags.sort()
            yield (
                f"the standby has an append {percentile(lags, 0.5):.1f} ms after its commit "
                f"(p50; p99 {percentile(lags, 0.99):.1f} ms)"
            )
            parameters = {"session_id": session_id, "device_number": 0}
            queries = (
                time_call(lambda: db.execute(SESSION_METADATA, parameters).fetchone())
                for _ in range(QUERIES)
            )
            p50 = percentile(sorted(queries), 0.5) * 1000
            yield f"  and answers the query for a session's metadata in {p50:.2f} ms"
        player.store.pool.close()


def _version(db: psycopg.Connection, session_id: object) -> int:
    row = db.execute(HEAD, {"session_id": session_id}).fetchone()
    return 0 if row is None else int(row[0])
