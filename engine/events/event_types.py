"""Every event by kind, and the revisions, which carry other events."""

from collections.abc import Sequence
from typing import TypeGuard, get_args

import msgspec

from engine.events import amounts, bidding, closing, deal
from engine.events.event import BaseEvent, Player

UndoableEvent = (
    deal.DealOpened | deal.Reseated | deal.ResultRecorded | deal.PlayFinished | deal.DealClosed
    | bidding.CutShown | bidding.CutterTook | bidding.CardTurnedUp | bidding.DealerTook
    | bidding.TurnUpTaken | bidding.TurnUpDeclined | bidding.BidMade | bidding.Declared
    | bidding.AllPassed | bidding.SideBidMade | bidding.RedealClaimed | bidding.CardsSwapped
    | bidding.SwapDeclined | bidding.Stayed | bidding.Passed | bidding.CardsExchanged
    | bidding.TurnUpExchanged
    | deal.CardDiscarded | deal.HandShown | deal.CardPlayed | deal.TrickWon | deal.TrickRecorded
    | deal.TricksCounted | deal.LaVolaAnnounced | deal.VoleAnnounced
    | amounts.PotTaken | amounts.BetTaken | amounts.BetLaid | amounts.BetsMerged
    | amounts.BetsParted | amounts.LaVolaWon | amounts.PenaltyPaid | amounts.Scored
    | amounts.GameWon
)  # fmt: skip
"""The events of an action, which an undo can take back."""
UndoableEvents = tuple[UndoableEvent, ...]
UNDOABLE_EVENTS: frozenset[type] = frozenset(get_args(UndoableEvent))
DEAL_EVENTS = UNDOABLE_EVENTS - {deal.Reseated}
"""The events of a deal, and the merges and splits of its bets after it."""

OUTCOME_EVENTS: frozenset[type] = frozenset({
    deal.DealOpened, amounts.PotTaken, amounts.BetTaken, amounts.BetLaid, amounts.BetsMerged,
    amounts.BetsParted, amounts.PenaltyPaid, amounts.Scored, amounts.GameWon, deal.DealClosed,
})  # fmt: skip
"""The events of a deal that matter once it is closed; the others (bids, cards, tricks) do not."""

ClosingEvent = (
    closing.PotShared | closing.BetShared | closing.BetCollected | closing.BetWaived
    | closing.PointsPaid | closing.EveningClosed
)  # fmt: skip
"""The events of a closing; the last one closes the session."""
CLOSING_EVENTS: frozenset[type] = frozenset(get_args(ClosingEvent))


def are_deal_events(facts: Sequence[object]) -> TypeGuard[Sequence[UndoableEvent]]:
    return DEAL_EVENTS.issuperset(map(type, facts))


class ActionUndone(BaseEvent, frozen=True, kw_only=True):
    """The last action is taken back, with everything that had followed from it."""

    took_back: tuple[UndoableEvent, ...]
    deal: int | None = None  # none: a reseating between deals
    past_misdeals: bool = False  # it goes back past voided deals, and the turns they passed stay


class DealVoided(BaseEvent, frozen=True, kw_only=True):
    """A deal never counted, its stake included (a misdeal). Its number is not used again."""

    deal: int
    took_back: tuple[UndoableEvent, ...]
    next_dealer: Player


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """The events of a deal before and after a correction; none if the deal does not count."""

    deal: int
    was: tuple[UndoableEvent, ...]
    facts: tuple[UndoableEvent, ...]


class DealCorrected(BaseEvent, frozen=True, kw_only=True):
    """A deal was really played otherwise, or never counted; later deals are scored again."""

    deal: int
    rescored: tuple[Rescored, ...]  # in order; only deals whose events change
    next_dealer: Player


class CorrectionUndone(BaseEvent, frozen=True, kw_only=True):
    """A correction is taken back as a whole: its deals have the events that they had before it."""

    deal: int  # the corrected one
    rescored: tuple[Rescored, ...]  # in order
    next_dealer: Player


class SessionReopened(BaseEvent, frozen=True, kw_only=True):
    """The closing is taken back with everything that it had paid out: the evening goes on."""

    took_back: tuple[ClosingEvent, ...]


RevisionEvent = ActionUndone | DealVoided | DealCorrected | CorrectionUndone | SessionReopened
Event = UndoableEvent | RevisionEvent | closing.BroughtForward | ClosingEvent
Events = tuple[Event, ...]
