"""The score sheet folded from events: each line counts once, and not at all after its undo."""

import pytest

from engine import events as e
from engine.scoring.score_sheet import ScoreSheet
from ledger.events.recorded_event import record_events
from ledger.projections.postings import SHEET, account_changes, postings_of
from ledger.projections.scores import apply
from tests.support.engine.given_when_then import ADA, BO
from tests.support.ledger.memory_store import ID

STARTING_SHEET = ScoreSheet(scores={ADA: 20, BO: 20}, overtricks={ADA: 0, BO: 0})


def apply_events(sheet, *facts):
    for recorded in record_events(ID, facts, version=1, previous_hash=b"", at=0, by="host.0"):
        sheet = apply(sheet, recorded)
    return sheet


def sheet_balance(*facts):
    return account_changes(line for fact in facts for line in postings_of(fact)).get(SHEET, 0)


def scored_event(contestant, points, **more):
    return e.Scored(deal=1, to=contestant, points=points, rule="bid_made", **more)


won = e.GameWon(deal=1, winners=(ADA,))
ada_3 = ScoreSheet(scores={ADA: 23, BO: 20}, overtricks={ADA: 1, BO: 0})
ada_won = ScoreSheet(scores={ADA: 23, BO: 20}, overtricks={ADA: 1, BO: 0}, winners=(ADA,))
facts = (scored_event(ADA, 3, overtricks=1), won)


def test_a_line_adds_to_what_its_player_has():
    assert apply_events(STARTING_SHEET, facts[0]) == ada_3
    assert apply_events(STARTING_SHEET, *facts) == ada_won
    assert apply_events(STARTING_SHEET, scored_event(BO, -5)).scores == {ADA: 20, BO: 15}


def test_a_game_for_money_has_no_score_sheet():
    assert apply_events(None, scored_event(ADA, 3)) is None


@pytest.mark.parametrize(
    "undo",
    [
        e.ActionUndone(deal=1, took_back=facts),
        e.DealVoided(deal=1, took_back=facts, next_dealer=ADA),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_an_undo_removes_the_line_from_the_sheet(undo):
    assert apply_events(ada_won, undo) == STARTING_SHEET


def test_a_corrected_deal_counts_with_its_new_lines():
    rescored = (
        e.Rescored(deal=1, was=facts, facts=(e.TrickWon(winner=BO), scored_event(BO, 2))),
        e.Rescored(deal=2, was=(scored_event(BO, 1),), facts=(scored_event(ADA, 4), won)),
    )
    before = ScoreSheet(scores={ADA: 23, BO: 21}, overtricks={ADA: 1, BO: 0}, winners=(ADA,))
    now = apply_events(before, e.DealCorrected(deal=1, rescored=rescored, next_dealer=ADA))
    assert now == ScoreSheet(scores={ADA: 24, BO: 22}, overtricks={ADA: 0, BO: 0}, winners=(ADA,))


def test_an_event_without_points_leaves_the_sheet_unchanged():
    assert apply_events(STARTING_SHEET, e.AllPassed()) is STARTING_SHEET


def test_the_sheet_balance_is_the_negative_of_all_points():
    assert sheet_balance(scored_event(ADA, 3), scored_event(BO, -5), scored_event(BO, 0)) == 2
    assert sheet_balance(e.PotTaken(deal=1, player=ADA, amount=10)) == 0
