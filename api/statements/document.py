"""A statement as a JSON document, sent while it is read.

Amounts are whole minor units, as everywhere on the wire (contract.md §4).
"""

from collections.abc import Iterator
from typing import Any

from api.preconditions import as_json
from api.statements.evening import Evening
from api.statements.fluent import Fluent
from api.statements.telling import Telling
from ledger.statement import Line
from ledger.times import iso

LINES_AT_ONCE = 100


def document(told: Telling) -> Iterator[bytes]:
    """One object in pieces: head, lines, and what they add up to."""
    head, foot = told.document()
    yield as_json(head)[:-1] + b',"lines":['
    batch, before = list[bytes](), b""
    for evening in told.evenings:
        say = told.saying(evening)
        for line in evening.lines(told.pool):
            batch.append(as_json(_said(told, evening, line, say)))
            if len(batch) == LINES_AT_ONCE:
                yield before + b",".join(batch)
                batch, before = [], b","
    yield (before if batch else b"") + b",".join(batch) + b"]," + as_json(foot)[1:]


def _said(told: Telling, evening: Evening, line: Line, say: Fluent) -> dict[str, Any]:
    """One line as clients see it."""
    posting = line.reason.posting
    return {
        **dict(zip(told.columns, told.place(evening), strict=True)),
        "version": line.version,
        "at": iso(line.at),
        "deal": line.deal,
        "kind": line.kind,
        "from": told.account(evening, posting.source),
        "to": told.account(evening, posting.target),
        "amount": posting.amount,
        **({} if line.change is None else {"change": line.change, "balance": line.balance}),
        "why": say.why(line.reason, evening.names, told.currency),
    }
