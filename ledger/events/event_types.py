"""The event types that the ledger adds to those of the engine.

Names of people and titles are never in an event: only player ids and commitments to names, whose
salt is deleted together with the name.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.events import BaseEvent, Event, Player, Seats, snake_case
from engine.values import Amount

Currency = str
"""ISO 4217, or `chips`."""

Member = Annotated[str, Meta(pattern=r"^m[1-9][0-9]{0,2}\Z")]
"""`m1`, `m2` …: an id in a group, never a name."""

UUID_PATTERN = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""The one spelling of the id of a session or a group."""

PaymentMethod = Literal["cash", "swish", "mobilepay", "vipps", "bank", "other"]


class SessionOpened(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """The session is opened, with its game and players."""

    game: str
    options: dict[str, int | bool | str | None]
    currency: Currency
    players: Seats
    names: tuple[str, ...]  # commitments, see hash_chain.commit_to_name
    first_dealer: Player
    # the points with which each player or side begins
    start: dict[str, int] = msgspec.field(default_factory=dict)


class PlayerJoined(BaseEvent, frozen=True, kw_only=True, tag=snake_case):
    """A new player has an id."""

    player: Player
    name: str  # a commitment


class PaymentSettled(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """One la vola payment is made, or one that was settled is paid back."""

    payment: str
    deal: int
    payer: Player
    payee: Player
    amount: Amount
    reverses: str | None = None


class TransferRecorded(BaseEvent, frozen=True, kw_only=True, omit_defaults=True, tag=snake_case):
    """A player paid another outside the game."""

    payer: Player
    payee: Player
    amount: Amount
    method: PaymentMethod | None = None


class CostShare(msgspec.Struct, frozen=True, kw_only=True):
    """A player's share of a cost: the number of parts, and the amount for them."""

    player: Player
    parts: int
    amount: Amount


class CostRecorded(BaseEvent, frozen=True, kw_only=True, tag=snake_case):
    """A player paid a cost that several share. The shares add up to the amount.

    Source: docs/rules.md §10.
    """

    cost: int  # numbered from 1 in the session
    payer: Player
    amount: Amount
    shares: tuple[CostShare, ...]


class CostVoided(BaseEvent, frozen=True, kw_only=True, tag=snake_case):
    """A cost no longer counts. A cost recorded under its number right after this corrects it."""

    cost: int
    recorded_version: int  # of the event that it takes back
    took_back: tuple[CostRecorded, ...]  # always one


class CarriedForward(BaseEvent, frozen=True, kw_only=True, tag=snake_case):
    """What this session left open is carried to another session and settled there."""

    to: str  # the id of the other session


LedgerEvent = (
    Event | CarriedForward | SessionOpened | PlayerJoined | PaymentSettled | TransferRecorded
    | CostRecorded | CostVoided
)  # fmt: skip
