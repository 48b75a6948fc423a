"""An audit of many sessions by several processes, all of which see one snapshot of the database."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from uuid import UUID

from psycopg import sql

from ledger.audit.check_receipts import ReceiptClaim
from ledger.audit.findings import Finding
from ledger.audit.run import audit_session
from ledger.rebuild import process_pool
from ledger.rebuild.process_pool import ProcessPool, available_cores, connect_worker
from ledger.store.connection_pool import Connection, fetch_value
from ledger.store.database_snapshot import ONE_SNAPSHOT

EXPORT_SNAPSHOT = "SELECT pg_export_snapshot()"
IMPORT_SNAPSHOT = "SET TRANSACTION SNAPSHOT {}"

SESSIONS_PER_BATCH = 4
SESSIONS_PER_PROCESS = 16
"""About as many sessions as one process audits in the time in which another is spawned."""

AuditBatch = list[tuple[UUID, Sequence[ReceiptClaim]]]
"""The sessions that one process audits in one go, each with the receipts to check it by."""


def audit_sessions(
    db: Connection,
    url: str,
    session_ids: Sequence[UUID],
    receipts: Mapping[UUID, Sequence[ReceiptClaim]],
    processes: int | None = None,
) -> Iterator[tuple[UUID, list[Finding]]]:
    """Yield every session with its findings, in the order of `session_ids`; those about groups come
    from `check_groups`. `db` must be inside a `database_snapshot`, and `url` must lead to the same
    server. `processes` defaults to one per core, and is lowered for few sessions."""
    audits = [(session_id, receipts.get(session_id, ())) for session_id in session_ids]
    offsets = range(0, len(audits), SESSIONS_PER_BATCH)
    batches = (audits[offset : offset + SESSIONS_PER_BATCH] for offset in offsets)
    useful_processes = 1 + len(session_ids) // SESSIONS_PER_PROCESS
    most_processes = min(processes or available_cores(), useful_processes)
    snapshot_id = fetch_value(db, EXPORT_SNAPSHOT) if most_processes > 1 else ""
    import_snapshot = partial(_import_snapshot, snapshot_id)
    remaining_ids = deque(session_ids)
    ready: dict[UUID, list[Finding]] = {}
    with ProcessPool(most_processes - 1, connect_worker, url, import_snapshot) as pool:
        for findings in pool.map_unordered(batches, _audit_remotely, partial(_audit_batch, db)):
            ready |= findings
            while remaining_ids and remaining_ids[0] in ready:
                session_id = remaining_ids.popleft()
                yield session_id, ready.pop(session_id)


def _audit_batch(db: Connection, batch: AuditBatch) -> dict[UUID, list[Finding]]:
    return {
        session_id: audit_session(db, session_id, claims, with_group=False)
        for session_id, claims in batch
    }


def _audit_remotely(batch: AuditBatch) -> dict[UUID, list[Finding]]:
    return _audit_batch(process_pool.worker_connection, batch)


def _import_snapshot(snapshot_id: str, db: Connection) -> None:
    """Begin a transaction of this worker that sees the snapshot."""
    db.autocommit = False
    db.execute(ONE_SNAPSHOT)
    db.execute(sql.SQL(IMPORT_SNAPSHOT).format(sql.Literal(snapshot_id)))
