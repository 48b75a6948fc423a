"""Five tricks with declarers: cards laid away, hands shown, cards played, tricks won.

Shared by the games that play five tricks for a pot. Does not know who is paid when the tricks are
taken, nor when a la vola may be announced. Source: docs/rules.md §1.4 DISCARD and PLAY.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from engine import commands, errors, events
from engine.cards import Card, JackSuit, Suit, may_follow, trick_winner
from engine.table_view import LegalAction, OpenDealView, one_of
from engine.tricks.deal import Deal
from engine.tricks.five_tricks import TRICKS, certain_winner
from engine.tricks.trick_state import CardsInPlay, PlayableCards, PlayRule, TrickEvent, TrickState
from engine.values import Amount, Player, Seats, clockwise_from


class PlayOptions(Protocol):
    """What a table agrees about the play, or the game fixes for every table."""

    @property
    def jack_suit(self) -> JackSuit: ...
    @property
    def allow_early_end(self) -> bool: ...
    @property
    def vole_stop_at_loss(self) -> bool: ...


class DeclarerPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The phase in which the declarers are known, until the last trick."""

    deal: Deal
    declarers: tuple[Player, ...]  # the cutter before the dealer
    trump: Suit | None  # none: nobody recorded it, so that tricks can be recorded and cards not
    tricks: TrickState
    must_discard: tuple[Player, ...] = ()  # who still holds a sixth card
    la_vola: Player | None = None
    must_keep: tuple[Card, ...] = ()  # taken cards that may not be the ones laid away

    @property
    def name(self) -> str:
        return "discarding" if self.must_discard else "playing"

    @property
    def may_announce(self) -> Player | None:
        """The player who took the first two tricks and now leads to the third; None if there is no
        such player, or la vola is announced already."""
        tricks = self.tricks
        if self.la_vola or tricks.on_table or len(tricks.winners) != 2:
            return None
        first, second = tricks.winners
        return first if first == second else None

    def close(self, outcome: events.Outcome, **more: Any) -> events.DealClosed:
        """The end of this deal, with its declarers."""
        return self.deal.close(outcome, declarers=self.declarers, **more)

    def win_la_vola(self, player: Player, amount: Amount) -> events.LaVolaWon:
        """Every other player owes this one the amount."""
        _, *payers = clockwise_from(player, self.deal.seats)
        return events.LaVolaWon(
            deal=self.deal.number, player=player, amount=amount, payers=tuple(payers)
        )

    def view(self) -> OpenDealView:
        tricks = self.tricks
        return OpenDealView(
            phase=self.name,
            played_for=self.deal.played_for,
            declarers=self.declarers,
            trump=self.trump,
            turn=tricks.turn if self.trump and not self.must_discard else None,
            tricks=tricks.winners,
            cards=tricks.on_table,
            la_vola=self.la_vola,
        )


def start(
    deal: Deal,
    declarers: tuple[Player, ...],
    trump: Suit | None,
    *,
    taken_cards: tuple[tuple[Player, Card], ...] = (),
    on_table: Card | None = None,
    keep: bool = False,
) -> DeclarerPlay:
    """Return the play before the first lead. `taken_cards`: each is the sixth of its player's hand;
    `on_table`: a card in no hand; `keep`: a taken card may not be laid away."""
    tricks = TrickState(
        seats=deal.seats,
        leader=deal.order[0],
        pack=deal.pack,
        hand_size=TRICKS,
        cards_out=frozenset(() if on_table is None else (on_table,)),
        taken_cards=taken_cards,
    )
    return DeclarerPlay(
        deal=deal,
        declarers=declarers,
        trump=trump,
        tricks=tricks,
        must_discard=tuple(player for player, _ in taken_cards),
        must_keep=tuple(card for _, card in taken_cards) if keep else (),
    )


def decide(
    play: DeclarerPlay,
    command: commands.Trick | commands.Discard | commands.Hand | commands.Play,
    jack_suit: JackSuit,
) -> tuple[events.UndoableEvents, Seats | None]:
    """Return the events of one trick, card or hand, and the winners of all tricks if it ended one.
    Raise a RuleViolation."""
    match command:
        case commands.Trick(winner=winner):
            play.deal.check_seated(winner)
            play.tricks.check_between_tricks()
            return (events.TrickRecorded(winner=winner),), (*play.tricks.winners, winner)
        case commands.Discard(player=player, card=card):
            _check_discard(play, player, card)
            return (events.CardDiscarded(player=player, card=card),), None
        case commands.Hand(player=player, cards=cards):
            return (
                play.tricks.decide_hand(player, cards, with_sixth=player in play.must_discard),
            ), None
        case commands.Play(player=player, card=card):
            trump = play.trump
            if trump is None:
                raise errors.TrumpUnknown
            if play.must_discard:
                raise errors.DiscardFirst(players=list(play.must_discard))
            rule = follow_suit(trump, jack_suit)
            return play.tricks.decide_card(
                player, card, rule, lambda tricks: trick_winner(tricks.on_table, trump)
            )


def finish(play: DeclarerPlay, *, allowed: bool) -> Player | None:
    """Return the winner if no trick to come can change who it is (A-PP-7). Raise EarlyEndNotAllowed
    or WinnerNotCertain."""
    if not allowed:
        raise errors.EarlyEndNotAllowed
    play.tricks.check_between_tricks()
    certain, winner = _certain(play)
    if not certain:
        raise errors.WinnerNotCertain
    return winner


def _certain(play: DeclarerPlay) -> tuple[bool, Player | None]:
    """Return whether no trick to come changes how the deal ends, and who wins. While a player who
    announced la vola has every trick so far, the next one decides."""
    trick_winners = play.tricks.winners
    if all(winner == play.la_vola for winner in trick_winners):
        return False, None
    return certain_winner(trick_winners, play.deal.seats)


def follow_suit(trump: Suit, jack_suit: JackSuit) -> PlayRule:
    """Follow suit if able, else play any card: no duty to trump or to head (docs/rules.md §1.4)."""

    def rule(tricks: TrickState, hand: tuple[Card, ...]) -> PlayableCards:
        return may_follow(hand, tricks.led_card, trump, jack_suit), errors.MustFollowSuit

    return rule


def _check_discard(play: DeclarerPlay, player: Player, card: Card | None) -> None:
    play.deal.check_seated(player)
    if player not in play.must_discard:
        raise errors.NothingToDiscard(player=player)
    if card is None:
        return
    play.deal.check_in_pack(card)
    if card in play.must_keep:
        raise errors.TakenCardStays(card=card)
    hand = play.tricks.known_hand(player)
    if hand is not None and card not in hand:
        may = [own_card for own_card in hand if own_card not in play.must_keep]
        raise errors.CardNotInHand(card=card, player=player, legal=may)
    if card in play.tricks.seen_elsewhere(player):
        raise errors.CardAlreadyGone(card=card)


GameEvent = TrickEvent | events.CardDiscarded | events.LaVolaAnnounced | events.VoleAnnounced
StatelessEvent = events.AllPassed | events.PlayFinished | events.ResultRecorded | events.LaVolaWon
"""Events that change no state: the events that follow from them do."""


def evolve(play: DeclarerPlay, event: GameEvent) -> DeclarerPlay:
    """The play after this event."""
    match event:
        case events.TrickRecorded():
            return replace(play, tricks=play.tricks.evolve(event), must_discard=())
        case events.CardDiscarded(player=player, card=card):
            return _discarded(play, player, card)
        case events.LaVolaAnnounced(player=player) | events.VoleAnnounced(player=player):
            return replace(play, la_vola=player)
        case _:
            return replace(play, tricks=play.tricks.evolve(event))


def _discarded(play: DeclarerPlay, player: Player, card: Card | None) -> DeclarerPlay:
    """Return the play after a discard. An unknown card makes the rest of that hand unknown."""
    tricks = play.tricks
    if card is None:
        hands = tuple(h for h in tricks.known_hands if h[0] != player)
        taken_cards = tuple(
            h for h in tricks.taken_cards if h[0] != player or h[1] in play.must_keep
        )
        after = replace(tricks, known_hands=hands, taken_cards=taken_cards)
    else:
        after = tricks.drop_card(player, card)
    return replace(
        play, tricks=after, must_discard=tuple(p for p in play.must_discard if p != player)
    )


def cards_in_play(options: PlayOptions, phase: object) -> CardsInPlay | None:
    """The cards on the table; none unless a card can be played in this phase."""
    match phase:
        case DeclarerPlay(trump=str(trump), tricks=tricks):
            return CardsInPlay(tricks=tricks, rule=follow_suit(trump, options.jack_suit))
    return None


def legal(options: PlayOptions, play: DeclarerPlay) -> Iterator[LegalAction]:
    """Which trick may be recorded, and which cards laid away, played or shown now."""
    tricks = play.tricks
    if not tricks.on_table:
        yield LegalAction.of("trick", winner=one_of(*play.deal.seats))
        if options.allow_early_end and len(tricks.winners) >= 3 and _certain(play)[0]:
            yield LegalAction.of("finish")
    for player in play.must_discard:
        hand = tricks.known_hand(player) or tricks.unseen_cards(player)
        may_go = one_of(*(card for card in hand if card not in play.must_keep))
        yield LegalAction.of("discard", optional=("card",), player=one_of(player), card=may_go)
    if play.trump and not play.must_discard:
        yield from legal_cards(tricks, follow_suit(play.trump, options.jack_suit))
    yield from legal_hands(tricks, play.must_discard)


def legal_cards(tricks: TrickState, rule: PlayRule) -> Iterator[LegalAction]:
    """The cards that can be played now."""
    for player, cards in tricks.playable(rule):
        yield LegalAction.of("play", player=one_of(player), card=one_of(*cards))


def legal_hands(tricks: TrickState, must_discard: tuple[Player, ...] = ()) -> Iterator[LegalAction]:
    """The hands that can be shown; `must_discard` still hold a sixth card, which counts."""
    for player in tricks.seats:
        size = tricks.cards_left(player) + (player in must_discard)
        if size and tricks.known_hand(player) is None:
            hand = {
                "min": size,
                "max": size,
                "keys": list(tricks.unseen_cards(player)),
                "including": tricks.cards_taken_openly(player),
            }
            yield LegalAction.of("hand", player=one_of(player), cards=hand)
