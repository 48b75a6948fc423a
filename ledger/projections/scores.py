"""The score sheet of a game for points, and the account from which its points are drawn."""

from collections.abc import Iterable, Sequence
from typing import get_args

from engine import events as e
from engine.points import Sheet, scored, taken_back
from engine.values import Amount
from ledger.envelope import Recorded
from ledger.postings import SHEET, Posting

NONE: Sheet | None = None
UNDRAWN: Amount = 0

Told = e.Scored | e.GameWon | e.DealCorrected | e.ActionUndone | e.DealVoided
TOLD: frozenset[type] = frozenset(get_args(Told))


def apply(sheet: Sheet | None, recorded: Recorded) -> Sheet | None:
    """The sheet after this event; a game for money has none."""
    if sheet is None or type(recorded.event) not in TOLD:
        return sheet
    match recorded.event:
        case e.Scored() | e.GameWon() as fact:
            return scored(sheet, fact)
        case e.DealCorrected(rescored=rescored):
            sheet = _back(sheet, [fact for again in rescored for fact in again.was])
            for line in (fact for again in rescored for fact in again.facts):
                if isinstance(line, e.Scored | e.GameWon):
                    sheet = scored(sheet, line)
        case e.ActionUndone(took_back=facts) | e.DealVoided(took_back=facts):
            sheet = _back(sheet, facts)
    return sheet


def _back(sheet: Sheet, facts: Sequence[e.Deed]) -> Sheet:
    for line in reversed(facts):
        if isinstance(line, e.Scored | e.GameWon):
            sheet = taken_back(sheet, line)
    return sheet


def draw(drawn: Amount, moved: Iterable[Posting]) -> Amount:
    """What the sheet has given so far, as an account: scores and this add up to nothing."""
    for line in moved:
        drawn += line.amount * ((line.target == SHEET) - (line.source == SHEET))
    return drawn
