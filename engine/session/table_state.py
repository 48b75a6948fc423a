"""The table: who sits, who deals, which deal is open, the state of the game, and the undo history.

The undo history is each action with the table before it, back to the first one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

import msgspec

from engine import events
from engine.events import UndoableEvent, UndoableEvents
from engine.games.game import Game, S
from engine.session.dealer_rotation import PassedTurn
from engine.tricks.deal import LastDeal
from engine.values import Player, Seats


class UndoStep(msgspec.Struct, eq=False):
    """One action. Compared by identity on purpose: the chain may have thousands of steps."""

    # a function computes it when an undo goes back so far
    _state_before: TableState[Any] | Callable[[], TableState[Any]]
    deal: int | None  # none: a reseating between deals
    events: UndoableEvents

    @property
    def state_before(self) -> TableState[Any]:
        """The table before this action."""
        before = self._state_before  # read once: threads that share a table may all compute it
        if callable(before):
            before = self._state_before = before()
        return before

    def extend(self, *facts: UndoableEvent) -> UndoStep:
        """Return the same action with these events added to those that follow from it."""
        return UndoStep(self._state_before, self.deal, (*self.events, *facts))


class CorrectionStep(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A correction that is the last thing done, and the table before it."""

    state_before: TableState[Any]
    deal: int
    voids_deal: bool  # the deal does not count any more
    leaves_deal_open: bool  # a deal was open when it had been made


class Closing(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The events so far that close the session, and the table before them."""

    state_before: TableState[Any]
    closing_events: tuple[events.ClosingEvent, ...]

    @property
    def policy(self) -> events.LeftoverPolicy | None:
        """How the leftovers were distributed; None until the last event of the closing."""
        last = self.closing_events[-1]
        return last.policy if isinstance(last, events.EveningClosed) else None


class TableState(msgspec.Struct, Generic[S], frozen=True, kw_only=True, eq=False):
    """The game and its own state, who sits, who deals, and which deals have been played."""

    game: Game[Any, S]
    players: Seats  # everybody who has ever been given an id
    seats: Seats
    dealer: Player  # of the open deal, or of the next one
    game_state: S
    deal_number: int = 0  # of the open deal, or of the last one
    highest_voided: int = 0  # the highest number that a voided deal has used up
    deal_is_open: bool = False
    last_deal: LastDeal | None = None
    closed: bool = False
    last_step: UndoStep | None = None
    correction: CorrectionStep | None = None  # the last thing done, if it was one
    deals_counted: int = 0  # deals opened so far that count
    passed_turns: tuple[PassedTurn, ...] = ()  # by misdeals, in their order
    closing: Closing | None = None

    @property
    def next_number(self) -> int:
        return max(self.deal_number, self.highest_voided) + 1
