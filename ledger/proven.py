"""What the cards of a deal prove about how it was played, although nobody noticed at the table.

Knows neither a language nor what the table makes of it: the rules set no penalty (A-PP-16).
"""

from collections.abc import Iterator

from engine import events as e
from engine.revokes import Revoke, revokes
from ledger.projections.deals import Deal
from ledger.session import Session


def proven(session: Session, deal: Deal) -> Iterator[tuple[int, Revoke]]:
    """The revokes of a deal, each with the version of its card."""
    facts = [recorded.event for recorded in deal.facts if isinstance(recorded.event, e.Deed)]
    for revoke in revokes(session.game, session.options, facts):
        yield deal.facts[revoke.place].version, revoke
