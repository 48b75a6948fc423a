"""Deals played out with real cards: never refused, and the same score at every depth."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import MustFollowSuit, MustHead, MustTrump
from engine.games.knektpass.options import Options
from engine.games.knektpass.state import pack_for
from tests.support.engine.knektpass_deals import TEN_PLAYERS, KnektpassGiven, seats_from_forehand

random_deals = settings(max_examples=150, deadline=None, derandomize=True, database=None)
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def strength(card, led, trump):
    """A second opinion on which card is higher; a card that cannot win counts nothing."""
    if card[:-1] == "J":
        return 40 + "DHSC".index(card[-1])
    if card[-1] == trump:
        return 20 + RANKS.index(card[:-1])
    return 1 + RANKS.index(card[:-1]) if led[:-1] != "J" and card[-1] == led[-1] else 0


def may_play(hand, trick, trump, must_trump):
    """A second opinion on what may be played to the cards of a trick."""
    if not trick:
        return set(hand)
    led = trick[0]

    def is_trump(card):
        return card[:-1] == "J" or card[-1] == trump

    def belongs(card):
        return is_trump(card) if is_trump(led) else not is_trump(card) and card[-1] == led[-1]

    best = max(strength(card, led, trump) for card in trick)
    takers = {card for card in hand if strength(card, led, trump) > best}
    follows = {card for card in hand if belongs(card)}
    if follows:
        return follows & takers or follows
    return takers if must_trump and takers else set(hand)


class Dealt:
    """One deal of a shuffled pack: everybody does at random what the rules allow.

    `words`, `exchanges` and `cards` are what is said in turn; `winners` who takes the tricks.
    `revokes` are cards held against the rules by a hand laid open, and how many cards before.
    """

    def __init__(self, die, players, options, shows):
        self.die, self.options, self.shows = die, options, shows
        seats = TEN_PLAYERS[:players]
        pack = list(pack_for(seats))
        die.shuffle(pack)
        self.hands = {player: [pack.pop() for _ in range(5)] for player in seats}
        self.turn_up, self.talon, self.discards = pack.pop(), pack, []
        self.open = set()  # whose hand is known
        self.exchanges, self.cards, self.winners, self.revokes = [], [], [], []
        self.words = [*self.laid_open(), c.TurnUp(card=self.turn_up), *self.swap(seats[0])]
        self.staying = [player for player in seats_from_forehand(players) if die.random() < 0.7]
        for player in seats_from_forehand(players):
            word = c.Stay if player in self.staying else c.Pass
            self.words.append(word(player=player))
        if len(self.staying) > 1:
            self.exchanges = [
                command for _ in range(3) for p in self.staying for command in self.swaps(p)
            ]
            self.hands = {player: self.hands[player] for player in self.staying}
            self.cards = list(self.laid_open())
            leader = self.staying[0]
            for _ in range(5):
                leader = self.trick(leader)
                self.winners.append(leader)

    def laid_open(self):
        for player, hand in self.hands.items():
            if player not in self.open and self.die.random() < self.shows:
                self.open.add(player)
                yield c.Hand(player=player, cards=tuple(hand))

    def swap(self, dealer):
        if self.die.random() < 0.7:
            return
        yield c.Exchange(player=dealer, turn_up=True)
        self.change(dealer, [self.turn_up])
        self.discards = []  # his card takes the place of the one turned up

    def swaps(self, player):
        if self.options.reshuffle_discards:
            self.talon += self.discards
            self.die.shuffle(self.talon)
            self.discards = []
        number = self.die.randint(0, min(5, len(self.talon)))
        if number:
            yield c.Exchange(player=player, cards=number)
            self.change(player, [self.talon.pop() for _ in range(number)])

    def change(self, player, cards):
        hand = self.hands[player]
        self.die.shuffle(hand)
        self.discards += hand[: len(cards)]
        hand[: len(cards)] = cards
        self.open.discard(player)

    def trick(self, leader):
        at = self.staying.index(leader)
        must_trump, trick = self.options.must_trump_when_void, {}
        for player in self.staying[at:] + self.staying[:at]:
            hand = self.hands[player]
            may = may_play(hand, list(trick.values()), self.turn_up[-1], must_trump)
            if player in self.open and set(hand) - may:
                card = self.die.choice(sorted(set(hand) - may))
                self.revokes.append((len(self.cards), c.Play(player=player, card=card), may))
            card = self.die.choice(sorted(may))
            hand.remove(card)
            trick[player] = card
            self.cards.append(c.Play(player=player, card=card))
        led = next(iter(trick.values()))
        return max(trick, key=lambda player: strength(trick[player], led, self.turn_up[-1]))


def options(die):
    return Options(
        must_trump_when_void=die.random() < 0.5,
        reshuffle_discards=die.random() < 0.5,
        turn_up_counts=die.random() < 0.5,
        exchange_quota=die.choice(["sum", "capped_at_5", "last_round"]),
        min_trick_floor=die.choice([0, 1]),
        finish=die.choice(["at_or_below", "exact", "clamp_zero"]),
        start=die.choice([2, 5, 12]),
    )


def deals(players, seed, shows):
    die = Random(seed)
    agreed = options(die)
    at = KnektpassGiven(players=players, options=agreed).after(c.OpenDeal())
    return at, Dealt(die, players, agreed, shows)


def by_winner(dealt):
    return [c.Trick(winner=winner) for winner in dealt.winners]


def by_count(dealt):
    trick_winners = {player: dealt.winners.count(player) for player in dealt.staying}
    return [c.Tricks(taken=trick_winners)] if dealt.winners else []


def end(at):
    """The sheet, and what was written on it by the last deal."""
    return at.sheet, [f for f in at.history if isinstance(f, (e.Scored, e.GameWon))]


@random_deals
@given(st.integers(2, 10), st.integers(0, 2**32), st.sampled_from([0, 0.5, 1]))
def test_an_honest_deal_is_accepted_and_scores_the_same_at_every_depth(players, seed, shows):
    at, dealt = deals(players, seed, shows)
    ready = at.after(*dealt.words, *dealt.exchanges)
    played = ready.after(*dealt.cards)
    assert played.table_state.deal_is_open is False
    assert [f.winner for f in played.history if isinstance(f, e.TrickWon)] == dealt.winners
    assert end(ready.after(*by_winner(dealt))) == end(played)
    assert end(ready.after(*by_count(dealt))) == end(played)


@random_deals
@given(st.integers(2, 10), st.integers(0, 2**32))
def test_cards_may_be_recorded_for_some_tricks_and_winners_for_the_others(players, seed):
    at, dealt = deals(players, seed, shows=0)
    ready = at.after(*dealt.words, *dealt.exchanges)
    mixed = ready
    for number, winner in enumerate(dealt.winners):
        if (seed + number) % 2:
            mixed = mixed.after(c.Trick(winner=winner))
        else:
            size = len(dealt.staying)
            mixed = mixed.after(*dealt.cards[number * size : (number + 1) * size])
    assert end(mixed) == end(ready.after(*by_winner(dealt)))


@random_deals
@given(st.integers(2, 10), st.integers(0, 2**32))
def test_a_revoke_from_an_open_hand_is_always_refused(players, seed):
    at, dealt = deals(players, seed, shows=1)
    ready = at.after(*dealt.words, *dealt.exchanges)
    for place, revoke, may in dealt.revokes:
        refused = ready.after(*dealt.cards[:place])
        with pytest.raises((MustFollowSuit, MustHead, MustTrump)) as refusal:
            refused.decide(revoke)
        assert set(refusal.value.operands["legal"]) == may
        plays = [action for action in refused.legal if action.type == "play"]
        assert [set(action.fields["card"]["values"]) for action in plays] == [may]
