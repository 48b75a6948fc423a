"""Every option of Spader in each of its positions (docs/rules.md §7, A-SP)."""

import msgspec
import pytest

from engine import events as e
from engine.games.spader.decider import Options
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.option_cases import parametrize_option
from tests.support.engine.spader_deals import (
    OPEN_DEAL,
    E,
    N,
    bid,
    last_scores_of_n,
    overtricks,
    record_deal,
    scores,
    second_deal_with_scores,
    sheet,
)

DEFAULTS = {
    "target": 500,
    "nil": 50,
    "blind_nil": 100,
    "joint_nil": 50,
    "joint_nil_fail": -50,
    "joint_nil_fail_bags": False,
    "bag_limit": 10,
    "bag_penalty": 100,
    "bag_points_removed": False,
    "blind_nil_deficit": 100,
    "blind_nil_deficit_mode": "relative",
    "blind_nil_partner_zero": False,
    "double_blind_nil": False,
    "tie_at_target": "play_on",
    "court_cards": "JQK",
    "redeal_dealer": "same",
    "loss_floor": None,
    "undertricks": "per_trick",
    "failed_nil_tricks_count": True,
    "misdeal_policy": "same_dealer",
    "point_value": None,
}


def test_what_is_agreed_when_nothing_is_said():
    assert msgspec.to_builtins(Options()) == DEFAULTS


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": 0},
        {"target": 10_001},
        {"nil": -1},
        {"blind_nil": 1001},
        {"joint_nil": 50.5},
        {"joint_nil_fail": 50},
        {"bag_limit": 0},
        {"bag_penalty": -100},
        {"blind_nil_deficit": "100"},
        {"loss_floor": 0},
        {"court_cards": "QK"},
        {"point_value": 0},
        {"stake": 10},
    ],
)
def test_what_cannot_be_agreed(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Options)


@pytest.mark.parametrize(
    "right",
    [
        *({"joint_nil_fail": points} for points in (-50, -100, -200)),
        *({"loss_floor": points} for points in (None, -200, -500)),
        {"nil": 0, "blind_nil": 0, "joint_nil": 0, "bag_penalty": 0, "blind_nil_deficit": 0},
        {"target": 1, "bag_limit": 1},
    ],
)
def test_what_can_be_agreed(right):
    agreed = msgspec.convert(right, Options)
    assert msgspec.to_builtins(agreed) == DEFAULTS | right


@parametrize_option(target={300: True, 500: False})
def test_the_points_that_win_are_agreed(agreed, expected):
    at = record_deal(second_deal_with_scores(250, 0, **agreed), "5", "8", "A" * 5 + "B" * 8)
    assert bool(sheet(at).winners) == expected
    (goal,) = {Options(**agreed).target}
    assert at.game.scoring.goal(at.options) == goal


@parametrize_option(nil={50: (50, -50), 100: (100, -100), 0: (0, 0)})
@pytest.mark.parametrize("tricks", ["CCCC", "ACCC"])
def test_what_a_nil_is_worth_is_agreed(agreed, expected, tricks):
    at = record_deal(second_deal_with_scores(0, 0, **agreed), "nil A 4", "9", tricks + "B" * 9)
    took = "A" in tricks
    assert last_scores_of_n(at) == [
        ("bid_made", 40),
        (f"nil_{'failed' if took else 'made'}", expected[took]),
    ]


@parametrize_option(blind_nil={100: (100, -100), 200: (200, -200)})
@pytest.mark.parametrize("tricks", ["CCCC", "ACCC"])
def test_what_a_blind_nil_is_worth_is_agreed(agreed, expected, tricks):
    at = record_deal(second_deal_with_scores(0, 100, **agreed), "blind A 4", "9", tricks + "B" * 9)
    took = "A" in tricks
    form = f"blind_nil_{'failed' if took else 'made'}"
    assert last_scores_of_n(at) == [("bid_made", 40), (form, expected[took])]


@parametrize_option(joint_nil={50: 50, 200: 200})
def test_what_a_joint_nil_is_worth_is_agreed(agreed, expected):
    at = record_deal(second_deal_with_scores(0, 0, **agreed), "nil", "13", "B" * 13)
    assert last_scores_of_n(at) == [("joint_nil_made", expected)]


@parametrize_option(joint_nil_fail={-50: -50, -100: -100, -200: -200})
def test_what_a_failed_joint_nil_costs_is_agreed(agreed, expected):
    at = record_deal(second_deal_with_scores(0, 0, **agreed), "nil", "11", "AC" + "B" * 11)
    assert last_scores_of_n(at) == [("joint_nil_failed", expected)]


@parametrize_option(
    joint_nil_fail_bags={
        False: ([("joint_nil_failed", -50)], 9),
        True: ([("joint_nil_failed", -50), ("joint_nil_bags", 2), ("bags", -100)], 11),
    }
)
def test_the_tricks_of_a_failed_joint_nil_are_bags_or_nothing(agreed, expected):
    at = record_deal(
        second_deal_with_scores(0, 0, over_n=9, **agreed), "nil", "11", "AC" + "B" * 11
    )
    assert (last_scores_of_n(at), overtricks(at)[0]) == expected
    result = record_deal(second_deal_with_scores(0, 0, **agreed), "nil", "13", "B" * 13)
    assert last_scores_of_n(result) == [("joint_nil_made", 50)]


@parametrize_option(bag_limit={10: 0, 5: -100, 3: -200})
def test_how_many_overtricks_make_a_penalty_is_agreed(agreed, expected):
    at = record_deal(second_deal_with_scores(0, 0, over_n=2, **agreed), "1", "7", "A" * 6 + "B" * 7)
    assert scores(at)[0] == 15 + expected


@parametrize_option(bag_penalty={100: [("bags", -100)], 60: [("bags", -60)], 0: []})
def test_what_ten_overtricks_cost_is_agreed(agreed, expected):
    at = record_deal(
        second_deal_with_scores(0, 0, over_n=9, **agreed), "1", "11", "A" * 2 + "B" * 11
    )
    assert last_scores_of_n(at) == [("bid_made", 11), *expected]
    amount = [
        fact.each for fact in at.history if isinstance(fact, e.Scored) and fact.rule == "bags"
    ]
    assert amount == [-points for _, points in expected]


@parametrize_option(
    bag_points_removed={
        False: [("bags", -200)],
        True: [("bags", -200), ("bag_points", -20)],
    }
)
def test_the_points_of_ten_overtricks_stay_or_go_with_the_penalty(agreed, expected):
    """Their count goes on from where it was."""
    at = record_deal(second_deal_with_scores(0, 0, over_n=9, **agreed), "1", "nil", "A" * 13)
    assert last_scores_of_n(at) == [("bid_made", 22), *expected]
    assert overtricks(at)[0] == 21


def test_the_points_of_overtricks_can_go_without_any_other_penalty():
    at = second_deal_with_scores(
        0, 0, over_n=9, bag_penalty=0, bag_points_removed=True, bag_limit=5
    )
    at = record_deal(at, "1", "11", "A" * 2 + "B" * 11)
    assert last_scores_of_n(at) == [("bid_made", 11), ("bag_points", -5)]


@parametrize_option(tie_at_target={"play_on": (), "shared": (N, E)})
def test_equal_sides_over_the_target_play_on_or_share(agreed, expected):
    at = record_deal(second_deal_with_scores(441, 440, **agreed), "6", "6", "A" * 6 + "B" * 7)
    assert (scores(at), sheet(at).winners) == ([501, 501], expected)
    below = record_deal(second_deal_with_scores(401, 400, **agreed), "6", "6", "A" * 6 + "B" * 7)
    assert (scores(below), sheet(below).winners) == ([461, 461], ())


@parametrize_option(loss_floor={None: (), -200: (E,), -500: ()})
def test_falling_to_the_floor_loses(agreed, expected):
    at = record_deal(second_deal_with_scores(-70, 0, **agreed), "13", "10", "B" * 13)
    assert (scores(at), sheet(at).winners) == ([-200, 103], expected)


@parametrize_option(loss_floor={None: (), -200: (E,), -500: (E,)})
def test_falling_to_the_lower_floor_loses(agreed, expected):
    at = record_deal(second_deal_with_scores(-370, 0, **agreed), "13", "10", "B" * 13)
    assert (scores(at), sheet(at).winners) == ([-500, 103], expected)


def test_just_above_the_floor_one_plays_on():
    at = record_deal(second_deal_with_scores(-69, 0, loss_floor=-200), "13", "10", "B" * 13)
    assert (scores(at), sheet(at).winners) == ([-199, 103], ())


@parametrize_option(tie_at_target={"play_on": (), "shared": (N, E)})
def test_when_both_fall_to_the_floor_the_higher_wins(agreed, expected):
    for before, after, winners in (
        ((-140, -130), [-210, -190], (E,)),
        ((-200, -180), [-270, -240], (E,)),
        ((-170, -180), [-240, -240], expected),
    ):
        given = second_deal_with_scores(*before, loss_floor=-200, **agreed)
        at = record_deal(given, "13", "13", "A" * 6 + "B" * 7)
        assert (scores(at), sheet(at).winners) == (after, winners)


@parametrize_option(undertricks={"per_trick": -20, "per_bid": -70})
def test_each_missing_trick_costs_ten_or_each_trick_bid(agreed, expected):
    at = record_deal(second_deal_with_scores(0, 0, **agreed), "7", "1", "AAACC" + "B" * 8)
    assert last_scores_of_n(at) == [("bid_failed", expected)]
    result = record_deal(second_deal_with_scores(0, 0, **agreed), "5", "1", "AAACC" + "B" * 8)
    assert last_scores_of_n(result) == [("bid_made", 50)]


@parametrize_option(
    failed_nil_tricks_count={True: ("bid_made", 41, 1), False: ("bid_failed", -10, 0)}
)
@pytest.mark.parametrize("form", ["nil", "blind"])
def test_the_tricks_of_a_failed_nil_count_for_the_bid_or_for_nothing(agreed, expected, form):
    at = record_deal(
        second_deal_with_scores(0, 100, **agreed), f"{form} A 4", "1", "AACCC" + "B" * 8
    )
    rule, points, finished = expected
    assert (last_scores_of_n(at)[0], overtricks(at)[0]) == ((rule, points), finished)
    result = record_deal(
        second_deal_with_scores(0, 100, **agreed), f"{form} A 4", "1", "CCCCC" + "B" * 8
    )
    assert last_scores_of_n(result)[0] == ("bid_made", 41)


@parametrize_option(misdeal_policy={"same_dealer": BO, "next_dealer": CILLA})
def test_after_a_misdeal_the_same_dealer_deals_or_the_next(agreed, expected):
    at = second_deal_with_scores(0, 100, **agreed).after(OPEN_DEAL, bid(N, "5"))
    at = at.given(*at.when_misdealt(2).decide())
    assert (at.table_state.dealer, scores(at)) == (expected, [0, 100])


@parametrize_option(point_value={None: (), 1: (1,), 100: (100,)})
def test_points_are_worth_money_at_the_end_or_not(agreed, expected):
    """Each of the side behind pays the opponent who sits in the same place of the other side."""
    at = second_deal_with_scores(53, -20, **agreed)
    paid = [
        e.PointsPaid(payer=payer, payee=payee, points=73, value=value)
        for value in expected
        for payer, payee in ((BO, ADA), (DISA, CILLA))
    ]
    at.when_closed().then(*paid, e.EveningClosed(policy="carry"))
    level = second_deal_with_scores(53, 53, **agreed)
    level.when_closed().then(e.EveningClosed(policy="carry"))
