"""The book goes into a file while phones keep score, comes back elsewhere, and plays on."""

import json
import os
import stat
import subprocess
import sys
import threading
import time
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

import migrations
import verify
from ledger import backup, database, servers
from ledger.servers import client
from ledger.store import Store
from tests.api.test_cli import refused, vola
from tests.chaos import book as books
from tests.chaos import checks, history
from tests.chaos.house import House
from tests.chaos.phones import Flights, Meeting, Scorer, Shared
from tests.conftest import Urls, serving
from tests.evenings import E1, lines
from tests.ledger.evening import act, open_session, play_e1
from tests.phone import Phone, ask

PHONES = 4
ENOUGH = 60
"""So many requests are acknowledged before the dump begins, and again until it has been made."""
numbers = count(1)


@pytest.fixture
def environment(urls, data):
    return settings(urls, data)


def settings(urls, data):
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "VOLA_DATA": str(data),
    }


@pytest.fixture
def empty(cluster):
    """A database with nothing in it, on the same server."""
    name = f"vola_empty_{next(numbers)}"
    make = sql.SQL("CREATE DATABASE {} TEMPLATE template0 OWNER vola_owner")
    drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(make.format(sql.Identifier(name)))
    yield Urls(cluster, name)
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(drop.format(sql.Identifier(name)))


def test_the_book_moves_house_while_phones_keep_score(tmp_path):
    """Whatever was acknowledged before the dump began is in it, and all that is in it adds up."""
    file, told = tmp_path / "book.dump", tmp_path / "history.jsonl"
    old, new = {"VOLA_DATA": str(tmp_path / "old")}, {"VOLA_DATA": str(tmp_path / "new")}
    writer = history.Writer(told)
    with House(tmp_path / "old") as house:
        ours = Phone(f"http://127.0.0.1:{house.port}").open()
        for line in list(lines(E1))[:4]:
            receipt = ours.act(*line.actions()).json["receipt"]
        shared = Shared(port=house.port, writer=writer, flights=Flights())
        phones = [Scorer(n, shared, "moving", meeting) for n, meeting in in_pairs(PHONES)]
        threads = [threading.Thread(target=phone.run) for phone in phones]
        for thread in threads:
            thread.start()
        acknowledged(shared, ENOUGH)
        began = time.monotonic_ns()
        done = vola("backup", "-o", str(file), **old)
        acknowledged(shared, shared.done["done"] + ENOUGH)  # nobody was kept from recording
        shared.stop.set()
        for thread in threads:
            thread.join()
    writer.close()
    assert done.returncode == 0, done.stderr
    assert "safe" in done.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    done = vola("restore", str(file), **new)
    assert done.returncode == 0, done.stderr
    assert vola("rebuild", **new).stdout.strip().endswith("nothing differed")
    assert vola("audit", **new).stdout.strip().endswith("no findings")
    with servers.postgres(Path(new["VOLA_DATA"])) as restored:
        book = books.read(restored.super_url.replace("/postgres?", "/vola?"))
    seen = [one for one in history.read(told) if one.session]
    before = [one for one in seen if one.ended < began]
    assert len(before) >= ENOUGH
    assert checks.check(before, book)["lost"] == []
    heads = {session: evening.head[0] for session, evening in book.items()}
    assert any(one.version > heads.get(one.session, 0) for one in seen), "the old house went on"
    assert list(checks.contiguity({}, book)) == []

    with serving({**new, "DATABASE_URL": "", "REDIS_URL": ""}, tmp_path / "log") as server:
        ours.url = server.url  # the same tokens open the same evening
        for line in list(lines(E1))[4:]:
            assert ours.act(*line.actions()).status == 201
        assert list(ours.settled()["balances"].values()) == [-50, -40, 150, -60]
        later = ours.get(f"/receipts/{receipt['version']}").raw
        for taken in (later, ours.get("/export").raw):
            assert verify.judge(taken, json.dumps(receipt).encode())[0] == 0
        deadline = time.monotonic() + 30
        while due(server.url):
            assert time.monotonic() < deadline
            time.sleep(0.05)  # polling, with a deadline
    assert vola("audit", **new).returncode == 0


def in_pairs(phones):
    """Two phones keep score of one table."""
    for pair in range(phones // 2):
        meeting = Meeting()
        yield from ((2 * pair + 1, meeting), (2 * pair + 2, meeting))


def acknowledged(shared, wanted):
    deadline = time.monotonic() + 60
    while shared.done["done"] < wanted:
        assert time.monotonic() < deadline, shared.done
        time.sleep(0.01)  # polling, with a deadline


def due(url):
    return ask(f"{url}/readyz").json["payments_due"]


def test_what_was_still_due_is_settled_where_it_was_restored(
    environment, store, empty, data, tmp_path
):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    assert vola("backup", "-o", str(tmp_path), **environment).returncode == 0
    (file,) = tmp_path.glob("vola-*.dump")
    there = settings(empty, data)
    done = vola("restore", str(file), **there)
    assert done.stdout.startswith("1 evenings, "), done
    pool = database.pool(empty.app, size=1)
    try:
        restored = Store(pool).read(session_id)
        assert restored.hash == store.read(session_id).hash
        assert [p.status for p in restored.payments.values()] == ["due"] * 3
        with serving({**there, "REDIS_URL": "redis://127.0.0.1:1/0"}, tmp_path / "log"):
            deadline = time.monotonic() + 20
            while {p.status for p in Store(pool).read(session_id).payments.values()} != {"settled"}:
                assert time.monotonic() < deadline
                time.sleep(0.02)  # polling, with a deadline
        with psycopg.connect(empty.app) as db, pytest.raises(psycopg.Error, match="permission"):
            db.execute("DELETE FROM vola.events")  # the app's role may what it might before
    finally:
        pool.close()
    assert vola("audit", **there).returncode == 0


def test_nothing_is_ever_written_over(environment, store, tmp_path):
    play_e1(store)
    file = tmp_path / "book.dump"
    assert vola("backup", "-o", str(file), **environment).returncode == 0
    kept = file.read_bytes()
    refused(vola("backup", "-o", str(file), **environment), "there already")
    assert file.read_bytes() == kept
    refused(vola("restore", str(file), **environment), "in this database already")
    assert os.listdir(tmp_path) == ["book.dump"]


def test_two_that_write_the_same_file_at_once_are_one_and_a_refusal(
    environment, store, tmp_path, monkeypatch
):
    """As two machines whose clocks strike at the same second, and a folder that both see."""
    play_e1(store)
    file, dump = tmp_path / "book.dump", client.dump

    def meanwhile(*given):
        monkeypatch.setattr(client, "dump", dump)
        backup.make(environment["DATABASE_OWNER_URL"], file)  # from beginning to end
        first.append(file.read_bytes())
        dump(*given)

    first = []
    monkeypatch.setattr(client, "dump", meanwhile)
    with pytest.raises(backup.BackupRefused, match="there already"):
        backup.make(environment["DATABASE_OWNER_URL"], file)
    assert [file.read_bytes()] == first
    assert os.listdir(tmp_path) == ["book.dump"]


def test_a_folder_that_is_not_there_is_no_name_of_a_file(environment, store, tmp_path):
    play_e1(store)
    refused(vola("backup", "-o", f"{tmp_path}/none/", **environment), "none/")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_backup_leaves_the_database_empty(
    environment, store, empty, data, tmp_path
):
    play_e1(store)
    whole = tmp_path / "book.dump"
    assert vola("backup", "-o", str(whole), **environment).returncode == 0
    there, text = settings(empty, data), whole.read_bytes()
    broken = {
        "nothing": b"",
        "a page": b"<html>",
        "its beginning": text[:2000],
        "all but its end": text[:-100],
    }
    for what, raw in broken.items():
        (tmp_path / what).write_bytes(raw)
        refused(vola("restore", str(tmp_path / what), **there), what)
    refused(vola("restore", str(tmp_path / "missing"), **there), "missing")
    refused(vola("restore", str(tmp_path), **there), str(tmp_path))
    assert vola("restore", str(whole), **there).returncode == 0
    assert vola("audit", **there).returncode == 0


def test_a_backup_of_a_newer_vola_and_of_something_else_are_refused(
    cluster, environment, store, urls, empty, data, tmp_path
):
    play_e1(store)
    there = settings(empty, data)
    with psycopg.connect(urls.owner) as db:
        db.execute("INSERT INTO public.vola_migrations (name) VALUES ('9999_of_tomorrow.sql')")
    newer = tmp_path / "newer.dump"
    assert vola("backup", "-o", str(newer), **environment).returncode == 0
    refused(vola("restore", str(newer), **there), "newer Vola", "9999_of_tomorrow")
    other = tmp_path / "other.dump"
    carry = [str(cluster.bin / "pg_dump"), "--format=custom", f"--file={other}", empty.super]
    subprocess.run(carry, check=True)
    refused(vola("restore", str(other), **there), "no backup of Vola")


def test_where_nothing_can_be_written_is_said(environment, empty, data, tmp_path):
    refused(vola("backup", "-o", str(tmp_path / "no" / "where"), **environment), "where")
    refused(vola("backup", "-o", str(tmp_path), **settings(empty, data)), "nothing to back up")
    assert os.listdir(tmp_path) == []


def test_who_may_not_read_all_of_the_book_may_not_copy_it(environment, store, tmp_path):
    play_e1(store)
    auditor = {**environment, "DATABASE_OWNER_URL": environment["DATABASE_AUDIT_URL"]}
    refused(vola("backup", "-o", str(tmp_path / "book.dump"), **auditor), "permission denied")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("server", "at_hand", "dumps", "restores"),
    [
        (18, {18, 15}, 18, 18),
        (15, {18, 15}, 15, 15),
        (17, {18, 15}, 18, None),  # a newer one reads it, and would write what it does not know
        (19, {18, 15}, None, None),
    ],
)
def test_the_programs_fit_the_server(monkeypatch, server, at_hand, dumps, restores):
    monkeypatch.setattr(client, "_all", lambda name: [(v, Path(f"{name}-{v}")) for v in at_hand])
    for find, version in ((client.dumper, dumps), (client.restorer, restores)):
        if version is None:
            with pytest.raises(servers.ServerFailed, match=f"PostgreSQL {server}"):
                find(server)
        else:
            assert find(server).name.endswith(f"-{version}")


def test_a_password_is_on_no_command_line(environment, store, urls, tmp_path, monkeypatch):
    play_e1(store)
    seen = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        client.subprocess, "Popen", lambda *a, **k: seen.append(a[0]) or popen(*a, **k)
    )
    backup.make(urls.owner, tmp_path / "book.dump")
    assert seen
    assert urls.owner.split(":")[2].split("@")[0] not in str(seen)


def test_pg_dump_and_psql_alone_carry_the_book_too(cluster, store, urls, empty):
    """No program of ours is needed to save a book, or to bring it back."""
    session_id = play_e1(store)
    tool = {name: str(cluster.bin / name) for name in ("pg_dump", "psql")}
    text = subprocess.run([tool["pg_dump"], urls.super], check=True, capture_output=True).stdout
    psql = [tool["psql"], "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", empty.super]
    subprocess.run(psql, input=text, check=True, stdout=subprocess.DEVNULL)
    migrations.apply(empty.owner, app_url=empty.app, audit_url=empty.audit)
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", "audit"],
        env={**os.environ, "DATABASE_URL": empty.app, "DATABASE_AUDIT_URL": empty.audit},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "1 sessions, no findings\n", done
    with psycopg.connect(empty.app) as db:
        row = db.execute("SELECT hash FROM vola.heads WHERE session_id = %s", [session_id])
        assert row.fetchone()[0] == store.read(session_id).hash
