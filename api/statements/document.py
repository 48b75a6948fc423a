"""A statement as a JSON document, sent while it is read.

Amounts are whole minor units, as everywhere on the wire (contract.md §4).
"""

from collections.abc import Iterator
from typing import Any

from api.preconditions import as_json
from api.qr import svg
from api.receipts import receipts
from api.state import balances, bets, payment, pot, sheet
from api.statements.telling import Telling
from ledger.statement import Line
from ledger.times import iso

LINES_AT_ONCE = 100


def document(told: Telling) -> Iterator[bytes]:
    """One object in pieces: head, lines, and what they add up to."""
    session, asked, sums = told.session, told.asked, told.sums
    head = {
        "session": str(session.id),
        "title": told.title,
        "game": session.opening.game,
        "currency": told.currency,
        "player": asked.player,
        "unit": asked.unit,
        "period": {
            "from": iso(sums.first) if sums.first else None,
            "to": iso(sums.last) if sums.last else None,
        },
        "filters": {"from": asked.since, "to": asked.until, "tz": asked.zone.key},
        "version": session.version,
        "hash": told.seal,
        "receipt": {"url": told.address, "qr": svg(told.address)},
        "key": receipts().keys.public.hex(),
        "checkpoint": receipts().checkpoint(session.id, session.version).note,
        "opening": told.opening,
    }
    foot = {
        "closing": told.closing,
        "balances": balances(session),
        "pot": pot(session),
        **sheet(session),
        "bets": bets(session),
        "payments_due": [payment(p) for p in session.payments.values() if p.status == "due"],
    }
    yield as_json(head)[:-1] + b',"lines":['
    batch, before = list[bytes](), b""
    for line in told.lines():
        batch.append(as_json(said(told, line)))
        if len(batch) == LINES_AT_ONCE:
            yield before + b",".join(batch)
            batch, before = [], b","
    yield (before if batch else b"") + b",".join(batch) + b"]," + as_json(foot)[1:]


def said(told: Telling, line: Line) -> dict[str, Any]:
    """One line as clients see it."""
    posting = line.reason.posting
    return {
        "version": line.version,
        "at": iso(line.at),
        "deal": line.deal,
        "kind": line.kind,
        "from": posting.source,
        "to": posting.target,
        "amount": posting.amount,
        **({} if line.change is None else {"change": line.change, "balance": line.balance}),
        "why": told.why(line),
    }
