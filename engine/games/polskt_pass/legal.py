"""Polskt pass: what may be done now."""

from collections.abc import Iterator
from typing import assert_never

from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import Choosing, Cut, State
from engine.table_view import LegalAction, one_of
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, Opened, legal_bids, legal_declarations
from engine.tricks.deal import Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS
from engine.values import Seats


def legal_actions(options: Options, state: State) -> Iterator[LegalAction]:
    """What may be done inside the deal, or with the bets just laid; the evening adds the rest."""
    match state.phase:
        case Waiting():
            yield from _legal_merges(len(state.just_laid))
        case Opened(deal=deal):
            players = [[p] for p in deal.order] + [[deal.cutter, deal.dealer]]
            yield from legal_declarations(*players)
            yield LegalAction(type="cut", fields={"card": one_of(*deal.pack)})
        case Cut(deal=deal, jack=jack):
            cards = (card for card in deal.pack if card != jack)
            yield LegalAction(type="turn_up", fields={"card": one_of(*cards)})
            if jack is None:
                yield LegalAction(type="all_pass")
        case Choosing():
            yield LegalAction(type="take")
            yield LegalAction(type="decline")
        case Bidding() as bidding:
            yield from legal_bids(bidding)
        case DeclarerPlay() as at:
            if at.may_announce:
                yield LegalAction(type="la_vola", fields={"player": one_of(at.may_announce)})
            if not at.has_begun:
                yield from _legal_results(at.deal.seats)
            yield from playing.legal(options, at)
        case _:
            assert_never(state.phase)


def _legal_merges(just_laid: int) -> Iterator[LegalAction]:
    if just_laid == 2:
        yield LegalAction(type="merge", fields={"together": one_of(True)}, optional=("together",))
    elif just_laid == 1:
        yield LegalAction(type="merge", fields={"together": one_of(False)})


def _legal_results(seats: Seats) -> Iterator[LegalAction]:
    no_winner = (None,) if len(seats) == TRICKS else ()
    yield LegalAction(type="result", fields={"winner": one_of(*seats, *no_winner)})
    volas = [{"player": p, "won": won} for p in seats for won in (True, False)]
    yield LegalAction(type="result", fields={"la_vola": one_of(*volas)})
