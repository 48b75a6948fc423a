"""Spader: what may be done now."""

from collections.abc import Iterator

from engine.games.spader import bids_and_scoring as sides
from engine.games.spader.bids_and_scoring import TRICKS
from engine.games.spader.options import Options
from engine.games.spader.state import (
    SideBidding,
    SpaderPlay,
    State,
    Swapping,
    all_nil_bidders,
    players_who_looked,
)
from engine.games.spader.trick_rules import play_rule, redeal_reasons
from engine.table_view import LegalAction, one_of
from engine.tricks.deal import Waiting
from engine.tricks.declarer_play import legal_cards, legal_hands
from engine.tricks.trick_state import CardsInPlay


def legal_actions(options: Options, state: State) -> Iterator[LegalAction]:
    """What may be done inside the deal; the evening adds the rest."""
    at = state.phase
    if isinstance(at, Waiting):
        return
    if isinstance(at, SideBidding):
        yield from sides.legal_bids(options, state.sheet, at.turn, players_who_looked(at.tricks))
        for player in () if at.bids else at.deal.seats:
            if reasons := list(redeal_reasons(at.tricks.known_hand(player), options.court_cards)):
                fields = {"player": one_of(player), "reason": one_of(*reasons)}
                yield LegalAction(type="redeal", fields=fields)
    else:
        yield from _legal_tricks(at)
    yield from legal_hands(at.tricks)


def _legal_tricks(at: Swapping | SpaderPlay) -> Iterator[LegalAction]:
    play, seats = at.tricks, at.deal.seats
    if isinstance(at, Swapping):
        yield LegalAction(type="swap")
        yield LegalAction(type="no_swap")
    if not play.on_table:
        yield LegalAction(type="trick", fields={"winner": one_of(*seats)})
        if not play.winners:
            yield LegalAction(type="tricks", fields={"taken": {"sum": TRICKS, "keys": list(seats)}})
            if not all_nil_bidders(at.bids):
                both_sides = list(sides.sides(seats))
                yield LegalAction(
                    type="tricks", fields={"taken": {"sum": TRICKS, "keys": both_sides}}
                )
    if isinstance(at, SpaderPlay):
        yield from legal_cards(play, play_rule(at.broken))


def cards_in_play(options: Options, state: State) -> CardsInPlay | None:
    """The cards on the table; none unless a card can be played now."""
    match state.phase:
        case SpaderPlay(tricks=tricks, broken=broken):
            return CardsInPlay(tricks=tricks, rule=play_rule(broken))
    return None
