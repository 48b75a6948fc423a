"""What a table of Polskpas agrees before the first deal (docs/rules.md §7, A-DK)."""

from typing import ClassVar, Literal

import msgspec

from engine import events
from engine.cards import JackSuit, Suit
from engine.games.agreements import CreditLimit, MisdealPolicy, Stake


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (docs/rules.md §7, A-DK)."""

    jack_suit: ClassVar[JackSuit] = "trump"

    stake: Stake = 10
    opponent_win: Literal["pot_doubled", "winner_takes"] = "pot_doubled"
    vole_amount: Literal["pot", "stake"] = "pot"
    vole_sweeps_pot: bool = True
    vole_lost_outright: Literal["double_pot", "void"] = "double_pot"
    vole_stop_at_loss: bool = False
    removed_ten: Suit = "D"
    allow_early_end: bool = True
    leftover_policy: events.LeftoverPolicy = "carry"
    credit_limit: CreditLimit = None
    misdeal_policy: MisdealPolicy = "same_dealer"
