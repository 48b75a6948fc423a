"""Those who stay exchange cards, and then play five tricks: who may do what, and what follows.

Does not know what a trick or a missing one is worth. Source: docs/rules.md §4.2 EXCHANGE and PLAY.
"""

from collections.abc import Iterator
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from engine import commands, errors, events
from engine.cards import Card, Suit, follows_as, suit, trick_winner
from engine.games.knektpass.declaring import Declaring, check_swap
from engine.games.knektpass.scoring import Exchanged
from engine.table_view import LegalAction, OpenDealView, one_of
from engine.tricks.deal import Deal
from engine.tricks.declarer_play import legal_cards, legal_hands
from engine.tricks.five_tricks import TRICKS
from engine.tricks.trick_state import PlayableCards, PlayRule, TrickEvent, TrickState
from engine.values import Player, Seats

EXCHANGE_ROUNDS = 3


class Talon(msgspec.Struct, frozen=True, kw_only=True):
    """The cards that nobody was dealt, and what has been exchanged for them: in three rounds, each
    in the order of the table.

    A player who exchanges nothing records nothing, so a round is over when the next player to
    exchange does not sit after the last one.
    """

    size: int  # at the start of the deal
    order: Seats  # of those who stay, forehand first
    shuffled_back: bool = False  # discards come back, so there are always as many (A-KP-10)
    exchanged: tuple[tuple[Player, int], ...] = ()

    @property
    def cards_left(self) -> int:
        return self.size if self.shuffled_back else self.size - sum(n for _, n in self.exchanged)

    @property
    def max_exchange(self) -> int:
        """The most cards that anybody can exchange now."""
        return min(self.cards_left, TRICKS)

    @property
    def round(self) -> int:
        """The round of the last exchange; 1 before the first one."""
        speakers = [self.order.index(player) for player, _ in self.exchanged]
        return 1 + sum(after <= before for before, after in pairwise(speakers))

    def is_open_to(self, player: Player) -> bool:
        """Whether this player still has a round to exchange in."""
        return self.exchange(player, 0).round <= EXCHANGE_ROUNDS

    def check(self, player: Player, cards: int) -> None:
        """Raise ExchangeRoundsOver or TalonTooSmall if the player cannot exchange so many cards."""
        if not self.is_open_to(player):
            raise errors.ExchangeRoundsOver(player=player)
        if cards > self.max_exchange:
            raise errors.TalonTooSmall(left=self.cards_left, cards=cards)

    def exchange(self, player: Player, cards: int) -> "Talon":
        return replace(self, exchanged=(*self.exchanged, (player, cards)))


class KnektpassPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The phase after everybody has spoken, if at least two stay, until the last trick."""

    deal: Deal
    tricks: TrickState  # of those who stay
    turn_up: Card | None
    swapped: bool
    staying: Seats  # forehand first
    passed: Seats
    talon: Talon

    @property
    def name(self) -> str:
        """The first card or trick ends the exchange."""
        return "playing" if self.tricks.has_begun else "exchanging"

    @property
    def trump(self) -> Suit | None:
        """None if nobody recorded the card turned up: tricks can be recorded, but not cards."""
        return suit(self.turn_up) if self.turn_up else None

    def exchanged(self, player: Player) -> Exchanged:
        swapped = self.swapped and player == self.deal.dealer
        cards = tuple(n for exchanger, n in self.talon.exchanged if exchanger == player)
        return Exchanged(turn_up=swapped, cards=cards)

    def check_stays(self, player: Player) -> None:
        self.deal.check_seated(player)
        if player not in self.staying:
            raise errors.NotInThisDeal(player=player)

    def view(self) -> OpenDealView:
        return OpenDealView(
            phase=self.name,
            turn=self.tricks.turn if self.trump else None,
            trump=self.trump,
            turn_up=self.turn_up,
            tricks=self.tricks.winners,
            cards=self.tricks.on_table,
            staying=self.staying,
            passed=self.passed,
            exchanged={player: self.exchanged(player).total for player in self.staying},
            round=None if self.tricks.has_begun else self.talon.round,
            talon=None if self.tricks.has_begun else self.talon.cards_left,
        )


class TrickResult(msgspec.Struct, frozen=True, kw_only=True):
    """All five tricks are taken: how many by everybody who stayed, and in which order if known."""

    counts: dict[Player, int]
    winners: Seats = ()


def start(declared: Declaring, *, shuffled_back: bool) -> KnektpassPlay:
    """Return the play after everybody has spoken. Shown hands of players who passed stay known:
    nobody else can hold their cards."""
    deal, staying = declared.deal, declared.staying
    dealt = TRICKS * len(deal.seats) + 1  # and the card turned up
    # if the forehand passed, the next player who stays leads (A-KP-8)
    seats = tuple(player for player in deal.seats if player in staying)
    return KnektpassPlay(
        deal=deal,
        tricks=replace(declared.tricks, seats=seats, leader=staying[0]),
        turn_up=declared.turn_up,
        swapped=declared.swapped,
        staying=staying,
        passed=declared.passed,
        talon=Talon(size=len(deal.pack) - dealt, order=staying, shuffled_back=shuffled_back),
    )


def decide(
    play: KnektpassPlay, command: commands.Command, *, must_trump: bool
) -> tuple[events.UndoableEvents, TrickResult | None]:
    """Return the events of a legal command, and the result once all five tricks are taken. Raise a
    RuleViolation for any other command."""
    match command:
        case commands.Stay() | commands.Pass():
            raise errors.EverybodyHasSpoken
        case commands.AllPass():
            raise errors.SomebodyStays(player=play.staying[0])
        case commands.Exchange(player=player, turn_up=True):
            check_swap(play.deal, player, swapped=play.swapped, late=True)
        case commands.Exchange(player=player, cards=int(cards)) if not play.tricks.has_begun:
            play.check_stays(player)
            play.talon.check(player, cards)
            return (events.CardsExchanged(player=player, cards=cards),), None
        case commands.Hand(player=player, cards=hand):
            play.check_stays(player)
            return (play.tricks.decide_hand(player, hand),), None
        case commands.Play(player=player, card=card):
            trump = play.trump
            if trump is None:
                raise errors.TrumpUnknown
            play.check_stays(player)
            rule = must_beat_rule(trump, must_trump=must_trump)
            facts, trick_winners = play.tricks.decide_card(
                player, card, rule, lambda tricks: trick_winner(tricks.on_table, trump)
            )
            return facts, _result_after_trick(play, trick_winners)
        case commands.Trick(winner=winner):
            play.check_stays(winner)
            play.tricks.check_between_tricks()
            trick_winners = (*play.tricks.winners, winner)
            return (events.TrickRecorded(winner=winner),), _result_after_trick(play, trick_winners)
        case commands.Tricks(taken=tricks):
            counts = _counted(play, tricks)
            return (events.TricksCounted(taken=counts),), TrickResult(counts=counts)
    raise errors.NotNow(action=command.__struct_config__.tag, phase=play.name)


def must_beat_rule(trump: Suit, *, must_trump: bool) -> PlayRule:
    """Return the rule: follow suit, and take the trick if possible. With `must_trump`, a player who
    cannot follow must trump if that takes the trick.

    «Farbe bedienen und wenn möglich übernehmen» (docs/rules.md §4.2 PLAY, A-KP-6).

    A forbidden card stays forbidden when the hand has more cards: with them, too, the player can
    follow, head or trump.
    """

    def rule(tricks: TrickState, hand: tuple[Card, ...]) -> PlayableCards:
        if tricks.led_card is None:
            return hand, errors.MustFollowSuit
        suit_led = follows_as(tricks.led_card, trump)
        same_suit = tuple(card for card in hand if follows_as(card, trump) == suit_led)
        higher = tuple(card for card in same_suit or hand if _would_win(tricks, card, trump))
        if same_suit:
            # of a suit that somebody has trumped, or headed too high, any card will do
            legal = higher or same_suit
            return legal, errors.MustHead if len(legal) < len(same_suit) else errors.MustFollowSuit
        # without the suit led only a trump takes a trick, so `higher` are trumps
        if must_trump and higher:
            return higher, errors.MustTrump
        return hand, errors.MustTrump

    return rule


def _would_win(tricks: TrickState, card: Card, trump: Suit) -> bool:
    """Whether this card would take the trick as it lies."""
    plays = (*((c, c) for _, c in tricks.on_table), (card, card))
    return trick_winner(plays, trump) == card


def _result_after_trick(play: KnektpassPlay, trick_winners: Seats | None) -> TrickResult | None:
    """Return the result after the fifth trick, None before."""
    if trick_winners is None or len(trick_winners) < TRICKS:
        return None
    counts = {player: trick_winners.count(player) for player in play.staying}
    return TrickResult(counts=counts, winners=trick_winners)


def _counted(play: KnektpassPlay, tricks: dict[Player, int]) -> dict[Player, int]:
    """Return the tricks of everybody who stays, zero included."""
    for player in tricks:
        play.check_stays(player)
    if play.tricks.has_begun:
        raise errors.TricksAlreadyRecorded
    counted = sum(tricks.values())
    if counted != TRICKS:
        raise errors.TricksDoNotAddUp(counted=counted, played=TRICKS)
    return {player: tricks.get(player, 0) for player in play.staying}


def evolve(play: KnektpassPlay, event: TrickEvent | events.CardsExchanged) -> KnektpassPlay:
    """The play after this event."""
    if isinstance(event, events.CardsExchanged):
        talon = play.talon.exchange(event.player, event.cards)
        return replace(play, tricks=play.tricks.forget_hands(event.player), talon=talon)
    return replace(play, tricks=play.tricks.evolve(event))


def legal(play: KnektpassPlay, *, must_trump: bool) -> Iterator[LegalAction]:
    """Yield the actions that are legal for those who stay."""
    if not play.tricks.has_begun:
        for player in play.staying:
            if play.talon.max_exchange and play.talon.is_open_to(player):
                cards = {"min": 1, "max": play.talon.max_exchange}
                yield LegalAction.of("exchange", player=one_of(player), cards=cards)
        yield LegalAction.of("tricks", taken={"sum": TRICKS, "keys": list(play.staying)})
    if not play.tricks.on_table:
        yield LegalAction.of("trick", winner=one_of(*play.staying))
    if play.trump:
        rule = must_beat_rule(play.trump, must_trump=must_trump)
        yield from legal_cards(play.tricks, rule)
    yield from legal_hands(play.tricks)
