"""What a table may agree before the first deal, whichever game it plays (docs/rules.md §7).

Does not know any game's own options.
"""

from typing import Annotated, Literal, Protocol

from msgspec import Meta

from engine import errors
from engine.tricks.deal import DealOpening
from engine.values import MAX_AMOUNT, Amount

Stake = Annotated[int, Meta(ge=1, le=10**9)]
CreditLimit = Annotated[int, Meta(ge=0, le=MAX_AMOUNT)] | None
MisdealPolicy = Literal["same_dealer", "next_dealer"]
PointValue = Annotated[int, Meta(ge=1, le=10**6)] | None
"""Money for each point when a game for points ends; none: it is played for the points alone."""


class StakeOptions(Protocol):
    @property
    def stake(self) -> Amount: ...
    @property
    def credit_limit(self) -> Amount | None: ...


def check_credit(options: StakeOptions, opening: DealOpening) -> None:
    """CreditLimitReached when the stake would take the dealer below the limit (A-PP-15)."""
    stake, limit = options.stake, options.credit_limit
    if limit is not None and opening.funds - stake < -limit:
        raise errors.CreditLimitReached(
            player=opening.dealer, stake=stake, balance=opening.funds, limit=limit
        )


def check_amount(amount: Amount) -> Amount:
    """AmountTooLarge when the deal is opened, so that it can be played to any end."""
    if amount > MAX_AMOUNT:
        raise errors.AmountTooLarge(amount=amount, limit=MAX_AMOUNT)
    return amount
