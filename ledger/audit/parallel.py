"""An audit of many sessions by several processes, all of which see one snapshot of the database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from ledger.audit.check_receipts import ReceiptClaim
from ledger.audit.findings import Finding
from ledger.audit.run import audit_session
from ledger.rebuild.process_pool import ProcessPool, available_cores, connect_worker
from ledger.store.connection_pool import Connection
from ledger.store.database_snapshot import ONE_SNAPSHOT

EXPORT_SNAPSHOT = "SELECT pg_export_snapshot()"
IMPORT_SNAPSHOT = "SET TRANSACTION SNAPSHOT {}"

SESSIONS_PER_BATCH = 4
SESSIONS_PER_PROCESS = 16
"""About as many sessions as one process audits in the time that another takes to start."""


@dataclass(frozen=True, kw_only=True)
class AuditBatch:
    """The sessions that one process audits in one go, each with the receipts to check it by."""

    offset: int
    sessions: list[tuple[UUID, Sequence[ReceiptClaim]]]


BatchFindings = tuple[int, list[list[Finding]]]
"""The offset of a batch, and the findings of each of its sessions."""


def audit_sessions(
    db: Connection,
    url: str,
    session_ids: Sequence[UUID],
    receipts: Mapping[UUID, Sequence[ReceiptClaim]],
    processes: int | None = None,
) -> Iterator[tuple[UUID, list[Finding]]]:
    """Yield every session with its findings, in the order of `session_ids`.

    `db` must be inside a `snapshot`, and `url` must lead to the same server. `processes` defaults
    to one per core, and is lowered for few sessions.
    """
    batches = [
        AuditBatch(
            offset=offset,
            sessions=[
                (session_id, receipts.get(session_id, ()))
                for session_id in session_ids[offset : offset + SESSIONS_PER_BATCH]
            ],
        )
        for offset in range(0, len(session_ids), SESSIONS_PER_BATCH)
    ]
    most_processes = min(
        processes or available_cores(), 1 + len(session_ids) // SESSIONS_PER_PROCESS
    )
    snapshot_id = _export_snapshot(db) if most_processes > 1 else ""
    ready = dict[int, list[list[Finding]]]()
    next_offset = 0
    with ProcessPool(most_processes - 1, _connect, url, snapshot_id) as pool:
        for offset, findings in pool.map_unordered(
            batches, _audit_remotely, lambda batch, _: _audit_batch(db, batch)
        ):
            ready[offset] = findings
            while (batch_findings := ready.pop(next_offset, None)) is not None:
                yield from zip(session_ids[next_offset:], batch_findings, strict=False)
                next_offset += SESSIONS_PER_BATCH


def _audit_batch(db: Connection, batch: AuditBatch) -> BatchFindings:
    return batch.offset, [
        audit_session(db, session_id, receipts) for session_id, receipts in batch.sessions
    ]


def _export_snapshot(db: Connection) -> str:
    row = db.execute(EXPORT_SNAPSHOT).fetchone()
    assert row is not None
    return str(row[0])


_worker_db: Connection
"""The connection of a worker process, inside a transaction that sees the snapshot."""


def _connect(url: str, snapshot_id: str) -> None:
    global _worker_db
    _worker_db = connect_worker(url, autocommit=False)
    _worker_db.execute(ONE_SNAPSHOT)
    _worker_db.execute(sql.SQL(IMPORT_SNAPSHOT).format(sql.Literal(snapshot_id)))


def _audit_remotely(batch: AuditBatch) -> BatchFindings:
    return _audit_batch(_worker_db, batch)
