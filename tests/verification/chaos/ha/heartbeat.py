"""A heartbeat in the database, which shows how long no leader accepted writes.

It connects through HAProxy as every client does, with a new connection for each beat, and each beat
is a commit that a standby has, too.
"""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import psycopg
from psycopg import sql

from tests.verification.chaos.ha.cluster import Cluster

BEAT = "INSERT INTO beats DEFAULT VALUES"
TABLE = "CREATE TABLE beats (at timestamptz NOT NULL DEFAULT clock_timestamp())"
EVERY_SECONDS = 0.1
NAME = "beats"


class Heartbeat:
    """A heartbeat that runs inside the `with`, in a database beside the book."""

    def __init__(self, cluster: Cluster) -> None:
        self.url = cluster.url("postgres", NAME)
        with psycopg.connect(cluster.url("postgres", "postgres"), autocommit=True) as db:
            db.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
        with psycopg.connect(self.url) as db:
            db.execute(TABLE)
        self._times: list[int] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="beats", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            try:
                with psycopg.connect(self.url, autocommit=True) as db:
                    db.execute(BEAT)
                self._times.append(time.monotonic_ns())
            except psycopg.Error:
                continue

    def longest_silence(self, since: int) -> float:
        """Return the longest silence, in seconds, that ended after `since` (nanoseconds)."""
        return longest_gap([*self._times, time.monotonic_ns()], since)


def longest_gap(times: list[int], since: int, until: int = 2**63) -> float:
    """Return the longest gap between two of these times that ended after `since` and not after
    `until`: the times in nanoseconds, the gap in seconds."""
    gaps = (b - a for a, b in pairwise(times) if since < b <= until)
    return max(gaps, default=0) / 1e9
