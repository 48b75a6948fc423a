"""A receipt is signed, leads to the evening of now, and is the same whoever makes it."""

import json
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import verify
from ledger import database
from ledger.keys import Keys
from ledger.receipts import Receipts, UnknownVersion
from ledger.store import Store
from ledger.writing import UnknownSession
from tests.ledger.evening import act, play_e1

PASSED = [{"type": "open_deal"}, {"type": "all_pass"}]


def judged(response, **more):
    assert response.status_code == 200, response.text
    return verify.judge(response.data, **more)


def test_a_receipt_holds_now_and_after_more_was_written(table):
    acknowledged = table.act(*PASSED).json["receipt"]
    first = table.get(f"/receipts/{acknowledged['version']}", role="viewer")
    assert {name: first.json[name] for name in acknowledged} == acknowledged
    assert first.headers["ETag"] == f'"{acknowledged["version"]}"'
    table.act(*PASSED)
    later = table.get(f"/receipts/{acknowledged['version']}")
    for old in (first.data, json.dumps(acknowledged).encode()):
        assert judged(later, earlier=old)[:2] == (0, "receipt")
        assert judged(table.get("/export"), earlier=old)[:2] == (0, "export")
    assert later.json["head"]["version"] == table.version
    assert later.headers["ETag"] == f'"{table.version}"'
    assert later.json["checkpoint"] == first.json["checkpoint"]  # a version is always the same


def test_it_leads_to_any_later_version(table):
    for _ in range(5):
        table.act(*PASSED)
    newest = table.version
    for version in range(1, newest + 1):
        for to in range(version, newest + 1):
            made = table.get(f"/receipts/{version}?to={to}")
            assert judged(made)[:2] == (0, "receipt")
            assert made.json["head"]["version"] == to


def test_a_version_that_never_was_is_said(table):
    for path in ("0", "99", f"{2**31}", f"{10**30}"):
        refused = table.get(f"/receipts/{path}")
        assert (refused.status_code, refused.json["code"]) == (404, "unknown_version")
    assert table.get("/receipts/1?to=99").json["version"] == 99
    for to in ("0", "x", f"{2**31}"):
        assert table.get(f"/receipts/1?to={to}").status_code == 422


def test_everybody_may_know_the_key_and_only_who_is_in_may_take_the_evening_home(table):
    shown = table.client.get("/v1/key").json
    assert shown == {"algorithm": "Ed25519", "key": table.get("/receipts/1").json["key"]}
    for path in ("/receipts/1", "/export"):
        assert table.client.get(table.here + path).status_code == 404
    export = table.get("/export", role="viewer")
    assert judged(export, key=shown["key"])[:2] == (0, "export")
    assert export.headers["Content-Disposition"].startswith("attachment")
    assert "Ada" not in export.text


def test_the_key_is_made_once_however_many_begin_at_the_same_time(urls):
    pools = [database.pool(urls.app, size=1) for _ in range(8)]
    with ThreadPoolExecutor(8) as many:
        made = set(many.map(lambda pool: Keys(pool).public, pools))
    for pool in pools:
        pool.close()
    with psycopg.connect(urls.audit) as db:
        assert db.execute("SELECT public FROM vola.keys").fetchall() == [(made.pop(),)]
    assert not made


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE vola.keys SET public = public",
        "DELETE FROM vola.keys",
        "TRUNCATE vola.keys",
        "INSERT INTO vola.keys (public, secret) SELECT secret, public FROM vola.keys",
    ],
)
def test_nobody_replaces_the_key(urls, store, attack):
    Keys(store.pool).public  # noqa: B018  # makes it
    for url in (urls.app, urls.owner):
        with psycopg.connect(url) as db, pytest.raises(psycopg.Error):
            db.execute(attack)


def test_the_auditor_reads_the_public_half_only(urls, store):
    public = Keys(store.pool).public
    with psycopg.connect(urls.audit, autocommit=True) as db:
        assert db.execute("SELECT public FROM vola.keys").fetchone() == (public,)
        for column in ("secret", "*"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"SELECT {column} FROM vola.keys")


def test_who_has_kept_a_tree_signs_as_one_who_makes_it_anew(store):
    session_id = play_e1(store, deals=2)
    kept = Receipts(store.pool)
    for _ in range(4):
        version = store.read(session_id).version
        for at in (1, version // 2, version):
            assert kept.receipt(session_id, at) == Receipts(store.pool).receipt(session_id, at)
        act(store, session_id, PASSED)


def test_a_tree_of_a_history_that_was_set_back_is_not_used(store, urls):
    session_id = play_e1(store, deals=1)
    before, kept = store.read(session_id), Receipts(store.pool)
    act(store, session_id, PASSED)
    promised = kept.receipt(session_id, store.read(session_id).version)
    with psycopg.connect(urls.super) as db:  # as a backup that was put back
        db.execute("ALTER TABLE vola.events DISABLE TRIGGER USER")
        db.execute("DELETE FROM vola.events WHERE version > %s", [before.version])
        head = (before.version, before.acted, before.hash)
        db.execute("UPDATE vola.heads SET version = %s, acted = %s, hash = %s", head)
    assert kept.receipt(session_id, 2).head.version == before.version
    act(Store(store.pool), session_id, PASSED)
    now = kept.receipt(session_id, before.version + 1)
    assert now == Receipts(store.pool).receipt(session_id, before.version + 1)
    assert now.head.note != promised.own.note


def test_what_is_not_there_is_said(store):
    session_id = play_e1(store, deals=1)
    receipts = Receipts(store.pool)
    for version, to in ((0, None), (99, None), (1, 99)):
        with pytest.raises(UnknownVersion):
            receipts.receipt(session_id, version, to)
    with pytest.raises(UnknownSession):
        receipts.receipt(type(session_id)(int=1), 1)


@pytest.mark.parametrize("query", ["", "?player=p1", "?player=p4"])
def test_a_statement_holds_with_the_receipt_of_its_version(table, query):
    for _ in range(4):
        table.act(*PASSED)
    statement = table.get(f"/statement{query}").json
    signed = table.get(f"/receipts/{statement['version']}").json
    statement |= {name: signed[name] for name in ("checkpoint", "key")}
    assert verify.judge(json.dumps(statement).encode())[:2] == (0, "statement")
    statement["balances"]["p1"] += 1
    assert verify.judge(json.dumps(statement).encode())[:2] == (1, "sum_wrong")
