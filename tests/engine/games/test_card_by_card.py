"""Deals told card by card: the cut, the turn-up, two rounds of words, and every card played."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.cards import JACKS, may_follow, pack, trick_winner
from engine.errors import (
    AcceptOrPass,
    CardAlreadyGone,
    DiscardFirst,
    MustFollowSuit,
    NothingToDiscard,
    NotYourTurn,
    SuitIsForehands,
)
from tests.support.engine.dealt_cards import E1_DEAL_1, E1_DEAL_2
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, FIVE_PLAYERS, Given
from tests.support.engine.random_walk import next_action
from tests.support.ledger.memory_store import Book

open_deal = c.OpenDeal()
four = Given().after(open_deal)  # Ada deals, Disa cuts, Bo is forehand
cut = four.after(c.Cut(card="9C"))
random_deals = settings(max_examples=50, deadline=None, derandomize=True, database=None)


def bid(player, call):
    return c.Bid(player=player, call=call)


def play(*cards, leader=BO, seats=FIVE_PLAYERS[:4]):
    at = seats.index(leader)
    return [c.Play(player=(seats + seats)[at + i], card=card) for i, card in enumerate(cards)]


# The cards and their order (§1.2, E9)


@pytest.mark.parametrize(
    ("cards", "highest"),
    [
        ("9S JS AS", "JS"),
        ("9S AD 10S", "10S"),
        ("9H JD AH", "JD"),
        ("JC AH JS", "JC"),
        ("JD JH JS JC", "JC"),
        ("JD JH JS", "JS"),
        ("JD JH", "JH"),
        ("AH KH QH 10H 9H", "AH"),
        ("9H QH 10H", "QH"),
        ("AS 9H KS", "9H"),
        ("9S AD AC KD", "9S"),
        ("9S 10S AD", "10S"),
    ],
)
def test_the_highest_trump_or_else_the_highest_of_the_suit_led_wins(cards, highest):
    """Hearts are trumps."""
    plays = [(card, card) for card in cards.split()]
    assert trick_winner(plays, "H") == highest


@pytest.mark.parametrize(
    ("hand", "led", "legal"),
    [
        ("JS AD", "9S", "JS AD"),
        ("JS AD", "9H", "JS"),
        ("JS 10S AD", "9S", "10S"),
        ("JS 9H AD", "JC", "JS 9H"),
        ("AD KC", "JC", "AD KC"),
        ("9H KC", "9S", "9H KC"),
        ("JS AD", None, "JS AD"),
    ],
)
def test_a_jack_follows_trumps_only(hand, led, legal):
    """Hearts are trumps; nobody need trump or head a trick."""
    assert may_follow(hand.split(), led, "H") == tuple(legal.split())


def test_nine_trumps_in_24_cards_and_ten_in_28():
    for lowest, size, trumps in (("9", 24, 9), ("8", 28, 10)):
        cards = pack(lowest)
        assert len(set(cards)) == len(cards) == size
        assert len(may_follow(cards, "AH", "H")) == trumps
        assert set(JACKS) <= set(cards)


@pytest.mark.parametrize(("players", "lowest"), [(3, "9"), (4, "9"), (5, "8")])
def test_eights_are_added_for_five(players, lowest):
    at = Given(players=players).after(open_deal)
    (cards,) = [a.fields["card"]["values"] for a in at.legal if a.type == "cut"]
    assert cards == list(pack(lowest))


# The cut and the card turned up (§1.4)


def test_a_jack_shown_by_the_cut_is_taken_by_the_cutter():
    took = e.CutterTook(player=DISA, card="JD")
    after = four.when(c.Cut(card="JD")).then(e.CutShown(card="JD"), took)
    assert after.table_state.game_state.phase.jack == "JD"


def test_any_other_card_shown_by_the_cut_stays():
    four.when(c.Cut(card="AD")).then(e.CutShown(card="AD"))


@pytest.mark.parametrize("jack", JACKS)
def test_the_dealer_must_take_a_jack_and_its_suit_is_trumps(jack):
    took = e.DealerTook(player=ADA, card=jack)
    after = cut.when(c.TurnUp(card=jack)).then(e.CardTurnedUp(card=jack), took)
    at = after.table_state.game_state.phase
    assert (at.declarers, at.trump, at.must_discard) == ((ADA,), jack[-1], (ADA,))


@pytest.mark.parametrize("card", ["9S", "AH", "JH"])
def test_the_dealer_must_take_any_card_when_the_cutter_took_a_jack(card):
    took = e.DealerTook(player=ADA, card=card)
    at = four.after(c.Cut(card="JC"))
    after = at.when(c.TurnUp(card=card)).then(e.CardTurnedUp(card=card), took)
    phase = after.table_state.game_state.phase
    assert (phase.declarers, phase.trump) == ((DISA, ADA), card[-1])
    assert phase.must_discard == (DISA, ADA)


def test_the_dealer_may_take_an_ace():
    at = cut.when(c.TurnUp(card="AS")).then(e.CardTurnedUp(card="AS"))
    assert at.legal_types() == {"take", "decline", "undo"}
    phase = at.when(c.Take()).then(e.TurnUpTaken()).table_state.game_state.phase
    assert (phase.declarers, phase.trump, phase.must_discard) == ((ADA,), "S", (ADA,))


def test_a_declined_ace_is_bid_for():
    at = cut.after(c.TurnUp(card="AS")).when(c.Decline()).then(e.TurnUpDeclined())
    at = at.after(bid(BO, "pass"), bid(CILLA, "accept"))
    phase = at.table_state.game_state.phase
    assert (phase.declarers, phase.trump, phase.must_discard) == ((CILLA,), "S", ())


@pytest.mark.parametrize("card", ["KS", "QH", "10D", "9H"])
def test_any_other_card_is_bid_for(card):
    at = cut.when(c.TurnUp(card=card)).then(e.CardTurnedUp(card=card))
    assert at.legal_types() == {"bid", "all_pass", "undo"}


# Bidding (§1.4)


def test_the_forehand_speaks_first_and_the_dealer_last():
    at = cut.after(c.TurnUp(card="KH"))
    for turn in (BO, CILLA, DISA, ADA) * 2:
        for player in FIVE_PLAYERS[:4]:
            if player != turn:
                at.when(bid(player, "pass")).refused(NotYourTurn, turn=turn, player=player)
        if turn != ADA or at.table_state.game_state.phase.round == 1:
            at = at.after(bid(turn, "pass"))


def test_who_accepts_declares_the_suit_turned_up_which_stays_on_the_table():
    at = cut.after(c.TurnUp(card="KH"))
    accepted = at.when(bid(BO, "accept")).then(e.BidMade(player=BO, call="accept"))
    phase = accepted.table_state.game_state.phase
    assert (phase.declarers, phase.trump, phase.must_discard) == ((BO,), "H", ())
    accepted.when(c.Play(player=BO, card="KH")).refused(CardAlreadyGone, card="KH")


def test_a_suit_cannot_be_named_in_the_first_round():
    at = cut.after(c.TurnUp(card="KH"))
    for call in ("C", "S", "H", "D"):
        at.when(bid(BO, call)).refused(AcceptOrPass)


@pytest.mark.parametrize("suit", ["C", "S", "H", "D"])
def test_in_the_second_round_only_the_forehand_may_name_the_suit_turned_up(suit):
    at = cut.after(c.TurnUp(card="KH"), *[bid(p, "pass") for p in (BO, CILLA, DISA, ADA)])
    phase = at.after(bid(BO, suit)).table_state.game_state.phase
    assert (phase.declarers, phase.trump) == ((BO,), suit)
    at = at.after(bid(BO, "pass"))
    for player in (CILLA, DISA, ADA):
        if suit == "H":
            at.when(bid(player, suit)).refused(SuitIsForehands, forehand=BO, suit="H")
        else:
            phase = at.after(bid(player, suit)).table_state.game_state.phase
            assert (phase.declarers, phase.trump) == ((player,), suit)
        if player != ADA:
            at = at.after(bid(player, "pass"))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_when_all_have_passed_twice_the_deal_is_over(players):
    at = Given(players=players).after(open_deal, c.Cut(card="9C"), c.TurnUp(card="KH"))
    around = (*FIVE_PLAYERS[1:players], ADA) * 2
    at = at.after(*[bid(player, "pass") for player in around[:-1]])
    closed = e.DealClosed(deal=1, outcome="all_pass", next_dealer=BO)
    after = at.when(bid(ADA, "pass")).then(e.BidMade(player=ADA, call="pass"), closed)
    assert after.pot_and_bets == (10, "")


@pytest.mark.parametrize("spoken", [0, 1, 5, 7])
def test_all_pass_can_be_said_for_everybody_in_the_middle_of_the_bidding(spoken):
    around = (BO, CILLA, DISA, ADA) * 2
    at = cut.after(c.TurnUp(card="KH"), *[bid(p, "pass") for p in around[:spoken]])
    closed = e.DealClosed(deal=1, outcome="all_pass", next_dealer=BO)
    at.when(c.AllPass()).then(e.AllPassed(), closed)


# The sixth card


def test_the_sixth_card_is_laid_away_before_the_first_lead():
    at = four.after(c.Cut(card="JC"), c.TurnUp(card="KH"))
    lead = c.Play(player=BO, card="AS")
    at.when(lead).refused(DiscardFirst, players=[DISA, ADA])
    at = at.after(c.Discard(player=ADA, card="9S"))
    at.when(lead).refused(DiscardFirst, players=[DISA])
    at.after(c.Discard(player=DISA), lead)


def test_even_the_card_taken_may_be_laid_away_and_is_then_gone():
    at = cut.after(c.TurnUp(card="JH"), c.Discard(player=ADA, card="JH"))
    at.when(c.Play(player=BO, card="JH")).refused(CardAlreadyGone, card="JH")


def test_a_card_that_was_taken_is_in_nobody_elses_hand():
    at = cut.after(c.TurnUp(card="JH"), c.Discard(player=ADA, card="9S"))
    at.when(c.Play(player=BO, card="JH")).refused(CardAlreadyGone, card="JH")
    at.when(c.Play(player=BO, card="9S")).refused(CardAlreadyGone, card="9S")
    at.after(*play("9H", "10H", "QH", "JH"))


def test_a_card_laid_away_unseen_may_have_been_the_one_taken():
    at = cut.after(c.TurnUp(card="JH"), c.Discard(player=ADA))
    at.after(c.Play(player=BO, card="JH"))


def test_a_card_that_was_taken_stays_in_its_hand_while_others_play():
    """Disa had to take the jack of clubs, Ada the king of hearts; both laid other cards away."""
    at = four.after(c.Cut(card="JC"), c.TurnUp(card="KH"))
    at = at.after(c.Discard(player=ADA, card="9S"), c.Discard(player=DISA, card="9D"))
    at = at.after(*play("10H", "QH"))
    at.when(c.Play(player=DISA, card="KH")).refused(CardAlreadyGone, card="KH")
    at = at.after(c.Play(player=DISA, card="AH"))
    at.when(c.Play(player=ADA, card="JC")).refused(CardAlreadyGone, card="JC")
    at.after(c.Play(player=ADA, card="KH"))


def test_nobody_holds_a_sixth_card_once_a_trick_is_recorded():
    at = cut.after(c.TurnUp(card="JH"), c.Trick(winner=CILLA))
    at.when(c.Discard(player=ADA)).refused(NothingToDiscard, player=ADA)
    at.after(*play("9S", "10S", "QS", "KS", leader=CILLA))


def test_no_hand_is_known_after_a_trick_without_cards():
    five = ("JS", "KS", "9S", "AD", "AC")
    at = four.after(c.Declare(players=(BO,), trump="H"), c.Hand(player=CILLA, cards=five))
    at = at.after(c.Trick(winner=CILLA))
    at.after(c.Play(player=CILLA, card="10D"))
    at.after(c.Hand(player=CILLA, cards=five[1:]))


def test_a_known_hand_loses_the_card_laid_away():
    six = ("JH", "AS", "KS", "QS", "10S", "9S")
    at = cut.after(c.TurnUp(card="JH"), c.Hand(player=ADA, cards=six))
    at = at.after(c.Discard(player=ADA, card="9S"))
    assert at.table_state.game_state.phase.tricks.known_hand(ADA) == six[:-1]


# Play


def test_a_revoke_from_a_known_hand_is_refused_with_the_legal_cards():
    at = four.after(c.Declare(players=(BO,), trump="H"))
    at = at.after(c.Hand(player=CILLA, cards=("JS", "KS", "9S", "AD", "AC")))
    led = at.after(c.Play(player=BO, card="AS"))
    for revoke in ("JS", "AD", "AC"):
        refused = led.when(c.Play(player=CILLA, card=revoke))
        refused.refused(MustFollowSuit, player=CILLA, legal=["KS", "9S"])
    (legal,) = [action for action in led.legal if action.type == "play"]
    assert legal.fields["card"]["values"] == ["KS", "9S"]


def test_an_unknown_hand_may_play_any_card_not_seen_elsewhere():
    at = four.after(c.Declare(players=(BO,), trump="H"))
    led = at.after(c.Play(player=BO, card="AS"))
    (legal,) = [action for action in led.legal if action.type == "play"]
    assert set(legal.fields["card"]["values"]) == set(pack("9")) - {"AS"}


def test_the_forehand_leads_and_the_winner_of_a_trick_leads_the_next():
    at = four.after(c.Declare(players=(ADA,), trump="H"), *play("9S", "AS", "KS", "10H"))
    assert at.history[-1] == e.TrickWon(winner=ADA)
    after = at.after(*play("9D", "AD", "KD", "QD", leader=ADA))
    assert after.history[-1] == e.TrickWon(winner=BO)
    assert after.table_state.game_state.phase.tricks.turn == BO


def test_tricks_by_cards_and_tricks_by_winner_can_follow_each_other():
    at = four.after(c.Declare(players=(ADA,), trump="H"), *play("9S", "AS", "KS", "10H"))
    at = at.after(c.Trick(winner=CILLA), *play("9D", "AD", "KD", "QD", leader=CILLA))
    assert at.table_state.game_state.phase.tricks.winners == (ADA, CILLA, DISA)


def test_la_vola_card_by_card_won():
    """Bo holds the four jacks and the ace of trumps."""
    at = four.after(c.Declare(players=(ADA,), trump="H"))
    at = at.after(*play("JC", "9H", "9S", "10S"), *play("JS", "10H", "QS", "KS"))
    at = at.after(c.LaVola(player=BO))
    at = at.after(*play("JH", "QH", "AS", "9C"), *play("JD", "KH", "10C", "QC"))
    at = at.after(*play("AH", "KC", "AC", "9D"))
    closed = at.history[-1]
    assert (closed.outcome, closed.winner, closed.tricks) == ("la_vola_won", BO, (BO,) * 5)
    won = e.LaVolaWon(deal=1, player=BO, amount=10, payers=(CILLA, DISA, ADA))
    assert at.history[-2] == won
    assert at.pot_and_bets == (0, "")


def test_la_vola_card_by_card_stops_at_the_trick_it_loses():
    at = four.after(c.Declare(players=(BO,), trump="H"))
    at = at.after(*play("JC", "9H", "9S", "10S"), *play("JS", "10H", "QS", "KS"))
    at = at.after(c.LaVola(player=BO), *play("AD", "9D", "10D", "9C"))
    at = at.after(*play("KD", "QD", "QH"))
    assert at.table_state.deal_is_open
    after = at.after(c.Play(player=ADA, card="QC"))
    closed = after.history[-1]
    assert (closed.outcome, closed.tricks) == ("la_vola_lost", (BO, BO, BO, DISA))
    assert after.pot_and_bets == (10, "")


def test_la_vola_cannot_be_announced_when_the_third_lead_lies_on_the_table():
    at = four.after(c.Declare(players=(BO,), trump="H"))
    at = at.after(*play("JC", "9H", "9S", "10S"), *play("JS", "10H", "QS", "KS"))
    assert "la_vola" in at.legal_types()
    assert "la_vola" not in at.after(c.Play(player=BO, card="AD")).legal_types()


# Whole deals


@pytest.mark.parametrize("hands", [True, False], ids=["hands open", "hands unknown"])
@pytest.mark.parametrize(
    ("dealt", "dealer", "declarer", "tricks"),
    [(E1_DEAL_1, ADA, BO, "CCDCB"), (E1_DEAL_2, BO, DISA, "AABDD")],
    ids=["first", "second"],
)
def test_the_first_deals_of_e1_card_by_card(dealt, dealer, declarer, tricks, hands):
    winners = [dict(zip("ABCDE", FIVE_PLAYERS, strict=True))[letter] for letter in tricks]
    recorded = Given(dealer=dealer).after(*dealt.actions(hands=hands))
    by_tricks = Given(dealer=dealer).after(
        open_deal, c.Declare(players=(declarer,)), *[c.Trick(winner=w) for w in winners]
    )
    assert recorded.history[-1] == by_tricks.history[-1]
    assert what_it_moved(recorded.history) == what_it_moved(by_tricks.history)


def what_it_moved(facts):
    return [f for f in facts if isinstance(f, e.PotTaken | e.BetTaken | e.BetLaid | e.LaVolaWon)]


def less_closely(facts, depth):
    """The same deal as somebody records it who saw only the tricks, or only the result."""
    closed = facts[-1]
    if closed.outcome == "all_pass":
        return [open_deal, c.AllPass()]
    commands = [open_deal, c.Declare(players=closed.declarers)]
    if depth == "tricks":
        for place, winner in enumerate(closed.tricks):
            if place == 2 and closed.la_vola:
                commands.append(c.LaVola(player=closed.la_vola))
            commands.append(c.Trick(winner=winner))
        return commands
    if closed.la_vola:
        vola = c.Vola(player=closed.la_vola, won=closed.outcome == "la_vola_won")
        return [*commands, c.Result(la_vola=vola)]
    return [*commands, c.Result(winner=closed.winner)]


@random_deals
@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32))
def test_a_deal_moves_the_same_at_every_depth(players, hands_open, seed):
    """Any cards, any legal play; la vola whenever the die says so."""
    die = Random(seed)
    cut_card, turn_up = die.sample(pack("8" if players == 5 else "9"), 2)
    agreed = {"bet_multiplier": die.choice((1, 2)), "merge_double_bets": die.random() < 0.5}
    book = Book(players, **agreed)
    book.act(open_deal, c.Cut(card=cut_card), c.TurnUp(card=turn_up))
    rest = ("undo", "all_pass", "hand", "trick", "result", "finish")
    while book.session.table.deal_is_open:
        phase = book.session.table.game_state.phase
        if hands_open and phase.name == "playing" and not phase.tricks.known_hands:
            lay_open(book, die)
        book.act(next_action(book.legal, die, but=rest))
    facts = [recorded.event for recorded in book.history]
    book.settle()

    for depth in ("tricks", "result"):
        second = Book(players, **agreed)
        second.act(*less_closely(facts, depth))
        assert what_it_moved(r.event for r in second.history) == what_it_moved(facts)
        second.settle()
        assert (second.balances, second.session.pot) == (book.balances, book.session.pot)
        assert second.session.bets == book.session.bets
        assert second.session.table.dealer == book.session.table.dealer


def lay_open(book, die):
    """Before the first lead: who took a card still holds it, the others hold anything."""
    play = book.session.table.game_state.phase.tricks
    trick_winners = {card for _, card in play.taken_cards}
    left = [card for card in play.pack if card not in play.cards_out | trick_winners]
    die.shuffle(left)
    for player in play.seats:
        hand = play.cards_taken_openly(player)
        book.act(c.Hand(player=player, cards=(*hand, *(left.pop() for _ in range(5 - len(hand))))))


def test_five_play_card_by_card_with_eights():
    at = Given(players=5).after(open_deal, c.Cut(card="9C"), c.TurnUp(card="8H"))
    at = at.after(bid(BO, "accept"))
    first = play("8S", "9S", "10S", "QS", "KS", seats=FIVE_PLAYERS)
    at = at.after(*first)
    assert at.history[-1] == e.TrickWon(winner=ADA)
    assert [command.player for command in first] == [BO, CILLA, DISA, EMIL, ADA]
