"""A statement as a table of text (RFC 4180), sent while it is read; or as a Nordic Excel opens it.

Programs get whole minor units and UTC. Excel gets semicolons, decimal commas, whole coins, the
clock on the wall, and the mark by which it knows UTF-8.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from api.statements.signs import no_formula
from api.statements.telling import Telling
from ledger.times import iso

COLUMNS = ("version", "at", "deal", "kind", "from", "to", "amount", "change", "balance", "why")
ROWS_AT_ONCE = 200


def table(told: Telling) -> Iterator[bytes]:
    """The bytes of the table, some rows at a time."""
    rows = ["\ufeff"] if told.asked.excel else []
    for row in _rows(told):
        rows.append(row)
        if len(rows) == ROWS_AT_ONCE:
            yield "".join(rows).encode()
            rows = []
    yield "".join(rows).encode()


class Cells:
    """How cells become a row, for programs or for a Nordic Excel.

    Numbers, ids and codes need no quotes; a text with a name in it may hold anything.
    """

    def __init__(self, told: Telling) -> None:
        excel = self.excel = told.asked.excel
        between = ";" if excel else ","
        self.row = (between.join(["%s"] * len(COLUMNS)) + "\r\n").__mod__
        self._special = re.compile(f'[{between}"\r\n]')
        self.number: Callable[[int], object] = partial(told.coins, point=",") if excel else int
        when = partial(told.clock, how="%Y-%m-%d %H:%M:%S") if excel else iso
        self.when = lru_cache(1)(when)  # the lines of an action share its moment

    def text(self, text: str) -> str:
        safe = no_formula(text)
        return '"' + safe.replace('"', '""') + '"' if self._special.search(safe) else safe


def _rows(told: Telling) -> Iterator[str]:
    session, mine, cells = told.session, told.asked.player is not None, Cells(told)
    row, text, number, when = cells.row, cells.text, cells.number, cells.when
    yield row(COLUMNS)
    whose = text(f"{told.title}: {told.filters}" if told.title else told.filters)
    opening = number(told.opening) if mine else ""
    yield row(("", "", "", "opening", "", "", "", "", opening, whose))
    for line in told.lines():
        posting, deal = line.reason.posting, "" if line.deal is None else line.deal
        source, target, amount = posting.source, posting.target, number(posting.amount)
        change = "" if line.change is None else number(line.change)
        balance = "" if line.balance is None else number(line.balance)
        if cells.excel:
            source, target = (text(told.speak.account(a, told.names)) for a in (source, target))
        at, why = when(line.at), text(told.why(line))
        yield row((line.version, at, deal, line.kind, source, target, amount, change, balance, why))
    closing = number(told.closing) if mine else ""
    sealed = text(f"{told.sealed}, {told.address}")
    at = when(session.at)
    yield row((session.version, at, "", "closing", "", "", "", "", closing, sealed))
