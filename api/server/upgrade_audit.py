"""The audit after an embedded PostgreSQL was upgraded, and the log lines about both."""

import logging
from pathlib import Path

import psycopg

from ledger import embedded
from ledger.audit import parallel, run
from ledger.audit.check_groups import check_groups
from ledger.audit.findings import is_clean
from ledger.store.database_snapshot import database_snapshot

log = logging.getLogger("vola")


def confirm_upgrade(data: Path, *, app_url: str, audit_url: str) -> None:
    """Audit every session and group if the cluster in `data` was upgraded and not audited since,
    and log what was moved and where the old folder is. The tables must be up to date. Raise
    psycopg.Error."""
    upgrade = embedded.last_upgrade(data)
    if upgrade is None:
        return
    with (
        psycopg.connect(audit_url) as db,
        psycopg.connect(app_url) as leader,
        database_snapshot(db, leader),
    ):
        session_ids = [session_id for (session_id,) in db.execute(run.SESSION_IDS)]
        audited = list(parallel.audit_sessions(db, audit_url, session_ids, {}))
        faulty_groups = {group_id for group_id, _ in check_groups(db)}
    faulty = sum(not is_clean(findings) for _, findings in audited)
    log.info(
        "The book was moved from PostgreSQL %d to %d: %d tables with %d rows, each compared.",
        *(upgrade.old_major, upgrade.new_major, upgrade.tables, upgrade.rows),
    )
    old_folder = data / upgrade.old_folder
    if faulty or faulty_groups:
        log.warning(
            "%d of %d sessions and %d groups have findings, which came with the rows: `vola audit` "
            "lists them. Keep %s.",
            *(faulty, len(audited), len(faulty_groups), old_folder),
        )
    else:
        log.info(
            "The audit of %d sessions found nothing. The old folder %s stays; delete it when you "
            "have a backup.",
            *(len(audited), old_folder),
        )
    embedded.confirm_upgrade(data)
