"""The server's own verdict on a document that a user has saved or sends in."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from api.http.json_body import decode_strict_json
from api.http.problems import InvalidFields, Problem
from api.schemas.export import check_export_in_time, parse_export
from api.statements import saved_statement_check
from ledger.audit import check_receipts
from ledger.audit.run import audit_session
from ledger.store.database_snapshot import database_snapshot
from ledger.transfer.export_format import InvalidExport
from tests.support.databases import DatabaseUrls

HOLDS, FAILS, UNREADABLE = "holds", "does not hold", "not readable"


def audit_codes(app: Any, urls: DatabaseUrls, raw: bytes) -> list[str]:
    """Return the codes of the findings of `vola audit --receipt`, or the reason why it refuses the
    file."""
    try:
        receipts = check_receipts.read_receipts(raw)
    except check_receipts.InvalidReceipt:
        return ["receipt_wrong"]
    except check_receipts.NotAReceipt:
        return ["no receipt"]
    codes = [finding.code for _, finding in saved_statement_check.check_saved_statement(app, raw)]
    if codes:
        return codes
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        return [
            finding.code
            for receipt in receipts
            for finding in audit_session(db, receipt.session_id or UUID(int=0), [receipt])
            if finding.about == "book"
        ]


def audit_outcome(app: Any, urls: DatabaseUrls, raw: bytes) -> str:
    """Return the outcome of `vola audit --receipt`."""
    codes = audit_codes(app, urls, raw)
    return UNREADABLE if codes == ["no receipt"] else FAILS if codes else HOLDS


def import_outcome(raw: bytes) -> str:
    """Return whether `POST /v1/imports` accepts the export as a valid session."""
    try:
        check_export_in_time(parse_export(decode_strict_json(raw)))
    except (Problem, InvalidFields):
        return UNREADABLE
    except InvalidExport:
        return FAILS
    return HOLDS
