"""The processes of a running server, and its use of CPU, memory and disk space."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import psutil
import psycopg

from tests.support.databases import DatabaseUrls
from tests.support.server_process import ServerProcess

ROOM = """
SELECT n.nspname || '.' || c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('vola', 'projections') AND c.relkind = 'r'
"""
VACUUM = "VACUUM (ANALYZE)"
SERVING = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"

Processes = dict[str, list[psutil.Process]]
Spent = dict[tuple[str, int], float]


def list_processes(server: ServerProcess, urls: DatabaseUrls) -> Processes:
    """Return the processes of this server, by kind."""
    assert server.process is not None
    master = psutil.Process(server.process.pid)
    by_kind: Processes = {"api master": [master]}
    for child in master.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has just ended
            by_kind.setdefault(_kind(" ".join(child.cmdline())), []).append(child)
    with psycopg.connect(urls.super) as db:
        pids = [pid for (pid,) in db.execute(SERVING) if pid != db.info.backend_pid]
    backends: list[psutil.Process] = []
    by_kind["PostgreSQL, for it"] = backends
    for pid in pids:
        with suppress(psutil.NoSuchProcess):  # its connection has just ended
            backends.append(psutil.Process(pid))
    return by_kind


def _kind(command_line: str) -> str:
    return next((kind for kind in ("worker", "relay") if f" {kind}" in command_line), "api")


def measure_usage(processes: Processes) -> Spent:
    """Return the CPU seconds of each process so far."""
    return {
        (kind, p.pid): sum(p.cpu_times()[:2])
        for kind, members in processes.items()
        for p in members
        if p.is_running()
    }


def cpu_used(before: Spent, now: Spent) -> Counter[str]:
    """Return the CPU seconds used since `before`, by kind; a new process started at zero."""
    used: Counter[str] = Counter()
    for (kind, pid), seconds in now.items():
        used[kind] += seconds - before.get((kind, pid), 0)
    return used


def memory_used(processes: Processes) -> dict[str, list[float]]:
    """Return the megabytes of each process: its own memory and its part of shared memory."""
    return {
        kind: [p.memory_full_info().pss / 1e6 for p in members if p.is_running()]
        for kind, members in processes.items()
    }


def table_sizes(urls: DatabaseUrls) -> dict[str, tuple[int, int]]:
    """Return the bytes of each table and of its indexes, after a vacuum."""
    with psycopg.connect(urls.super, autocommit=True) as db:
        db.execute(VACUUM)
        return {name: (own, indexes) for name, own, indexes in db.execute(ROOM)}
