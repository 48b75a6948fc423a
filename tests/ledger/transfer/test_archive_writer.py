"""An archive is the book at one moment, whatever is written while it is made."""

import json
from uuid import UUID
from zipfile import ZipFile

import psycopg
import pytest

from ledger.proofs.receipts import ReceiptIssuer
from ledger.transfer.archive.archive_reader import open_archive
from ledger.transfer.archive.archive_writer import in_carried_order, write_archive
from ledger.transfer.backup_file import BackupRefused
from ledger.transfer.export import export_session
from tests.support.ledger.store_session import act, open_session, play_e1

SCHEMAS = dict.fromkeys(("manifest", "session", "group"), b"{}\n")
BROUGHT_FORWARD = """
INSERT INTO vola.events (session_id, version, type, schema, at, "by", data, hash)
SELECT session_id, 2, 'brought_forward', schema, at, "by", %(data)s, hash
  FROM vola.events WHERE session_id = %(session)s
"""
A, B, C = (UUID(int=number) for number in range(3))


def test_an_archive_holds_the_book_as_it_was_when_it_began(store, tmp_path):
    sessions = [play_e1(store, deals=1), play_e1(store, deals=1)]
    receipts = ReceiptIssuer(store.pool)
    exports = [export_session(store, receipts, session, labelled=True) for session in sessions]

    def play_on(count, total):
        assert total == len(sessions)
        for session in sessions[count:]:  # those that are not written yet
            act(store, session, [{"type": "open_deal"}])
        open_session(store)

    write_archive(store.pool, tmp_path / "book.zip", SCHEMAS, play_on)
    with ZipFile(tmp_path / "book.zip") as archive:
        assert json.loads(archive.read("manifest.json"))["sessions"] == len(sessions)
        for session, export in zip(sessions, exports, strict=True):
            assert archive.read(f"sessions/{session}.json").decode() == export


def test_an_empty_book_has_an_archive(store, tmp_path):
    manifest = write_archive(store.pool, tmp_path / "book.zip", SCHEMAS)
    assert (manifest.sessions, manifest.groups, len(manifest.files)) == (0, 0, len(SCHEMAS))


def test_an_archive_is_read_whatever_its_files_have_and_shrink_to(store, tmp_path):
    for size in (1 << 20, (1 << 20) + 1, 5_000_000, 70_000_000):
        file = tmp_path / f"{size}.zip"
        manifest = write_archive(store.pool, file, {**SCHEMAS, "session": b" " * size})
        with open_archive(file) as archive:
            archive.check(manifest)


def test_an_archive_that_cannot_be_completed_leaves_nothing(store, tmp_path):
    play_e1(store, deals=1)

    def interrupt(count, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_archive(store.pool, tmp_path / "book.zip", SCHEMAS, interrupt)
    assert not list(tmp_path.iterdir())


def test_an_archive_is_written_whatever_an_event_calls_a_session(store, urls, tmp_path):
    session = str(open_session(store))
    with psycopg.connect(urls.super) as db:
        db.execute("SET session_replication_role = replica")
        db.execute(BROUGHT_FORWARD, {"session": session, "data": '{"session":"the first one"}'})
    manifest = write_archive(store.pool, tmp_path / "book.zip", SCHEMAS)
    assert [file.path for file in manifest.files_in("sessions")] == [f"sessions/{session}.json"]


def test_an_archive_replaces_no_file_that_came_meanwhile(store, tmp_path):
    play_e1(store, deals=1)
    file = tmp_path / "book.zip"
    with pytest.raises(BackupRefused, match="is there already"):
        write_archive(store.pool, file, SCHEMAS, lambda *_: file.write_text("mine"))
    assert [file.read_text()] == ["mine"] * len(list(tmp_path.iterdir()))


@pytest.mark.parametrize(
    ("opened", "order"),
    [
        ([(A, None), (B, None), (C, None)], [A, B, C]),
        ([(A, B), (B, C), (C, None)], [C, B, A]),  # a clock that was set back
        ([(A, None), (B, A), (C, B)], [A, B, C]),
        ([(A, B), (B, A), (C, None)], [B, A, C]),  # forged
        ([(A, C)], [A]),  # the earlier one is in another book
    ],
)
def test_a_session_comes_after_the_one_that_it_carries_forward(opened, order):
    assert list(in_carried_order(opened)) == order
