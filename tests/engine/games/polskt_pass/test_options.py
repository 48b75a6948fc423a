"""Every option of docs/rules.md §1.3 and §7 A-PP, in each of its positions."""

import msgspec
import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    CreditLimitReached,
    EarlyEndNotAllowed,
    LeftoversToPlayFor,
    MustFollowSuit,
)
from engine.games.polskt_pass.decider import Options
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given
from tests.support.engine.option_cases import parametrize_option
from tests.support.ledger.memory_store import Book

open_deal, all_pass = c.OpenDeal(), c.AllPass()
nobody = c.Result(winner=None)


def declare(*players):
    return c.Declare(players=players)


def won_by(player):
    return c.Result(winner=player)


def la_vola(player, won):
    return c.Result(la_vola=c.Vola(player=player, won=won))


def test_what_is_agreed_when_nothing_is_said():
    assert msgspec.to_builtins(Options()) == {
        "stake": 10,
        "bet_multiplier": 1,
        "merge_double_bets": False,
        "amount_basis": "pot",
        "all_one_two_declarers": "both",
        "bet_payment": "immediate",
        "bet_tie": "oldest",
        "allow_early_end": True,
        "failed_vola_declarer_bet": "none",
        "jack_suit": "trump",
        "leftover_policy": "carry",
        "credit_limit": None,
        "misdeal_policy": "same_dealer",
    }


@parametrize_option(stake={1: 1, 10: 10, 2500: 2500})
def test_the_dealer_puts_the_stake_into_the_pot(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal)
    assert at.pot_and_bets == (expected, "")
    assert at.history[-1].stake == at.history[-1].played_for == expected


@parametrize_option(bet_multiplier={1: "Bo 10", 2: "Bo 20"})
def test_the_penalty_is_once_or_twice_what_is_played_for(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(BO), won_by(ADA))
    assert at.pot_and_bets == (0, expected)


@parametrize_option(merge_double_bets={False: "Disa 10, Ada 10", True: "Disa+Ada 20"})
def test_two_failed_declarers_lay_two_bets_or_one(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(DISA, ADA), won_by(BO))
    assert at.pot_and_bets == (0, expected)


@parametrize_option(merge_double_bets={False: [True], True: [False]})
def test_the_table_may_do_otherwise_for_one_deal(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(DISA, ADA), won_by(BO))
    (merge,) = [action for action in at.legal if action.type == "merge"]
    assert merge.fields["together"]["values"] == expected
    assert (merge.optional == ("together",)) == expected[0], "left out, it means together"


@parametrize_option(amount_basis={"pot": (30, 0, "Ada 30"), "ante_only": (10, 20, "Ada 10")})
def test_the_whole_pot_is_played_for_or_only_the_stake(agreed, expected):
    at = Given().agreed(**agreed).after(*[open_deal, all_pass] * 2, open_deal, declare(ADA))
    played_for, pot, bets = expected
    assert at.table_state.game_state.phase.deal.played_for == played_for
    assert at.after(won_by(BO)).pot_and_bets == (pot, bets)
    swept = at.after(la_vola(BO, won=True))
    (won,) = [fact for fact in swept.history if isinstance(fact, e.LaVolaWon)]
    assert (won.amount, swept.pot_and_bets) == (played_for, (pot, ""))


@parametrize_option(amount_basis={"pot": 20 + 10, "ante_only": 10 + 10})
def test_the_smallest_bet_is_always_played_for(agreed, expected):
    command = (open_deal, declare(BO), won_by(ADA), open_deal, all_pass, open_deal)
    at = Given().agreed(**agreed).after(*command)
    assert at.table_state.game_state.phase.deal.played_for == expected
    assert at.after(declare(ADA), won_by(ADA)).pot_and_bets == (20 + 10 - expected, "")


@parametrize_option(all_one_two_declarers={"both": "Emil 10, Ada 10", "none": ""})
def test_one_trick_each_costs_two_declarers_a_bet_each_or_nothing(agreed, expected):
    at = Given(players=5).agreed(**agreed)
    assert at.after(open_deal, declare(EMIL, ADA), nobody).pot_and_bets == (10, expected)
    assert at.after(open_deal, declare(ADA), nobody).pot_and_bets == (10, "Ada 10"), (
        "one always pays"
    )


@parametrize_option(bet_payment={"immediate": [-10, -10, 10, 0], "on_collection": [-10, 0, 10, 0]})
def test_a_bet_is_paid_when_it_is_laid_or_when_it_is_taken(agreed, expected):
    book = Book(**agreed)
    book.act(open_deal, declare(BO), won_by(CILLA))
    assert book.balances == expected
    assert book.bets == [((BO,), 10)]
    book.act(open_deal, declare(CILLA), won_by(CILLA))
    assert book.balances == [-10, -20, 30, 0], "taken, it is the same money"
    assert book.bets == []


@parametrize_option(bet_payment={"immediate": [-20, 10, 0, -10], "on_collection": [-10, 10, 0, 0]})
def test_who_wins_his_own_claim_back_pays_himself_nothing(agreed, expected):
    book = Book(**agreed)
    book.act(open_deal, declare(ADA, DISA), won_by(BO), c.Merge())
    assert book.balances == expected
    book.act(open_deal, declare(DISA), won_by(DISA))  # her own 10, Ada's 10 and Bo's stake
    assert book.balances == [-20, 0, 0, 20]


@parametrize_option(
    bet_tie={"oldest": ("Cilla 20, Disa 20", 3), "newest": ("Disa 20, Cilla 20", 4)}
)
def test_among_equal_bets_the_oldest_or_the_newest_is_played_for(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(ADA, DISA), won_by(BO))
    assert at.pot_and_bets == (0, "Disa 10, Ada 10"), "of one deal, the cutter's comes first"
    at = at.after(open_deal, declare(CILLA), won_by(BO), open_deal, declare(DISA), won_by(BO))
    order, number = expected
    assert at.pot_and_bets == (0, order)
    trick_winners = at.after(open_deal, declare(ADA)).decide(won_by(ADA))
    assert [fact.bet for fact in trick_winners if isinstance(fact, e.BetTaken)] == [number]


@parametrize_option(allow_early_end={True: "Bo", False: None})
def test_a_certain_end_may_be_thrown_in_or_is_played_out(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(BO), *[c.Trick(winner=BO)] * 3)
    assert ("finish" in at.legal_types()) == bool(expected)
    if expected:
        ended = at.after(c.Finish())
        assert ended.pot_and_bets == (0, "")
        assert ended.history[-1].tricks == (BO, BO, BO)
    else:
        at.when(c.Finish()).refused(EarlyEndNotAllowed)


@parametrize_option(failed_vola_declarer_bet={"none": "", "bet": "Bo 10"})
def test_a_declarer_who_loses_la_vola_pays_nothing_or_a_bet(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(BO))
    assert at.after(la_vola(BO, won=False)).pot_and_bets == (10, expected)
    played = at.after(*[c.Trick(winner=BO)] * 2, c.LaVola(player=BO), c.Trick(winner=ADA))
    assert played.pot_and_bets == (10, expected)
    assert at.after(la_vola(ADA, won=False)).pot_and_bets == (10, ""), "he did not announce it"


@parametrize_option(failed_vola_declarer_bet={"none": "", "bet": "Disa 20"})
def test_of_two_declarers_only_the_announcer_can_owe_for_la_vola(agreed, expected):
    at = Given().agreed(bet_multiplier=2, **agreed).after(open_deal, declare(DISA, ADA))
    assert at.after(la_vola(DISA, won=False)).pot_and_bets == (10, expected)


@parametrize_option(jack_suit={"trump": ({"JS", "AD"}, {"JS"}), "natural": ({"JS"}, {"JS", "AD"})})
def test_a_jack_follows_trumps_or_the_suit_printed_on_it(agreed, expected):
    """Cilla holds the jack of spades and the ace of diamonds; hearts are trumps."""
    at = Given().agreed(**agreed).after(open_deal, c.Declare(players=(BO,), trump="H"))
    at = at.after(*[c.Trick(winner=BO)] * 3, c.Hand(player=CILLA, cards=("JS", "AD")))
    for led, allowed in zip(("9S", "9H"), expected, strict=True):
        question = at.after(c.Play(player=BO, card=led))
        for card in ("JS", "AD"):
            play = c.Play(player=CILLA, card=card)
            if card in allowed:
                question.after(play)
            else:
                question.when(play).refused(MustFollowSuit, player=CILLA, legal=list(allowed))


LEFTOVERS = {
    "carry": ([-10, -20, 10, 0], 10, [((BO,), 10)]),
    "refund_bets": ([-8, -8, 13, 3], 0, []),
    "split_equal": ([-5, -15, 15, 5], 0, []),
}


def session_with_leftovers(**agreed):
    """10 in the pot, and a bet of 10 laid by Bo, who also dealt the last deal."""
    book = Book(**agreed)
    book.act(open_deal, declare(BO), won_by(CILLA), open_deal, all_pass)
    return book


@parametrize_option(leftover_policy=LEFTOVERS)
def test_what_is_left_over_goes_as_agreed(agreed, expected):
    book = session_with_leftovers(**agreed)
    book.close()
    assert (book.balances, book.session.pot, book.bets) == expected


@parametrize_option(leftover_policy={**dict.fromkeys(LEFTOVERS), "play_on": None})
def test_the_table_may_agree_otherwise_at_the_end(agreed, expected):
    for policy, (balances, pot, bets) in LEFTOVERS.items():
        book = session_with_leftovers(**agreed)
        book.close(policy)
        assert (book.balances, book.session.pot, book.bets) == (balances, pot, bets)


def test_a_table_that_plays_on_closes_only_when_nothing_is_left():
    book = session_with_leftovers(leftover_policy="play_on")
    with pytest.raises(LeftoversToPlayFor):
        book.close()
    book.act(open_deal, declare(BO), won_by(BO))
    book.close()
    assert book.session.status == "closed"


def test_units_left_over_go_one_each_clockwise_from_the_last_dealers_left():
    book = Book(stake=7, leftover_policy="split_equal")
    book.act(open_deal, all_pass)  # 7 in the pot: one each, and three more from Bo on
    book.close()
    assert book.balances == [-7 + 1, 2, 2, 2]


def test_who_sits_in_the_last_deal_shares_and_who_laid_a_bet_gets_it_back():
    """Bo has left, and Emil came after the last deal: neither shares the pot."""
    book = Book(stake=12)
    book.act(open_deal, declare(BO), won_by(CILLA))
    book.act(c.Reseat(players=(ADA, CILLA, DISA)), open_deal, all_pass)
    book.join()
    book.act(c.Reseat(players=(ADA, CILLA, DISA, EMIL)))
    before = book.balances
    book.close("refund_bets")
    gained = [now - afterwards for now, afterwards in zip(book.balances, before, strict=True)]
    assert gained == [4, 12, 4, 4, 0]


@parametrize_option(
    leftover_policy={"refund_bets": [-10, 0, 10, 0], "split_equal": [-8, -7, 13, 2]}
)
def test_a_claim_nobody_paid_is_waived_or_collected_at_the_end(agreed, expected):
    book = Book(bet_payment="on_collection", **agreed)
    book.act(open_deal, declare(BO), won_by(CILLA))
    assert book.balances == [-10, 0, 10, 0]
    book.close()
    assert (book.balances, book.bets) == (expected, [])


@parametrize_option(credit_limit={None: True, 25: True, 10: True, 9: False, 0: False})
def test_the_stake_may_not_take_the_dealer_below_the_credit_limit(agreed, expected):
    at = Given().agreed(**agreed)
    assert ("open_deal" in at.legal_types()) == expected
    if expected:
        at.after(open_deal)
    else:
        limit = agreed["credit_limit"]
        at.when(open_deal).refused(CreditLimitReached, player=ADA, stake=10, balance=0, limit=limit)


def test_debts_from_play_are_accepted_and_count_before_settlement():
    book = Book(credit_limit=15)
    with pytest.raises(CreditLimitReached):  # in one batch
        book.act(open_deal, declare(ADA), la_vola(CILLA, won=True), open_deal)
    book.act(open_deal, declare(ADA), la_vola(CILLA, won=True))
    with pytest.raises(CreditLimitReached):  # Bo still owes his 10
        book.act(open_deal)
    book.settle()
    with pytest.raises(CreditLimitReached):
        book.act(open_deal)
    book.transfer(BO, CILLA, 10)
    book.act(open_deal)
    assert book.balances == [-20, -10, 30 + 10 - 10, -10]


@parametrize_option(misdeal_policy={"same_dealer": ADA, "next_dealer": BO})
def test_after_a_misdeal_the_same_dealer_deals_or_the_next(agreed, expected):
    at = Given().agreed(**agreed).after(open_deal, declare(BO))
    (voided,) = at.when_misdealt(1).decide()
    after = at.given(voided)
    assert after.table_state.dealer == voided.next_dealer == expected
    assert after.pot_and_bets == (0, "")


@pytest.mark.parametrize(
    ("policy", "kinds"),
    [
        ("carry", [e.EveningClosed]),
        ("refund_bets", [e.BetWaived, e.EveningClosed]),
        ("split_equal", [e.BetCollected, e.BetShared, e.EveningClosed]),
    ],
)
def test_what_becomes_of_a_claim_is_said_before_the_evening_closes(policy, kinds):
    at = Given().agreed(bet_payment="on_collection")
    at = at.after(open_deal, declare(BO), won_by(CILLA))
    assert [type(fact) for fact in at.when_closed(policy).decide()] == kinds


# What is agreed with the seats, not with the options (A-PP-12)


@pytest.mark.parametrize("dealer", [ADA, BO, CILLA, DISA])
def test_the_first_dealer_is_agreed_at_opening(dealer):
    assert Given(dealer=dealer).after(open_deal).history[-1].dealer == dealer


def test_people_come_and_go_between_deals():
    """Without a dealer named, it is the next one clockwise who still sits."""
    at = Given(away=1).after(open_deal, all_pass)
    left = at.when(c.Reseat(players=(ADA, CILLA, DISA)))
    left.then(e.Reseated(seats=(ADA, CILLA, DISA), dealer=CILLA))
    took_over = at.when(c.Reseat(players=(ADA, EMIL, CILLA, DISA)))
    took_over.then(e.Reseated(seats=(ADA, EMIL, CILLA, DISA), dealer=CILLA))
    outcome = at.when(c.Reseat(players=(ADA, EMIL, BO, CILLA, DISA)))
    outcome.then(e.Reseated(seats=(ADA, EMIL, BO, CILLA, DISA), dealer=BO))
    named = at.when(c.Reseat(players=(EMIL, BO, DISA), dealer=DISA))
    named.then(e.Reseated(seats=(EMIL, BO, DISA), dealer=DISA))


def test_only_who_sits_pays_la_vola():
    at = Given(away=1).after(c.Reseat(players=(ADA, CILLA, EMIL)), open_deal, declare(ADA))
    (won,) = [f for f in at.decide(la_vola(EMIL, won=True)) if isinstance(f, e.LaVolaWon)]
    assert won.payers == (ADA, CILLA)
