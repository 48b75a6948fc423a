"""The score sheet as the events tell it: each line counts once, and taken back not at all."""

import pytest

from engine import events as e
from engine.points import Sheet
from ledger.envelope import record
from ledger.postings import postings
from ledger.projections.scores import NONE, UNDRAWN, apply, draw
from tests.ledger.book import ID
from tests.spec import ADA, BO

BEGUN = Sheet(scores={ADA: 20, BO: 20}, overtricks={ADA: 0, BO: 0})


def told(sheet, *facts):
    for one in record(ID, facts, version=1, before=b"", at=0, by="host.0"):
        sheet = apply(sheet, one)
    return sheet


def drawn(*facts):
    sum_ = UNDRAWN
    for one in record(ID, facts, version=1, before=b"", at=0, by="host.0"):
        sum_ = draw(sum_, postings(one.event))
    return sum_


def scored(who, points, **more):
    return e.Scored(deal=1, to=who, points=points, rule="bid_made", **more)


won = e.GameWon(deal=1, winners=(ADA,))
ada_3 = Sheet(scores={ADA: 23, BO: 20}, overtricks={ADA: 1, BO: 0})
ada_won = Sheet(scores={ADA: 23, BO: 20}, overtricks={ADA: 1, BO: 0}, winners=(ADA,))
facts = (scored(ADA, 3, overtricks=1), won)


def test_a_line_adds_to_what_its_player_has():
    assert told(BEGUN, facts[0]) == ada_3
    assert told(BEGUN, *facts) == ada_won
    assert told(BEGUN, scored(BO, -5)).scores == {ADA: 20, BO: 15}


def test_a_game_for_money_has_no_sheet():
    assert NONE is None
    assert told(NONE, scored(ADA, 3)) is None


@pytest.mark.parametrize(
    "back",
    [
        e.ActionUndone(deal=1, took_back=facts),
        e.DealVoided(deal=1, took_back=facts, next_dealer=ADA),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_what_is_taken_back_was_never_on_it(back):
    assert told(ada_won, back) == BEGUN


def test_a_deal_told_again_counts_as_it_is_told_now():
    rescored = (
        e.Rescored(deal=1, was=facts, facts=(e.TrickWon(winner=BO), scored(BO, 2))),
        e.Rescored(deal=2, was=(scored(BO, 1),), facts=(scored(ADA, 4), won)),
    )
    before = Sheet(scores={ADA: 23, BO: 21}, overtricks={ADA: 1, BO: 0}, winners=(ADA,))
    now = told(before, e.DealCorrected(deal=1, rescored=rescored, next_dealer=ADA))
    assert now == Sheet(scores={ADA: 24, BO: 22}, overtricks={ADA: 0, BO: 0}, winners=(ADA,))


def test_what_says_nothing_of_points_leaves_it_as_it_is():
    assert told(BEGUN, e.AllPassed()) is BEGUN


def test_the_sheet_is_out_of_what_players_have():
    assert drawn(scored(ADA, 3), scored(BO, -5), scored(BO, 0)) == 2
    assert drawn(e.PotTaken(deal=1, player=ADA, amount=10)) == 0
