"""The small words that every game uses: who sits where, which way round, how much.

Knows nothing of cards or of any game's rules.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

Player = Annotated[str, Meta(pattern=r"^p[1-9][0-9]{0,2}$")]
"""`p1`, `p2` …: an id, never a name."""

Seats = tuple[Player, ...]
"""Who sits, clockwise."""

Amount = int
"""Whole units of the smallest coin (öre)."""

MAX_AMOUNT = 10**12
"""The largest single amount. Ten thousand such movements still add up to less than 2**53, so that
every balance stays exact in any client that reads JSON numbers as doubles."""


def clockwise_from(player: Player, seats: Seats) -> Seats:
    """All seats, beginning with this one."""
    at = seats.index(player)
    return seats[at:] + seats[:at]


def left_of(player: Player, seats: Seats) -> Player:
    """The next one clockwise: the forehand, if asked of the dealer."""
    return seats[(seats.index(player) + 1) % len(seats)]


def right_of(player: Player, seats: Seats) -> Player:
    """The one before, clockwise: the cutter, if asked of the dealer."""
    return seats[seats.index(player) - 1]


def split(total: Amount, among: Sequence[Player]) -> dict[Player, Amount]:
    """Equal shares; the units left over go one each to the first in `among`: nothing is lost."""
    share, remainder = divmod(total, len(among))
    return {player: share + (place < remainder) for place, player in enumerate(among)}
