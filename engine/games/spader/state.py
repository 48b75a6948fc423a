"""Spader: the score sheet and the phase of the deal, and how each event changes them."""

from typing import ClassVar, assert_never

import msgspec
from msgspec.structs import replace

from engine import events
from engine.cards import pack
from engine.commands import Side
from engine.games.spader.bids_and_scoring import (
    TRICKS,
    bid_views,
    blind_nil_bidders,
    partners,
    side_of,
)
from engine.games.spader.options import Options
from engine.games.spader.trick_rules import FIRST_LEAD, ruffs
from engine.scoring.score_sheet import ScoreSheet, apply_score
from engine.table_view import OpenDealView
from engine.tricks.deal import Deal, Waiting
from engine.tricks.trick_state import TrickState
from engine.values import Player

PACK = pack("2")


class SideBidding(msgspec.Struct, frozen=True, kw_only=True):
    """The phase from the opening until both sides have bid."""

    name: ClassVar[str] = "bidding"
    deal: Deal
    tricks: TrickState
    bids: tuple[events.SideBidMade, ...] = ()

    @property
    def turn(self) -> Side:
        """The forehand's side, then the dealer's."""
        return side_of(self.deal.order[len(self.bids)], self.deal.seats)

    @property
    def players_who_looked(self) -> frozenset[Player]:
        return frozenset(player for player, _ in self.tricks.known_hands)

    def view(self) -> OpenDealView:
        return OpenDealView(phase=self.name, bids=bid_views(self.bids), bidding=self.turn)


class Swapping(msgspec.Struct, frozen=True, kw_only=True):
    """The bidder of a blind nil may pass two cards to the partner, who gives two back."""

    name: ClassVar[str] = "swapping"
    deal: Deal
    tricks: TrickState
    bids: tuple[events.SideBidMade, ...]
    sides: tuple[Side, ...]  # those that have not said whether they swap, the forehand's first

    def view(self) -> OpenDealView:
        bids = bid_views(self.bids)
        return OpenDealView(phase=self.name, bids=bids, swapping=self.sides[0])


class SpaderPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The phase in which tricks are played, to the last of them."""

    name: ClassVar[str] = "playing"
    deal: Deal
    tricks: TrickState
    bids: tuple[events.SideBidMade, ...]
    broken: bool | None = False  # unknown once a trick was recorded without its cards

    def view(self) -> OpenDealView:
        tricks = self.tricks
        leader = next((player for player, cards in tricks.known_hands if FIRST_LEAD in cards), None)
        return OpenDealView(
            phase=self.name,
            bids=bid_views(self.bids),
            turn=tricks.turn or leader,
            tricks=tricks.winners,
            cards=tricks.on_table,
            broken=self.broken,
        )


Open = SideBidding | Swapping | SpaderPlay
Phase = Waiting | Open


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the next decision needs: what was agreed, the sheet, and how far the deal has come."""

    options: Options
    sheet: ScoreSheet
    phase: Phase = Waiting()


OpenDealEvent = (
    events.HandShown | events.SideBidMade | events.RedealClaimed | events.CardsSwapped
    | events.SwapDeclined | events.CardPlayed | events.TrickWon | events.TrickRecorded
)  # fmt: skip
"""The events that change an open deal."""

GameEvent = (
    OpenDealEvent | events.DealOpened | events.TricksCounted | events.Scored | events.GameWon
    | events.DealClosed | events.PointsPaid | events.EveningClosed
)  # fmt: skip
"""The events of this game."""


def evolve(state: State, event: GameEvent) -> State:
    """Return the state after this event."""
    match event:
        case events.DealOpened():
            return replace(state, phase=_dealt(Deal.of(event, PACK)))
        case events.Scored() | events.GameWon():
            return replace(state, sheet=apply_score(state.sheet, event))
        case events.TricksCounted() | events.PointsPaid():
            return state  # the events that follow from it change the state
        case events.DealClosed() | events.EveningClosed():
            return replace(state, phase=Waiting())
    phase = state.phase
    assert not isinstance(phase, Waiting), "only an open deal goes on"
    return replace(state, phase=_evolve_open_deal(phase, event))


def _dealt(deal: Deal) -> SideBidding:
    """Return the bidding with new cards, unseen. The leader is unknown: the two of clubs leads."""
    tricks = TrickState(seats=deal.seats, leader=None, pack=deal.pack, hand_size=TRICKS)
    return SideBidding(deal=deal, tricks=tricks)


def _evolve_open_deal(phase: Open, event: OpenDealEvent) -> Open:
    match event:
        case events.HandShown() | events.TrickWon():
            return replace(phase, tricks=phase.tricks.evolve(event))
        case events.RedealClaimed():
            return _dealt(phase.deal)
        case events.SideBidMade():
            bids = (*phase.bids, event)
            if len(bids) == 1:
                return SideBidding(deal=phase.deal, tricks=phase.tricks, bids=bids)
            may_swap = tuple(bid.side for bid in bids if blind_nil_bidders(bid))
            return _after_bids(phase, bids, may_swap)
        case events.CardsSwapped(side=side):
            assert isinstance(phase, Swapping)
            swapped = replace(phase, tricks=phase.tricks.forget_hands(*partners(side)))
            return _after_bids(swapped, phase.bids, phase.sides[1:])
        case events.SwapDeclined():
            assert isinstance(phase, Swapping)
            return _after_bids(phase, phase.bids, phase.sides[1:])
        case events.CardPlayed(card=card):
            assert isinstance(phase, SpaderPlay)
            broken = True if ruffs(phase.tricks, card) else phase.broken
            return replace(phase, tricks=phase.tricks.evolve(event), broken=broken)
        case events.TrickRecorded():
            broken = phase.broken if isinstance(phase, SpaderPlay) else False
            if phase.tricks.winners and not broken:
                broken = None  # a card that nobody recorded may have; the first trick never does
            tricks = phase.tricks.evolve(event)
            return SpaderPlay(deal=phase.deal, tricks=tricks, bids=phase.bids, broken=broken)
    assert_never(event)


def _after_bids(
    phase: Open, bids: tuple[events.SideBidMade, ...], may_swap: tuple[Side, ...]
) -> Swapping | SpaderPlay:
    """Return the phase while these sides may still swap, or else the play."""
    if may_swap:
        return Swapping(deal=phase.deal, tricks=phase.tricks, bids=bids, sides=may_swap)
    return SpaderPlay(deal=phase.deal, tricks=phase.tricks, bids=bids)
