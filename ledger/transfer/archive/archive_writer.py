"""Write all sessions and groups of a book to one archive, one session at a time in memory."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from os import fsync
from pathlib import Path
from typing import Any, cast
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import msgspec

from ledger.events.timestamps import format_timestamp
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store.connection_pool import Connection, Pool, fetch_value
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from ledger.transfer.archive.archive_format import (
    MANIFEST,
    SMALL_BYTES,
    ArchivedFile,
    Manifest,
    group_path,
    grows_too_much,
    session_path,
)
from ledger.transfer.archive.group_transfer import export_group
from ledger.transfer.backup_file import new_backup_file
from ledger.transfer.export import export_session

OPENED_SESSIONS = """
SELECT o.session_id, earlier.session_id
  FROM vola.events o
  LEFT JOIN vola.events b ON b.session_id = o.session_id AND b.type = 'brought_forward'
  LEFT JOIN vola.sessions earlier ON earlier.session_id::text = b.data::jsonb ->> 'session'
 WHERE o.version = 1 ORDER BY o.at, o.session_id
"""
"""Each session with the one that it carries forward, by the time when it was opened. What an event
calls a session is text and may be no id: a session may be imported."""
GROUP_IDS = "SELECT group_id FROM vola.groups ORDER BY group_id"
SNAPSHOT_TIME = "SELECT (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint"
EARLIEST_ZIP_YEAR = 1980


def write_archive(
    pool: Pool,
    path: Path,
    schemas: Mapping[str, bytes],
    show_progress: Callable[[int, int], object] = lambda *_: None,
) -> Manifest:
    """Write the new file `path`, readable by its owner alone, or nothing; return its manifest.

    `schemas` has the JSON Schema of each kind of file. `show_progress` gets how many sessions are
    written, and of how many. All of it is the book at one moment, and is on the disk before the
    file has its name. Raise BackupRefused when `path` cannot be written or exists by then;
    UnreadableEvent.
    """
    ReceiptIssuer(pool).signing_key()  # a book's first key, which a snapshot could not create
    with _snapshot_pool(pool) as snapshot, new_backup_file(path) as temporary:
        with ZipFile(temporary, "w", ZIP_DEFLATED) as archive:
            manifest = _write_files(archive, snapshot, schemas, show_progress)
        with temporary.open("rb") as file:
            fsync(file.fileno())
    return manifest


def _write_files(
    archive: ZipFile,
    pool: Pool,
    schemas: Mapping[str, bytes],
    show_progress: Callable[[int, int], object],
) -> Manifest:
    with pool.connection() as db:
        at: int = fetch_value(db, SNAPSHOT_TIME)
        sessions = list(in_carried_order(db.execute(OPENED_SESSIONS).fetchall()))
        group_ids = [group_id for (group_id,) in db.execute(GROUP_IDS)]
    written = datetime.fromtimestamp(at // 1_000_000, UTC)
    date_time = (max(written.year, EARLIEST_ZIP_YEAR), *written.timetuple()[1:6])

    def write(name: str, content: bytes) -> ArchivedFile:
        entry = ZipInfo(name, date_time)
        entry.compress_type, entry.external_attr = _packing(content), 0o600 << 16
        archive.writestr(entry, content)
        return ArchivedFile(name, len(content), sha256(content).hexdigest())

    files = [write(f"schemas/{kind}.json", schema) for kind, schema in schemas.items()]
    for count, session_id in enumerate(sessions, start=1):
        # new stores for each session, so that earlier sessions do not stay in a cache
        text = export_session(EventStore(pool), ReceiptIssuer(pool), session_id, labelled=True)
        files.append(write(session_path(session_id), text.encode()))
        show_progress(count, len(sessions))
    for group_id in group_ids:
        with pool.connection() as db:
            content = msgspec.json.encode(export_group(db, group_id))
        files.append(write(group_path(group_id), content + b"\n"))
    manifest = Manifest(
        format="vola archive 1",
        at=format_timestamp(at),
        sessions=len(sessions),
        groups=len(group_ids),
        files=tuple(files),
    )
    write(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    return manifest


def _packing(content: bytes) -> int:
    """Return how to pack a file so that the reader does not refuse it."""
    if len(content) > SMALL_BYTES and grows_too_much(
        len(content), len(zlib.compress(content, wbits=-15))
    ):
        return ZIP_STORED
    return ZIP_DEFLATED


def in_carried_order(opened: Iterable[tuple[UUID, UUID | None]]) -> Iterator[UUID]:
    """Yield the sessions in their order, but each after the one that it carries forward, whatever
    the clock showed when they were opened. Each is yielded once, also if forged sessions form a
    cycle."""
    earlier_session = dict(opened)
    remaining_ids = dict.fromkeys(earlier_session)
    for session_id in earlier_session:
        chain: list[UUID] = []
        current: UUID | None = session_id
        while current in remaining_ids:
            chain.append(current)
            del remaining_ids[current]
            current = earlier_session[current]
        yield from reversed(chain)


@contextmanager
def _snapshot_pool(pool: Pool) -> Iterator[Pool]:
    """Yield a pool that lends one connection to all, in a read-only snapshot. One thread alone may
    use it, and nothing can be written through it."""
    with pool.connection() as db, database_snapshot(db):
        yield cast("Pool", _SharedConnection(db))


class _SharedConnection:
    """The methods of a pool that readers use."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    @contextmanager
    def connection(self, timeout: Any = None) -> Iterator[Connection]:
        yield self._db

    def getconn(self, timeout: Any = None) -> Connection:
        return self._db

    def putconn(self, conn: Connection) -> None:
        """Leave the snapshot open."""
