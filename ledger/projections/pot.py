"""The amount in the pot."""

from collections.abc import Iterable

from engine.values import Amount
from ledger.projections.postings import POT, Posting

EMPTY_POT: Amount = 0


def apply(pot: Amount, postings: Iterable[Posting]) -> Amount:
    """Return the pot after these postings."""
    for line in postings:
        pot += line.amount * ((line.target == POT) - (line.source == POT))
    return pot
