"""Knektpass: the score sheet and the phase of the deal, and how each event changes them."""

import msgspec
from msgspec.structs import replace

from engine import events
from engine.cards import Card, pack
from engine.games.knektpass import declaring, exchange_and_play
from engine.games.knektpass.declaring import Declaring
from engine.games.knektpass.exchange_and_play import KnektpassPlay
from engine.games.knektpass.options import Options
from engine.scoring.score_sheet import ScoreSheet, apply_score
from engine.tricks.deal import Deal, Waiting
from engine.tricks.five_tricks import TRICKS
from engine.tricks.trick_state import TrickState
from engine.values import Seats

PACK, SHORT_PACK = pack("2"), pack("6")
MAX_PLAYERS_SHORT_PACK = 3  # those seated count, also those who pass (A-KP-11)

Phase = Waiting | Declaring | KnektpassPlay


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: what was agreed, the sheet, and how far the deal has come."""

    options: Options
    sheet: ScoreSheet
    phase: Phase = Waiting()


GameEvent = (
    events.DealOpened | events.CardTurnedUp | events.TurnUpExchanged | events.Stayed
    | events.Passed | events.AllPassed | events.CardsExchanged | events.HandShown
    | events.CardPlayed | events.TrickWon | events.TrickRecorded | events.TricksCounted
    | events.Scored | events.GameWon | events.DealClosed | events.PointsPaid
    | events.EveningClosed
)  # fmt: skip
"""The events of this game."""


def evolve(state: State, event: GameEvent) -> State:
    """Return the state after this event. The events that matter after the deal come first
    (`OUTCOME_EVENTS`)."""
    phase = state.phase
    match event:
        case events.DealOpened(seats=seats):
            deal = Deal.of(event, pack_for(seats))
            tricks = TrickState(seats=seats, leader=deal.order[0], pack=deal.pack, hand_size=TRICKS)
            return replace(state, phase=Declaring(deal=deal, tricks=tricks))
        case events.Scored() | events.GameWon():
            return replace(state, sheet=apply_score(state.sheet, event))
        case events.DealClosed() | events.EveningClosed():
            return replace(state, phase=Waiting())
        case events.CardTurnedUp() | events.TurnUpExchanged() | events.Stayed() | events.Passed():
            assert isinstance(phase, Declaring)
            return replace(state, phase=_after_declaring(state, declaring.evolve(phase, event)))
        case events.HandShown() if isinstance(phase, Declaring):
            return replace(state, phase=declaring.evolve(phase, event))
        case events.AllPassed() | events.TricksCounted() | events.PointsPaid():
            return state  # the events that follow from it change the state
        case _:
            assert isinstance(phase, KnektpassPlay)
            return replace(state, phase=exchange_and_play.evolve(phase, event))


def _after_declaring(state: State, phase: Declaring) -> Phase:
    """Return the exchange if everybody has spoken and at least two stay. With fewer the deal is
    about to close."""
    if phase.turn is None and len(phase.staying) > 1:
        # everybody sees how many cards the talon has (A-KP-10)
        return exchange_and_play.start(phase, shuffled_back=state.options.reshuffle_discards)
    return phase


def pack_for(seats: Seats) -> tuple[Card, ...]:
    """36 cards for two or three, 52 for more (docs/rules.md §4.1)."""
    return SHORT_PACK if len(seats) <= MAX_PLAYERS_SHORT_PACK else PACK
