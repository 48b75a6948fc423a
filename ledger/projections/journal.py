"""The journal: every movement of money that was ever booked, each marked if it was taken back."""

from __future__ import annotations

import msgspec

from engine import events as e
from engine.values import Amount
from ledger.envelope import Recorded
from ledger.postings import postings


class Line(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    line: int
    deal: int | None
    kind: str  # the type of the event that moved it
    source: str
    target: str
    amount: Amount
    undone_by: int | None = None  # the version that took it back, or this line is what took it back


class Standing(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The lines of play that still stand, newest first: what an undo has to mark."""

    line: Line
    earlier: Standing | None


NONE: Standing | None = None


def apply(standing: Standing | None, recorded: Recorded) -> tuple[Standing | None, list[Line]]:
    """The standing lines after this event, and the lines to write (anew, when marked)."""
    deal = deal_of(recorded.event)
    lines = [
        Line(
            version=recorded.version,
            line=number,
            deal=deal,
            kind=recorded.type,
            source=posting.source,
            target=posting.target,
            amount=posting.amount,
        )
        for number, posting in enumerate(postings(recorded.event), start=1)
    ]
    match recorded.event:
        case e.ActionUndone() | e.DealVoided():
            marked = []
            for line in lines:
                assert standing is not None
                was = standing.line
                assert (was.source, was.target) == (line.target, line.source), (was, line)
                assert was.amount == line.amount, (was, line)
                marked.append(msgspec.structs.replace(was, undone_by=recorded.version))
                standing = standing.earlier
            done = (msgspec.structs.replace(x, undone_by=recorded.version) for x in lines)
            return standing, [*marked, *done]
        case fact if isinstance(fact, e.Deed):
            for line in lines:
                standing = Standing(line=line, earlier=standing)
    return standing, lines


def deal_of(event: object) -> int | None:
    """The deal that an event belongs to, if it says so."""
    number = event.number if isinstance(event, e.DealOpened) else getattr(event, "deal", None)
    return number if isinstance(number, int) else None
