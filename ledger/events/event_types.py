"""What the ledger itself writes into history, beside the facts of play.

Names of people and titles are never in here: only ids, and commitments to names whose salt lives
(and dies) with the name.
"""

from typing import Literal

import msgspec

from engine.events import Event, Fact, in_table_words
from engine.values import Amount, Player, Seats

Currency = str
"""ISO 4217, or `chips`."""

Method = Literal["cash", "swish", "mobilepay", "vipps", "bank", "other"]


class SessionOpened(Fact, frozen=True, kw_only=True, omit_defaults=True, tag=in_table_words):
    game: str
    options: dict[str, int | bool | str | None]
    currency: Currency
    players: Seats
    names: tuple[str, ...]  # a commitment each: sha256 of salt and name
    first_dealer: Player
    # with what each player or side begins, in a game for points
    start: dict[str, int] = msgspec.field(default_factory=dict)


class PlayerJoined(Fact, frozen=True, kw_only=True, tag=in_table_words):
    player: Player
    name: str  # a commitment


class PaymentSettled(Fact, frozen=True, kw_only=True, omit_defaults=True, tag=in_table_words):
    """One leg of a won la vola is paid, or a settled one is paid back."""

    payment: str
    deal: int
    payer: Player
    payee: Player
    amount: Amount
    reverses: str | None = None


class TransferRecorded(Fact, frozen=True, kw_only=True, omit_defaults=True, tag=in_table_words):
    """Somebody paid somebody outside the game, and says so."""

    payer: Player
    payee: Player
    amount: Amount
    method: Method | None = None


class CarriedForward(Fact, frozen=True, kw_only=True, tag=in_table_words):
    """What this evening left open is where another one begins; from here on it is settled there."""

    to: str  # the other evening


Entry = Event | CarriedForward | SessionOpened | PlayerJoined | PaymentSettled | TransferRecorded
