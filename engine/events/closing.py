"""The end of a session, and what an earlier session left to this one."""

from typing import Literal

import msgspec

from engine.events.event import BaseEvent, Player
from engine.values import Amount

LeftoverPolicy = Literal["carry", "refund_bets", "split_equal", "play_on"]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A player's share of the pot or of a bet."""

    player: Player
    amount: Amount


class PotShared(BaseEvent, frozen=True, kw_only=True):
    """At the end of the evening the pot goes to the players."""

    shares: tuple[Share, ...]


class BetShared(BaseEvent, frozen=True, kw_only=True):
    """At the end of the evening a bet goes back to the players who laid it, or to everybody."""

    bet: int
    shares: tuple[Share, ...]


class BetCollected(BaseEvent, frozen=True, kw_only=True):
    """A claim is paid in, because the evening ends and the table shares what is left."""

    bet: int
    by: tuple[Player, ...]
    each: Amount


class BetWaived(BaseEvent, frozen=True, kw_only=True):
    """A claim is dropped at the end of the evening: nobody had paid it; nothing is given back."""

    bet: int


class PointsPaid(BaseEvent, frozen=True, kw_only=True):
    """When a game for points ends, a player who is behind pays for each point of the difference
    (`point_value`)."""

    payer: Player
    payee: Player
    points: int
    value: Amount


class EveningClosed(BaseEvent, frozen=True, kw_only=True):
    """The evening ends. Nothing more is played."""

    policy: LeftoverPolicy


class CarriedBet(msgspec.Struct, frozen=True, kw_only=True):
    """A bet that an earlier evening left to be played for, under its number in this one."""

    bet: int
    by: tuple[Player, ...]
    each: Amount
    paid: bool


class BroughtForward(BaseEvent, frozen=True, kw_only=True):
    """This evening begins with what an earlier one left open. Pot, paid bets and balances add up
    to zero, as they did there."""

    # the earlier evening, with its version and that version's hash when it was carried forward
    session: str
    version: int
    hash: str
    pot: Amount
    bets: tuple[CarriedBet, ...]  # in the order in which they were to be played for
    balances: dict[Player, Amount]  # of this evening's players, none of them zero
