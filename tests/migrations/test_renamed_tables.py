"""A book of an earlier version upgrades in place: every row and grant follows its renamed table."""

from dataclasses import dataclass

import psycopg
import pytest
from psycopg import sql

import migrations
from ledger.audit.run import audit_session
from tests.support.databases import DatabaseUrls
from tests.support.earlier_books import RENAMED_DUMPS, restore_book
from tests.support.postgresql.cluster import Postgres

GRANTS = """
SELECT c.oid, a.grantee::regrole::text, a.privilege_type
  FROM pg_class c, aclexplode(c.relacl) a
 WHERE c.relnamespace = 'vola'::regnamespace AND c.relname <> 'pins'
"""
COLUMN_GRANTS = """
SELECT t.attrelid, t.attnum::text, a.privilege_type
  FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid, aclexplode(t.attacl) a
 WHERE c.relnamespace = 'vola'::regnamespace
"""
TABLES = """
SELECT oid, relname FROM pg_class
 WHERE relnamespace = 'vola'::regnamespace AND relkind = 'r' AND relname <> 'pins'
"""
"""Without `vola.pins`, which a later migration drops; so is `GRANTS`."""
ADD_PINS = """
INSERT INTO vola.pins (session_id, player_id, salt, digest)
SELECT session_id, 'p1', '', '' FROM vola.heads
"""
NAMES = """
SELECT relname FROM pg_class WHERE relnamespace = 'vola'::regnamespace
 UNION SELECT conname FROM pg_constraint WHERE connamespace = 'vola'::regnamespace
 UNION SELECT proname FROM pg_proc WHERE pronamespace = 'vola'::regnamespace
 UNION SELECT attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        WHERE c.relnamespace = 'vola'::regnamespace AND relkind = 'r'
 UNION SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
        WHERE c.relnamespace = 'vola'::regnamespace AND NOT tgisinternal
"""
OLD_WORDS = {
    *("circle", "circles", "knock", "knocks", "phone", "phones", "evenings", "stuck", "tallies"),
    *("recording", "acted", "sounds", "again", "misses", "tries", "heard", "ever", "emptied"),
}
OLD_WRITES = {
    "an append": "SELECT vola.append(%(id)s, 'host.0', 1, '', NULL, '{}', '')",
    "a locked append": "SELECT * FROM vola.take(%(id)s, 'host.0', NULL, false)",
    "what an append wrote": "SELECT vola.put(%(id)s, '{}', '')",
    "a head": "UPDATE vola.heads SET version = 9, acted = 9 WHERE session_id = %(id)s",
    "a name erased": "UPDATE vola.players SET name = NULL, sounds = NULL, salt = NULL",
    "a device": "INSERT INTO vola.phones (session_id, phone, role, made_at)"
    " VALUES (%(id)s, 9, 'host', 0)",
    "a link": "UPDATE vola.sessions SET tokens[1] = tokens[1] + 1",
    "a member": "INSERT INTO vola.members VALUES (%(id)s, 'm9', NULL, NULL)",
    "a stored reply": "INSERT INTO vola.replies VALUES (%(id)s, 'key', '', 200, 1, '')",
}


Counts = dict[int, int]
Grants = set[tuple[object, ...]]


@dataclass
class UpgradedBook:
    """A book of an earlier version after the migration, and what it held before."""

    urls: DatabaseUrls
    counts_before: Counts
    grants_before: Grants


@pytest.fixture(scope="module", params=RENAMED_DUMPS, ids=lambda path: path.parent.name)
def upgraded(request: pytest.FixtureRequest, cluster: Postgres) -> UpgradedBook:
    urls = restore_book(cluster, request.param, "renamed")
    with psycopg.connect(urls.super) as db:
        db.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA vola TO vola_app")
        db.execute("GRANT SELECT (public, made_at) ON vola.keys TO vola_auditor")
        assert db.execute(ADD_PINS).rowcount > 0
    book = UpgradedBook(urls, row_counts(urls), grants(urls))
    run = migrations.apply(urls.owner, app_url=urls.app, audit_url=urls.audit)
    assert "0022_tables_and_columns_have_new_names.sql" in run
    return book


def row_counts(urls: DatabaseUrls) -> Counts:
    """How many rows each table has, by the table's oid."""
    with psycopg.connect(urls.super) as db:
        counts = {}
        for oid, table in db.execute(TABLES).fetchall():
            query = sql.SQL("SELECT count(*) FROM vola.{}").format(sql.Identifier(table))
            counts[oid] = (db.execute(query).fetchone() or (0,))[0]
    return counts


def grants(urls: DatabaseUrls) -> Grants:
    with psycopg.connect(urls.super) as db:
        return {*db.execute(GRANTS).fetchall(), *db.execute(COLUMN_GRANTS).fetchall()}


def test_rows_and_grants_follow_their_tables(upgraded: UpgradedBook) -> None:
    assert row_counts(upgraded.urls).items() >= upgraded.counts_before.items()
    lost = upgraded.grants_before - grants(upgraded.urls)
    # since 0027 the app may insert the columns of a first key only
    assert {(grantee, right) for _, grantee, right in lost} <= {("vola_app", "INSERT")}
    assert len(lost) <= 1


def test_players_have_no_pin(upgraded: UpgradedBook) -> None:
    with psycopg.connect(upgraded.urls.owner) as db:
        assert db.execute("SELECT to_regclass('vola.pins')").fetchone() == (None,)


def test_nothing_keeps_an_old_name(upgraded: UpgradedBook) -> None:
    with psycopg.connect(upgraded.urls.owner) as db:
        names = {name for (name,) in db.execute(NAMES)}
    assert [name for name in names if OLD_WORDS & set(name.split("_"))] == []


def test_a_server_of_the_version_before_fails_and_writes_nothing(upgraded: UpgradedBook) -> None:
    with psycopg.connect(upgraded.urls.super) as db:
        sessions = [session for (session,) in db.execute("SELECT session_id FROM vola.heads")]
    for statement in OLD_WRITES.values():
        with (
            psycopg.connect(upgraded.urls.app) as db,
            pytest.raises(psycopg.ProgrammingError) as failed,
        ):
            db.execute(statement, {"id": sessions[0]})
        assert failed.value.sqlstate in {"42P01", "42703", "42883"}, statement
    with psycopg.connect(upgraded.urls.audit) as db:
        assert [audit_session(db, session) for session in sessions] == [[]] * len(sessions)
