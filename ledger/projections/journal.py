"""The journal: every movement of money that was ever booked, each marked if it was taken back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine import events as e
from engine.values import Amount
from ledger.envelope import Recorded
from ledger.postings import Posting, difference, postings


class Line(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    line: int
    deal: int | None
    kind: str  # the type of the event that moved it
    source: str
    target: str
    amount: Amount
    undone_by: int | None = None  # the version that took it back, or this line is what took it back


UNBOOKED = 0
"""The number of a line that no journal has: a correction booked it only by the difference."""


class Standing(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The lines of play that still stand, newest first: what an undo has to mark."""

    line: Line
    earlier: Standing | None


NONE: Standing | None = None


def apply(
    standing: Standing | None, recorded: Recorded, moved: Sequence[Posting]
) -> tuple[Standing | None, list[Line]]:
    """The standing lines after this event, which `moved` so much, and the lines to write (anew,
    when marked)."""
    if not moved and not isinstance(recorded.event, e.DealCorrected):
        return standing, []
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
        for number, posting in enumerate(moved, start=1)
    ]
    if e.is_deed(recorded.event):
        for line in lines:
            standing = Standing(line=line, earlier=standing)
        return standing, lines
    match recorded.event:
        case e.ActionUndone() | e.DealVoided():
            marked, done = list[Line](), list[Line]()
            for line in lines:
                assert standing is not None
                was = standing.line
                assert (was.source, was.target) == (line.target, line.source), (was, line)
                assert was.amount == line.amount, (was, line)
                standing = standing.earlier
                if was.line != UNBOOKED:
                    marked.append(msgspec.structs.replace(was, undone_by=recorded.version))
                    line = msgspec.structs.replace(line, undone_by=recorded.version)
                done.append(line)
            return standing, [*marked, *done]
        case e.DealCorrected(rescored=rescored):
            numbers = (again.deal for again in rescored for _ in difference(again))
            lines = [
                msgspec.structs.replace(line, deal=number)
                for line, number in zip(lines, numbers, strict=True)
            ]
            return _told_again(standing, rescored, recorded), lines
    return standing, lines


def _told_again(
    standing: Standing | None, rescored: tuple[e.Rescored, ...], recorded: Recorded
) -> Standing | None:
    """The lines of corrected deals stand as their facts say now, wherever they were booked."""
    again = {one.deal: one for one in rescored}
    kept = list[Line]()
    while standing is not None and standing.line.deal is not None and again:
        if standing.line.deal < min(again):
            break
        kept.append(standing.line)
        standing = standing.earlier
    by_deal = dict[int, list[Line]]()
    for line in reversed(kept):
        assert line.deal is not None
        by_deal.setdefault(line.deal, []).append(line)
    for number, one in again.items():
        moved = (line for fact in one.facts for line in postings(fact))
        by_deal[number] = [
            Line(
                version=recorded.version,
                line=UNBOOKED,
                deal=number,
                kind=recorded.type,
                source=posting.source,
                target=posting.target,
                amount=posting.amount,
            )
            for posting in moved
        ]
    for number in sorted(by_deal):
        for line in by_deal[number]:
            standing = Standing(line=line, earlier=standing)
    return standing


def deal_of(event: object) -> int | None:
    """The deal that an event belongs to, if it says so."""
    number = event.number if isinstance(event, e.DealOpened) else getattr(event, "deal", None)
    return number if isinstance(number, int) else None
