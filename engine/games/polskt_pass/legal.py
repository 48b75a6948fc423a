"""Polskt pass: what may be done now."""

from collections.abc import Iterator
from typing import assert_never

from engine.games.polskt_pass.options import Options
from engine.games.polskt_pass.state import Choosing, Cut, State, Waiting
from engine.table_view import LegalAction, one_of
from engine.tricks import declarer_play as playing
from engine.tricks.bidding import Bidding, Opened, legal_bids, legal_declarations
from engine.tricks.declarer_play import DeclarerPlay
from engine.tricks.five_tricks import TRICKS


def legal_actions(options: Options, state: State) -> tuple[LegalAction, ...]:
    """What may be done inside the deal, or with the bets just laid; the evening adds the rest."""
    return tuple(_legal(options, state))


def _legal(options: Options, state: State) -> Iterator[LegalAction]:
    match state.phase:
        case Waiting(just_laid=(_, _)):
            yield LegalAction(
                type="merge", fields={"together": one_of(True)}, optional=("together",)
            )
        case Waiting(just_laid=(_,)):
            yield LegalAction(type="merge", fields={"together": one_of(False)})
        case Waiting():
            return
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
            yield from _legal_play(options, at)
        case _:
            assert_never(state.phase)


def _legal_play(options: Options, at: DeclarerPlay) -> Iterator[LegalAction]:
    play, seats = at.tricks, at.deal.seats
    if not play.on_table:
        if len(play.winners) == 2 and play.winners[0] == play.winners[1] and not at.la_vola:
            yield LegalAction(type="la_vola", fields={"player": one_of(play.winners[0])})
        if not play.winners:
            no_winner = (None,) if len(seats) == TRICKS else ()
            yield LegalAction(type="result", fields={"winner": one_of(*seats, *no_winner)})
            volas = [{"player": p, "won": won} for p in seats for won in (True, False)]
            yield LegalAction(type="result", fields={"la_vola": one_of(*volas)})
    yield from playing.legal(at, options.jack_suit, early_end=options.allow_early_end)
