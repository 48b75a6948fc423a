"""One command or job, done once in an evening of its own with one thing going wrong.

Two processes take part, as far as one can be two: each has a pool, a store and an app of its own.
The first has the fate; the other prepares, gets in its way, and comes when it is gone.
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
from tests.support.api.group_client import kept_anywhere
from tests.support.databases import DatabaseUrls
from tests.verification.chaos import breakable_connections, ledger_summary, reply_comparison
from tests.verification.chaos.commands import COMMANDS
from tests.verification.chaos.concurrent_request import OTHER, Other
from tests.verification.chaos.fault_injection import Died, Fate, Mode
from tests.verification.chaos.jobs import JOBS, Task
from tests.verification.chaos.scenarios import Host, Scene
from tests.verification.chaos.worker_context import Hands
from workers.outbox_relay import OutboxRelay

DUE = "SELECT count(*) FROM projections.payments WHERE session_id = %s AND status = 'due'"
STUCK = "SELECT count(*) FROM vola.settlement_failures"
NO_FSYNC = """
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
END $$
"""
"""Nobody kills PostgreSQL here, and a disk is not what is tried."""
OPENED = {
    "sessions": "SELECT (SELECT count(*) FROM vola.heads), (SELECT count(*) FROM vola.sessions),"
    " (SELECT count(*) FROM vola.creation_keys)",
    "circles": "SELECT count(*), (SELECT count(*) FROM vola.group_creation_keys) FROM vola.groups",
}


class Lost(Exception):
    """The phone has hung up, or the net has; its answer goes nowhere."""


@dataclass
class Done:
    """What came of it. `told`: what the book says, made comparable."""

    effects: list[str]
    summary: list[Any]
    findings: list[str] = field(default_factory=list)


APPENDS = (
    *("a whole deal", "one action", "undo", "reseat"),
    *("transfer", "correct a deal", "void a deal", "close"),
)
REMEMBERED = {f"{name}, remembered": name for name in APPENDS}
"""The same in a process that remembers the evening as it stands."""


class Once:
    """Where it is done, as often as one likes. A context manager."""

    def __init__(self, urls: DatabaseUrls, redis_url: str) -> None:
        self.urls, self.redis_url = urls, redis_url
        self.keys = count(1)
        self.fate = Fate()
        self.watch = psycopg.connect(urls.super, autocommit=True)
        self.watch.execute(NO_FSYNC)
        self.auditor = psycopg.connect(urls.audit)
        self.looking = psycopg.connect(urls.app, autocommit=True)
        self.pool = breakable_connections.pool(urls.app, self.fate)
        self.clean = database.open_pool(urls.app, name=OTHER)
        self.app, self.other = create_app(self.pool), create_app(self.clean)
        self.host = Host(self.other.test_client(), self._settle)

    def __enter__(self) -> Once:
        return self

    def __exit__(self, *_: object) -> None:
        for closing in (self.pool, self.clean, self.watch, self.auditor, self.looking):
            closing.close()

    def do(self, name: str, at: int = 0, mode: Mode = "raises") -> Done:
        """Once, with this happening at this effect; 0: nothing happens."""
        self._reborn()
        if name in REMEMBERED:
            scene = COMMANDS[REMEMBERED[name]](self.host)
            self._remember(scene.evenings)
            return self._command(scene, at, mode)
        if name in COMMANDS:
            return self._command(COMMANDS[name](self.host), at, mode)
        self._redis(Fate()).flushdb()
        return self._job(JOBS[name](self.host, self._hands(self.clean, Fate())), at, mode)

    def _reborn(self) -> None:
        """A process that is started remembers nothing and has connections of its own."""
        died = self.fate.dead
        self.fate.born()
        if died:
            self.pool.drain()
        _forget_everything(self.app, self.pool)

    def _remember(self, evenings: list[UUID]) -> None:
        """This process has just written in them: it appends in one question."""
        store: EventStore = self.app.extensions["store"]
        for evening in evenings:
            store.load(evening)
        row = self.watch.execute(NOW).fetchone()
        assert row is not None
        store._clock.observe(row[0])

    def _command(self, scene: Scene, at: int, mode: Mode) -> Done:
        key, found, heard = (
            f"asked by all of them at once {next(self.keys)}",
            list[str](),
            list[TestResponse](),
        )
        before = self._opened(scene)
        other = Other(self.watch, lambda: self._beside(scene, key, mode))
        self.fate.strike(at, mode, other.meet)
        try:
            answer = scene.ask(self.app.test_client(), key)
            self.fate.through("reply", lambda: heard.append(answer), _nothing, Lost())
        except Died:
            pass
        except Lost:
            heard.clear()
        seen, struck = self.fate.seen, self.fate.struck
        self.fate.calm()
        other.join()
        if self.fate.dead:
            _forget_everything(self.other, self.clean)
        phone = (self.other if self.fate.dead else self.app).test_client()
        told_at_once = heard and heard[0].status_code < 300  # and then it does not ask again
        first = heard[0] if told_at_once else scene.ask(phone, key)
        made = [UUID(str(first.json["id"]))] if scene.opens and first.json else []
        evenings = [*scene.evenings, *(made if scene.opens == "sessions" else [])]
        circle = made[0] if made and scene.opens == "circles" else scene.circle
        rivals = _opened_beside(other, mode)
        self._look()
        if scene.gone:
            ids = [str(one) for one in (*evenings, *rivals, circle)]
            found += [f"the name is in {t}" for t in kept_anywhere(self.other, scene.gone, *ids)]
        found += reply_comparison.to_the_phone(heard, first, scene.ask(phone, key))
        found += reply_comparison.beside(other, first, mode)
        found += self._audited(evenings)
        if bool(at) != struck:
            found.append("nothing was struck")
        if scene.opens:
            more, after = 1 + len(rivals), self._opened(scene)
            if [b - a for a, b in zip(before, after, strict=True)] != [more] * len(before):
                found.append(f"{before} became {after}, and not {more} more")
        return Done(seen, ledger_summary.both(self.watch, evenings, circle, rivals), found)

    def _beside(self, scene: Scene, key: str, mode: Mode) -> TestResponse:
        client = self.other.test_client()
        if mode == "waits for itself":
            return scene.ask(client, key)
        return scene.rival(client, f"rival of {key}")

    def _job(self, task: Task, at: int, mode: Mode) -> Done:
        found, clean = list[str](), self._hands(self.clean, Fate())

        def beside() -> TestResponse | None:
            if mode == "waits for a rival" and task.rival:
                return task.rival(
                    self.other.test_client(), f"the rival of them all, once {next(self.keys)}"
                )
            clean.look(clean.relay())
            return None

        hands = self._hands(self.pool, self.fate)
        other = Other(self.watch, beside)
        self.fate.strike(at, mode, other.meet)
        with suppress(Died):
            task.do(hands)
        seen, struck = self.fate.seen, self.fate.struck
        other.join()
        if other.failed:
            found.append(f"the other one failed: {other.failed!r}")
        if bool(at) != struck:
            found.append("nothing was struck")
        task.then(clean_with(clean, self.fate))
        self.fate.calm()
        if not self.fate.dead:
            hands.look(hands.relay())  # its pool is still good for something
        clean.look(clean.relay(), sweep=True)
        if self.watch.execute(STUCK).fetchone() != (0,):
            found.append("something still sticks")
        found += self._audited([task.evening])
        return Done(seen, ledger_summary.both(self.watch, [task.evening]), found)

    def _hands(self, pool: Pool, fate: Fate) -> Hands:
        return Hands(
            url=self.urls.app, pool=pool, fate=fate, redis=self._redis, super_url=self.urls.super
        )

    def _redis(self, fate: Fate) -> Redis:
        return breakable_connections.bell(self.redis_url, fate)

    def _settle(self, evening: UUID) -> None:
        EventStore(self.clean).settle(evening)

    def _look(self) -> None:
        """A relay comes by, as it does four times a second."""
        OutboxRelay(EventStore(self.clean), self.urls.app, None).poll(self.looking)

    def _opened(self, scene: Scene) -> tuple[int, ...]:
        row = self.watch.execute(OPENED[scene.opens]).fetchone() if scene.opens else ()
        assert row is not None
        return tuple(row)

    def _audited(self, evenings: list[UUID]) -> list[str]:
        found = list[str]()
        with database_snapshot(self.auditor):
            for evening in evenings:
                found += [
                    f"{one.code}: {one.detail}" for one in audit_session(self.auditor, evening)
                ]
        for evening in evenings:
            if self.watch.execute(DUE, (evening,)).fetchone() != (0,):
                found.append(f"something is still due in {evening}")
        return found


def clean_with(clean: Hands, fate: Fate) -> Hands:
    """Hands to which nothing happens, that know what has happened to others."""
    clean.fate = Fate()
    clean.fate.mode, clean.fate.struck = fate.mode, fate.struck
    return clean


def _forget_everything(app: Flask, pool: Pool) -> None:
    made = {
        "store": EventStore,
        "receipts": ReceiptIssuer,
        "session_metadata": SessionMetadataStore,
        "groups": GroupStore,
    }
    for name, kind in made.items():
        app.extensions[name] = kind(pool)


def _opened_beside(other: Other, mode: Mode) -> list[UUID]:
    """What the rival has opened, if that is what he does."""
    if mode != "waits for a rival" or other.answer is None or other.answer.status_code != 201:
        return []
    opened = other.answer.json
    return [UUID(opened["id"])] if "tokens" in opened else []


def _nothing() -> None:
    pass
