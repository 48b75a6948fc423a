"""Polskpas: the pot and the phase of the deal, and how each event changes them."""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine import events
from engine.cards import Card, Suit, pack
from engine.games.polskpas.options import Options
from engine.tricks import declarer_play
from engine.tricks.bidding import Bidding, Opened
from engine.tricks.deal import Deal, Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Amount, Player

PACK = pack("9")
PACK_FOR_THREE = pack("10")  # without one ten, too: four cards are left over, as with four players

Phase = Waiting | Opened | Bidding | DeclarerPlay


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: what was agreed, the pot, and how far the deal has come."""

    options: Options
    pot: Amount = 0
    phase: Phase = Waiting()


def pack_for(players: int, removed_ten: Suit) -> tuple[Card, ...]:
    """24 cards for four; 19 for three, without nines and one ten (docs/rules.md §2.1, A-DK-8)."""
    if players == 4:
        return PACK
    return tuple(card for card in PACK_FOR_THREE if card != f"10{removed_ten}")


def soloist_of(play: DeclarerPlay) -> Player:
    return play.declarers[0]


GameEvent = (
    events.DealOpened | events.CardTurnedUp | events.BidMade | events.Declared
    | events.AllPassed | events.PlayFinished | events.ResultRecorded | events.CardDiscarded
    | events.HandShown | events.CardPlayed | events.TrickWon | events.TrickRecorded
    | events.VoleAnnounced | events.PotTaken | events.PenaltyPaid | events.LaVolaWon
    | events.DealClosed | events.PotShared | events.BroughtForward | events.EveningClosed
)  # fmt: skip
"""The events of this game."""


def evolve(state: State, event: GameEvent) -> State:
    """Return the state after this event. The events that matter after the deal come first
    (`OUTCOME_EVENTS`)."""
    phase = state.phase
    match event:
        case events.DealOpened(seats=seats, stake=stake):
            deal = Deal.of(event, pack_for(len(seats), state.options.removed_ten))
            return replace(state, pot=state.pot + stake, phase=Opened(deal=deal))
        case events.PotTaken(amount=amount):
            return replace(state, pot=state.pot - amount)
        case events.PenaltyPaid(amount=amount):
            return replace(state, pot=state.pot + amount)
        case events.DealClosed() | events.EveningClosed():
            return replace(state, phase=Waiting())
        case _ if isinstance(event, declarer_play.GameEvent):
            assert isinstance(phase, DeclarerPlay)
            return replace(state, phase=declarer_play.evolve(phase, event))
        case events.Declared(players=players, trump=trump):
            assert isinstance(phase, Opened)
            return replace(state, phase=declarer_play.start(phase.deal, players, trump))
        case _ if isinstance(event, declarer_play.StatelessEvent):
            return state
        case events.CardTurnedUp(card=card):
            assert isinstance(phase, Opened)
            return replace(state, phase=Bidding(deal=phase.deal, turn_up=card))
        case events.BidMade(player=player, call=call):
            assert isinstance(phase, Bidding)
            return replace(state, phase=_after_bid(phase, player, call))
        case events.PotShared(shares=shares):
            return replace(state, pot=state.pot - sum(share.amount for share in shares))
        case events.BroughtForward(pot=pot, bets=bets):
            assert not bets, "this game has none"
            return replace(state, pot=pot)
    assert_never(event)


def _after_bid(bidding: Bidding, player: Player, call: str) -> Phase:
    """Return the phase after a call. A player who accepts takes the turn-up and holds six cards; a
    player who names a suit does not take it."""
    turn_up = bidding.turn_up
    if call == "accept":
        trump = bidding.trump_of(call)
        return declarer_play.start(
            bidding.deal, (player,), trump, taken_cards=((player, turn_up),), keep=True
        )
    if call != "pass":
        return declarer_play.start(
            bidding.deal, (player,), bidding.trump_of(call), on_table=turn_up
        )
    return bidding.after_pass() or bidding
