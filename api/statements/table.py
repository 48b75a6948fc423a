"""A statement as a table of text (RFC 4180), sent while it is read; or as a Nordic Excel opens it.

Programs get whole minor units and UTC. Excel gets semicolons, decimal commas, whole coins, the
clock on the wall, and the mark by which it knows UTF-8.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from api.statements.evening import Evening
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
        columns = len(told.columns) + len(COLUMNS)
        self.row = (between.join(["%s"] * columns) + "\r\n").__mod__
        self._special = re.compile(f'[{between}"\r\n]')
        self.number: Callable[[int], object] = partial(told.coins, point=",") if excel else int
        when = partial(told.clock, how="%Y-%m-%d %H:%M:%S") if excel else iso
        self.when = lru_cache(1)(when)  # the lines of an action share its moment

    def text(self, text: str) -> str:
        safe = no_formula(text)
        return '"' + safe.replace('"', '""') + '"' if self._special.search(safe) else safe


def _rows(told: Telling) -> Iterator[str]:
    cells = Cells(told)
    row, text, nowhere = cells.row, cells.text, ("",) * len(told.columns)

    def balance(amount: int) -> object:
        return "" if told.mine is None else cells.number(amount)

    yield row((*told.columns, *COLUMNS))
    whose = text(f"{told.title}: {told.filters}" if told.title else told.filters)
    opening = balance(told.opening)
    yield row((*nowhere, "", "", "", "opening", "", "", "", "", opening, whose))
    for evening in told.evenings:
        if heading := told.heading(evening):
            about = (f"{told.speak(f'statement.{word}')} {x}" for word, x in told.about(evening))
            said = ", ".join((heading, *about))
            begun, before = cells.when(evening.begun), balance(evening.opening)
            place = told.place(evening)
            opens = (evening.version, begun, "", "evening", "", "", "", "", before, text(said))
            yield row((*place, *opens))
        yield from _lines(told, evening, cells)
    closing = balance(told.closing)
    at = cells.when(told.at) if told.evenings else ""
    sealed = text(", ".join(filter(None, (told.sealed, told.address))))
    yield row((*nowhere, told.version or "", at, "", "closing", "", "", "", "", closing, sealed))


def _lines(told: Telling, evening: Evening, cells: Cells) -> Iterator[str]:
    row, text, number, when = cells.row, cells.text, cells.number, cells.when
    say, names, place = told.saying(evening), evening.names, told.place(evening)
    for line in evening.lines(told.pool):
        posting, deal = line.reason.posting, "" if line.deal is None else line.deal
        source, target, amount = posting.source, posting.target, number(posting.amount)
        change = "" if line.change is None else number(line.change)
        balance = "" if line.balance is None else number(line.balance)
        if cells.excel:
            source, target = text(say.account(source, names)), text(say.account(target, names))
        else:
            source, target = told.account(evening, source), told.account(evening, target)
        at, why = when(line.at), text(say.why(line.reason, names, told.currency))
        moved = (line.version, at, deal, line.kind, source, target, amount, change, balance, why)
        yield row((*place, *moved))
