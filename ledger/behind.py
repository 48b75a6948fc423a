"""What stands behind a movement: the events that led to it, from the deal's opening on.

For a bet that is taken also the event that laid it, in whichever deal that was.
"""

from engine import events as e
from ledger.envelope import Recorded
from ledger.projections.deals import Deal, newest_first
from ledger.session import Session


def behind(session: Session, deal: Deal, version: int) -> tuple[int, ...]:
    """Versions, ascending: what was said in the deal up to this one, and what it rests on.

    `version` is that of the movement; of a la vola leg, the one that made it due.
    """
    before = [recorded for recorded in deal.facts if recorded.version <= version]
    said = {r.version for r in before if isinstance(r.event, e.Spoken)}
    laid = {v for r in before if r.version == version for v in _laid(session, r)}
    return tuple(sorted(said | laid | {version}))


def _laid(session: Session, recorded: Recorded) -> list[int]:
    """Where the bet comes from that this event takes."""
    taken = recorded.event
    if not isinstance(taken, e.BetTaken):
        return []
    for deal in newest_first(session.deals):
        if deal.number == taken.laid_in:
            return [
                fact.version
                for fact in deal.facts
                if isinstance(fact.event, e.BetLaid | e.BetsMerged | e.BetsParted)
                and taken.bet in _numbers(fact.event)
            ]
    return []


def _numbers(fact: e.BetLaid | e.BetsMerged | e.BetsParted) -> tuple[int, ...]:
    match fact:
        case e.BetLaid(bet=bet):
            return (bet,)
        case e.BetsMerged(bet=bet, added=other) | e.BetsParted(bet=bet, parted=other):
            return (bet, other)
