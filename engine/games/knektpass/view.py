"""Knektpass: what everybody at the table can see of the open deal."""

from typing import assert_never

from engine.games.knektpass import declaring as staying
from engine.games.knektpass import exchange_and_play as exchanging
from engine.games.knektpass.declaring import Declaring
from engine.games.knektpass.exchange_and_play import KnektpassPlay
from engine.games.knektpass.must_beat import must_beat_rule
from engine.games.knektpass.options import Options
from engine.games.knektpass.state import State, Waiting
from engine.table_view import OpenDealView
from engine.tricks.trick_state import CardsInPlay


def cards_in_play(options: Options, state: State) -> CardsInPlay | None:
    match state.phase:
        case KnektpassPlay(trump=str(trump), tricks=tricks):
            rule = must_beat_rule(trump, must_trump=options.must_trump_when_void)
            return CardsInPlay(tricks=tricks, rule=rule)
    return None


def view(state: State) -> OpenDealView | None:
    match state.phase:
        case Waiting():
            return None
        case Declaring() as at:
            return staying.view(at)
        case KnektpassPlay() as at:
            return exchanging.view(at)
    assert_never(state.phase)
