"""Every reason for which money moves names the paragraph of the rules that it comes from."""

import pytest

from engine.games.registry import GAMES

PARAGRAPHS = {
    "polskt_pass": {
        "§1.1": {"ante"},
        "§1.6": {
            *("pot_taken", "bet_taken", "claim_taken", "bet_laid", "bet_laid_double"),
            *("bet_taken_from_before", "claim_taken_from_before"),
        },
        "§1.7": {"la_vola_paid", "la_vola_paid_back", "la_vola_corrected"},
        "A-PP-2": {"bets_merged", "bets_parted"},
    },
    "polskpas": {
        "§2.1": {"ante"},
        "§2.3": {
            *("pot_taken", "penalty_paid"),
            *("vole_paid", "vole_paid_back", "vole_corrected"),
        },
    },
}


@pytest.mark.parametrize("key", PARAGRAPHS)
def test_a_reason_names_its_paragraph(key):
    game = GAMES[key]
    cited: dict[str, set[str]] = {}
    for reason, paragraph in game.rule_references(game.options_type()).items():
        cited.setdefault(paragraph, set()).add(reason)
    assert cited == PARAGRAPHS[key]


def test_what_was_agreed_is_cited_beside_the_paragraph():
    game = GAMES["polskt_pass"]
    agreed = game.rule_references(game.options_type(bet_payment="on_collection"))
    assert agreed["claim_taken"] == agreed["claim_taken_from_before"] == "§1.6, A-PP-5"
    assert agreed["pot_taken"] == "§1.6"
    game = GAMES["polskpas"]
    agreed = game.rule_references(game.options_type(opponent_win="winner_takes"))
    assert agreed["pot_taken"] == agreed["penalty_paid"] == "§2.3, A-DK-1"
    assert agreed["ante"] == "§2.1"


def test_what_changes_the_amount_is_cited_wherever_the_amount_is_paid():
    game = GAMES["polskt_pass"]
    agreed = game.rule_references(game.options_type(amount_basis="ante_only"))
    for reason in ("stake_taken", "bet_laid", "bet_laid_double"):
        assert agreed[reason] == "§1.6, A-PP-3"
    assert agreed["pot_taken"] == "§1.6"
    for reason in ("la_vola_paid", "la_vola_paid_back", "la_vola_corrected"):
        assert agreed[reason] == "§1.7, A-PP-3"


def test_a_bet_cites_what_may_lay_it_and_not_what_lays_none():
    game = GAMES["polskt_pass"]
    agreed = game.rule_references(
        game.options_type(failed_vola_declarer_bet="bet", bet_multiplier=2)
    )
    assert agreed["bet_laid_double"] == "§1.6, A-PP-1, A-PP-8"
    agreed = game.rule_references(game.options_type(all_one_two_declarers="none"))
    assert agreed["bet_laid"] == agreed["bet_laid_double"] == "§1.6"


def test_a_nil_that_does_not_count_is_scored_by_the_paragraph_too():
    game = GAMES["spader"]
    agreed = game.rule_references(
        game.options_type(failed_nil_tricks_count=False, undertricks="per_bid")
    )
    assert agreed["score_bid_made_apart"] == "§3.3, A-SP-14"
    assert agreed["score_bid_failed_apart"] == "§3.3, A-SP-14, A-SP-13"


@pytest.mark.parametrize(("key", "paragraph"), [("spader", "§3.4"), ("knektpass", "§4.4")])
def test_points_paid_in_money_name_the_end_of_the_game(key, paragraph):
    game = GAMES[key]
    agreed = game.rule_references(game.options_type(point_value=10))
    assert agreed["points_paid"] == paragraph
