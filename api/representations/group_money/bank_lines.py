"""The representation of a bank's file, line by line, and of the lines that are used."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.events.timestamps import format_timestamp
from ledger.groups.bank_lines.line_approval import UsedLine, parties, used_lines
from ledger.groups.bank_lines.line_matching import BankLine, LineProposal, TransferFit
from ledger.groups.group_events import BankLineUsed, RecordedGroupEvent
from ledger.groups.groups import Group
from ledger.transfer.bank_file import BankColumns
from ledger.transfer.csv_table.columns import describe_columns
from ledger.transfer.csv_table.table import CsvTable


def preview_view(
    group: Group,
    table: CsvTable,
    columns: BankColumns,
    lines: Mapping[str, BankLine],
    proposals: Mapping[str, LineProposal],
    used: Mapping[str, UsedLine],
) -> dict[str, Any]:
    """Return what a file says: its columns, and each line with its hash and what it may pay. The
    mappings are by hash; a line was used before or has a proposal."""
    return {
        "columns": columns,
        "header": describe_columns(table),
        "lines": [
            {
                **_line_view(line, digest),
                **_proposal_view(group, proposals.get(digest), used.get(digest)),
            }
            for digest, line in lines.items()
        ],
    }


def _line_view(line: BankLine, digest: str) -> dict[str, Any]:
    return {
        "row": line.row,
        "date": line.day.isoformat(),
        "amount": line.amount,
        "text": line.text,
        "line_sha256": digest,
    }


def _proposal_view(
    group: Group, proposal: LineProposal | None, used: UsedLine | None
) -> dict[str, Any]:
    if used is not None:
        return {"status": "used", "used_at": format_timestamp(used[0].at), "transfers": []}
    assert proposal is not None, "a line that is not used has one"
    fits = [_fit_view(group, fit) for fit in proposal.fits]
    return {"status": proposal.status, "used_at": None, "transfers": fits}


def used_lines_view(group: Group, events: Sequence[RecordedGroupEvent]) -> dict[str, Any]:
    """Return every line that is used, the newest first."""
    newest_first = reversed(used_lines(events).values())
    return {"lines": [_used_line_view(group, recorded.at, line) for recorded, line in newest_first]}


def _used_line_view(group: Group, at: int, line: BankLineUsed) -> dict[str, Any]:
    payer, payee = parties(group, line)
    use = {"line_sha256": line.line_sha256, "used_at": format_timestamp(at)}
    transfer = {"from": payer, "to": payee, "amount": line.amount, "currency": line.currency}
    return {**use, **_session_view(group, line.session), **transfer}


def _fit_view(group: Group, fit: TransferFit) -> dict[str, Any]:
    payer, payee, session = fit.transfer.payer, fit.transfer.payee, fit.transfer.session
    transfer = {"from": payer, "to": payee, "open_amount": fit.transfer.amount}
    view = _session_view(group, str(session) if session else None)
    return {**view, **transfer, "reasons": fit.reasons}


def _session_view(group: Group, session_id: str | None) -> dict[str, Any]:
    """Return the id, number and title of an evening; all null for a transfer of the group."""
    for session in group.sessions:
        if str(session.session_id) == session_id:
            return {"session": session_id, "number": session.number, "title": session.title}
    return {"session": None, "number": None, "title": None}
