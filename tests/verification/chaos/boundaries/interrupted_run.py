"""One run of a command or job, in an evening of its own and with one fault.

Two processes take part, simulated in one: each has a pool, a store and an app of its own. The first
has the fault; the other prepares the run, gets in its way, and takes over when it is dead.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask
from redis import Redis
from werkzeug.test import TestResponse

from api.app import create_app
from ledger.access.session_metadata import SessionMetadataStore
from ledger.audit.run import audit_session
from ledger.groups.groups import GroupStore
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store import connection_pool as database
from ledger.store.connection_pool import Pool
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import NOW, EventStore
from tests.support.api.group_client import find_tables_with_name
from tests.support.databases import DatabaseUrls
from tests.verification.chaos.boundaries import (
    breakable_connections,
    ledger_summary,
    reply_comparison,
)
from tests.verification.chaos.boundaries.commands import COMMANDS
from tests.verification.chaos.boundaries.concurrent_request import OTHER_PROCESS, ConcurrentRequest
from tests.verification.chaos.boundaries.fault_injection import FaultInjector, Mode, ProcessDied
from tests.verification.chaos.boundaries.jobs import JOBS, Task
from tests.verification.chaos.boundaries.scenarios import Host, Scenario
from tests.verification.chaos.boundaries.worker_context import WorkerContext
from workers.outbox_relay import OutboxRelay

DUE_COUNT = "SELECT count(*) FROM projections.payments WHERE session_id = %s AND status = 'due'"
FAILURE_COUNT = "SELECT count(*) FROM vola.settlement_failures"
NO_FSYNC = """
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
END $$
"""
"""These runs neither kill PostgreSQL nor test the disk."""
OPENED = {
    "sessions": "SELECT (SELECT count(*) FROM vola.heads), (SELECT count(*) FROM vola.sessions),"
    " (SELECT count(*) FROM vola.creation_keys)",
    "groups": "SELECT count(*), (SELECT count(*) FROM vola.group_creation_keys) FROM vola.groups",
}


class ConnectionLost(Exception):
    """The phone is no longer connected, so its answer is lost."""


@dataclass
class Outcome:
    """The result of one run; `summary` is what the book says, in a comparable form."""

    effects: list[str]
    summary: list[Any]
    findings: list[str] = field(default_factory=list)


APPENDS = (
    *("a whole deal", "one action", "undo", "reseat"),
    *("transfer", "correct a deal", "void a deal", "close"),
)
REMEMBERED = {f"{name}, remembered": name for name in APPENDS}
"""The same commands in a process that has the evening in its cache."""


class InterruptibleRunner:
    """A runner of commands and jobs, each any number of times. A context manager."""

    def __init__(self, urls: DatabaseUrls, redis_url: str) -> None:
        self.urls, self.redis_url = urls, redis_url
        self.key_numbers = count(1)
        self.injector = FaultInjector()
        self.superuser = psycopg.connect(urls.super, autocommit=True)
        self.superuser.execute(NO_FSYNC)
        self.auditor = psycopg.connect(urls.audit)
        self.listener = psycopg.connect(urls.app, autocommit=True)
        self.pool = breakable_connections.breakable_pool(urls.app, self.injector)
        self.clean = database.open_pool(urls.app, name=OTHER_PROCESS)
        self.app, self.other = create_app(self.pool), create_app(self.clean)
        self.host = Host(self.other.test_client(), self._settle)

    def __enter__(self) -> InterruptibleRunner:
        return self

    def __exit__(self, *_: object) -> None:
        for resource in (self.pool, self.clean, self.superuser, self.auditor, self.listener):
            resource.close()

    def do(self, name: str, at: int = 0, mode: Mode = "raises") -> Outcome:
        """Run a command or job once, with a fault at effect number `at`; 0: without a fault."""
        self._restart_process()
        if name in REMEMBERED:
            scenario = COMMANDS[REMEMBERED[name]](self.host)
            self._warm_cache(scenario.evenings)
            return self._command(scenario, at, mode)
        if name in COMMANDS:
            return self._command(COMMANDS[name](self.host), at, mode)
        self._redis(FaultInjector()).flushdb()
        return self._job(
            JOBS[name](self.host, self._worker_context(self.clean, FaultInjector())), at, mode
        )

    def _restart_process(self) -> None:
        """Start a new process: with empty caches and, if the last one died, new connections."""
        died = self.injector.dead
        self.injector.restart_process()
        if died:
            self.pool.drain()
        _reset_stores(self.app, self.pool)

    def _warm_cache(self, evenings: list[UUID]) -> None:
        """Cache these evenings as after a write of this process: it appends in one round trip."""
        store: EventStore = self.app.extensions["store"]
        for evening in evenings:
            store.load(evening)
        row = self.superuser.execute(NOW).fetchone()
        assert row is not None
        store._clock.observe(row[0])

    def _command(self, scenario: Scenario, at: int, mode: Mode) -> Outcome:
        key = f"idempotency key of a command {next(self.key_numbers)}"
        findings, received = list[str](), list[TestResponse]()
        before = self._count_opened(scenario)
        concurrent = ConcurrentRequest(self.superuser, lambda: self._meanwhile(scenario, key, mode))
        self.injector.strike(at, mode, concurrent.meet)
        try:
            answer = scenario.ask(self.app.test_client(), key)
            self.injector.run_effect(
                "reply", lambda: received.append(answer), _do_nothing, ConnectionLost()
            )
        except ProcessDied:
            pass
        except ConnectionLost:
            received.clear()
        effects, struck = self.injector.effects, self.injector.struck
        self.injector.calm()
        concurrent.join()
        if self.injector.dead:
            _reset_stores(self.other, self.clean)
        phone = (self.other if self.injector.dead else self.app).test_client()
        succeeded = received and received[0].status_code < 300  # so the phone does not ask again
        first = received[0] if succeeded else scenario.ask(phone, key)
        new_ids = [UUID(str(first.json["id"]))] if scenario.opens and first.json else []
        evenings = [*scenario.evenings, *(new_ids if scenario.opens == "sessions" else [])]
        group = new_ids[0] if new_ids and scenario.opens == "groups" else scenario.group
        rivals = _opened_by_rival(concurrent, mode)
        self._poll()
        findings += self._find_erased_name(scenario, [*evenings, *rivals, group])
        findings += reply_comparison.check_phone_replies(received, first, scenario.ask(phone, key))
        findings += reply_comparison.check_concurrent_reply(concurrent, first, mode)
        findings += self._audit(evenings)
        if bool(at) != struck:
            findings.append("nothing was struck")
        increase, after = 1 + len(rivals), self._count_opened(scenario)
        if [b - a for a, b in zip(before, after, strict=True)] != [increase] * len(before):
            findings.append(f"{before} became {after}, and not {increase} more")
        summary = ledger_summary.summarize(self.superuser, evenings, group, rivals)
        return Outcome(effects, summary, findings)

    def _find_erased_name(self, scenario: Scenario, ids: list[UUID | None]) -> list[str]:
        if not scenario.erased_name:
            return []
        tables = find_tables_with_name(self.other, scenario.erased_name, *map(str, ids))
        return [f"the name is in {table}" for table in tables]

    def _meanwhile(self, scenario: Scenario, key: str, mode: Mode) -> TestResponse:
        client = self.other.test_client()
        if mode == "waits for itself":
            return scenario.ask(client, key)
        return scenario.rival(client, f"rival of {key}")

    def _job(self, task: Task, at: int, mode: Mode) -> Outcome:
        findings, clean_worker = list[str](), self._worker_context(self.clean, FaultInjector())

        def meanwhile() -> TestResponse | None:
            if mode == "waits for a rival":
                assert task.rival, "this job has no rival"
                return task.rival(
                    self.other.test_client(),
                    f"idempotency key of the rival of a job {next(self.key_numbers)}",
                )
            clean_worker.poll(clean_worker.relay())
            return None

        worker = self._worker_context(self.pool, self.injector)
        concurrent = ConcurrentRequest(self.superuser, meanwhile)
        self.injector.strike(at, mode, concurrent.meet)
        with suppress(ProcessDied):
            task.do(worker)
        effects, struck = self.injector.effects, self.injector.struck
        concurrent.join()
        if concurrent.failed:
            findings.append(f"the other one failed: {concurrent.failed!r}")
        if bool(at) != struck:
            findings.append("nothing was struck")
        task.repair(without_faults(clean_worker, self.injector))
        self.injector.calm()
        if not self.injector.dead:
            worker.poll(worker.relay())  # its pool must still work
        clean_worker.poll(clean_worker.relay(), sweep=True)
        if self.superuser.execute(FAILURE_COUNT).fetchone() != (0,):
            findings.append("a settlement failure is still recorded")
        findings += self._audit([task.evening])
        return Outcome(effects, ledger_summary.summarize(self.superuser, [task.evening]), findings)

    def _worker_context(self, pool: Pool, injector: FaultInjector) -> WorkerContext:
        return WorkerContext(
            url=self.urls.app,
            pool=pool,
            injector=injector,
            redis=self._redis,
            super_url=self.urls.super,
        )

    def _redis(self, injector: FaultInjector) -> Redis:
        return breakable_connections.breakable_redis(self.redis_url, injector)

    def _settle(self, evening: UUID) -> None:
        EventStore(self.clean).settle(evening)

    def _poll(self) -> None:
        """Poll once, as the relay does four times a second."""
        OutboxRelay(EventStore(self.clean), self.urls.app, None).poll(self.listener)

    def _count_opened(self, scenario: Scenario) -> tuple[int, ...]:
        row = self.superuser.execute(OPENED[scenario.opens]).fetchone() if scenario.opens else ()
        assert row is not None
        return tuple(row)

    def _audit(self, evenings: list[UUID]) -> list[str]:
        findings = list[str]()
        with database_snapshot(self.auditor):
            for evening in evenings:
                findings += [
                    f"{finding.code}: {finding.detail}"
                    for finding in audit_session(self.auditor, evening)
                ]
        for evening in evenings:
            if self.superuser.execute(DUE_COUNT, (evening,)).fetchone() != (0,):
                findings.append(f"something is still due in {evening}")
        return findings


def without_faults(worker: WorkerContext, injector: FaultInjector) -> WorkerContext:
    """Return the worker without faults of its own, but with the mode that another one met."""
    worker.injector = FaultInjector()
    worker.injector.mode, worker.injector.struck = injector.mode, injector.struck
    return worker


def _reset_stores(app: Flask, pool: Pool) -> None:
    stores = {
        "store": EventStore,
        "receipts": ReceiptIssuer,
        "session_metadata": SessionMetadataStore,
        "groups": GroupStore,
    }
    for name, kind in stores.items():
        app.extensions[name] = kind(pool)


def _opened_by_rival(concurrent: ConcurrentRequest, mode: Mode) -> list[UUID]:
    """Return the evening or group that the rival opened, if it opened one."""
    if (
        mode != "waits for a rival"
        or concurrent.answer is None
        or concurrent.answer.status_code != 201
    ):
        return []
    opened = concurrent.answer.json
    return [UUID(opened["id"])] if "tokens" in opened else []


def _do_nothing() -> None:
    pass
