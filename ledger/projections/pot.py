"""What lies in the pot."""

from collections.abc import Iterable

from engine.values import Amount
from ledger.postings import POT, Posting

EMPTY: Amount = 0


def apply(pot: Amount, moved: Iterable[Posting]) -> Amount:
    """The pot after these lines of an event."""
    for line in moved:
        pot += line.amount * ((line.target == POT) - (line.source == POT))
    return pot
