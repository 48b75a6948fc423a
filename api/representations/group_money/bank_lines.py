"""The representation of a bank's file, line by line, and of the lines that are used."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from ledger.events.timestamps import format_timestamp
from ledger.groups.bank_lines.line_approval import UsedLine, used_lines
from ledger.groups.bank_lines.line_matching import BankLine, LineProposal, TransferFit
from ledger.groups.group_events import BankLineUsed, RecordedGroupEvent
from ledger.groups.groups import Group
from ledger.transfer.bank_file import BankColumns
from ledger.transfer.csv_table.columns import describe_columns
from ledger.transfer.csv_table.table import CsvTable


def preview_view(
    group: Group,
    file: tuple[CsvTable, BankColumns],
    lines: Mapping[str, BankLine],
    proposals: Mapping[str, LineProposal],
    used: Mapping[str, UsedLine],
) -> dict[str, Any]:
    """Return what a file says: its columns, and each line with its hash and what it may pay. All
    are by hash; a line was used before or has a proposal."""
    table, columns = file
    return {
        "columns": msgspec.to_builtins(columns),
        "header": msgspec.to_builtins(describe_columns(table)),
        "lines": [
            {
                **_line_view(line, digest),
                **_proposal_view(group, proposals.get(digest), used.get(digest)),
            }
            for digest, line in lines.items()
        ],
    }


def _line_view(line: BankLine, digest: str) -> dict[str, Any]:
    day, text = line.day.isoformat(), line.text
    return {
        "row": line.row,
        "date": day,
        "amount": line.amount,
        "text": text,
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
    session = None if line.session is None else UUID(line.session)
    view = {"line_sha256": line.line_sha256, "used_at": format_timestamp(at)}
    amount = {"amount": line.amount, "currency": line.currency}
    return {**view, **_session_view(group, session), **_parties(group, line), **amount}


def _fit_view(group: Group, fit: TransferFit) -> dict[str, Any]:
    transfer, reasons = fit.transfer, list(fit.reasons)
    parties = {"from": transfer.payer, "to": transfer.payee}
    amount = {"open_amount": transfer.amount}
    return {**_session_view(group, transfer.session), **parties, **amount, "reasons": reasons}


def _session_view(group: Group, session_id: UUID | None) -> dict[str, Any]:
    """Return the id, number and title of an evening; all null for a transfer of the group."""
    for session in group.sessions:
        if session.session_id == session_id:
            return {"session": str(session_id), "number": session.number, "title": session.title}
    return {"session": None, "number": None, "title": None}


def _parties(group: Group, line: BankLineUsed) -> dict[str, str]:
    """Return the members who paid and were paid."""
    members = {}
    for session in group.sessions:
        if str(session.session_id) == line.session:
            members = session.members
    return {
        "from": members.get(line.payer, line.payer),
        "to": members.get(line.payee, line.payee),
    }
