"""The conditions of a measurement: machine, program versions, PostgreSQL's durability settings."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from tests.verification.bench.bench_context import BenchContext

PACKAGES = ("granian", "flask", "marshmallow", "msgspec", "psycopg", "rq", "eventsourcing")
SETTINGS = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers")
SETTING = "SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name"


def describe_conditions(context: BenchContext) -> dict[str, Any]:
    with psycopg.connect(context.postgres.app_url) as db:
        settings = dict(db.execute(SETTING, (list(SETTINGS),)).fetchall())
        postgres = db.info.parameter_status("server_version")
    with Redis.from_url(context.redis_url) as redis:
        valkey = redis.info("server").get("valkey_version")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor_name(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "load_before": round(os.getloadavg()[0], 2),
        "versions": {
            "Python": platform.python_version(),
            "PostgreSQL": postgres,
            "Valkey": valkey,
            **{name: installed_version(name) for name in PACKAGES},
        },
        "settings": settings,
        "sizes": asdict(context.sizes),
        "smoke": context.smoke,
    }


def processor_name() -> str:
    try:
        match = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        match = None
    return match[1] if match else platform.machine()


def installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def table_lines(facts: dict[str, Any]) -> list[str]:
    """Return the conditions as lines for people to read."""
    sizes = facts["sizes"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items() if number)
    settings = ", ".join(f"{name} = {value}" for name, value in facts["settings"].items())
    return [
        f"{facts['cores']} cores ({facts['processor']}), {facts['system']}, "
        f"load before {facts['load_before']:.2f}; clients, server and PostgreSQL share them",
        versions,
        f"PostgreSQL: {settings}",
        f"{sizes['repetitions']} repetitions of each side by turns, {sizes['seconds']} s a side "
        f"unless the row counts operations; median (least–most)",
        *(["Smoke: far too small for figures."] if facts["smoke"] else []),
    ]
