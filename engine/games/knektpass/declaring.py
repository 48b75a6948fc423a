"""Once around the table every player stays or passes; the dealer may swap before it.

Does not know what staying costs or pays, nor what happens when fewer than two stay.
Source: docs/rules.md §4.2 TURN and DECLARE, A-KP-9.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine import commands, errors, events
from engine.cards import Card, suit
from engine.table_view import LegalAction, OpenDealView, one_of
from engine.tricks.deal import Deal
from engine.tricks.declarer_play import legal_hands
from engine.tricks.trick_state import TrickState
from engine.values import Player, Seats


class Declaring(msgspec.Struct, frozen=True, kw_only=True):
    """The phase from the opening until everybody has spoken."""

    deal: Deal
    tricks: TrickState  # of all who sit: what is known of their hands
    turn_up: Card | None = None  # none: nobody recorded it
    swapped: bool = False  # the dealer took it
    staying: Seats = ()
    passed: Seats = ()

    @property
    def name(self) -> str:
        return "declaring" if self.declarations else "opened"

    @property
    def declarations(self) -> int:
        return len(self.staying) + len(self.passed)

    @property
    def turn(self) -> Player | None:
        """Return who is next to stay or pass; None when everybody has spoken."""
        order = self.deal.order
        return order[self.declarations] if self.declarations < len(order) else None

    def view(self) -> OpenDealView:
        return OpenDealView(
            phase=self.name,
            turn=self.turn,
            trump=suit(self.turn_up) if self.turn_up else None,
            turn_up=self.turn_up,
            staying=self.staying,
            passed=self.passed,
            exchanged={self.deal.dealer: 1} if self.swapped else {},
        )


GameEvent = (
    events.CardTurnedUp | events.TurnUpExchanged | events.HandShown | events.Stayed | events.Passed
)


def decide(
    phase: Declaring, command: commands.Command, *, commits: bool
) -> GameEvent | events.AllPassed:
    """Return the event of a legal command; raise a RuleViolation for any other. `commits`: a dealer
    who has swapped must stay."""
    deal = phase.deal
    match command:
        case commands.TurnUp(card=card) if not (
            phase.declarations or phase.turn_up or phase.swapped
        ):
            deal.check_in_pack(card)
            if any(card in cards for _, cards in phase.tricks.known_hands):
                raise errors.CardAlreadyGone(card=card)
            return events.CardTurnedUp(card=card)
        case commands.Exchange(player=player, turn_up=True):
            check_swap(deal, player, swapped=phase.swapped, late=phase.declarations > 0)
            return events.TurnUpExchanged(player=player)
        case commands.Hand(player=player, cards=cards):
            return phase.tricks.decide_hand(player, cards)
        case commands.Stay(player=player):
            _check_turn(phase, player)
            return events.Stayed(player=player)
        case commands.Pass(player=player):
            _check_turn(phase, player)
            if player == deal.dealer:
                _check_free(phase, commits)
            return events.Passed(player=player)
        case commands.AllPass():
            if phase.staying:
                raise errors.SomebodyStays(player=phase.staying[0])
            _check_free(phase, commits)
            return events.AllPassed()
        case commands.Exchange() | commands.Trick() | commands.Tricks() | commands.Play():
            raise errors.SayStayOrPass(turn=phase.turn)
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=phase.name)


def check_swap(deal: Deal, player: Player, *, swapped: bool, late: bool) -> None:
    """Raise DealersSwapOnly, AlreadyExchanged or SwapComesFirst unless this player may take the
    card turned up. `late`: somebody has spoken."""
    deal.check_seated(player)
    if player != deal.dealer:
        raise errors.DealersSwapOnly(dealer=deal.dealer)
    if swapped:
        raise errors.AlreadyExchanged
    if late:
        raise errors.SwapComesFirst


def _check_turn(phase: Declaring, player: Player) -> None:
    phase.deal.check_seated(player)
    if player != phase.turn:
        raise errors.NotYourTurn(turn=phase.turn, player=player)


def _check_free(phase: Declaring, commits: bool) -> None:
    if commits and phase.swapped:
        raise errors.SwapBindsTheDealer(player=phase.deal.dealer)


def evolve(phase: Declaring, event: GameEvent) -> Declaring:
    """Return the declarations and cards after this event."""
    match event:
        case events.CardTurnedUp(card=card):
            return replace(
                phase, turn_up=card, tricks=replace(phase.tricks, cards_out=frozenset((card,)))
            )
        case events.TurnUpExchanged(player=player):
            tricks = phase.tricks.forget_hands(player)
            if phase.turn_up:
                tricks = replace(
                    tricks, cards_out=frozenset(), taken_cards=((player, phase.turn_up),)
                )
            return replace(phase, swapped=True, tricks=tricks)
        case events.HandShown():
            return replace(phase, tricks=phase.tricks.evolve(event))
        case events.Stayed(player=player):
            return replace(phase, staying=(*phase.staying, player))
        case events.Passed(player=player):
            return replace(phase, passed=(*phase.passed, player))


def legal(phase: Declaring, *, commits: bool) -> Iterator[LegalAction]:
    """Yield the actions that are legal before everybody has spoken."""
    dealer, bound = phase.deal.dealer, commits and phase.swapped
    if not (phase.declarations or phase.swapped):
        if not phase.turn_up:
            cards_shown = {card for _, cards in phase.tricks.known_hands for card in cards}
            cards = (card for card in phase.deal.pack if card not in cards_shown)
            yield LegalAction.of("turn_up", card=one_of(*cards))
        yield LegalAction.of("exchange", player=one_of(dealer), turn_up=one_of(True))
    yield LegalAction.of("stay", player=one_of(phase.turn))
    if not (bound and phase.turn == dealer):
        yield LegalAction.of("pass", player=one_of(phase.turn))
    if not (bound or phase.staying):
        yield LegalAction.of("all_pass")
    yield from legal_hands(phase.tricks)
