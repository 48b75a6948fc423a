"""Bugs planted on purpose, to show that the checks find them.

`python -m tests.verification.chaos.planted_bugs BUG serve` is `vola serve` with one of
them. They exist only here: the product has no switch for them, and is shipped without this folder.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import structs

from api.cli import main as cli
from api.server import child_process
from ledger.events.event_types import PaymentSettled
from ledger.store import append_sql, event_store, projection_rows
from ledger.store import connection_pool as database
from ledger.store.append_request import new_reply
from ledger.store.event_store import EventStore
from workers import outbox_relay, settle_job

Plant = Callable[[], None]


@dataclass(frozen=True)
class Bug:
    """A bug: how it is planted, which faults reveal it, and which columns must show it."""

    plant: Plant
    faults: tuple[str, ...]
    columns: tuple[str, ...]
    pace: float  # seconds between two faults; in between, the server must work to show the bug


BUGS: dict[str, Bug] = {}


def register_bug(
    *columns: str, faults: tuple[str, ...], pace: float = 0.5
) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        BUGS[plant.__name__] = Bug(plant, faults, columns, pace)
        return plant

    return register


@register_bug("lost", faults=("kill_backend",), pace=4)
def no_fsync() -> None:
    """A commit is acknowledged before it is on the disk.

    The bug is `synchronous_commit = off`, whose loss shows when the server is killed. `fsync = off`
    loses nothing unless the machine is switched off: the system's own memory keeps the writes.
    """

    class AsyncCommitPool(database.DatabasePool):
        def __init__(self, url: str, **arguments: Any) -> None:
            settings = arguments["kwargs"]
            options = settings["options"] + " -c synchronous_commit=off"
            super().__init__(url, **{**arguments, "kwargs": {**settings, "options": options}})

    database.DatabasePool = AsyncCommitPool  # type: ignore[misc]


@register_bug("doubled", "extra", faults=("cut_reply", "half_reply"))
def no_idempotency_keys() -> None:
    """The key is not looked up: a repeated request is executed again."""

    def without_key(original: Any) -> Any:
        def write_without_key(db: Any, change: Any, *operands: Any) -> Any:
            if change.request is not None:
                request = structs.replace(change.request, key=f"{uuid4()}")
                change = change._replace(request=request)
            return original(db, change, *operands)

        return write_without_key

    event_store.read_reply = lambda *_: None  # type: ignore[assignment]
    event_store.write_changes, event_store.append_if_unchanged = (
        without_key(event_store.write_changes),
        without_key(event_store.append_if_unchanged),
    )


@register_bug("extra", "audit", faults=("kill_api_process", "terminate_backend"))
def key_after_the_commit() -> None:
    """The key is stored in a transaction of its own, a moment after the events."""

    def append(db: Any, before: Any, now: int, request: Any, work: Any) -> Any:
        change = event_store.build_changes(before, work, now, request)
        event_store.write_changes(db, change._replace(request=None))
        commit_early(db)
        time.sleep(0.03)
        keep_key(db, change)
        return change

    event_store._write = append
    disable_single_round_trip()


def keep_key(db: Any, change: Any) -> None:
    """Store the key of a change whose events are written."""
    reply, request = new_reply(change), change.request
    values = {"key": request.key, "request": request.digest, "status": request.status}
    db.execute(
        STORE_REPLY,
        {
            "session_id": reply.session_id,
            "version": reply.version,
            "event_count": reply.event_count,
            **values,
        },
    )


STORE_REPLY = """
INSERT INTO vola.stored_replies (session_id, key, request, status, version, event_count)
VALUES (%(session_id)s, %(key)s, %(request)s, %(status)s, %(version)s, %(event_count)s)
"""


def disable_single_round_trip() -> None:
    """Disable appends in one round trip, which a bug planted here cannot split."""
    EventStore._append_if_unchanged = lambda *_: None  # type: ignore[method-assign, assignment]


def commit_early(db: Any) -> None:
    """Commit what was written so far: two transactions where there should be one."""
    db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("SELECT 1").fetchone()  # a pipeline sends nothing until a result is read


@register_bug("lost", "order", faults=("kill_api_process", "kill_api_master"), pace=2)
def answer_before_the_commit() -> None:
    """The phone gets its answer, and the commit follows a moment later."""

    def write(self: EventStore, session_id: Any, request: Any, work: Any) -> Any:
        db = self.pool.getconn()
        db.autocommit = False
        try:
            head = event_store.lock_stream(db, session_id, key=request.key, with_names=True)
            assert head is not None
            reply = event_store.read_reply(session_id, request, head.reply)
            session = self._fold_to_head(db, session_id, (head.version, head.hash), None)
            if reply is None:
                changes = event_store._write(db, session, head.now, request, work(session))
                result = event_store._result(changes, head.names)
            else:
                result = event_store._replay(db, session, reply, head.names)
        except BaseException:
            db.rollback()
            db.autocommit = True
            self.pool.putconn(db)
            raise

        def commit_later() -> None:
            time.sleep(0.1)
            db.commit()
            db.autocommit = True
            self.pool.putconn(db)

        threading.Thread(target=commit_later).start()
        return result

    EventStore.append = write  # type: ignore[method-assign]


@register_bug("late", "unsettled", faults=("empty_valkey", "kill_worker"))
def queue_without_outbox() -> None:
    """Payments due are in the queue alone: the relay does not look for those that stay due."""
    outbox_relay.WORKER_TIMEOUT_SECONDS = 1e9
    outbox_relay.OutboxRelay._enqueue = _report_as_enqueued(outbox_relay.OutboxRelay._enqueue)  # type: ignore[method-assign]


def _report_as_enqueued(original: Any) -> Any:
    def enqueue(self: Any, session_id: Any, payment_id: str) -> bool:
        original(self, session_id, payment_id)
        return True

    return enqueue


@register_bug("doubled", "audit", faults=("enqueue_twice",))
def settlement_without_check() -> None:
    """The job settles the payment that it names, whether it is due or not."""
    original = EventStore.settle

    def settle(self: EventStore, session_id: Any, payment_id: str | None = None) -> int:
        if payment_id is None:
            return original(self, session_id)
        with self.pool.connection() as db:
            head = event_store.lock_stream(db, session_id)
            if head is None:
                return 0
            session = self._fold_to_head(db, session_id, (head.version, head.hash), None)
            payment = session.payments.get(payment_id)
            if payment is None or payment.status == "cancelled":
                return 0
            settled = PaymentSettled(
                payment=payment.id, deal=payment.deal, payer=payment.payer,
                payee=payment.payee, amount=payment.amount, reverses=payment.reverses,
            )  # fmt: skip
            work = event_store.Decision(events=(settled,))
            event_store.write_changes(db, event_store.build_changes(session, work, head.now, None))
        return 1

    def job(session_id: str, payment_id: str) -> int:
        from uuid import UUID

        assert settle_job._context is not None
        return settle(settle_job._context[0], UUID(session_id), payment_id)

    settle_job.settle = job  # type: ignore[assignment]


@register_bug("order", faults=("cut_reply",))
def stale_reads() -> None:
    """A process shows its cached session, without checking for newer events."""
    original = EventStore.load

    def read(self: EventStore, session_id: Any, at: int | None = None) -> Any:
        cached = self._snapshots.get(session_id)
        if cached is not None and at is None and random.random() < 0.5:
            return cached
        return original(self, session_id, at)

    EventStore.load = read  # type: ignore[method-assign]


@register_bug("contiguity", "audit", "extra", faults=("kill_api_process", "terminate_backend"))
def head_after_the_commit() -> None:
    """The events are committed before the head."""
    original = event_store.write_changes

    def write_changes(db: Any, change: Any) -> None:
        execute = db.execute

        def execute_in_two_parts(query: Any, parameters: Any = None, **options: Any) -> Any:
            if query != append_sql.WRITE_CHANGES:
                return execute(query, parameters, **options)
            document = msgspec.json.decode(parameters["document"])
            events = msgspec.json.encode(document["events"]).decode()
            execute(EVENTS_ALONE, {"session_id": parameters["session_id"], "events": events})
            db.execute = execute
            commit_early(db)
            time.sleep(0.02)
            rest = msgspec.json.encode({**document, "events": []}).decode()
            return execute(query, {**parameters, "document": rest}, **options)

        db.execute = execute_in_two_parts
        try:
            original(db, change)
        finally:
            db.execute = execute

    event_store.write_changes = write_changes
    disable_single_round_trip()


EVENTS_ALONE = """
INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
SELECT %(session_id)s, e.* FROM jsonb_to_recordset(%(events)s::jsonb) AS e(
       version integer, type text, schema smallint, at bigint, "by" text, data text, hash bytea)
"""


@register_bug("audit", "rebuild", faults=("cut_reply",))
def missing_projection_row() -> None:
    """Now and then a projection is not written."""
    original = projection_rows.row_changes

    def changes(before: Any, after: Any, lines: Any) -> Any:
        return original(before, after, lines if random.random() > 0.1 else lines[1:])

    projection_rows.row_changes = changes


@register_bug("doubled", faults=("cut_reply", "half_reply"))
def reply_from_current_state() -> None:
    """A repeated request is answered with the session as it is now, not as it was then."""
    event_store.fold_to_version = lambda _, latest, __: latest  # type: ignore[assignment]


def main() -> int:
    name, *command = sys.argv[1:]
    BUGS[name].plant()
    original = subprocess.Popen

    def popen(arguments: list[str], *more: Any, **options: Any) -> Any:
        """Start a child process with the same bug."""
        if "api.cli.main" in arguments:
            at = arguments.index("api.cli.main")
            arguments = [
                *arguments[:at],
                "tests.verification.chaos.planted_bugs",
                name,
                *arguments[at + 1 :],
            ]
        return original(arguments, *more, **options)

    child_process.subprocess.Popen = popen  # type: ignore[misc, assignment]
    os.environ["PYTHONUNBUFFERED"] = "1"
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main())
