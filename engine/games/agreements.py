"""What a table may agree before the first deal, whichever game it plays (docs/rules.md §7).

Does not know any game's own options.
"""

from typing import Annotated, Literal, Protocol

from msgspec import Meta
from msgspec.structs import replace

from engine import errors
from engine.events import DealOpened, Events
from engine.values import MAX_AMOUNT, Amount

Stake = Annotated[int, Meta(ge=1, le=10**9)]
CreditLimit = Annotated[int, Meta(ge=0, le=MAX_AMOUNT)] | None
MisdealPolicy = Literal["same_dealer", "next_dealer"]
Points = Annotated[int, Meta(ge=0, le=1000)]
PointValue = Annotated[int, Meta(ge=1, le=10**6)] | None
"""Money for each point when a game for points ends; none: it is played for the points alone."""


class StakeOptions(Protocol):
    @property
    def stake(self) -> Amount: ...
    @property
    def credit_limit(self) -> Amount | None: ...


def open_for_stake(
    options: StakeOptions,
    opening: DealOpened,
    funds: Amount,
    *,
    played_for: Amount,
    highest: Amount,
) -> Events:
    """Return the opening with its amounts, of a deal in which nobody will pay more than `highest`;
    `funds` are the dealer's. Raise CreditLimitReached if the stake would take the dealer below the
    limit (A-PP-15), AmountTooLarge if `highest` cannot be recorded: an open deal can then be played
    to any end."""
    stake, limit = options.stake, options.credit_limit
    if limit is not None and funds - stake < -limit:
        raise errors.CreditLimitReached(
            player=opening.dealer, stake=stake, balance=funds, limit=limit
        )
    if highest > MAX_AMOUNT:
        raise errors.AmountTooLarge(amount=highest, limit=MAX_AMOUNT)
    return (replace(opening, stake=stake, played_for=played_for),)
