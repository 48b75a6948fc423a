"""Spader (docs/rules.md §3): two sides bid, take thirteen tricks, and are held to what they bid.

Ada and Cilla (N) play against Bo and Disa (E).
"""

from functools import reduce

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import (
    DealIsOpen,
    GameIsWon,
    NoOpenDeal,
    NotInThisDeal,
    NotNow,
    NotSeated,
    RosterIsFixed,
    TricksAlreadyRecorded,
    TricksDoNotAddUp,
    WrongNumberOfPlayers,
)
from engine.games.spader import decider as spader
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given
from tests.support.engine.spader_deals import (
    N_BIDS_FIRST,
    OPEN_DEAL,
    SEATS,
    E,
    N,
    bid,
    both_bids,
    count_command,
    last_scores,
    overtricks,
    parse_e7,
    record_deal,
    scores,
    second_deal_with_scores,
    sheet,
    spader_with,
    trick_commands,
)


@pytest.mark.parametrize("depth", [lambda tricks: [count_command(tricks)], trick_commands])
def test_e7_deal_by_deal(depth):
    at = spader_with()
    for n, e_, tricks, points, finished in parse_e7():
        at = at.after(OPEN_DEAL, *both_bids(at, n, e_), *depth(tricks))
        assert (scores(at), overtricks(at)) == (points, finished)
    assert not sheet(at).winners


def test_every_line_of_a_deal_says_its_numbers():
    at = reduce(lambda at, line: record_deal(at, *line[:3]), list(parse_e7())[:6], spader_with())
    at = at.after(OPEN_DEAL, *both_bids(at, "blind A 3", "nil D 5"))
    n, e_ = {"deal": 7, "to": N}, {"deal": 7, "to": E}
    trick_winners = {ADA: 2, BO: 8, CILLA: 2, DISA: 1}
    ended = e.DealClosed(deal=7, outcome="scored", next_dealer=DISA, taken=trick_winners)
    at.when(c.Tricks(taken=trick_winners)).then(
        e.TricksCounted(taken=trick_winners),
        e.Scored(**n, rule="bid_made", points=31, bid=3, taken=4, each=10, overtricks=1),
        e.Scored(**n, rule="blind_nil_failed", points=-100, player=ADA, taken=2),
        e.Scored(**e_, rule="bid_made", points=54, bid=5, taken=9, each=10, overtricks=4),
        e.Scored(**e_, rule="nil_failed", points=-50, player=DISA, taken=1),
        e.Scored(**e_, rule="bags", points=-100, taken=12, each=100),
        ended,
    )


# What a side scores (§3.3)


@pytest.mark.parametrize(
    ("command", "tricks", "reasons"),
    [
        ("5", "AAACCCC", [("bid_made", 52)]),
        ("7", "AAACC", [("bid_failed", -20)]),
        ("nil A 4", "CCCCC", [("bid_made", 41), ("nil_made", 50)]),
        ("7", "AAAACCC", [("bid_made", 70)]),
        ("13", "", [("bid_failed", -130)]),
        ("1", "AAAAAACCCCCCC", [("bid_made", 22), ("bags", -100)]),
        ("nil A 4", "ACCC", [("bid_made", 40), ("nil_failed", -50)]),
        ("nil C 4", "AAAC", [("bid_made", 40), ("nil_failed", -50)]),
        ("nil A 4", "CCC", [("bid_failed", -10), ("nil_made", 50)]),
        ("nil A 4", "AC", [("bid_failed", -20), ("nil_failed", -50)]),
        ("nil A 4", "AAAAA", [("bid_made", 41), ("nil_failed", -50)]),
        ("blind A 4", "CCCCC", [("bid_made", 41), ("blind_nil_made", 100)]),
        ("blind A 4", "AC", [("bid_failed", -20), ("blind_nil_failed", -100)]),
        ("nil", "", [("joint_nil_made", 50)]),
        ("nil", "C", [("joint_nil_failed", -50)]),
        ("nil", "AAAAAAAAAAACC", [("joint_nil_failed", -50)]),
    ],
)
def test_what_a_side_scores(command, tricks, reasons):
    at = second_deal_with_scores(0, 100)
    at = record_deal(at, command, "1", tricks + "B" * (13 - len(tricks)))
    assert [(rule, points) for side, rule, points in last_scores(at) if side == "N"] == reasons


@pytest.mark.parametrize(
    ("before", "extra", "lost"),
    [(0, 9, 0), (0, 10, 100), (9, 1, 100), (9, 12, 200), (10, 9, 0), (10, 10, 100), (19, 0, 0)],
)
def test_every_tenth_overtrick_of_the_game_costs_a_hundred(before, extra, lost):
    at = record_deal(
        second_deal_with_scores(0, 0, over_n=before),
        "1",
        "nil",
        "A" * (1 + extra) + "B" * (12 - extra),
    )
    assert scores(at)[0] == 10 + extra - lost
    assert overtricks(at)[0] == before + extra


def test_missing_tricks_take_no_overtricks_away():
    at = record_deal(second_deal_with_scores(0, 0, over_n=9), "13", "nil", "A" * 12 + "B")
    assert (scores(at)[0], overtricks(at)[0]) == (-10, 9)


# Tricks counted or told one by one


both_bid = N_BIDS_FIRST.after(bid(N, "5"), bid(E, "5"))


@pytest.mark.parametrize(("tricks", "count"), [("A" * 12, 12), ("A" * 13 + "B", 14), ("", 0)])
def test_thirteen_tricks_are_played(tricks, count):
    both_bid.when(count_command(tricks)).refused(TricksDoNotAddUp, counted=count, played=13)


def test_tricks_are_counted_for_those_who_sit():
    command = c.Tricks(taken={ADA: 12, EMIL: 1})
    both_bid.when(command).refused(NotInThisDeal, player=EMIL)
    both_bid.when(c.Trick(winner=EMIL)).refused(NotSeated, player=EMIL)


def test_who_is_left_out_took_no_trick():
    at = both_bid.after(c.Tricks(taken={CILLA: 13}))
    no_bids = {ADA: 0, BO: 0, CILLA: 13, DISA: 0}
    assert at.history[-1].taken == no_bids
    assert e.TricksCounted(taken=no_bids) in at.history


def test_tricks_begun_one_by_one_are_not_counted():
    at = both_bid.after(c.Trick(winner=ADA))
    at.when(count_command("A" * 13)).refused(TricksAlreadyRecorded)
    at = both_bid.after(c.Play(player=DISA, card="2C"))
    at.when(count_command("A" * 13)).refused(TricksAlreadyRecorded)
    assert "tricks" not in at.legal_types()


def test_who_took_the_tricks_in_which_order_is_kept_when_it_is_known():
    recorded = both_bid.after(*trick_commands("ABCDABCDABCDA")).history[-1]
    assert recorded.tricks == (ADA, BO, CILLA, DISA) * 3 + (ADA,)
    assert recorded.taken == {ADA: 4, BO: 3, CILLA: 3, DISA: 3}
    assert both_bid.after(count_command("ABCDABCDABCDA")).history[-1].tricks == ()


@pytest.mark.parametrize("dealer", SEATS)
def test_the_deal_passes_clockwise(dealer):
    at = record_deal(spader_with(dealer=dealer), "5", "5", "A" * 13)
    assert at.table_state.dealer == {ADA: BO, BO: CILLA, CILLA: DISA, DISA: ADA}[dealer]


# The end of the game (§3.4)


@pytest.mark.parametrize(
    ("before", "tricks", "winners"),
    [
        ((439, 0), "A" * 6 + "B" * 7, ()),  # 499
        ((440, 0), "A" * 6 + "B" * 7, (N,)),
        ((0, 440), "A" * 7 + "B" * 6, (E,)),
        ((450, 440), "A" * 7 + "B" * 6, (N,)),
        ((450, 460), "A" * 7 + "B" * 6, (E,)),
        ((450, 451), "A" * 7 + "B" * 6, ()),  # 511 each: they play on
    ],
)
def test_who_first_has_five_hundred_has_won(before, tricks, winners):
    after = record_deal(second_deal_with_scores(*before), "6", "6", tricks)
    assert sheet(after).winners == winners
    won = [fact.winners for fact in after.history if isinstance(fact, e.GameWon)]
    assert won == ([winners] if winners else [])


def test_equal_sides_over_the_target_play_until_they_differ():
    at = record_deal(second_deal_with_scores(500, 500), "6", "6", "A" * 6 + "B" * 7)
    assert (scores(at), sheet(at).winners) == ([560, 561], (E,))


def test_bags_are_deducted_before_anybody_has_won():
    at = record_deal(second_deal_with_scores(440, 0, over_n=9), "6", "6", "A" * 7 + "B" * 6)
    assert (scores(at), sheet(at).winners) == ([440 + 61 - 100, 60], ())


def test_both_sides_are_scored_before_anybody_has_won():
    facts = record_deal(second_deal_with_scores(440, 450), "6", "6", "A" * 6 + "B" * 7).history
    assert [type(fact) for fact in facts[-4:]] == [e.Scored, e.Scored, e.GameWon, e.DealClosed]
    assert facts[-2] == e.GameWon(deal=2, winners=(E,))


def test_a_won_game_is_over():
    at = record_deal(second_deal_with_scores(440, 0), "6", "6", "A" * 6 + "B" * 7)
    at.when(OPEN_DEAL).refused(GameIsWon, winners=[N])
    assert at.legal_types() == {"undo"}
    undone = at.after(c.Undo())
    assert not sheet(undone).winners
    assert (scores(undone), overtricks(undone)) == ([440, 0], [0, 0])
    assert sheet(undone.after(count_command("A" * 13))).winners == (N,)


def test_far_below_nought_one_plays_on():
    at = record_deal(second_deal_with_scores(-5000, 0), "13", "1", "B" * 13)
    assert (scores(at)[0], sheet(at).winners) == (-5130, ())


# KnektpassGiven the table


@pytest.mark.parametrize("players", [3, 5])
def test_four_play_spader(players):
    setup = Given(game=spader.GAME, options=spader.Options(), players=players)
    setup.when(OPEN_DEAL).refused(WrongNumberOfPlayers, count=players, least=4, most=4)


def test_the_same_four_play_to_the_end():
    second_deal_with_scores(0, 0).when(c.Reseat(players=(BO, CILLA, DISA, ADA))).refused(
        RosterIsFixed
    )


def test_between_deals_every_action_of_a_deal_is_refused():
    hand = c.Hand(player=ADA, cards=())
    for command in (bid(N, "5"), c.Swap(), count_command("A" * 13), hand):
        second_deal_with_scores(0, 0).when(command).refused(NoOpenDeal)


def test_actions_of_other_games_are_refused():
    for command in (c.AllPass(), c.Take(), c.Result(winner=ADA), c.Stay(player=ADA)):
        action = command.__struct_config__.tag
        both_bid.when(command).refused(NotNow, action=action, phase="playing")


def test_no_stake_is_paid():
    opened = e.DealOpened(number=1, dealer=ADA, seats=SEATS)
    assert (opened.stake, opened.played_for) == (0, 0)
    at = spader_with().when(OPEN_DEAL).then(opened)
    assert spader.GAME.bets(at.table_state.game_state) == ()


def test_an_evening_for_points_closes_without_money():
    at = second_deal_with_scores(53, -20)
    at.when_closed().then(e.EveningClosed(policy="carry"))
    both_bid.when_closed().refused(DealIsOpen, deal=2)
