"""What a table of Polskt pass agrees before the first deal (docs/rules.md §1.3 and §7)."""

from typing import ClassVar, Literal

import msgspec

from engine import events
from engine.cards import JackSuit
from engine.games.agreements import CreditLimit, MisdealPolicy, Stake


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table agrees before the first deal (docs/rules.md §1.3 and §7)."""

    vole_stop_at_loss: ClassVar[bool] = True  # the first trick that another takes (§1.7)

    stake: Stake = 10
    bet_multiplier: Literal[1, 2] = 1
    merge_double_bets: bool = False
    amount_basis: Literal["pot", "ante_only"] = "pot"
    # who lays a bet when two declarers and the others took one trick each (A-PP-4)
    all_one_two_declarers: Literal["both", "none"] = "both"
    bet_payment: Literal["immediate", "on_collection"] = "immediate"
    bet_tie: Literal["oldest", "newest"] = "oldest"
    allow_early_end: bool = True
    failed_vola_declarer_bet: Literal["none", "bet"] = "none"
    jack_suit: JackSuit = "trump"
    leftover_policy: events.LeftoverPolicy = "carry"
    credit_limit: CreditLimit = None
    misdeal_policy: MisdealPolicy = "same_dealer"
