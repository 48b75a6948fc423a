"""A backup made while devices write restores elsewhere, and play continues there."""

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

import migrations
from ledger import embedded as servers
from ledger.embedded import pg_tools
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from ledger.transfer import backup
from ledger.transfer.backup_file import BOOK_LINE_BYTES, LINE_BYTES
from tests.support.api.command_line import assert_refused, invoke_vola, run_vola
from tests.support.api.http_client import RemoteSession, ask
from tests.support.databases import create_database, drop_database
from tests.support.ledger.store_session import act, open_session, play_e1
from tests.support.polling import wait_until
from tests.support.postgresql.cluster import postgres
from tests.support.proofs.verifier import verify
from tests.support.server_process import run_server
from tests.support.supervised_server import SupervisedServer
from tests.support.worked_evenings import E1, lines
from tests.verification.chaos import checks, request_history, stored_ledger
from tests.verification.chaos.run_context import InFlight, Meeting, RunContext
from tests.verification.chaos.scorer import Scorer

PHONES = 4
ENOUGH = 60
"""How many requests are acknowledged before the dump, and again while it is made."""
numbers = count(1)


@pytest.fixture
def environment(urls, data):
    return settings(urls, data)


def settings(urls, data):
    return {
        **urls.environment,
        "VOLA_DATA": str(data),
    }


@pytest.fixture
def empty(cluster):
    """An empty database on the same server."""
    name = f"vola_empty_{next(numbers)}"
    yield create_database(cluster, name)
    drop_database(cluster, name)


def test_a_backup_during_play_restores_every_acknowledged_write(tmp_path):
    """Everything acknowledged before the dump is in it, and its contents add up."""
    file, history_file = tmp_path / "book.dump", tmp_path / "history.jsonl"
    old, new = {"VOLA_DATA": str(tmp_path / "old")}, {"VOLA_DATA": str(tmp_path / "new")}
    writer = request_history.Writer(history_file)
    with SupervisedServer(tmp_path / "old") as server:
        ours = RemoteSession(f"http://127.0.0.1:{server.port}").open()
        for line in list(lines(E1))[:4]:
            receipt = ours.act(*line.actions()).json["receipt"]
        context = RunContext(port=server.port, writer=writer, in_flight=InFlight())
        phones = [Scorer(n, context, "moving", meeting) for n, meeting in in_pairs(PHONES)]
        threads = [threading.Thread(target=phone.run) for phone in phones]
        for thread in threads:
            thread.start()
        wait_for_acknowledged(context, ENOUGH + PHONES)  # the first of a phone has no session
        began = time.monotonic_ns()
        result = run_vola("backup", "-o", str(file), **old)
        wait_for_acknowledged(
            context, context.counts["done"] + ENOUGH
        )  # the backup blocks no writes
        context.stop.set()
        for thread in threads:
            thread.join()
    writer.close()
    assert result.returncode == 0, result.stderr
    assert "safe" in result.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    result = run_vola("restore", str(file), **new)
    assert result.returncode == 0, result.stderr
    assert run_vola("rebuild", **new).stdout.strip().endswith("nothing differed")
    assert run_vola("audit", **new).stdout.strip().endswith("no findings")
    with postgres(Path(new["VOLA_DATA"])) as restored:
        book = stored_ledger.read_ledger(restored.super_url.replace("/postgres?", "/vola?"))
    requests = [
        request for request in request_history.read_history(history_file) if request.session
    ]
    before = [request for request in requests if request.ended < began]
    assert len(before) >= ENOUGH
    assert checks.check_history(before, book)["lost"] == []
    heads = {session: evening.head[0] for session, evening in book.items()}
    assert any(request.version > heads.get(request.session, 0) for request in requests), (
        "the old server wrote on"
    )
    assert list(checks.find_gaps({}, book)) == []

    with run_server({**new, "DATABASE_URL": "", "REDIS_URL": ""}, tmp_path / "log") as server:
        ours.url = server.url  # the same tokens are valid
        for line in list(lines(E1))[4:]:
            assert ours.act(*line.actions()).status == 201
        assert list(ours.settled()["balances"].values()) == [-50, -40, 150, -60]
        receipt_text = ours.get(f"/receipts/{receipt['version']}").raw
        for document in (receipt_text, ours.get("/export").raw):
            assert verify.verify_document(document, json.dumps(receipt).encode())[0] == 0
        wait_until(lambda: not due(server.url))
    assert run_vola("audit", **new).returncode == 0


def in_pairs(phones):
    """Yield pairs of phones that keep score of one table."""
    for pair in range(phones // 2):
        meeting = Meeting()
        yield from ((2 * pair + 1, meeting), (2 * pair + 2, meeting))


def wait_for_acknowledged(context, count):
    wait_until(lambda: context.counts["done"] >= count, lambda: context.counts)


def due(url):
    return ask(f"{url}/readyz").json["payments_due"]


def test_due_payments_are_settled_after_the_restore(environment, store, empty, data, tmp_path):
    session_id = open_session(store)
    for line in list(lines(E1))[:5]:
        act(store, session_id, line.actions())
    assert invoke_vola("backup", "-o", str(tmp_path), **environment).returncode == 0
    (file,) = tmp_path.glob("vola-*.dump")
    target = settings(empty, data)
    result = invoke_vola("restore", str(file), **target)
    assert result.stdout.startswith("1 session, "), result
    pool = database.open_pool(empty.app, size=1)
    try:
        restored = EventStore(pool).load(session_id)
        assert restored.hash == store.load(session_id).hash
        assert [p.status for p in restored.payments.values()] == ["due"] * 3
        with run_server({**target, "REDIS_URL": "redis://127.0.0.1:1/0"}, tmp_path / "log"):
            wait_until(
                lambda: (
                    {p.status for p in EventStore(pool).load(session_id).payments.values()}
                    == {"settled"}
                )
            )
        with psycopg.connect(empty.app) as db, pytest.raises(psycopg.Error, match="permission"):
            db.execute("DELETE FROM vola.events")  # the role of the app has its old rights
    finally:
        pool.close()
    assert invoke_vola("audit", **target).returncode == 0


def test_backup_and_restore_overwrite_nothing(environment, store, tmp_path):
    play_e1(store)
    file = tmp_path / "book.dump"
    assert invoke_vola("backup", "-o", str(file), **environment).returncode == 0
    backup_bytes = file.read_bytes()
    assert_refused(invoke_vola("backup", "-o", str(file), **environment), "there already")
    assert file.read_bytes() == backup_bytes
    assert_refused(invoke_vola("restore", str(file), **environment), "in this database already")
    assert os.listdir(tmp_path) == ["book.dump"]


def test_of_two_simultaneous_backups_to_one_file_one_is_refused(
    environment, store, tmp_path, monkeypatch
):
    """As when two machines start at the same second and share the folder."""
    play_e1(store)
    file, dump = tmp_path / "book.dump", pg_tools.run_pg_dump

    def write_backup_first(*arguments):
        monkeypatch.setattr(pg_tools, "run_pg_dump", dump)
        backup.write_backup(environment["DATABASE_OWNER_URL"], file)  # from beginning to end
        first.append(file.read_bytes())
        dump(*arguments)

    first = []
    monkeypatch.setattr(pg_tools, "run_pg_dump", write_backup_first)
    with pytest.raises(backup.BackupRefused, match="there already"):
        backup.write_backup(environment["DATABASE_OWNER_URL"], file)
    assert [file.read_bytes()] == first
    assert os.listdir(tmp_path) == ["book.dump"]


def test_a_missing_folder_is_not_a_file_name(environment, store, tmp_path):
    play_e1(store)
    assert_refused(invoke_vola("backup", "-o", f"{tmp_path}/none/", **environment), "none/")
    assert not list(tmp_path.iterdir())


def test_a_restore_killed_before_it_grants_rights_is_completed(environment, store, urls, tmp_path):
    """pg_restore completes its work although the command that started it was killed."""
    file, data = tmp_path / "book.dump", tmp_path / "new"
    act(store, open_session(store), [{"type": "open_deal"}])
    backup.write_backup(urls.owner, file)
    steps = frozenset(step.name for step in migrations.STEPS)
    with servers.postgres(data) as postgres:
        backup.restore(postgres.owner_url, file, steps)
    embedded = {"DATABASE_URL": "", "REDIS_URL": "", "VOLA_DATA": str(data)}
    audit = run_vola("audit", **embedded)
    assert audit.stdout == "1 session, no findings\n", audit


def test_a_file_that_is_no_backup_leaves_the_database_empty(
    environment, store, empty, data, tmp_path
):
    play_e1(store)
    backup_file = tmp_path / "book.dump"
    assert invoke_vola("backup", "-o", str(backup_file), **environment).returncode == 0
    target, text = settings(empty, data), backup_file.read_bytes()
    broken = {
        "nothing": b"",
        "a page": b"<html>",
        "its beginning": text[:2000],
        "all but its end": text[:-100],
    }
    for case, raw in broken.items():
        (tmp_path / case).write_bytes(raw)
        assert_refused(invoke_vola("restore", str(tmp_path / case), **target), case)
    assert_refused(invoke_vola("restore", str(tmp_path / "missing"), **target), "missing")
    assert_refused(invoke_vola("restore", str(tmp_path), **target), str(tmp_path))
    assert invoke_vola("restore", str(backup_file), **target).returncode == 0
    assert invoke_vola("audit", **target).returncode == 0


def test_a_backup_that_was_cut_short_is_called_damaged_and_makes_no_book(
    environment, store, tmp_path
):
    """Also outside a folder of numbered files, where a file may lack its checksum."""
    play_e1(store)
    file, folder = tmp_path / "book.dump", tmp_path / "new"
    assert invoke_vola("backup", "-o", str(file), **environment).returncode == 0
    archive_bytes = file.read_bytes()[: -(BOOK_LINE_BYTES + LINE_BYTES)]
    for length in (500, 2000, len(archive_bytes) // 2, len(archive_bytes) - 4):
        file.write_bytes(archive_bytes[:length])
        refused = invoke_vola("restore", str(file), DATABASE_URL="", VOLA_DATA=str(folder))
        assert_refused(refused, f"{file} is damaged: ", "take another backup")
        assert not folder.exists()
    file.write_bytes(archive_bytes)
    with backup.open_backup(file):
        pass


def test_a_backup_from_a_pipe_is_refused(tmp_path):
    """A restore reads it twice, so that a damaged one changes nothing."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = invoke_vola("restore", str(pipe), DATABASE_URL="", VOLA_DATA=str(tmp_path / "new"))
    assert_refused(refused, f"{pipe} is not a file", "save the backup in a file")
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("content", [None, b"", b"PGDMP, without its end\nvola-backup "])
def test_a_refused_backup_makes_no_new_book(tmp_path, content):
    file, folder = tmp_path / "book.dump", tmp_path / "new"
    if content is not None:
        file.write_bytes(content)
    refused = invoke_vola("restore", str(file), DATABASE_URL="", VOLA_DATA=str(folder))
    assert_refused(refused, "book.dump")
    assert not folder.exists()


def test_a_backup_of_a_newer_vola_or_another_program_is_refused(
    cluster, environment, store, urls, empty, tmp_path
):
    play_e1(store)
    folder = tmp_path / "new"
    target = {"DATABASE_URL": "", "VOLA_DATA": str(folder)}
    with psycopg.connect(urls.owner) as db:
        db.execute("INSERT INTO public.vola_migrations (name) VALUES ('9999_of_tomorrow.sql')")
    newer = tmp_path / "newer.dump"
    assert invoke_vola("backup", "-o", str(newer), **environment).returncode == 0
    assert_refused(invoke_vola("restore", str(newer), **target), "newer Vola", "9999_of_tomorrow")
    foreign_dump = tmp_path / "other.dump"
    carry = [str(cluster.bin / "pg_dump"), "--format=custom", f"--file={foreign_dump}", empty.super]
    subprocess.run(carry, check=True)
    assert_refused(invoke_vola("restore", str(foreign_dump), **target), "no backup of Vola")
    assert not folder.exists()


def test_a_backup_of_a_newer_postgresql_is_refused_with_the_way_out(
    environment, store, empty, data, tmp_path
):
    play_e1(store)
    newer = tmp_path / "newer.dump"
    assert invoke_vola("backup", "-o", str(newer), **environment).returncode == 0
    added_bytes = BOOK_LINE_BYTES + LINE_BYTES
    content = bytearray(newer.read_bytes()[:-added_bytes])  # as pg_dump wrote it
    minor_version = len(backup.ARCHIVE_MAGIC) + 1
    content[minor_version] = 99
    newer.write_bytes(content)
    refused = invoke_vola("restore", str(newer), **settings(empty, data))
    assert_refused(refused, "newer PostgreSQL", "`vola export --all`", "`vola import`")


def test_an_unwritable_folder_is_reported(environment, empty, data, tmp_path):
    assert_refused(
        invoke_vola("backup", "-o", str(tmp_path / "no" / "where"), **environment), "where"
    )
    assert_refused(
        invoke_vola("backup", "-o", str(tmp_path), **settings(empty, data)), "nothing to back up"
    )
    assert os.listdir(tmp_path) == []


def test_a_backup_needs_a_role_that_reads_everything(environment, store, tmp_path):
    play_e1(store)
    auditor = {**environment, "DATABASE_OWNER_URL": environment["DATABASE_AUDIT_URL"]}
    assert_refused(
        invoke_vola("backup", "-o", str(tmp_path / "book.dump"), **auditor), "permission denied"
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("server", "at_hand", "dumps", "restores"),
    [
        (18, [(18, 4), (15, 20)], (18, 4), (18, 4)),
        (18, [(18, 4), (18, 6)], (18, 6), (18, 4)),
        (15, [(18, 4), (15, 18), (15, 20)], (15, 20), (15, 18)),
        # A newer pg_dump can read it, but writes what the server does not know.
        (17, [(18, 4), (15, 20)], (18, 4), None),
        (19, [(18, 4), (15, 20)], None, None),
    ],
)
def test_the_programs_fit_the_server(monkeypatch, server, at_hand, dumps, restores):
    monkeypatch.setattr(
        pg_tools,
        "_find_all",
        lambda name, folder=None: [((a, b), Path(f"{name}-{a}.{b}")) for a, b in at_hand],
    )
    for find, version in ((pg_tools.find_pg_dump, dumps), (pg_tools.find_pg_restore, restores)):
        if version is None:
            with pytest.raises(servers.ServerFailed, match=f"PostgreSQL {server}"):
                find(server)
        else:
            assert find(server).name.endswith("-{}.{}".format(*version))


def test_a_password_is_on_no_command_line(environment, store, urls, tmp_path, monkeypatch):
    play_e1(store)
    commands = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        pg_tools.subprocess, "Popen", lambda *a, **k: commands.append(a[0]) or popen(*a, **k)
    )
    backup.write_backup(urls.owner, tmp_path / "book.dump")
    assert commands
    assert urls.owner.split(":")[2].split("@")[0] not in str(commands)


def test_pg_dump_and_psql_alone_make_a_full_copy(cluster, store, urls, empty):
    """No program of Vola's is needed to save a ledger or to restore it."""
    session_id = play_e1(store)
    tool = {name: str(cluster.bin / name) for name in ("pg_dump", "psql")}
    text = subprocess.run([tool["pg_dump"], urls.super], check=True, capture_output=True).stdout
    psql = [tool["psql"], "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", empty.super]
    subprocess.run(psql, input=text, check=True, stdout=subprocess.DEVNULL)
    migrations.apply(empty.owner, app_url=empty.app, audit_url=empty.audit)
    result = subprocess.run(
        [sys.executable, "-m", "api.cli.main", "audit"],
        env={**os.environ, "DATABASE_URL": empty.app, "DATABASE_AUDIT_URL": empty.audit},
        capture_output=True,
        text=True,
    )
    assert result.stdout == "1 session, no findings\n", result
    with psycopg.connect(empty.app) as db:
        row = db.execute("SELECT hash FROM vola.heads WHERE session_id = %s", [session_id])
        assert row.fetchone()[0] == store.load(session_id).hash
