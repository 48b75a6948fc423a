"""Who sits, who deals, which deal is open, what the game itself keeps, and the undo history.

The undo history is each action with the table before it, back to the first one. Its steps are
generic in the state that they lead back to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from engine import events
from engine.events import UndoableEvent, UndoableEvents
from engine.games.game import Game, S
from engine.session.dealer_rotation import PassedTurn
from engine.tricks.deal import LastDeal
from engine.values import Player, Seats

T = TypeVar("T")


class UndoStep(msgspec.Struct, Generic[T], eq=False):
    """One action. Compared by identity on purpose: a session of thousands is a long chain."""

    _state_before: T | Callable[[], T]  # or how to find it, should anybody go back so far
    deal: int | None  # none: a reseating between deals
    events: UndoableEvents

    @property
    def state_before(self) -> T:
        """The table as it stood."""
        before = self._state_before  # read once: threads that share a table may all find it
        if callable(before):
            before = self._state_before = before()
        return before

    def extend(self, *facts: UndoableEvent) -> UndoStep[T]:
        """The same action, from which these followed, too."""
        return UndoStep(self._state_before, self.deal, (*self.events, *facts))


class CorrectionStep(msgspec.Struct, Generic[T], frozen=True, kw_only=True, eq=False):
    """A correction as the last thing done, and the table before it."""

    state_before: T
    deal: int
    voids_deal: bool  # the deal does not count any more
    leaves_deal_open: bool  # a deal was open when it had been made


class Closing(msgspec.Struct, Generic[T], frozen=True, kw_only=True, eq=False):
    """What closes the session, so far, and the table before it."""

    state_before: T
    closing_events: tuple[events.ClosingEvent, ...]

    @property
    def policy(self) -> events.LeftoverPolicy | None:
        """Where the leftovers went; none while it has only begun."""
        last = self.closing_events[-1]
        return last.policy if isinstance(last, events.EveningClosed) else None


class TableState(msgspec.Struct, Generic[S], frozen=True, kw_only=True, eq=False):
    """The game, who sits, who deals, how far the deals have come, and the game's own table."""

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
    last_step: UndoStep[TableState[Any]] | None = None
    correction: CorrectionStep[TableState[Any]] | None = None  # the last thing done, if it was one
    deals_counted: int = 0  # deals opened so far that count
    passed_turns: tuple[PassedTurn, ...] = ()  # by misdeals, in their order
    closing: Closing[TableState[Any]] | None = None

    @property
    def next_number(self) -> int:
        return max(self.deal_number, self.highest_voided) + 1
