"""Once around the table everybody says whether he stays or passes; the dealer may swap before it.

Does not know what staying costs or pays, nor what happens when fewer than two stay.
Source: rules.md §4.2 TURN and DECLARE, A-KP-9.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import errors
from engine import events as e
from engine.cards import Card, suit
from engine.deal import Deal
from engine.game import Legal, OpenDealView, one_of
from engine.play import Play
from engine.playing import hands
from engine.values import Player, Seats


class Declaring(msgspec.Struct, frozen=True, kw_only=True):
    """From the deal until everybody has spoken."""

    deal: Deal
    play: Play  # of all who sit: what is known of their hands
    turn_up: Card | None = None  # none: nobody recorded it
    swapped: bool = False  # the dealer took it
    staying: Seats = ()
    passed: Seats = ()

    @property
    def name(self) -> str:
        return "declaring" if self.spoken else "opened"

    @property
    def spoken(self) -> int:
        return len(self.staying) + len(self.passed)

    @property
    def turn(self) -> Player | None:
        """Who speaks next; nobody when everybody has."""
        order = self.deal.order
        return order[self.spoken] if self.spoken < len(order) else None


Fact = e.CardTurnedUp | e.TurnUpExchanged | e.HandShown | e.Stayed | e.Passed


def decide(at: Declaring, command: c.Command, *, commits: bool) -> Fact | e.AllPassed:
    """What was said, or why not. `commits`: a dealer who has swapped must stay."""
    deal = at.deal
    match command:
        case c.TurnUp(card=card) if not (at.spoken or at.turn_up or at.swapped):
            deal.check_in_pack(card)
            if any(card in cards for _, cards in at.play.hands):
                raise errors.CardAlreadyGone(card=card)
            return e.CardTurnedUp(card=card)
        case c.Exchange(player=player, turn_up=True):
            check_swap(deal, player, swapped=at.swapped, late=at.spoken > 0)
            return e.TurnUpExchanged(player=player)
        case c.Hand(player=player, cards=cards):
            at.play.check_hand(player, cards)
            return e.HandShown(player=player, cards=cards)
        case c.Stay(player=player):
            _check_turn(at, player)
            return e.Stayed(player=player)
        case c.Pass(player=player):
            _check_turn(at, player)
            if player == deal.dealer:
                _check_free(at, commits)
            return e.Passed(player=player)
        case c.AllPass():
            if at.staying:
                raise errors.SomebodyStays(player=at.staying[0])
            _check_free(at, commits)
            return e.AllPassed()
        case c.Exchange() | c.Trick() | c.Tricks() | c.Play():
            raise errors.SayStayOrPass(turn=at.turn)
        case _:
            raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def check_swap(deal: Deal, player: Player, *, swapped: bool, late: bool) -> None:
    """Whether this player may take the card turned up; `late`: somebody has spoken."""
    deal.check_seated(player)
    if player != deal.dealer:
        raise errors.DealersSwapOnly(dealer=deal.dealer)
    if swapped:
        raise errors.AlreadyExchanged
    if late:
        raise errors.SwapComesFirst


def _check_turn(at: Declaring, player: Player) -> None:
    at.deal.check_seated(player)
    if player != at.turn:
        raise errors.NotYourTurn(turn=at.turn, player=player)


def _check_free(at: Declaring, commits: bool) -> None:
    if commits and at.swapped:
        raise errors.SwapBindsTheDealer(player=at.deal.dealer)


def evolve(at: Declaring, fact: Fact) -> Declaring:
    """The words and cards after this fact."""
    match fact:
        case e.CardTurnedUp(card=card):
            return replace(at, turn_up=card, play=replace(at.play, gone=frozenset((card,))))
        case e.TurnUpExchanged(player=player):
            play = forgotten(at.play, player)
            if at.turn_up:
                play = replace(play, gone=frozenset(), held=((player, at.turn_up),))
            return replace(at, swapped=True, play=play)
        case e.HandShown(player=player, cards=cards):
            return replace(at, play=at.play.shown(player, cards))
        case e.Stayed(player=player):
            return replace(at, staying=(*at.staying, player))
        case e.Passed(player=player):
            return replace(at, passed=(*at.passed, player))


def forgotten(play: Play, player: Player) -> Play:
    """Whoever exchanged a card may hold any others now, for nobody saw which one went."""
    known = tuple(hand for hand in play.hands if hand[0] != player)
    held = tuple(card for card in play.held if card[0] != player)
    return replace(play, hands=known, held=held)


def legal(at: Declaring, *, commits: bool) -> Iterator[Legal]:
    """Who may say what now."""
    dealer, bound = at.deal.dealer, commits and at.swapped
    if not (at.spoken or at.swapped):
        if not at.turn_up:
            shown = {card for _, cards in at.play.hands for card in cards}
            cards = (card for card in at.deal.pack if card not in shown)
            yield Legal(type="turn_up", fields={"card": one_of(*cards)})
        swap = {"player": one_of(dealer), "turn_up": one_of(True)}
        yield Legal(type="exchange", fields=swap)
    yield Legal(type="stay", fields={"player": one_of(at.turn)})
    if not (bound and at.turn == dealer):
        yield Legal(type="pass", fields={"player": one_of(at.turn)})
    if not (bound or at.staying):
        yield Legal(type="all_pass")
    yield from hands(at.play)


def view(at: Declaring) -> OpenDealView:
    """What anybody at the table can see of it."""
    return OpenDealView(
        phase=at.name,
        turn=at.turn,
        trump=suit(at.turn_up) if at.turn_up else None,
        turn_up=at.turn_up,
        staying=at.staying,
        passed=at.passed,
        exchanged={at.deal.dealer: 1} if at.swapped else {},
    )
