"""Every reason for which money moves names the paragraph of the rules that it comes from."""

import pytest

from engine.games import GAMES

PARAGRAPHS = {
    "polskt_pass": {
        "§1.1": {"ante"},
        "§1.6": {
            *("pot_taken", "bet_taken", "claim_taken", "bet_laid", "bet_laid_double"),
            *("bet_taken_from_before", "claim_taken_from_before"),
        },
        "§1.7": {"la_vola_paid", "la_vola_paid_back"},
        "A-PP-2": {"bets_merged", "bets_parted"},
    },
    "polskpas": {
        "§2.3": {"ante", "pot_taken", "penalty_paid", "vole_paid", "vole_paid_back"},
    },
}


@pytest.mark.parametrize("key", PARAGRAPHS)
def test_a_reason_names_its_paragraph(key):
    game = GAMES[key]
    cited = dict[str, set[str]]()
    for reason, paragraph in game.rules(game.options()).items():
        cited.setdefault(paragraph, set()).add(reason)
    assert cited == PARAGRAPHS[key]


def test_what_was_agreed_is_cited_beside_the_paragraph():
    game = GAMES["polskt_pass"]
    agreed = game.rules(game.options(bet_payment="on_collection"))
    assert agreed["claim_taken"] == agreed["claim_taken_from_before"] == "§1.6, A-PP-5"
    assert agreed["pot_taken"] == "§1.6"
    game = GAMES["polskpas"]
    agreed = game.rules(game.options(opponent_win="winner_takes"))
    assert agreed["pot_taken"] == agreed["penalty_paid"] == "§2.3, A-DK-1"
    assert agreed["ante"] == "§2.3"
