"""A book whose tables are cut into parts by session, as docs/running.md says they can be."""

from __future__ import annotations

import psycopg
import pytest

from ledger import audit, database, rebuild
from ledger.store import Store
from tests import partitions
from tests.api.conftest import Table
from tests.conftest import app_over
from tests.ledger.evening import NAMES, play_e1

PARTS = 3
SPREAD = """
SELECT count(DISTINCT tableoid), count(*) FROM vola.events WHERE version = 1
"""
KINDS = """
SELECT relkind::text, relispartition, count(*) FROM pg_class
 WHERE relnamespace = 'projections'::regnamespace AND relkind IN ('r', 'p') GROUP BY 1, 2
"""


@pytest.fixture
def parts(urls):
    if partitions.PARTS == 1:
        partitions.cut(urls.super, PARTS)
    return urls


@pytest.fixture
def played(parts):
    """A store, and evenings in every part."""
    pool = database.pool(parts.app, size=2)
    store = Store(pool)
    yield store, [play_e1(store) for _ in range(12)]
    pool.close()


def test_evenings_are_spread_and_nothing_is_found_amiss(played, parts):
    store, evenings = played
    with psycopg.connect(parts.audit) as db:
        spread, all_of_them = db.execute(SPREAD).fetchone()
        assert (spread > 1, all_of_them) == (True, len(evenings))
        assert [audit.audit(db, one) for one in evenings] == [[]] * len(evenings)
    assert all(store.read(one).conserved for one in evenings)


def test_a_rebuild_leaves_them_as_they_were_cut(played, parts):
    with psycopg.connect(parts.super) as db:
        before = db.execute(KINDS).fetchall()
    done = rebuild.rebuild(parts.owner, processes=2)
    assert (done.sessions, done.differed) == (len(played[1]), 0)
    with psycopg.connect(parts.super) as db:
        assert sorted(db.execute(KINDS).fetchall()) == sorted(before)
        db.execute("DELETE FROM projections.journal")
    assert rebuild.rebuild(parts.owner, processes=1).differed > 0
    with psycopg.connect(parts.audit) as db:
        assert [audit.audit(db, one) for one in played[1]] == [[]] * len(played[1])


def test_a_name_that_is_taken_is_refused_in_every_part(parts):
    with app_over(parts) as app:
        for number in range(8):
            body = {"game": "polskt_pass", "players": [{"name": name} for name in NAMES[:4]]}
            key = {"Idempotency-Key": f"open {number}"}
            made = app.test_client().post("/v1/sessions", json=body, headers=key).json
            table = Table(app.test_client(), made["id"], made["tokens"])
            again = table.write("/players", {"name": "ADA"}, match="*")
            assert (again.status_code, again.json["code"]) == (422, "wrong_shape")


@pytest.mark.parametrize("statement", ["UPDATE {} SET at = 0", "DELETE FROM {}", "TRUNCATE {}"])
def test_history_is_for_ever_in_every_part(played, parts, statement):
    with psycopg.connect(parts.super) as db:
        of = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass"
        tables = [name for (name,) in db.execute(of, ["vola.events"])]
    assert len(tables) >= PARTS
    for table in ("vola.events", *tables):
        with psycopg.connect(parts.owner) as db, pytest.raises(psycopg.errors.RestrictViolation):
            db.execute(statement.format(table))
