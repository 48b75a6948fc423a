"""`vola import` makes no book for files that it refuses, and reads each file once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.event_store import EventStore
from ledger.transfer.export import export_session
from tests.support.api.command_line import assert_refused, invoke_vola
from tests.support.databases import DatabaseUrls, copy_database, create_database, drop_database
from tests.support.ledger.store_session import act, play_e1
from tests.support.postgresql.cluster import Postgres


def export_text(store: EventStore, session_id: UUID, *, labelled: bool) -> bytes:
    issuer = ReceiptIssuer(store.pool)
    return export_session(store, issuer, session_id, labelled=labelled).encode()


@pytest.fixture
def exported(store: EventStore) -> bytes:
    """A session with its names, as a file holds it."""
    return export_text(store, play_e1(store), labelled=True)


@pytest.fixture
def empty_database(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """A database without tables."""
    yield create_database(cluster, "vola_for_refused_files")
    drop_database(cluster, "vola_for_refused_files")


@pytest.fixture
def other_urls(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """The database of another book."""
    yield copy_database(cluster, "vola_for_imported_files")
    drop_database(cluster, "vola_for_imported_files")


def is_migrated(urls: DatabaseUrls) -> bool:
    with psycopg.connect(urls.owner) as db:
        return db.execute("SELECT to_regclass('vola.events')").fetchone() != (None,)


def refused_files(exported: bytes, folder: Path) -> dict[str, str]:
    """Return files that cannot be imported, with a word of each refusal."""
    contents = {
        "empty.json": (b"", "is empty"),
        "text.json": (b"Ada 10 kr", "JSON"),
        "half.json": (exported[: len(exported) // 2], "JSON"),
        "forged.json": (exported.replace(b'"Ada"', b'"Eva"'), "names"),
        "receipt.json": (b'{"format": "vola receipt 1"}', "`vola audit --receipt` checks"),
        "half.zip": (b"PK\3\4 and no more", "no complete archive"),
    }
    for name, (content, _) in contents.items():
        (folder / name).write_bytes(content)
    words = {str(folder / name): word for name, (_, word) in contents.items()}
    return words | {str(folder / "gone.json"): "cannot be read", str(folder): "cannot be read"}


def test_files_that_cannot_be_imported_make_no_new_book(exported: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for file, word in refused_files(exported, tmp_path).items():
        result = invoke_vola("import", file, DATABASE_URL="", VOLA_DATA=str(folder))
        assert_refused(result, f"vola: {file}: ", word)
        assert not folder.exists(), file


def test_files_that_cannot_be_imported_make_no_tables(
    exported: bytes, empty_database: DatabaseUrls, tmp_path: Path
) -> None:
    files = refused_files(exported, tmp_path)
    result = invoke_vola("import", *files, **empty_database.environment)
    assert result.returncode == 2
    lines = result.stderr.strip().splitlines()
    for line, (file, word) in zip(lines, files.items(), strict=True):
        assert line.startswith(f"vola: {file}: "), line
        assert word in line
    assert not is_migrated(empty_database)


def test_one_good_file_among_others_makes_the_book(
    exported: bytes, empty_database: DatabaseUrls, tmp_path: Path
) -> None:
    files = list(refused_files(exported, tmp_path))
    good = tmp_path / "good.json"
    good.write_bytes(exported)
    files.insert(2, str(good))
    result = invoke_vola("import", *files, **empty_database.environment)
    assert result.returncode == 2
    assert len(result.stderr.strip().splitlines()) == len(files) - 1
    assert result.stdout.startswith(f"{good}: session ")
    assert is_migrated(empty_database)


def test_an_import_that_may_not_make_the_tables_says_who_may(
    exported: bytes, empty_database: DatabaseUrls, tmp_path: Path
) -> None:
    file = tmp_path / "evening.json"
    file.write_bytes(exported)
    ownerless = {"DATABASE_OWNER_URL": "", "DATABASE_AUDIT_URL": ""}
    result = invoke_vola("import", str(file), **{**empty_database.environment, **ownerless})
    assert_refused(result, "DATABASE_OWNER_URL", "permission denied")


def test_a_session_from_a_pipe_is_imported(
    exported: bytes, other_urls: DatabaseUrls, tmp_path: Path
) -> None:
    """As of `vola import <(ssh elsewhere vola export --names …)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(exported,))
    writer.start()
    result = invoke_vola("import", str(pipe), **other_urls.environment)
    writer.join()
    assert (result.returncode, result.stderr) == (0, "")
    assert "is here now, at version 70" in result.stdout


def test_names_that_come_after_their_session_are_refused_with_the_way_out(
    store: EventStore, other_urls: DatabaseUrls, tmp_path: Path
) -> None:
    """Nothing tells a name that never came from one that was erased for good."""
    session_id = play_e1(store)
    nameless, named = tmp_path / "nameless.json", tmp_path / "named.json"
    nameless.write_bytes(export_text(store, session_id, labelled=False))
    named.write_bytes(export_text(store, session_id, labelled=True))
    first = invoke_vola("import", str(nameless), **other_urls.environment)
    assert first.returncode == 0
    assert "at version 70 without names (the file has none, and a later one" in first.stdout
    later = invoke_vola("import", str(named), **other_urls.environment)
    assert_refused(later, "already here, at version 70", "lacks names", "into a new book")
    again = invoke_vola("import", str(nameless), **other_urls.environment)
    assert (again.returncode, again.stderr) == (0, "")


def test_a_file_with_more_events_than_are_here_is_refused_with_the_way_out(
    store: EventStore, other_urls: DatabaseUrls, tmp_path: Path
) -> None:
    session_id = play_e1(store, deals=2)
    earlier, later = tmp_path / "earlier.json", tmp_path / "later.json"
    earlier.write_bytes(export_text(store, session_id, labelled=True))
    act(store, session_id, [{"type": "open_deal"}])
    later.write_bytes(export_text(store, session_id, labelled=True))
    version = store.load(session_id).version
    assert invoke_vola("import", str(earlier), **other_urls.environment).returncode == 0
    refused = invoke_vola("import", str(later), **other_urls.environment)
    words = (f"at version {version - 1}. The file goes on to version {version}", "into a new book")
    assert_refused(refused, *words)


def test_a_session_that_is_here_with_its_names_lacks_none(
    exported: bytes, other_urls: DatabaseUrls, tmp_path: Path
) -> None:
    for name, ending in (("first.json", b""), ("second.json", b"\n")):
        (tmp_path / name).write_bytes(exported + ending)
    first = invoke_vola("import", str(tmp_path / "first.json"), **other_urls.environment)
    assert "is here now, at version 70: " in first.stdout
    second = invoke_vola("import", str(tmp_path / "second.json"), **other_urls.environment)
    assert_refused(second, "already here, at version 70.\n")
