"""Who sits, who deals, which deal is open, and what the game itself keeps."""

from __future__ import annotations

from typing import Any, Generic

import msgspec

from engine.games.game import S
from engine.session.dealer_rotation import PassedTurn
from engine.session.undo_step import Closing, CorrectionStep, UndoStep
from engine.tricks.deal import LastDeal
from engine.values import Player, Seats


class TableState(msgspec.Struct, Generic[S], frozen=True, kw_only=True, eq=False):
    """Who sits, who deals, how far the deals have come, and the game's own table."""

    players: Seats  # everybody who has ever been given an id
    seats: Seats
    dealer: Player  # of the open deal, or of the next one
    game_state: S
    deal_number: int = 0  # of the open deal, or of the last one
    highest_voided: int = 0  # the highest number that a voided deal has used up
    deal_is_open: bool = False
    last_deal: LastDeal | None = None
    closed: bool = False
    last_step: UndoStep[TableState[Any]] | None = None
    correction: CorrectionStep[TableState[Any]] | None = None  # the last thing done, if it was one
    deals_counted: int = 0  # deals opened so far that count
    passed_turns: tuple[PassedTurn, ...] = ()  # by misdeals, in their order
    closing: Closing[TableState[Any]] | None = None

    @property
    def next_number(self) -> int:
        return max(self.deal_number, self.highest_voided) + 1
