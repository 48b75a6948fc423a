"""The journal: every posting that was ever booked, each marked if it was reversed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount
from ledger.events.codec import event_type
from ledger.events.event_types import CostVoided
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.postings import Posting, correction_postings, postings_of


class JournalLine(msgspec.Struct, frozen=True, kw_only=True):
    """A posting with the event that booked it."""

    version: int
    line: int  # from 1 among the lines of this version
    deal: int | None
    kind: str  # the type of the event that moved it
    source: str
    target: str
    amount: Amount
    undone_by: int | None = None  # the version that reversed it; of a reversing line, its own


REVERSIBLE_EVENTS = e.UNDOABLE_EVENTS | e.CLOSING_EVENTS
"""The events whose lines an undo, or reopening the session, reverses."""

UNBOOKED = 0
"""The line number of a posting that is not in the journal, where a correction has booked only the
difference."""


class EffectiveLines(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A linked list of the lines of play and of the closing that are in effect, newest first. An
    undo, or reopening the session, marks these lines as reversed."""

    line: JournalLine
    earlier: EffectiveLines | None


def apply(
    effective: EffectiveLines | None, recorded: RecordedEvent, postings: Sequence[Posting]
) -> tuple[EffectiveLines | None, list[JournalLine]]:
    """Return the lines in effect after this event, and the journal lines to write. A line that the
    event reverses is written again, marked."""
    if not postings and not isinstance(recorded.event, e.DealCorrected | e.CorrectionUndone):
        return effective, []
    event = recorded.event
    lines = _journal_lines(recorded.version, recorded.type, deal_number(event), postings)
    if type(event) in REVERSIBLE_EVENTS:
        for line in lines:
            effective = EffectiveLines(line=line, earlier=effective)
        return effective, lines
    match event:
        case e.ActionUndone() | e.DealVoided() | e.SessionReopened():
            marked, reversing = list[JournalLine](), list[JournalLine]()
            for line in lines:
                assert effective is not None
                undone = effective.line
                moved = undone.source, undone.target, undone.amount
                assert moved == (line.target, line.source, line.amount), (undone, line)
                effective = effective.earlier
                if undone.line != UNBOOKED:
                    marked.append(replace(undone, undone_by=recorded.version))
                    line = replace(line, undone_by=recorded.version)
                reversing.append(line)
            return effective, [*marked, *reversing]
        case CostVoided(recorded_version=version, took_back=(cost,)):
            recorded_lines = _journal_lines(version, event_type(cost), None, postings_of(cost))
            return effective, [
                replace(line, undone_by=recorded.version) for line in (*recorded_lines, *lines)
            ]
        case e.DealCorrected(rescored=rescored) | e.CorrectionUndone(rescored=rescored):
            numbers = (r.deal for r in rescored for _ in correction_postings(r))
            numbered_lines = zip(lines, numbers, strict=True)
            lines = [replace(line, deal=number) for line, number in numbered_lines]
            return _replace_lines(effective, rescored, recorded), lines
    return effective, lines


def _journal_lines(
    version: int, kind: str, deal: int | None, postings: Iterable[Posting]
) -> list[JournalLine]:
    """Return the lines of these postings, numbered from 1."""
    return [
        JournalLine(
            version=version,
            line=number,
            deal=deal,
            kind=kind,
            source=posting.source,
            target=posting.target,
            amount=posting.amount,
        )
        for number, posting in enumerate(postings, start=1)
    ]


def _replace_lines(
    effective: EffectiveLines | None, rescored: tuple[e.Rescored, ...], recorded: RecordedEvent
) -> EffectiveLines | None:
    """Return the lines in effect, with those of rescored deals as their facts now give them."""
    rescored_by_deal = {rescored_deal.deal: rescored_deal for rescored_deal in rescored}
    popped = list[JournalLine]()
    while effective is not None and effective.line.deal is not None and rescored_by_deal:
        if effective.line.deal < min(rescored_by_deal):
            break
        popped.append(effective.line)
        effective = effective.earlier
    by_deal = defaultdict[int, list[JournalLine]](list)
    for line in reversed(popped):
        assert line.deal is not None
        by_deal[line.deal].append(line)
    for number, rescored_deal in rescored_by_deal.items():
        postings = (posting for fact in rescored_deal.facts for posting in postings_of(fact))
        lines = _journal_lines(recorded.version, recorded.type, number, postings)
        by_deal[number] = [replace(line, line=UNBOOKED) for line in lines]
    for number in sorted(by_deal):
        for line in by_deal[number]:
            effective = EffectiveLines(line=line, earlier=effective)
    return effective


def deal_number(event: object) -> int | None:
    """Return the number of the deal that an event belongs to, or None."""
    number: int | None = getattr(event, "number" if type(event) is e.DealOpened else "deal", None)
    return number
