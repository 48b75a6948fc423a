"""Polskpas: what may be done now."""

from collections.abc import Iterator
from typing import assert_never

from engine.games.polskpas.options import Options
from engine.games.polskpas.state import State, soloist_of
from engine.table_view import LegalAction, one_of
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, Opened, legal_bids, legal_declarations
from engine.tricks.deal import Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Player, Seats


def legal_actions(options: Options, state: State) -> Iterator[LegalAction]:
    """What may be done inside the deal; the evening adds the rest."""
    match state.phase:
        case Waiting():
            return
        case Opened(deal=deal):
            yield from legal_declarations(*([p] for p in deal.order))
            yield LegalAction(type="turn_up", fields={"card": one_of(*deal.pack)})
        case Bidding() as bidding:
            yield from legal_bids(bidding)
        case DeclarerPlay() as at:
            soloist = soloist_of(at)
            if at.may_announce == soloist:
                yield LegalAction(type="vole", fields={"player": one_of(soloist)})
            if not at.has_begun:
                yield from _legal_results(at.deal.seats, soloist)
            yield from playing.legal(options, at)
        case _:
            assert_never(state.phase)


def _legal_results(seats: Seats, soloist: Player) -> Iterator[LegalAction]:
    won, lost = ({"player": soloist, "won": is_won} for is_won in (True, False))
    opponents = (player for player in seats if player != soloist)
    yield LegalAction(type="result", fields={"winner": one_of(*seats)})
    yield LegalAction(type="result", fields={"winner": one_of(soloist), "vole": one_of(won, lost)})
    yield LegalAction(type="result", fields={"winner": one_of(*opponents), "vole": one_of(lost)})
