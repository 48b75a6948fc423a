"""Who pays whom for points at the end: whoever is behind pays, and as much as he is behind."""

import pytest

from engine.errors import GameIsWon
from engine.events import GameWon, Scored
from engine.scoring.score_sheet import ScoreSheet, Scoring, apply_score, revert_score
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA


def scoring_rules(**extra):
    return Scoring(contestants=tuple, starting_score=lambda _: 3, goal=lambda _: 50, **extra)


def settled_points(scores, value=2, lowest_wins=False):
    """`p2 > p1 30` for every payment, in kronor."""
    scoring = scoring_rules(lowest_wins=lowest_wins)
    sheet = ScoreSheet(scores=scores, overtricks={})
    return [
        f"{fact.payer} > {fact.payee} {fact.points * fact.value}"
        for fact in scoring.settle(sheet, value)
    ]


def test_who_has_less_pays_who_has_more_wherever_they_sit():
    assert settled_points({ADA: 5, BO: 20, CILLA: 19}) == ["p1 > p2 30", "p1 > p3 28", "p3 > p2 2"]


def test_where_the_lowest_wins_who_has_more_pays():
    assert settled_points({ADA: 5, BO: 20, CILLA: 4}, lowest_wins=True) == [
        *("p2 > p1 30", "p1 > p3 2", "p2 > p3 32"),
    ]


def test_nobody_pays_whom_he_is_level_with():
    assert (
        settled_points({ADA: 7, BO: 7}) == settled_points({ADA: 7, BO: 7}, lowest_wins=True) == []
    )


def test_players_level_with_each_other_still_pay_a_third():
    assert settled_points({ADA: 7, BO: 7, CILLA: 9}) == ["p1 > p3 4", "p2 > p3 4"]


def test_of_two_sides_each_pays_the_one_who_sits_next_in_their_order():
    north, east = f"{ADA}+{CILLA}", f"{BO}+{DISA}"
    assert settled_points({north: 1, east: 0}) == ["p2 > p1 2", "p4 > p3 2"]
    assert settled_points({north: 0, east: 1}) == ["p1 > p2 2", "p3 > p4 2"]


def test_sides_of_different_size_are_not_paid_in_part():
    for scores in ({f"{ADA}+{CILLA}": 1, BO: 0}, {ADA: 1, f"{BO}+{DISA}": 0}):
        with pytest.raises(ValueError, match="zip"):
            settled_points(scores)


@pytest.mark.parametrize("value", [None, 0])
def test_points_without_a_value_are_paid_by_nobody(value):
    assert settled_points({ADA: 5, BO: 20}, value) == []


def test_overtricks_are_counted_only_where_a_game_says_so():
    assert scoring_rules().new_sheet(None, (ADA, BO)) == ScoreSheet(
        scores={ADA: 3, BO: 3}, overtricks={}
    )
    assert scoring_rules(counts_overtricks=True).new_sheet(None, (ADA, BO)).overtricks == {
        ADA: 0,
        BO: 0,
    }


def test_a_sheet_is_replaced_and_never_changed():
    sheet = scoring_rules().new_sheet(None, (ADA, BO))
    with pytest.raises(AttributeError):
        sheet.scores = {}


def test_how_a_game_keeps_its_sheet_never_changes():
    with pytest.raises(AttributeError):
        scoring_rules().lowest_wins = True


def test_a_line_is_added_to_one_score_and_taken_back_from_it():
    sheet = scoring_rules(counts_overtricks=True).new_sheet(None, (ADA, BO))
    line = Scored(deal=1, to=BO, points=7, rule="bid_made", overtricks=2)
    scored = apply_score(sheet, line)
    assert (scored.scores, scored.overtricks) == ({ADA: 3, BO: 10}, {ADA: 0, BO: 2})
    assert revert_score(scored, line) == sheet


def test_a_won_game_opens_no_deal_until_the_win_is_taken_back():
    sheet, opening = scoring_rules().new_sheet(None, (ADA, BO)), object()
    won = apply_score(sheet, GameWon(deal=1, winners=(BO,)))
    assert (won.winners, won.scores) == ((BO,), sheet.scores)
    with pytest.raises(GameIsWon) as refusal:
        won.open_deal(opening)
    assert refusal.value.operands == {"winners": [BO]}
    assert revert_score(won, GameWon(deal=1, winners=(BO,))).open_deal(opening) == (opening,)
