"""Knektpass: what may be done now."""

from collections.abc import Iterable
from typing import assert_never

from engine.games.knektpass import declaring as staying
from engine.games.knektpass import exchange_and_play as exchanging
from engine.games.knektpass.declaring import Declaring
from engine.games.knektpass.exchange_and_play import KnektpassPlay
from engine.games.knektpass.must_beat import must_beat_rule
from engine.games.knektpass.options import Options
from engine.games.knektpass.state import State
from engine.table_view import LegalAction
from engine.tricks.deal import Waiting
from engine.tricks.trick_state import CardsInPlay


def legal_actions(options: Options, state: State) -> Iterable[LegalAction]:
    """What may be done inside the deal; the evening adds the rest."""
    match state.phase:
        case Waiting():
            return ()
        case Declaring() as at:
            return staying.legal(at, commits=options.turn_up_commits)
        case KnektpassPlay() as at:
            return exchanging.legal(at, must_trump=options.must_trump_when_void)
    assert_never(state.phase)


def cards_in_play(options: Options, state: State) -> CardsInPlay | None:
    """The cards on the table; none unless a card can be played now."""
    match state.phase:
        case KnektpassPlay(trump=str(trump), tricks=tricks):
            rule = must_beat_rule(trump, must_trump=options.must_trump_when_void)
            return CardsInPlay(tricks=tricks, rule=rule)
    return None
