"""Bugs of the transaction: commits that come too early or too late, or reach no disk."""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec

from ledger.store import append_sql, event_store
from ledger.store import connection_pool as database
from ledger.store.append_request import new_reply
from ledger.store.event_store import EventStore
from tests.verification.chaos.planted_bugs.registry import Bugs

BUGS = Bugs()


@BUGS.register("lost", faults=("kill_backend",), pace=4)
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


@BUGS.register("extra", "audit", faults=("kill_api_process", "terminate_backend"))
def key_after_the_commit() -> None:
    """The key is stored in a transaction of its own, a moment after the events."""

    def append(db: Any, before: Any, now: int, request: Any, work: Any) -> Any:
        change = event_store.build_changes(before, work, now, request)
        event_store.write_changes(db, change._replace(request=None))
        commit_early(db)
        time.sleep(0.03)
        store_key(db, change)
        return change

    event_store._write = append
    disable_single_round_trip()


def store_key(db: Any, change: Any) -> None:
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


@BUGS.register("lost", "order", faults=("kill_api_process", "kill_api_master"), pace=2)
def answer_before_the_commit() -> None:
    """The phone gets its answer, and the commit follows a moment later."""

    def write(self: EventStore, session_id: Any, request: Any, work: Any) -> Any:
        db = self.pool.getconn()
        db.autocommit = False
        try:
            head = event_store.lock_stream(db, session_id, key=request.key, with_names=True)
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


@BUGS.register("contiguity", "audit", "extra", faults=("kill_api_process", "terminate_backend"))
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
SELECT %(session_id)s, (e ->> 0)::integer, e ->> 1, (e ->> 2)::smallint, (e ->> 3)::bigint,
       e ->> 4, e ->> 5, (e ->> 6)::bytea
  FROM jsonb_array_elements(%(events)s::jsonb) AS e
"""


def disable_single_round_trip() -> None:
    """Disable appends in one round trip, which a bug planted here cannot split."""
    EventStore._append_if_unchanged = lambda *_: None  # type: ignore[method-assign, assignment]


def commit_early(db: Any) -> None:
    """Commit what was written so far: two transactions where there should be one."""
    db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("SELECT 1").fetchone()  # a pipeline sends nothing until a result is read
