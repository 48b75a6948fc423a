"""The representation of an import of earlier evenings, and of the preview of one."""

from collections.abc import Sequence
from typing import Any

from flask import Response
from msgspec.structs import asdict

from api.http.problems import problem_response
from api.i18n.translator import Translator, request_translator
from ledger.events.timestamps import format_timestamp
from ledger.groups.group_events import add_up
from ledger.transfer.csv_table.columns import Column, date_orders, describe_columns
from ledger.transfer.csv_table.refusals import TableRefusal
from ledger.transfer.csv_table.table import CsvTable
from ledger.transfer.earlier_evenings.balance_import import BalanceImport
from ledger.transfer.earlier_evenings.evenings import EarlierEvening, EarlierEvenings
from ledger.transfer.earlier_evenings.mapping import ColumnMapping
from ledger.transfer.earlier_evenings.same_days import SameDay
from ledger.transfer.earlier_evenings.unlikely_evenings import UnlikelyEvening


def import_summary(balance_import: BalanceImport) -> dict[str, Any]:
    """Return an import without its evenings."""
    event, voided_at = balance_import.event, balance_import.voided_at
    days = [evening.date for evening in event.evenings]
    results = (result for evening in event.evenings for result in evening.results)
    return {
        "number": event.number,
        "sha256": event.sha256,
        "currency": event.currency,
        "settled": event.settled,
        "status": "recorded" if voided_at is None else "voided",
        "at": format_timestamp(balance_import.at),
        "voided_at": None if voided_at is None else format_timestamp(voided_at),
        "evening_count": len(days),
        "from": min(days),
        "to": max(days),
        "totals": add_up(results),
    }


def import_view(balance_import: BalanceImport) -> dict[str, Any]:
    """Return an import with the results of every evening."""
    evenings = [
        {"date": evening.date, "results": add_up(evening.results)}
        for evening in balance_import.event.evenings
    ]
    return {**import_summary(balance_import), "evenings": evenings}


def preview_view(
    table: CsvTable,
    mapping: ColumnMapping,
    content: EarlierEvenings,
    translator: Translator,
) -> dict[str, Any]:
    """Return what a table would be imported as, with everything that is in the way of it."""
    results = (result for evening in content.evenings for result in evening.results)
    return {
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "header_row": table.header_row,
        "columns": describe_columns(table),
        "mapping": mapping,
        "date_orders": date_orders(table, mapping.date) if mapping.date else (),
        "names": content.names,
        "evenings": [{**asdict(e), "results": add_up(e.results)} for e in content.evenings],
        "faults": [fault_view(fault, translator) for fault in content.faults],
        "skipped": content.skipped,
        "totals": add_up(results),
    }


def fault_view(fault: TableRefusal, translator: Translator) -> dict[str, Any]:
    """Return what cannot be read, where, and a sentence that says what to do."""
    places = {name: fault.operands.get(name) for name in ("row", "column", "most")}
    detail = translator(f"tables.{fault.reason}", **fault.operands)
    return {"reason": fault.reason, **places, "detail": detail}


def table_problem(fault: TableRefusal, columns: Sequence[Column] = ()) -> Response:
    """Return the problem that a file cannot be read, with the columns to choose from, if known."""
    view = fault_view(fault, request_translator())
    reason, row, column, most = (view.pop(name) for name in ("reason", "row", "column", "most"))
    return problem_response(
        422,
        "table_unreadable",
        reason=reason,
        row=row,
        column=column,
        most=most,
        header=columns,
        **view,
    )


def same_day_view(same_day: SameDay, translator: Translator) -> dict[str, Any]:
    """Return the warning that an evening may be in the book already, and what to do about it."""
    session, number = same_day.session, same_day.import_number
    if session is None:
        warning = _warning(translator, "same_day_as_import", same_day.evening, number=number)
        return {**warning, "import": number}
    title = session.title or translator("statement.nth", number=session.number)
    warning = _warning(translator, "same_day_as_session", same_day.evening, title=title)
    return {**warning, "session": str(session.session_id), "title": session.title}


def unlikely_view(
    unlikely: UnlikelyEvening, currency: str, translator: Translator
) -> dict[str, Any]:
    """Return the warning that an evening is hardly meant as it is read, and what to do about it."""
    operands = {"row": unlikely.row, "sign": unlikely.sign, "currency": currency}
    return _warning(translator, unlikely.reason, unlikely.evening, **operands)


def _warning(
    translator: Translator, reason: str, evening: EarlierEvening, **operands: object
) -> dict[str, Any]:
    day = translator.format_day(evening.date)
    operands = {"row": evening.rows[0], "date": day, **operands}
    return {
        "reason": reason,
        "rows": evening.rows,
        "date": evening.date,
        "session": None,
        "title": None,
        "import": None,
        "detail": translator(f"tables.{reason}", **operands),
    }
