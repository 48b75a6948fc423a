"""Spader: what everybody at the table can see of the open deal."""

from msgspec.structs import replace

from engine.games.spader import bids_and_scoring as sides
from engine.games.spader.options import Options
from engine.games.spader.state import SideBidding, SpaderPlay, State, Swapping, Waiting
from engine.games.spader.trick_rules import FIRST_LEAD, play_rule
from engine.table_view import OpenDealView
from engine.tricks.trick_state import CardsInPlay, TrickState
from engine.values import Player


def cards_in_play(options: Options, state: State) -> CardsInPlay | None:
    match state.phase:
        case SpaderPlay(tricks=tricks, broken=broken):
            return CardsInPlay(tricks=tricks, rule=play_rule(broken))
    return None


def view(state: State) -> OpenDealView | None:
    at = state.phase
    if isinstance(at, Waiting):
        return None
    common_view = OpenDealView(phase=at.name, bids=tuple(map(sides.bid_fields, at.bids)))
    match at:
        case SideBidding():
            return replace(common_view, bidding=at.turn)
        case Swapping(sides=(side, *_)):
            return replace(common_view, swapping=side)
        case SpaderPlay(tricks=tricks, broken=broken):
            turn = tricks.turn or _first_leader(tricks)
            return replace(
                common_view, turn=turn, tricks=tricks.winners, cards=tricks.on_table, broken=broken
            )
    raise AssertionError("somebody is still to swap")


def _first_leader(play: TrickState) -> Player | None:
    """Who will lead to the first trick, if somebody has shown the card that must be led."""
    return next((player for player, cards in play.known_hands if FIRST_LEAD in cards), None)
