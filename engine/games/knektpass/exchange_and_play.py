"""Those who stay exchange cards, and then play five tricks: who may do what, and what follows.

Does not know what a trick or a missing one is worth. Source: rules.md §4.2 EXCHANGE and PLAY.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine import errors
from engine import events as e
from engine.cards import Card, Suit, suit, trick_winner
from engine.deal import Deal
from engine.game import Legal, OpenDealView, one_of
from engine.heading import heading
from engine.play import Play
from engine.playing import hands
from engine.quota import Exchanged
from engine.staying import Declaring, check_swap, forgotten
from engine.talon import Talon
from engine.tricks import TRICKS
from engine.values import Player, Seats


class Playing(msgspec.Struct, frozen=True, kw_only=True):
    """From the moment that at least two stay to the last trick."""

    deal: Deal
    play: Play  # of those who stay
    turn_up: Card | None
    swapped: bool
    staying: Seats  # forehand first
    passed: Seats
    talon: Talon

    @property
    def name(self) -> str:
        return "playing" if self.begun else "exchanging"

    @property
    def begun(self) -> bool:
        """The first card or trick ends the exchange."""
        return bool(self.play.taken or self.play.table)

    @property
    def trump(self) -> Suit | None:
        """None: nobody recorded the card turned up, so tricks can be recorded and cards not."""
        return suit(self.turn_up) if self.turn_up else None

    def exchanged(self, player: Player) -> Exchanged:
        swapped = self.swapped and player == self.deal.dealer
        return Exchanged(turn_up=swapped, cards=self.talon.cards_of(player))

    def check_stays(self, player: Player) -> None:
        self.deal.check_seated(player)
        if player not in self.staying:
            raise errors.NotInThisDeal(player=player)


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """All five tricks are taken: how many by everybody who stayed, and in which order if known."""

    counted: dict[Player, int]
    in_order: Seats = ()


def start(said: Declaring, *, shuffled_back: bool) -> Playing:
    """Everybody has spoken. Hands of those who passed stay known, for nobody else holds them."""
    deal, staying = said.deal, said.staying
    dealt = TRICKS * len(deal.seats) + 1  # and the card turned up
    # whoever sits next after a forehand who passed leads (A-KP-8)
    seats = tuple(player for player in deal.seats if player in staying)
    return Playing(
        deal=deal,
        play=replace(said.play, seats=seats, leader=staying[0]),
        turn_up=said.turn_up,
        swapped=said.swapped,
        staying=staying,
        passed=said.passed,
        talon=Talon(
            size=len(deal.pack) - dealt,
            order=staying,
            hand_size=TRICKS,
            shuffled_back=shuffled_back,
        ),
    )


def decide(
    at: Playing, command: c.Command, *, must_trump: bool
) -> tuple[tuple[e.Deed, ...], Taken | None]:
    """What happens, and all five tricks if these were the last of them."""
    match command:
        case c.Stay() | c.Pass():
            raise errors.EverybodyHasSpoken
        case c.AllPass():
            raise errors.SomebodyStays(player=at.staying[0])
        case c.Exchange(player=player, turn_up=True):
            check_swap(at.deal, player, swapped=at.swapped, late=True)
        case c.Exchange(player=player, cards=int(cards)) if not at.begun:
            at.check_stays(player)
            at.talon.check(player, cards)
            return (e.CardsExchanged(player=player, cards=cards),), None
        case c.Hand(player=player, cards=shown):
            at.check_stays(player)
            at.play.check_hand(player, shown)
            return (e.HandShown(player=player, cards=shown),), None
        case c.Play(player=player, card=card):
            return _card(at, player, card, must_trump=must_trump)
        case c.Trick(winner=winner):
            at.check_stays(winner)
            at.play.check_between_tricks()
            return (e.TrickRecorded(winner=winner),), _after(at, winner)
        case c.Tricks(taken=taken):
            everybody = _counted(at, taken)
            return (e.TricksCounted(taken=everybody),), Taken(counted=everybody)
    raise errors.NotNow(action=command.__struct_config__.tag, phase=at.name)


def _card(
    at: Playing, player: Player, card: Card, *, must_trump: bool
) -> tuple[tuple[e.Deed, ...], Taken | None]:
    if at.trump is None:
        raise errors.TrumpUnknown
    at.check_stays(player)
    at.play.check(player, card, heading(at.trump, must_trump=must_trump))
    after = at.play.played(player, card)
    said = e.CardPlayed(player=player, card=card)
    if not after.complete:
        return (said,), None
    winner = trick_winner(after.table, at.trump)
    return (said, e.TrickWon(winner=winner)), _after(at, winner)


def _after(at: Playing, winner: Player) -> Taken | None:
    """Nothing yet, or after the fifth trick all of them."""
    in_order = (*at.play.taken, winner)
    if len(in_order) < TRICKS:
        return None
    count = Counter(in_order)
    return Taken(counted={player: count[player] for player in at.staying}, in_order=in_order)


def _counted(at: Playing, taken: dict[Player, int]) -> dict[Player, int]:
    """Everybody who stays, also who took none."""
    for player in taken:
        at.check_stays(player)
    if at.begun:
        raise errors.TricksAlreadyRecorded
    counted = sum(taken.values())
    if counted != TRICKS:
        raise errors.TricksDoNotAddUp(counted=counted, played=TRICKS)
    return {player: taken.get(player, 0) for player in at.staying}


Fact = e.CardsExchanged | e.HandShown | e.CardPlayed | e.TrickWon | e.TrickRecorded


def evolve(at: Playing, fact: Fact) -> Playing:
    """The play after this fact."""
    match fact:
        case e.CardsExchanged(player=player, cards=cards):
            talon = at.talon.after(player, cards)
            return replace(at, play=forgotten(at.play, player), talon=talon)
        case e.HandShown(player=player, cards=shown):
            return replace(at, play=at.play.shown(player, shown))
        case e.CardPlayed(player=player, card=card):
            return replace(at, play=at.play.played(player, card))
        case e.TrickWon(winner=winner):
            return replace(at, play=at.play.won(winner))
        case e.TrickRecorded(winner=winner):
            return replace(at, play=at.play.recorded(winner))


def legal(at: Playing, *, must_trump: bool) -> Iterator[Legal]:
    """What those who stay may do now."""
    if not at.begun:
        for player in at.staying:
            if at.talon.most and at.talon.open_to(player):
                cards = {"min": 1, "max": at.talon.most}
                yield Legal(type="exchange", fields={"player": one_of(player), "cards": cards})
        taken = {"sum": TRICKS, "keys": list(at.staying)}
        yield Legal(type="tricks", fields={"taken": taken})
    if not at.play.table:
        yield Legal(type="trick", fields={"winner": one_of(*at.staying)})
    if at.trump:
        rule = heading(at.trump, must_trump=must_trump)
        for player, playable in at.play.playable(rule):
            fields = {"player": one_of(player), "card": one_of(*playable)}
            yield Legal(type="play", fields=fields)
    yield from hands(at.play)


def view(at: Playing) -> OpenDealView:
    """What anybody at the table can see of it."""
    return OpenDealView(
        phase=at.name,
        turn=at.play.turn if at.trump else None,
        trump=at.trump,
        turn_up=at.turn_up,
        tricks=at.play.taken,
        cards=at.play.table,
        staying=at.staying,
        passed=at.passed,
        exchanged={player: at.exchanged(player).total for player in at.staying},
        round=None if at.begun else at.talon.round,
        talon=None if at.begun else at.talon.left,
    )
