"""The values that every game uses: players, seats and amounts.

Knows nothing of cards or of any game's rules.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

Player = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}$")]
"""`p1`, `p2` …: an id, never a name."""

Seats = tuple[Player, ...]
"""The seated players, clockwise."""

Amount = int
"""Whole units of the smallest coin (öre)."""

MAX_AMOUNT = 10**12
"""The largest single amount. Nine thousand such movements add up to less than 2**53, so that
every balance stays exact in any client that reads JSON numbers as doubles."""


def clockwise_from(player: Player, seats: Seats) -> Seats:
    """Return all seats, beginning with this player."""
    at = seats.index(player)
    return seats[at:] + seats[:at]


def left_of(player: Player, seats: Seats) -> Player:
    """Return the next player clockwise: for the dealer, the forehand."""
    return seats[(seats.index(player) + 1) % len(seats)]


def right_of(player: Player, seats: Seats) -> Player:
    """Return the previous player clockwise: for the dealer, the cutter."""
    return seats[seats.index(player) - 1]


def split(total: Amount, among: Sequence[Player]) -> dict[Player, Amount]:
    """Return equal shares that add up to `total`. Units left over go one each to the first in
    `among`."""
    share, remainder = divmod(total, len(among))
    return {player: share + (place < remainder) for place, player in enumerate(among)}
