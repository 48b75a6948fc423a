"""Polskt pass: what everybody at the table can see of the open deal."""

from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import Choosing, State, Waiting
from engine.table_view import OpenDealView
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, view_bidding
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.trick_state import CardsInPlay


def cards_in_play(options: Options, state: State) -> CardsInPlay | None:
    match state.phase:
        case DeclarerPlay(trump=str(trump), tricks=tricks):
            return CardsInPlay(tricks=tricks, rule=playing.follow_suit(trump, options.jack_suit))
    return None


def view(state: State) -> OpenDealView | None:
    match state.phase:
        case Waiting():
            return None
        case DeclarerPlay() as at:
            return playing.view(at)
        case Bidding() as bidding:
            return view_bidding(bidding)
        case Choosing(deal=deal, turn_up=card):
            return OpenDealView(phase="choosing", played_for=deal.played_for, turn_up=card)
        case phase:
            return OpenDealView(phase=phase.name, played_for=phase.deal.played_for)
