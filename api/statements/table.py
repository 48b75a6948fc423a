"""A statement as a table of text (RFC 4180), sent while it is read; or as a Nordic Excel opens it.

Programs get whole minor units and UTC. Excel gets semicolons, decimal commas, whole coins, the
clock on the wall, and the mark by which it knows UTF-8.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

from api.statements.signs import no_formula
from api.statements.telling import Telling
from ledger.statement import Line
from ledger.times import iso

COLUMNS = ("version", "at", "deal", "kind", "from", "to", "amount", "change", "balance", "why")
ROWS_AT_ONCE = 200


def table(told: Telling) -> Iterator[bytes]:
    """The bytes of the table, some rows at a time."""
    excel = told.asked.excel
    out = io.StringIO()
    write = csv.writer(out, delimiter=";" if excel else ",", lineterminator="\r\n").writerow
    if excel:
        out.write("\ufeff")
    for number, row in enumerate(_rows(told), start=1):
        write(row)
        if number % ROWS_AT_ONCE == 0:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _rows(told: Telling) -> Iterator[tuple[Any, ...]]:
    session, mine = told.session, told.asked.player is not None
    made = _for_excel if told.asked.excel else _for_programs
    when = _wall if told.asked.excel else _utc
    number = _coins if told.asked.excel else _units
    yield COLUMNS
    opening = number(told, told.opening) if mine else ""
    whose = f"{told.title}: {told.filters}" if told.title else told.filters
    yield "", "", "", "opening", "", "", "", "", opening, no_formula(whose)
    for line in told.lines():
        yield made(told, line)
    closing = number(told, told.closing) if mine else ""
    sealed = f"{told.sealed}, {told.address}"
    at = when(told, session.at)
    yield session.version, at, "", "closing", "", "", "", "", closing, sealed


def _for_programs(told: Telling, line: Line) -> tuple[Any, ...]:
    posting, blank = line.reason.posting, line.change is None
    return (
        *(line.version, iso(line.at), line.deal, line.kind, posting.source, posting.target),
        *(posting.amount, "" if blank else line.change, "" if blank else line.balance),
        no_formula(told.why(line)),
    )


def _for_excel(told: Telling, line: Line) -> tuple[Any, ...]:
    posting = line.reason.posting
    change = "" if line.change is None else _coins(told, line.change)
    balance = "" if line.balance is None else _coins(told, line.balance)
    return (
        *(line.version, _wall(told, line.at), line.deal, line.kind),
        *(no_formula(told.speak.account(a, told.names)) for a in (posting.source, posting.target)),
        *(_coins(told, posting.amount), change, balance, no_formula(told.why(line))),
    )


def _utc(told: Telling, at: int) -> str:
    return iso(at)


def _wall(told: Telling, at: int) -> str:
    return told.clock(at, "%Y-%m-%d %H:%M:%S")


def _units(told: Telling, amount: int) -> str:
    return str(amount)


def _coins(told: Telling, amount: int) -> str:
    return told.coins(amount, ",")
