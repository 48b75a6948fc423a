"""A statement as a table of text (RFC 4180), sent while it is read; or as a Nordic Excel opens it.

Programs get whole minor units and UTC. Excel gets semicolons, decimal commas, whole coins, the
clock on the wall, and the mark by which it knows UTF-8.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import msgspec

from api.statements.alike import Alike
from api.statements.evening import Evening
from api.statements.signs import no_formula
from api.statements.telling import Telling
from ledger.movements import Row
from ledger.statement import changed
from ledger.times import iso
from ledger.why import Reason

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
        between = self.between = ";" if excel else ","
        self._special = re.compile(f'[{between}"\r\n]')
        self.number: Callable[[int], object] = partial(told.coins, point=",") if excel else int
        when = partial(told.clock, how="%Y-%m-%d %H:%M:%S") if excel else iso
        self.when = lru_cache(1)(when)  # the lines of an action share its moment

    def joined(self, *cells: object) -> str:
        return self.between.join(map(str, cells))

    def row(self, *cells: object) -> str:
        return f"{self.joined(*cells)}\r\n"

    def text(self, text: str) -> str:
        safe = no_formula(text)
        return '"' + safe.replace('"', '""') + '"' if self._special.search(safe) else safe


def _rows(told: Telling) -> Iterator[str]:
    cells = Cells(told)
    row, text, nowhere = cells.row, cells.text, ("",) * len(told.columns)

    def balance(amount: int) -> object:
        return "" if told.mine is None else cells.number(amount)

    yield row(*told.columns, *COLUMNS)
    whose = text(f"{told.title}: {told.filters}" if told.title else told.filters)
    opening = balance(told.opening)
    yield row(*nowhere, "", "", "", "opening", "", "", "", "", opening, whose)
    for evening in told.evenings:
        if heading := told.heading(evening):
            about = (f"{told.speak(f'statement.{word}')} {x}" for word, x in told.about(evening))
            said = ", ".join((heading, *about))
            begun, before = cells.when(evening.begun), balance(evening.opening)
            place = told.place(evening)
            opens = (evening.version, begun, "", "evening", "", "", "", "", before, text(said))
            yield row(*place, *opens)
        for page in _lines(told, evening, cells):
            yield from page
    closing = balance(told.closing)
    at = cells.when(told.at) if told.evenings else ""
    sealed = text(", ".join(filter(None, (told.sealed, told.address))))
    yield row(*nowhere, told.version or "", at, "", "closing", "", "", "", "", closing, sealed)


def _lines(told: Telling, evening: Evening, cells: Cells) -> Iterator[list[str]]:
    number, when, between = cells.number, cells.when, cells.between
    place, nothing_said = cells.joined(*told.place(evening), ""), cells.joined("", "", "", "")
    mine, balance = evening.wanted.mine, evening.opening
    alike = Alike(evening.rules, _words(told, evening, cells))

    def told_page(page: list[Row]) -> list[str]:
        nonlocal balance
        lines, after = list[str](), nothing_said
        for row in page:
            said, numbers = alike(row)
            if not evening.wanted.tells(said.posting):
                continue
            if mine is not None:
                balance += (change := changed(said.posting, mine))
                after = cells.joined("", number(change), number(balance), "")
            version, _, deal, kind, _, at, _ = row
            moved, why = said.cells
            begins = f"{place}{version}{between}{when(at)}{between}{'' if deal is None else deal}"
            moved, why = moved.format(*numbers), why.format(*numbers)
            lines.append(f"{begins}{between}{kind}{between}{moved}{after}{why}\r\n")
        return lines

    return evening.paged(told.pool, told_page)


def _words(told: Telling, evening: Evening, cells: Cells) -> Callable[[Reason], tuple[str, str]]:
    say, names = told.saying(evening), evening.names

    def account(account: str) -> str:
        if cells.excel:
            return cells.text(say.account(account, names))
        return told.account(evening, account)

    def words(reason: Reason) -> tuple[str, str]:
        """From where to where how much, and why."""
        source, target, amount = msgspec.structs.astuple(reason.posting)
        moved = cells.joined(account(source), account(target), cells.number(amount))
        return moved, cells.text(say.why(reason, names, told.currency))

    return words
