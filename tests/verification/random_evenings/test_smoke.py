"""A small run of random evenings finds no fault, and would report one.

`make evenings` is the full size.
"""

import json

from tests.support.engine import invariants
from tests.verification.random_evenings.reached_counts import count_evenings, list_missing
from tests.verification.random_evenings.run import play_share
from tests.verification.random_evenings.session_walk import SessionFailed, play_one_session

EVENINGS = 400


def test_random_evenings_of_every_game_keep_the_invariants():
    counts, fault = play_share([f"smoke:{n}" for n in range(EVENINGS)])
    assert fault is None, fault
    assert count_evenings(counts) >= EVENINGS
    assert counts["checked", "listed"] > 1000
    assert counts["checked", "refused"] > 1000
    assert [gap for gap in list_missing(counts) if "=" not in gap] == [], "actions not reached"


def test_the_same_seed_gives_the_same_evening():
    first, second = (play_one_session("same:1") for _ in range(2))
    assert first == second


def test_a_fault_is_reported_with_its_seed_and_fewest_actions(monkeypatch):
    """The planted fault is that play cannot go on after the second deal was opened."""
    original = invariants.check_play_can_go_on

    def fails_in_the_second_deal(book):
        original(book)
        assert not (book.session.table.deal_is_open and book.session.table.deal_number == 2)

    monkeypatch.setattr(invariants, "check_play_can_go_on", fails_in_the_second_deal)
    seed = next(f"fault:{n}" for n in range(1, 300) if n % 3 and not is_sound(f"fault:{n}"))
    _, fault = play_share([seed])
    assert fault
    assert seed in fault
    document = json.loads(fault.strip().splitlines()[-1])
    kinds = [action.get("type", "misdeal") for action in document["actions"]]
    assert len(kinds) <= 6
    assert kinds.count("open_deal") == 2


def is_sound(seed):
    try:
        play_one_session(seed)
    except SessionFailed:
        return False
    return True


def test_an_error_of_the_program_is_no_refusal(monkeypatch):
    def breaks(book, command):
        raise KeyError(command)

    monkeypatch.setattr(invariants, "check_undo", breaks)
    assert not all(is_sound(f"breaks:{n}") for n in range(20))
