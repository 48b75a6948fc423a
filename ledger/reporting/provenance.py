"""The events behind a posting: those of its deal from the opening on.

For a bet that is taken, also the events that laid, merged or split it, in whichever deal.
"""

from collections.abc import Iterator

from engine import events as e
from engine.session.revokes import Revoke, find_revokes
from ledger.events.recorded_event import RecordedEvent
from ledger.projections.deals import Deal, newest_first
from ledger.session.session_state import SessionState


def source_versions(session: SessionState, deal: Deal, version: int) -> tuple[int, ...]:
    """Return the versions of the recorded events behind a posting, ascending. `version` is that of
    the posting; for a la vola payment, the one that made it due."""
    earlier = [recorded for recorded in deal.facts if recorded.version <= version]
    input_versions = {r.version for r in earlier if isinstance(r.event, e.InputEvent)}
    bet_versions = {v for r in earlier if r.version == version for v in _bet_versions(session, r)}
    return tuple(sorted(input_versions | bet_versions | {version}))


def _bet_versions(session: SessionState, recorded: RecordedEvent) -> list[int]:
    """Return the versions of the events that made the bet which this event takes."""
    bet_taken = recorded.event
    if not isinstance(bet_taken, e.BetTaken):
        return []
    return [
        fact.version
        for deal in newest_first(session.deals)
        if deal.number == bet_taken.laid_in
        for fact in deal.facts
        if isinstance(fact.event, e.BetLaid | e.BetsMerged | e.BetsParted)
        and bet_taken.bet in _bet_numbers(fact.event)
    ]


def proven_revokes(session: SessionState, deal: Deal) -> Iterator[tuple[int, Revoke]]:
    """Yield the revokes that the recorded cards of a deal prove, each with its card's version.
    Nothing follows from them: the rules set no penalty for a revoke found later (A-PP-16)."""
    facts = [r.event for r in deal.facts if isinstance(r.event, e.UndoableEvent)]
    for revoke in find_revokes(session.game, session.options, facts):
        yield deal.facts[revoke.place].version, revoke


def _bet_numbers(fact: e.BetLaid | e.BetsMerged | e.BetsParted) -> tuple[int, ...]:
    match fact:
        case e.BetLaid(bet=bet):
            return (bet,)
        case e.BetsMerged(bet=bet, added=other) | e.BetsParted(bet=bet, parted=other):
            return (bet, other)
