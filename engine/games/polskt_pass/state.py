"""Polskt pass: the pot, the bets and the phase of the deal, and how each event changes them."""

from typing import ClassVar, assert_never

import msgspec
from msgspec.structs import replace

from engine import events
from engine.cards import Card, pack, rank, suit
from engine.games.polskt_pass.options import Options
from engine.scoring import bet_stack as stack
from engine.table_view import OpenDealView
from engine.tricks import declarer_play
from engine.tricks.bidding import Bidding, Opened
from engine.tricks.deal import Deal, Waiting
from engine.tricks.declarer_play import DeclarerPlay
from engine.values import Amount, Player, Seats

PACK, PACK_FOR_FIVE = pack("9"), pack("8")


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """The cutter has shown the bottom card; a card is turned up next."""

    name: ClassVar[str] = "cut"
    deal: Deal
    jack: Card | None = None  # the cutter had to take it

    def view(self) -> OpenDealView:
        return OpenDealView(phase=self.name, played_for=self.deal.played_for)


class Choosing(msgspec.Struct, frozen=True, kw_only=True):
    """An ace was turned up, and the dealer takes or leaves it."""

    name: ClassVar[str] = "choosing"
    deal: Deal
    turn_up: Card

    def view(self) -> OpenDealView:
        return OpenDealView(phase=self.name, played_for=self.deal.played_for, turn_up=self.turn_up)


Phase = Waiting | Opened | Cut | Choosing | Bidding | DeclarerPlay


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: what was agreed, the pot, the bets, and how far the deal is."""

    options: Options
    pot: Amount = 0
    bets: stack.Bets = ()  # as they were laid
    bets_laid: int = 0  # the last number: none is used again
    just_laid: tuple[int, ...] = ()  # by two losing declarers, so that a merge can follow
    phase: Phase = Waiting()


GameEvent = (
    events.DealOpened | events.CutShown | events.CutterTook
    | events.CardTurnedUp | events.DealerTook | events.TurnUpTaken | events.TurnUpDeclined
    | events.BidMade | events.Declared | events.AllPassed | events.PlayFinished
    | events.ResultRecorded | events.CardDiscarded | events.HandShown | events.CardPlayed
    | events.TrickWon | events.TrickRecorded | events.LaVolaAnnounced | events.PotTaken
    | events.BetTaken | events.BetLaid | events.BetsMerged | events.BetsParted | events.LaVolaWon
    | events.DealClosed | events.PotShared | events.BetShared | events.BetCollected
    | events.BetWaived | events.BroughtForward | events.EveningClosed
)  # fmt: skip
"""The events of this game."""


def pack_for(seats: Seats) -> tuple[Card, ...]:
    """28 cards for five players, 24 for fewer (docs/rules.md §1.1)."""
    return PACK_FOR_FIVE if len(seats) == 5 else PACK


def evolve(state: State, event: GameEvent) -> State:
    """Return the state after this event. The events that matter after the deal come first
    (`OUTCOME_EVENTS`)."""
    phase = state.phase
    match event:
        case events.DealOpened():
            opened = Opened(deal=Deal.of(event, pack_for(event.seats)))
            return replace(state, pot=state.pot + event.stake, just_laid=(), phase=opened)
        case events.DealClosed():
            just_laid: tuple[int, ...] = ()
            lost = len(event.declarers) == 2 and event.outcome in ("won", "nobody")
            if lost and event.winner not in event.declarers:
                just_laid = tuple(b.number for b in state.bets if b.deal == event.deal)
            return replace(state, just_laid=just_laid, phase=Waiting())
        case events.BetLaid():
            return replace(state, bets=stack.apply(state.bets, event), bets_laid=event.bet)
        case events.PotTaken():
            return replace(state, pot=state.pot - event.amount)
        case events.BetTaken() | events.BetWaived() | events.BetShared() | events.BetCollected():
            return replace(state, bets=stack.apply(state.bets, event))
        case events.BetsMerged(bet=first):
            return replace(state, bets=stack.apply(state.bets, event), just_laid=(first,))
        case events.BetsParted(bet=first, parted=second):
            bets = stack.apply(state.bets, event)
            return replace(state, bets=bets, bets_laid=second, just_laid=(first, second))
        case _ if isinstance(event, declarer_play.GameEvent):
            assert isinstance(phase, DeclarerPlay)
            return replace(state, phase=declarer_play.evolve(phase, event))
        case events.Declared(players=players, trump=trump):
            return replace(state, phase=declarer_play.start(_deal(phase), players, trump))
        case _ if isinstance(event, declarer_play.StatelessEvent):
            return state
        case events.CutShown():
            return replace(state, phase=Cut(deal=_deal(phase)))
        case events.CutterTook(card=card):
            return replace(state, phase=Cut(deal=_deal(phase), jack=card))
        case events.CardTurnedUp(card=card):
            assert isinstance(phase, Cut)
            return replace(state, phase=_after_turn_up(phase, card))
        case events.DealerTook(card=card):
            jack = phase.jack if isinstance(phase, Cut) else None
            return replace(state, phase=_dealer_has(_deal(phase), jack, card))
        case events.TurnUpTaken():
            assert isinstance(phase, Choosing)
            return replace(state, phase=_dealer_has(phase.deal, None, phase.turn_up))
        case events.TurnUpDeclined():
            assert isinstance(phase, Choosing)
            return replace(state, phase=Bidding(deal=phase.deal, turn_up=phase.turn_up))
        case events.BidMade(player=player, call=call):
            assert isinstance(phase, Bidding)
            return replace(state, phase=_after_bid(phase, player, call))
        case events.PotShared(shares=shares):
            return replace(state, pot=state.pot - sum(share.amount for share in shares))
        case events.BroughtForward(pot=pot, bets=bets):
            return replace(state, pot=pot, bets=stack.apply((), event), bets_laid=len(bets))
        case events.EveningClosed():
            return replace(state, just_laid=(), phase=Waiting())
    assert_never(event)


def _deal(phase: Phase) -> Deal:
    assert not isinstance(phase, Waiting), "only an open deal goes on"
    return phase.deal


def _after_turn_up(cut: Cut, card: Card) -> Phase:
    """Return the next phase. If the dealer must take the card, `DealerTook` is the next event."""
    if cut.jack is not None:
        return cut  # both the cutter and the dealer declare
    if rank(card) == "A":
        return Choosing(deal=cut.deal, turn_up=card)
    return Bidding(deal=cut.deal, turn_up=card)


def _dealer_has(deal: Deal, jack: Card | None, card: Card) -> DeclarerPlay:
    """Every player who took a card declares and holds six; the suit turned up is trumps
    (A-PP-10)."""
    cutters_card = () if jack is None else ((deal.cutter, jack),)
    taken_cards = (*cutters_card, (deal.dealer, card))
    declarers = tuple(player for player, _ in taken_cards)
    return declarer_play.start(deal, declarers, suit(card), taken_cards=taken_cards)


def _after_bid(bidding: Bidding, player: Player, call: str) -> Phase:
    if call != "pass":
        trump = bidding.trump_of(call)
        return declarer_play.start(bidding.deal, (player,), trump, on_table=bidding.turn_up)
    return bidding.after_pass() or bidding
