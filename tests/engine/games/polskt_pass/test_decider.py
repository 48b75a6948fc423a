"""Every row of docs/rules.md §1.6, §1.7 and §1.8: what a deal moves, and what it leaves lying."""

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    LaVolaAlreadyAnnounced,
    LaVolaNeedsFirstTwoTricks,
    NobodyWinsNeedsFive,
    NotDeclarers,
)
from tests.support.engine.given_when_then import (
    ADA,
    BO,
    CILLA,
    DISA,
    EMIL,
    FIVE_PLAYERS,
    NAMES,
    Given,
)

open_deal, all_pass = c.OpenDeal(), c.AllPass()


def declare(*players):
    return c.Declare(players=players)


def tricks(*winners):
    return tuple(c.Trick(winner=winner) for winner in winners)


def third_deal(players, **options):
    """Cilla deals the third deal: 20 in the pot and a bet of 10, laid by Bo, make 30."""
    bo_fails, nobody_plays = (declare(BO), c.Result(winner=CILLA)), (all_pass,)
    return (
        Given(players=players)
        .agreed(**options)
        .after(open_deal, *bo_fails, open_deal, *nobody_plays, open_deal)
    )


four, five = third_deal(4), third_deal(5)
pot_to, bet_to = {}, {}
for player in FIVE_PLAYERS:
    pot_to[player] = e.PotTaken(deal=3, player=player, amount=20)
    bet_to[player] = e.BetTaken(deal=3, player=player, bet=1, by=(BO,), each=10, laid_in=1)


def bet_laid(number, *by, each=30, multiplier=1):
    return e.BetLaid(
        deal=3, bet=number, by=by, each=each, played_for=30, multiplier=multiplier, paid=True
    )


def deal_closed(outcome, **extra):
    return e.DealClosed(deal=3, outcome=outcome, next_dealer=DISA, **extra)


def test_the_dealer_alone_pays_the_stake_on_top_of_what_is_there():
    four_waiting = Given().after(open_deal, all_pass)
    after = four_waiting.when(open_deal).then(
        e.DealOpened(number=2, dealer=BO, seats=FIVE_PLAYERS[:4], stake=10, played_for=20)
    )
    assert after.pot_and_bets == (20, "")


def test_the_amount_played_for_is_the_pot_and_the_smallest_bet():
    assert four.table_state.game_state.phase.deal.played_for == 30
    assert four.pot_and_bets == (20, "Bo 10")


@pytest.mark.parametrize("players", [3, 4, 5])
def test_all_pass_moves_nothing(players):
    at = third_deal(players)
    left = FIVE_PLAYERS[:players][3 % players]
    ended = e.DealClosed(deal=3, outcome="all_pass", next_dealer=left)
    assert at.when(all_pass).then(e.AllPassed(), ended).pot_and_bets == (20, "Bo 10")


def test_the_declarer_who_wins_takes_the_pot_and_the_smallest_bet():
    trick_winners = (DISA, ADA, DISA, BO, DISA)
    after = four.after(declare(DISA), *tricks(*trick_winners[:4])).when(c.Trick(winner=DISA))
    ended = deal_closed("won", declarers=(DISA,), winner=DISA, tricks=trick_winners)
    assert after.then(
        e.TrickRecorded(winner=DISA), pot_to[DISA], bet_to[DISA], ended
    ).pot_and_bets == (
        0,
        "",
    )


def test_another_winner_takes_it_and_the_declarer_lays_a_bet_as_big():
    trick_winners = (ADA, ADA, DISA, DISA, BO)
    after = four.after(declare(DISA), *tricks(*trick_winners[:4])).when(c.Trick(winner=BO))
    ended = deal_closed("won", declarers=(DISA,), winner=ADA, tricks=trick_winners)
    assert after.then(
        e.TrickRecorded(winner=BO), pot_to[ADA], bet_to[ADA], bet_laid(2, DISA), ended
    ).pot_and_bets == (0, "Disa 30")


def test_the_penalty_can_be_agreed_to_be_double():
    at = third_deal(4, bet_multiplier=2).after(declare(DISA))
    # the deal before was played for double, too: Bo's bet is 20, so Disa fails at 20 + 20
    trick_winners = e.BetTaken(deal=3, player=ADA, bet=1, by=(BO,), each=20, laid_in=1)
    double = e.BetLaid(deal=3, bet=2, by=(DISA,), each=80, played_for=40, multiplier=2)
    ended = deal_closed("won", declarers=(DISA,), winner=ADA)
    after = at.when(c.Result(winner=ADA))
    assert after.then(
        e.ResultRecorded(winner=ADA), pot_to[ADA], trick_winners, double, ended
    ).pot_and_bets == (
        0,
        "Disa 80",
    )


@pytest.mark.parametrize(("winner", "loser"), [(CILLA, BO), (BO, CILLA)])
def test_one_of_two_declarers_wins_and_the_other_lays_a_bet(winner, loser):
    """The cutter Bo took a jack, so the dealer Cilla declares, too."""
    ended = deal_closed("won", declarers=(BO, CILLA), winner=winner)
    after = four.after(declare(CILLA, BO)).when(c.Result(winner=winner))
    assert after.then(
        e.ResultRecorded(winner=winner), pot_to[winner], bet_to[winner], bet_laid(2, loser), ended
    ).pot_and_bets == (0, f"{NAMES[loser]} 30")


def test_two_declarers_who_both_fail_lay_a_bet_each_the_cutter_first():
    ended = deal_closed("won", declarers=(BO, CILLA), winner=ADA)
    after = four.after(declare(CILLA, BO)).when(c.Result(winner=ADA))
    assert after.then(
        e.ResultRecorded(winner=ADA),
        pot_to[ADA],
        bet_to[ADA],
        bet_laid(2, BO),
        bet_laid(3, CILLA),
        ended,
    ).pot_and_bets == (0, "Bo 30, Cilla 30")


def test_two_failed_declarers_may_have_agreed_to_lay_one_bet_together():
    at = third_deal(4, merge_double_bets=True).after(declare(BO, CILLA))
    ended = deal_closed("won", declarers=(BO, CILLA), winner=ADA)
    assert at.when(c.Result(winner=ADA)).then(
        e.ResultRecorded(winner=ADA), pot_to[ADA], bet_to[ADA], bet_laid(2, BO, CILLA), ended
    ).pot_and_bets == (0, "Bo+Cilla 60")


def test_two_bets_just_laid_can_be_put_together():
    lost = four.after(declare(BO, CILLA), c.Result(winner=ADA))
    merged = e.BetsMerged(deal=3, bet=2, added=3, by=(CILLA,), each=30)
    assert lost.when(c.Merge()).then(merged).pot_and_bets == (0, "Bo+Cilla 60")


def test_a_bet_laid_together_can_be_taken_apart():
    at = third_deal(4, merge_double_bets=True).after(declare(BO, CILLA), c.Result(winner=ADA))
    parted = e.BetsParted(deal=3, bet=2, parted=3, by=(CILLA,), each=30)
    after = at.when(c.Merge(together=False)).then(parted)
    assert after.pot_and_bets == (0, "Bo 30, Cilla 30")
    assert after.after(c.Merge()).pot_and_bets == (0, "Bo+Cilla 60")


def test_a_merged_bet_is_taken_as_one():
    at = four.after(declare(BO, CILLA), c.Result(winner=ADA), c.Merge(), open_deal, declare(ADA))
    assert at.table_state.game_state.phase.deal.played_for == 10 + 60
    trick_winners = e.BetTaken(deal=4, player=ADA, bet=2, by=(BO, CILLA), each=30, laid_in=3)
    assert trick_winners in at.decide(c.Result(winner=ADA))
    assert at.after(c.Result(winner=ADA)).pot_and_bets == (0, "")


def test_one_trick_each_among_five_lays_a_bet_and_takes_nothing():
    trick_winners = (ADA, BO, CILLA, DISA, EMIL)
    after = five.after(declare(EMIL), *tricks(*trick_winners[:4])).when(c.Trick(winner=EMIL))
    ended = deal_closed("nobody", declarers=(EMIL,), tricks=trick_winners)
    assert after.then(e.TrickRecorded(winner=EMIL), bet_laid(2, EMIL), ended).pot_and_bets == (
        20,
        "Bo 10, Emil 30",
    )


def test_one_trick_each_among_five_two_declarers_lay_a_bet_each():
    ended = deal_closed("nobody", declarers=(BO, CILLA))
    after = five.after(declare(BO, CILLA)).when(c.Result(winner=None))
    assert after.then(
        e.ResultRecorded(winner=None), bet_laid(2, BO), bet_laid(3, CILLA), ended
    ).pot_and_bets == (
        20,
        "Bo 10, Bo 30, Cilla 30",
    )


def test_one_trick_each_among_five_two_declarers_may_lay_one_bet_together():
    at = third_deal(5, merge_double_bets=True).after(declare(BO, CILLA))
    ended = deal_closed("nobody", declarers=(BO, CILLA))
    after = at.when(c.Result(winner=None))
    assert after.then(
        e.ResultRecorded(winner=None), bet_laid(2, BO, CILLA), ended
    ).pot_and_bets == (
        20,
        "Bo 10, Bo+Cilla 60",
    )
    separate_bets = five.after(declare(BO, CILLA), c.Result(winner=None), c.Merge())
    assert separate_bets.pot_and_bets == (20, "Bo 10, Bo+Cilla 60")


@pytest.mark.parametrize("players", [3, 4])
def test_with_fewer_than_five_somebody_always_wins(players):
    third_deal(players).after(declare(BO)).when(c.Result(winner=None)).refused(NobodyWinsNeedsFive)


# La vola (§1.7)

to_cilla = {3: (ADA, BO), 4: (DISA, ADA, BO), 5: (DISA, EMIL, ADA, BO)}


def vola(player, payers):
    return e.LaVolaWon(deal=3, player=player, amount=30, payers=payers)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize(
    "declarers",
    [(CILLA,), (ADA,), (BO, CILLA)],
    ids=["by the declarer", "by another", "by one of two"],
)
def test_la_vola_won_takes_the_table_and_as_much_from_everybody(players, declarers):
    """Whoever declared, nobody lays a bet."""
    at = third_deal(players).after(
        declare(*declarers), *tricks(CILLA, CILLA), c.LaVola(player=CILLA)
    )
    ended = e.DealClosed(
        deal=3,
        outcome="la_vola_won",
        next_dealer=FIVE_PLAYERS[3 % players],
        declarers=declarers,
        winner=CILLA,
        la_vola=CILLA,
        tricks=(CILLA,) * 5,
    )
    after = at.after(*tricks(CILLA, CILLA)).when(c.Trick(winner=CILLA))
    assert after.then(
        e.TrickRecorded(winner=CILLA),
        pot_to[CILLA],
        bet_to[CILLA],
        vola(CILLA, to_cilla[players]),
        ended,
    ).pot_and_bets == (0, "")


def test_only_the_smallest_bet_is_part_of_la_vola():
    at = four.after(declare(BO, CILLA), c.Result(winner=ADA), open_deal, declare(BO))
    facts = at.decide(c.Result(la_vola=c.Vola(player=DISA, won=True)))
    (won,) = [fact for fact in facts if isinstance(fact, e.LaVolaWon)]
    assert (won.amount, won.payers) == (10 + 30, (ADA, BO, CILLA))
    assert at.given(*facts).pot_and_bets == (0, "Cilla 30")


@pytest.mark.parametrize("lost_at", [3, 4, 5])
@pytest.mark.parametrize("declarers", [(ADA,), (BO,), (BO, CILLA), (CILLA,)])
def test_la_vola_lost_stops_the_play_and_moves_nothing(declarers, lost_at):
    """Whoever announced, a declarer or another, and whichever trick was lost."""
    trick_winners = (ADA,) * (lost_at - 1)
    at = four.after(declare(*declarers), *tricks(ADA, ADA), c.LaVola(player=ADA))
    ended = deal_closed(
        "la_vola_lost", declarers=declarers, la_vola=ADA, tricks=(*trick_winners, BO)
    )
    after = at.after(*tricks(*trick_winners[2:])).when(c.Trick(winner=BO))
    assert after.then(e.TrickRecorded(winner=BO), ended).pot_and_bets == (20, "Bo 10")


@pytest.mark.parametrize("declarers", [(ADA,), (BO,), (BO, CILLA)])
@pytest.mark.parametrize("won", [True, False])
def test_la_vola_known_by_its_result_moves_the_same(declarers, won):
    recorded = four.after(declare(*declarers), c.Result(la_vola=c.Vola(player=ADA, won=won)))
    last = c.Trick(winner=ADA if won else DISA)
    played = four.after(declare(*declarers), *tricks(ADA, ADA), c.LaVola(player=ADA))
    played = played.after(*tricks(ADA, ADA), last)
    assert recorded.pot_and_bets == played.pot_and_bets == ((0, "") if won else (20, "Bo 10"))
    assert recorded.table_state.dealer == played.table_state.dealer == DISA


def test_five_tricks_without_a_word_are_an_ordinary_win():
    after = four.after(declare(DISA), *tricks(*(ADA,) * 4)).when(c.Trick(winner=ADA))
    ended = deal_closed("won", declarers=(DISA,), winner=ADA, tricks=(ADA,) * 5)
    assert after.then(
        e.TrickRecorded(winner=ADA), pot_to[ADA], bet_to[ADA], bet_laid(2, DISA), ended
    ).pot_and_bets == (0, "Disa 30")


def test_la_vola_is_announced_when_leading_to_the_third_trick():
    at = four.after(declare(DISA))
    at.when(c.LaVola(player=ADA)).refused(LaVolaNeedsFirstTwoTricks)
    at = at.after(c.Trick(winner=ADA))
    at.when(c.LaVola(player=ADA)).refused(LaVolaNeedsFirstTwoTricks)
    at = at.after(c.Trick(winner=ADA))
    at.when(c.LaVola(player=DISA)).refused(LaVolaNeedsFirstTwoTricks)
    announced = at.when(c.LaVola(player=ADA)).then(e.LaVolaAnnounced(player=ADA))
    announced.when(c.LaVola(player=ADA)).refused(LaVolaAlreadyAnnounced, player=ADA)
    at.after(c.Trick(winner=ADA)).when(c.LaVola(player=ADA)).refused(LaVolaNeedsFirstTwoTricks)


def test_who_lost_one_of_the_first_two_tricks_cannot_announce():
    for trick_winners in ((BO, ADA), (ADA, BO)):
        at = four.after(declare(DISA), *tricks(*trick_winners))
        at.when(c.LaVola(player=ADA)).refused(LaVolaNeedsFirstTwoTricks)
        assert "la_vola" not in at.legal_types()


# The stack of bets (§1.8)


def test_the_smallest_bet_is_played_for_and_the_others_lie():
    at = four.after(declare(DISA), c.Result(winner=ADA))  # Disa 30
    at = at.after(open_deal, declare(BO), c.Result(winner=DISA))  # 10 + 30, taken; Bo 40
    at = at.after(open_deal, declare(ADA, DISA), c.Result(winner=BO))  # 10 + 40: Disa 50, Ada 50
    assert at.pot_and_bets == (0, "Disa 50, Ada 50")
    at = at.after(open_deal, all_pass, open_deal)
    assert at.table_state.game_state.phase.deal.played_for == 20 + 50
    assert at.after(declare(CILLA), c.Result(winner=CILLA)).pot_and_bets == (0, "Ada 50")


def test_a_smaller_bet_is_played_for_before_an_older_one():
    at = Given().after(open_deal, declare(ADA, DISA), c.Result(winner=BO))
    assert at.pot_and_bets == (0, "Disa 10, Ada 10")
    at = at.after(*[open_deal, all_pass] * 3, open_deal)
    at = at.after(declare(CILLA), c.Result(winner=BO))  # 40 + 10
    assert at.pot_and_bets == (0, "Ada 10, Cilla 50")
    at = at.after(open_deal, declare(BO), c.Result(winner=DISA))  # 10 + 10
    assert at.pot_and_bets == (0, "Bo 20, Cilla 50")
    assert at.after(open_deal).table_state.game_state.phase.deal.played_for == 10 + 20


def test_among_equal_bets_the_oldest_is_played_for():
    at = five.after(declare(EMIL), c.Result(winner=None))  # Emil 30, the pot of 20 stays
    assert at.pot_and_bets == (20, "Bo 10, Emil 30")
    at = at.after(open_deal, declare(ADA), c.Result(winner=BO))  # 30 + 10
    assert at.pot_and_bets == (0, "Emil 30, Ada 40")
    at = at.after(open_deal, declare(DISA, EMIL), c.Result(winner=ADA))  # 10 + 30
    assert at.pot_and_bets == (0, "Ada 40, Disa 40, Emil 40")


def test_a_bet_can_be_played_for_from_the_next_deal_on():
    at = Given().after(open_deal, declare(BO))
    facts = at.decide(c.Result(winner=ADA))
    assert not [fact for fact in facts if isinstance(fact, e.BetTaken)]
    assert at.given(*facts).after(open_deal).table_state.game_state.phase.deal.played_for == 10 + 10


def test_who_laid_a_bet_may_win_it_back():
    after = four.after(declare(BO), c.Result(winner=BO))
    assert bet_to[BO] in after.history
    assert after.pot_and_bets == (0, "")


# Who declares (§1.4)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_two_declare_only_as_cutter_and_dealer(players):
    at = third_deal(players)
    both_players = e.Declared(players=(BO, CILLA))
    at.when(declare(BO, CILLA)).then(both_players)
    at.when(declare(CILLA, BO)).then(both_players)
    seated_player = {"dealer": CILLA, "cutter": BO}
    at.when(declare(ADA, BO)).refused(NotDeclarers, **seated_player)
    at.when(declare(ADA, CILLA)).refused(NotDeclarers, **seated_player)
    at.when(declare(ADA, BO, CILLA)).refused(NotDeclarers, **seated_player)
    at.when(declare()).refused(NotDeclarers, **seated_player)
    at.when(declare(CILLA, CILLA)).refused(NotDeclarers, **seated_player)


@pytest.mark.parametrize("ends", ["all_pass", "won", "nobody", "la_vola_won", "la_vola_lost"])
def test_the_deal_passes_clockwise_in_every_case(ends):
    result = {
        "won": c.Result(winner=ADA),
        "nobody": c.Result(winner=None),
        "la_vola_won": c.Result(la_vola=c.Vola(player=ADA, won=True)),
        "la_vola_lost": c.Result(la_vola=c.Vola(player=ADA, won=False)),
    }
    command = (all_pass,) if ends == "all_pass" else (declare(ADA), result[ends])
    after = five.after(*command)
    assert after.history[-1].outcome == ends
    assert after.table_state.dealer == DISA


def test_the_last_dealer_is_followed_by_the_first():
    at = Given(dealer=DISA).after(open_deal, all_pass)
    assert at.table_state.dealer == ADA
