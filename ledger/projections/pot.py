"""What lies in the pot."""

from engine.values import Amount
from ledger.envelope import Recorded
from ledger.postings import POT, postings

EMPTY: Amount = 0


def apply(pot: Amount, recorded: Recorded) -> Amount:
    for line in postings(recorded.event):
        pot += line.amount * ((line.target == POT) - (line.source == POT))
    return pot
