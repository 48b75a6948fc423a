"""A statement from the whole history in one piece, for comparison with the paged journal query."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.values import Amount, Player
from ledger.events.recorded_event import RecordedEvent
from ledger.projections import journal, postings
from ledger.projections.postings import Unit
from ledger.reporting.posting_reasons import Explanation, RuleReferences, explain_event
from ledger.reporting.statement import StatementLine, find_account, running_lines, statement_units
from ledger.session.session_state import SessionState


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionState
    player: Player | None
    unit: Unit
    opening: Amount
    lines: tuple[StatementLine, ...]
    closing: Amount
    first: int | None  # microseconds; start and end of the period, unless it is empty
    last: int | None


def build_statement(
    session: SessionState,
    history: Iterable[RecordedEvent],
    player: Player | None,
    unit: Unit | None = None,
) -> Statement:
    """Return the statement of one player or of the session, up to its version.

    Its unit is points or money: a game for points with a `point_value` has both.
    """
    unit = unit or statement_units(session)[0]
    account, closing = find_account(session, player, unit) if player else (None, 0)
    unit_lines = (
        x
        for x in effective_lines(session.rule_references, history)
        if x.explanation.posting.unit == unit
    )
    lines = tuple(running_lines(unit_lines, account))
    assert closing == sum(line.change or 0 for line in lines), "lines add up to closing"
    return Statement(
        session=session,
        player=player,
        unit=unit,
        opening=0,
        lines=lines,
        closing=closing,
        first=lines[0].at if lines else None,
        last=lines[-1].at if lines else None,
    )


def effective_lines(rules: RuleReferences, history: Iterable[RecordedEvent]) -> list[StatementLine]:
    """Return every posting in force with its reason, in order."""
    chain = None
    lines: dict[tuple[int, int], StatementLine] = {}
    for recorded in history:
        chain, moved = journal.apply(chain, recorded, postings.postings_of(recorded.event))
        for line in moved:
            if line.undone_by:
                lines.pop((line.version, line.line), None)
        # a line that reverses the difference booked by a correction is in force itself
        deal_by_line = {line.line: line.deal for line in moved if not line.undone_by}
        for number, reason in enumerate(explain_recorded_event(rules, recorded), start=1):
            if number in deal_by_line:
                lines[recorded.version, number] = StatementLine(
                    version=recorded.version,
                    at=recorded.at,
                    deal=deal_by_line[number],
                    kind=recorded.type,
                    explanation=reason,
                )
    return list(lines.values())


def explain_recorded_event(
    rules: RuleReferences, recorded: RecordedEvent
) -> tuple[Explanation, ...]:
    """Explain every posting of one recorded event."""
    return explain_event(rules, recorded.version, recorded.event)
