"""The journal: every posting that was ever booked, each marked if it was reversed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.values import Amount
from ledger.events.codec import event_type
from ledger.events.event_types import CostVoided
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.postings import Posting, correction_postings, postings_of


class JournalLine(msgspec.Struct, frozen=True):
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
"""The line number of a posting that is in effect and not in the journal, because a correction has
booked only the difference.

Deal 2 moved 10 from the pot to Ada. Corrected, it moves 10 to Bo: the journal has pot → Ada and
Ada → Bo, and pot → Bo is in effect. An undo of the correction books Bo → Ada, and pot → Ada is in
effect. An undo of the deal's result then books Ada → pot, and marks no line."""


class EffectiveLines(msgspec.Struct, frozen=True, eq=False):
    """A linked list of the lines of play and of the closing that are in effect, newest first. An
    undo, or reopening the session, marks these lines as reversed."""

    line: JournalLine
    earlier: EffectiveLines | None


def apply(
    effective: EffectiveLines | None, recorded: RecordedEvent, postings: Sequence[Posting]
) -> tuple[EffectiveLines | None, list[JournalLine]]:
    """Return the lines in effect after this event, and the journal lines to write. A line that the
    event reverses is written again, marked."""
    event = recorded.event
    lines = _journal_lines(recorded.version, recorded.type, deal_number(event), postings)
    if type(event) in REVERSIBLE_EVENTS:
        for line in lines:
            effective = EffectiveLines(line, effective)
        return effective, lines
    match event:
        case e.ActionUndone() | e.DealVoided() | e.SessionReopened():
            return _take_lines_back(effective, lines)
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
    lines: list[JournalLine] = []
    for number, posting in enumerate(postings, 1):
        source, target, amount = posting.source, posting.target, posting.amount
        lines.append(JournalLine(version, number, deal, kind, source, target, amount))
    return lines


def _take_lines_back(
    effective: EffectiveLines | None, reversing_lines: Sequence[JournalLine]
) -> tuple[EffectiveLines | None, list[JournalLine]]:
    """Return the lines that stay in effect, and the journal lines to write: those taken back,
    marked, and then these, each of which reverses the newest that is still in effect."""
    marked: list[JournalLine] = []
    reversing: list[JournalLine] = []
    for line in reversing_lines:
        assert effective is not None
        undone, effective = effective.line, effective.earlier
        moved = undone.source, undone.target, undone.amount
        assert moved == (line.target, line.source, line.amount), (undone, line)
        if undone.line != UNBOOKED:
            marked.append(replace(undone, undone_by=line.version))
            line = replace(line, undone_by=line.version)
        reversing.append(line)
    return effective, [*marked, *reversing]


def _replace_lines(
    effective: EffectiveLines | None, rescored: Sequence[e.Rescored], recorded: RecordedEvent
) -> EffectiveLines | None:
    """Return the lines in effect, with those of rescored deals as their facts now give them."""
    if not rescored:
        return effective
    facts_by_deal = {rescored_deal.deal: rescored_deal.facts for rescored_deal in rescored}
    first = min(facts_by_deal)
    later_lines: list[tuple[int, JournalLine]] = []  # each with its deal
    while effective is not None and (deal := effective.line.deal or 0) >= first:
        if deal not in facts_by_deal:
            later_lines.append((deal, effective.line))
        effective = effective.earlier
    later_lines.reverse()  # oldest first
    for deal, facts in facts_by_deal.items():
        postings = (posting for fact in facts for posting in postings_of(fact))
        lines = _journal_lines(recorded.version, recorded.type, deal, postings)
        later_lines += [(deal, replace(line, line=UNBOOKED)) for line in lines]
    for _, line in sorted(later_lines, key=itemgetter(0)):
        effective = EffectiveLines(line, effective)
    return effective


def deal_number(event: object) -> int | None:
    """Return the number of the deal that an event belongs to, or None."""
    number: int | None = getattr(event, "number" if type(event) is e.DealOpened else "deal", None)
    return number
