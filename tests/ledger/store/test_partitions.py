"""A ledger whose tables are partitioned by session, as docs/running.md describes."""

from __future__ import annotations

import psycopg
import pytest

from ledger.audit.run import audit_session
from ledger.rebuild import rebuild
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.api.session_client import SessionClient
from tests.support.app import app_over
from tests.support.ledger.memory_store import is_balanced
from tests.support.ledger.store_session import play_e1
from tests.support.player_names import FOUR_PLAYERS
from tests.support.postgresql import partitioned_tables as partitions

PARTS = 3
SPREAD = """
SELECT count(DISTINCT tableoid), count(*) FROM vola.events WHERE version = 1
"""


@pytest.fixture
def parts(urls):
    if partitions.PARTS == 1:
        partitions.partition_tables(urls.super, PARTS)
    return urls


@pytest.fixture
def partitioned_sessions(parts):
    """A store, and sessions in every partition."""
    pool = database.open_pool(parts.app, size=2)
    store = EventStore(pool)
    yield store, [play_e1(store) for _ in range(12)]
    pool.close()


def test_sessions_spread_over_partitions_have_no_findings(partitioned_sessions, parts):
    store, session_ids = partitioned_sessions
    with psycopg.connect(parts.audit) as db:
        spread, all_of_them = db.execute(SPREAD).fetchone()
        assert (spread > 1, all_of_them) == (True, len(session_ids))
        assert [audit_session(db, session_id) for session_id in session_ids] == [[]] * len(
            session_ids
        )
    assert all(is_balanced(store.load(session_id)) for session_id in session_ids)


def test_a_rebuild_repairs_rows_in_every_partition(partitioned_sessions, parts):
    result = rebuild.rebuild(parts.owner, processes=2)
    assert (result.sessions, result.differed) == (len(partitioned_sessions[1]), 0)
    with psycopg.connect(parts.super) as db:
        db.execute("DELETE FROM projections.journal")
    assert rebuild.rebuild(parts.owner, processes=1).differed > 0
    with psycopg.connect(parts.audit) as db:
        assert [audit_session(db, session_id) for session_id in partitioned_sessions[1]] == [
            []
        ] * len(partitioned_sessions[1])


def test_a_duplicate_name_is_refused_in_every_partition(parts):
    with app_over(parts) as app:
        for number in range(8):
            body = {"game": "polskt_pass", "players": FOUR_PLAYERS}
            key = {"Idempotency-Key": f"an evening of its own {number}"}
            created = app.test_client().post("/v1/sessions", json=body, headers=key).json
            table = SessionClient(app.test_client(), created["id"], created["tokens"])
            reply = table.write("/players", {"name": "ADA"}, match="*")
            assert (reply.status_code, reply.json["code"]) == (422, "wrong_shape")


@pytest.mark.parametrize("statement", ["UPDATE {} SET at = 0", "DELETE FROM {}", "TRUNCATE {}"])
def test_events_are_append_only_in_every_partition(partitioned_sessions, parts, statement):
    with psycopg.connect(parts.super) as db:
        of = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass"
        tables = [name for (name,) in db.execute(of, ["vola.events"])]
    assert len(tables) >= PARTS
    for table in ("vola.events", *tables):
        with psycopg.connect(parts.owner) as db, pytest.raises(psycopg.errors.RestrictViolation):
            db.execute(statement.format(table))
