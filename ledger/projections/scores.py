"""The score sheet of a game for points."""

from collections.abc import Sequence

from engine import events as e
from engine.scoring.score_sheet import ScoreSheet, apply_score, revert_score
from ledger.events.recorded_event import RecordedEvent

SCORE_EVENTS: frozenset[type] = frozenset(
    {e.Scored, e.GameWon, e.DealCorrected, e.CorrectionUndone, e.ActionUndone, e.DealVoided}
)


def apply(sheet: ScoreSheet | None, recorded: RecordedEvent) -> ScoreSheet | None:
    """Return the sheet after this event; None in a game for money."""
    if sheet is None:
        return None
    match recorded.event:
        case e.Scored() | e.GameWon() as fact:
            return apply_score(sheet, fact)
        case e.DealCorrected(rescored=rescored) | e.CorrectionUndone(rescored=rescored):
            sheet = _revert_facts(sheet, [fact for deal in rescored for fact in deal.was])
            for line in (fact for deal in rescored for fact in deal.facts):
                if isinstance(line, e.Scored | e.GameWon):
                    sheet = apply_score(sheet, line)
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            sheet = _revert_facts(sheet, facts)
    return sheet


def _revert_facts(sheet: ScoreSheet, facts: Sequence[e.UndoableEvent]) -> ScoreSheet:
    for line in reversed(facts):
        if isinstance(line, e.Scored | e.GameWon):
            sheet = revert_score(sheet, line)
    return sheet
