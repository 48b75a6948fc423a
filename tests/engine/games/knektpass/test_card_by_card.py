"""Knektpass card by card: follow, head or trump; hands shown, exchanged and taken."""

from itertools import combinations
from random import Random

import pytest

from engine import commands as c
from engine import events as e
from engine.cards import pack, trick_winner
from engine.errors import (
    CardAlreadyGone,
    CardNotInHand,
    CardNotInPack,
    HandAlreadyKnown,
    HandDoesNotFit,
    MustFollowSuit,
    MustHead,
    MustTrump,
    NotInThisDeal,
    NotOnLead,
    NotYourTurn,
    TrickHasCards,
    TrumpUnknown,
    WrongHandSize,
)
from engine.games.knektpass import decider as knektpass
from engine.games.knektpass.exchange_and_play import must_beat_rule
from engine.tricks.trick_state import TrickState
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.knektpass_deals import KnektpassGiven, declare_commands, exchange_commands

open_deal, hearts = c.OpenDeal(), c.TurnUp(card="2H")
four = KnektpassGiven()
opened = four.after(open_deal, hearts)  # Ada deals, Bo is forehand, hearts are trumps
all_stay = opened.after(*declare_commands([ADA, BO, CILLA, DISA]))


def play(player, card):
    return c.Play(player=player, card=card)


def hand(player, cards):
    return c.Hand(player=player, cards=tuple(cards.split()))


def in_trick(led, must_trump=True):
    """What the rule says of a hand when these cards lie on the table, hearts trumps."""
    table = tuple((f"p{place}", card) for place, card in enumerate(led.split(), start=1))
    seats = ("p1", "p2", "p3", "p4")
    at = TrickState(seats=seats, leader="p1", pack=pack("2"), hand_size=5, on_table=table)
    return lambda cards: must_beat_rule("H", must_trump=must_trump)(at, tuple(cards.split()))


# Which cards may be played (§4.2 PLAY)


@pytest.mark.parametrize(
    ("table", "cards_held", "legal", "refusal"),
    [
        ("", "9S AD", "9S AD", MustFollowSuit),
        ("9S", "10S AS 8S 9H", "10S AS", MustHead),
        ("9S", "8S 7S 9H", "8S 7S", MustFollowSuit),
        ("9S", "10S AD 9H", "10S", MustFollowSuit),
        ("9S KS", "QS AS 9H", "AS", MustHead),
        ("9S KS", "QS 10S 9H", "QS 10S", MustFollowSuit),
        ("9S 3H", "AS 2S 9H", "AS 2S", MustFollowSuit),
        ("9S", "AD 9H 3H", "9H 3H", MustTrump),
        ("9S 5H", "AD 9H 3H", "9H", MustTrump),
        ("9S 10H", "AD 9H 3H", "AD 9H 3H", MustTrump),
        ("9S", "AD KC", "AD KC", MustTrump),
        ("9S", "JS AD", "JS", MustTrump),
        ("9S JH", "JD AD", "JD AD", MustTrump),
        ("9H", "JS AD", "JS", MustFollowSuit),
        ("9H", "8H 10H JD AS", "10H JD", MustHead),
        ("AH", "KH JD AS", "JD", MustHead),
        ("JC", "KH JD AS", "KH JD", MustFollowSuit),
        ("JD", "JS KH AD", "JS", MustHead),
        ("9H", "AS AD", "AS AD", MustTrump),
        ("9D JS", "AD 2D KH", "AD 2D", MustFollowSuit),
    ],
)
def test_follow_suit_and_head_the_trick_or_else_trump_it(table, cards_held, legal, refusal):
    """Hearts are trumps, and so is every jack."""
    allowed, reason = in_trick(table)(cards_held)
    assert allowed == tuple(legal.split())
    if set(allowed) != set(cards_held.split()):
        assert reason is refusal


@pytest.mark.parametrize(
    ("table", "cards_held", "legal"),
    [("9S", "AD 9H", "AD 9H"), ("9S", "10S 2S 9H", "10S"), ("9H", "JS AD", "JS")],
)
def test_where_nobody_must_trump_one_must_still_follow_and_head(table, cards_held, legal):
    allowed, _ = in_trick(table, must_trump=False)(cards_held)
    assert allowed == tuple(legal.split())


@pytest.mark.parametrize("must_trump", [True, False])
def test_a_forbidden_card_stays_forbidden_with_more_cards_in_the_hand(must_trump):
    """So what is known of a hand is enough to prove a revoke."""
    die = Random(7)
    for _ in range(400):
        cards = die.sample(pack("2"), 8)
        rule = in_trick(" ".join(cards[: die.randint(1, 3)]), must_trump)
        cards_held = cards[3:]
        everything, _ = rule(" ".join(cards_held))
        for size in (1, 2, 3, 4):
            for cards_dealt in combinations(cards_held, size):
                allowed, _ = rule(" ".join(cards_dealt))
                assert allowed, "something can always be played"
                forbidden = set(cards_dealt) - set(allowed)
                assert not forbidden & set(everything)


@pytest.mark.parametrize(
    ("cards", "highest"),
    [("9S JS AS", "JS"), ("9S AD 10S", "10S"), ("9H JD AH", "JD"), ("JC AH JS", "JC")],
)
def test_who_takes_the_trick_of_e9(cards, highest):
    led, *other_players = cards.split()
    assert trick_winner([(card, card) for card in (led, *other_players)], "H") == highest


def test_the_low_cards_of_a_full_pack_have_their_order():
    plays = [(card, card) for card in ("5S", "8S", "2S")]
    assert trick_winner(plays, "H") == "8S"
    assert trick_winner([*plays, ("3H", "3H")], "H") == "3H"


@pytest.mark.parametrize(
    ("legal", "command", "refusal"),
    [
        (["10S", "AS"], play(CILLA, "8S"), MustHead),
        (["10S", "AS"], play(CILLA, "9H"), MustHead),
    ],
)
def test_a_card_below_the_trick_is_refused_to_a_known_hand(legal, command, refusal):
    at = all_stay.after(hand(CILLA, "10S AS 8S 9H KD"), play(BO, "9S"))
    at.when(command).refused(refusal, player=CILLA, legal=legal)
    assert at.after(play(CILLA, "10S"))


def test_suit_and_trump_are_demanded_of_a_known_hand():
    at = all_stay.after(
        hand(CILLA, "8S 7S 9H 3H KD"), hand(DISA, "9D 10H 4H KC QC"), play(BO, "9S")
    )
    at.when(play(CILLA, "9H")).refused(MustFollowSuit, player=CILLA, legal=["8S", "7S"])
    at = at.after(play(CILLA, "7S"))
    at.when(play(DISA, "9D")).refused(MustTrump, player=DISA, legal=["10H", "4H"])
    assert at.after(play(DISA, "4H"))


def test_an_unknown_hand_is_believed():
    at = all_stay.after(play(BO, "9S"))
    assert at.after(play(CILLA, "2S"))
    assert at.after(play(CILLA, "KD"))


# A deal with every card: Ada and Bo stay

BOS, ADAS = "9S AD KC 3H JD", "AS 2D AC JC 10H"
TRICKS = [
    (BO, "9S", "AS"),
    (ADA, "JC", "JD"),
    (ADA, "AC", "KC"),
    (ADA, "2D", "AD"),
    (BO, "3H", "10H"),
]


def all_cards():
    for leader, led, followed in TRICKS:
        second = ADA if leader == BO else BO
        yield from (play(leader, led), play(second, followed))


@pytest.mark.parametrize("cards_shown", [[], [hand(BO, BOS)], [hand(BO, BOS), hand(ADA, ADAS)]])
def test_ten_cards_make_five_tricks_and_the_scores(cards_shown):
    at = opened.after(*declare_commands([ADA, BO]), *cards_shown, *all_cards())
    tricks = (ADA, ADA, ADA, BO, ADA)
    assert [f.winner for f in at.history if isinstance(f, e.TrickWon)] == list(tricks)
    assert at.history[-1].tricks == tricks
    assert at.scores == [8, 11, 12, 12]


def test_each_trick_ends_with_the_last_of_those_who_stay():
    at = opened.after(*declare_commands([ADA, BO]), play(BO, "9S"))
    assert at.view.cards == ((BO, "9S"),)
    assert (at.view.turn, at.view.trump) == (ADA, "H")
    at = at.when(play(ADA, "AS")).then(e.CardPlayed(player=ADA, card="AS"), e.TrickWon(winner=ADA))
    assert (at.view.tricks, at.view.cards, at.view.turn) == ((ADA,), (), ADA)


@pytest.mark.parametrize(
    ("staying", "leader"),
    [([ADA, BO, CILLA], BO), ([ADA, CILLA], CILLA), ([ADA, DISA], DISA), ([BO, CILLA], BO)],
)
def test_forehand_leads_or_whoever_stays_next_after_him(staying, leader):
    at = opened.after(*declare_commands(staying))
    assert at.view.turn == leader
    other_players = [player for player in staying if player != leader]
    at.when(play(other_players[0], "9S")).refused(NotOnLead, turn=leader, player=other_players[0])


def test_the_next_card_comes_from_the_next_who_stays():
    at = opened.after(*declare_commands([ADA, BO, DISA]), play(BO, "9S"))
    at.when(play(ADA, "AS")).refused(NotYourTurn, turn=DISA, player=ADA)
    at.when(play(CILLA, "AS")).refused(NotInThisDeal, player=CILLA)


def test_a_jack_turned_up_makes_its_printed_suit_trumps():
    at = four.after(open_deal, c.TurnUp(card="JS"), *declare_commands([ADA, BO]))
    assert at.view.trump == "S"


def test_without_the_card_turned_up_only_tricks_can_be_recorded():
    at = four.after(open_deal, *declare_commands([ADA, BO]))
    at.when(play(BO, "9S")).refused(TrumpUnknown)
    assert at.legal_types() == {"exchange", "trick", "tricks", "hand", "undo"}
    assert knektpass.GAME.cards_in_play(at.table_state.game_state) is None


def test_a_trick_begun_by_cards_is_ended_by_cards():
    at = opened.after(*declare_commands([ADA, BO]), play(BO, "9S"))
    at.when(c.Trick(winner=BO)).refused(TrickHasCards)
    after = at.after(play(ADA, "AS"))
    assert after.after(c.Trick(winner=BO)).view.tricks == (ADA, BO)


# What is known of the hands


def test_a_hand_can_be_shown_from_the_opening_on():
    at = four.after(open_deal, hand(DISA, "9S AD KC 3H JD"))
    at.when(hand(DISA, "9S AD KC 3H JD")).refused(HandAlreadyKnown, player=DISA)
    at.when(c.TurnUp(card="JD")).refused(CardAlreadyGone, card="JD")
    assert at.after(c.TurnUp(card="JC"))


def test_the_cards_of_who_passed_are_in_nobody_elses_hand():
    at = opened.after(hand(DISA, "9S AD KC 3H JD"), *declare_commands([ADA, BO]))
    at.when(play(BO, "9S")).refused(CardAlreadyGone, card="9S")
    at.when(hand(DISA, "9S AD KC 3H JD")).refused(NotInThisDeal, player=DISA)
    at.when(hand(BO, "9S 2S 4S 5S 6S")).refused(CardAlreadyGone, card="9S")


@pytest.mark.parametrize(
    ("cards", "refusal", "operands"),
    [
        ("9S AD KC 3H", WrongHandSize, {"player": BO, "held": 5, "shown": 4}),
        ("9S AD KC 3H 2H", CardAlreadyGone, {"card": "2H"}),
    ],
)
def test_a_hand_is_five_cards_that_lie_nowhere_else(cards, refusal, operands):
    for at in (opened, all_stay):
        at.when(hand(BO, cards)).refused(refusal, **operands)


def test_two_or_three_have_no_low_cards():
    at = KnektpassGiven(players=2).after(open_deal)
    at.when(c.TurnUp(card="5H")).refused(CardNotInPack, card="5H")
    at = at.after(c.TurnUp(card="6H"), *declare_commands([ADA, BO], 2))
    at.when(play(BO, "5S")).refused(CardNotInPack, card="5S")


def test_who_exchanged_cards_may_hold_any_others():
    at = all_stay.after(hand(BO, "9S AD KC 3H JD"))
    at.when(play(BO, "2S")).refused(
        CardNotInHand, card="2S", player=BO, legal=["9S", "AD", "KC", "3H", "JD"]
    )
    at = at.after(*exchange_commands({BO: 2}))
    assert at.after(play(BO, "2S"))
    assert at.after(hand(BO, "2S AD KC 3H JD"))


def test_the_card_turned_up_lies_open_until_the_dealer_takes_it():
    at = all_stay
    at.when(play(BO, "2H")).refused(CardAlreadyGone, card="2H")
    took = opened.after(c.Exchange(player=ADA, turn_up=True), *declare_commands([ADA, BO]))
    took.when(play(BO, "2H")).refused(CardAlreadyGone, card="2H")
    took.when(hand(ADA, "9S AD KC 3H JD")).refused(HandDoesNotFit, card="2H", player=ADA)
    assert took.after(hand(ADA, "9S AD KC 3H 2H"))
    assert took.after(play(BO, "9H"), play(ADA, "2H"))
    exchanged = took.after(*exchange_commands({ADA: 1}))
    assert exchanged.after(hand(ADA, "9S AD KC 3H JD")), "he may have laid it away again"


def test_a_dealer_who_shows_his_hand_and_swaps_has_another():
    at = opened.after(hand(ADA, "9S AD KC 3H JD"), c.Exchange(player=ADA, turn_up=True))
    assert at.after(hand(ADA, "9S AD KC 3H 2H"))


def test_the_cards_and_the_rule_are_told_while_cards_can_be_played():
    recorded = knektpass.GAME.cards_in_play
    assert recorded(opened.table_state.game_state) is None
    at = all_stay.after(hand(CILLA, "10S AS 8S 9H KD"), play(BO, "9S"))
    now = recorded(at.table_state.game_state)
    assert now.tricks.turn == CILLA
    assert now.rule(now.tricks, now.tricks.known_hand(CILLA)) == (("10S", "AS"), MustHead)
