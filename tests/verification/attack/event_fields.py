"""Changes of the fields of one stored event."""

from __future__ import annotations

from typing import Any

from tests.verification.attack.forger import NotApplicable

MONEY = (
    "deal_opened",
    "pot_taken",
    "bet_laid",
    "bet_taken",
    "scored",
    "transfer_recorded",
    "cost_recorded",
)
"""The types of events that move money or points."""


def add_amount(fields: Any, amount: int) -> bool:
    """Add to the first amount among the fields. Return whether there is one."""
    for name in ("amount", "each", "stake", "points"):
        if name in fields:
            fields[name] += amount
            return True
    return False


def shift_share(fields: Any) -> None:
    """Move one unit of a cost from the first share to the last one.

    Raise NotApplicable if there is only one share, or the first is zero."""
    *_, last = shares = fields["shares"]
    if len(shares) < 2 or shares[0]["amount"] == 0:
        raise NotApplicable
    shares[0]["amount"] -= 1
    last["amount"] += 1
