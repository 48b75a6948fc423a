"""A season adds up: what one member won, others lost, or it is still on the table."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from ledger.projections.deals import newest_first
from ledger.reporting.season_stats import compute_season_stats
from tests.support.engine.every_option import draw_options
from tests.support.engine.random_player import RandomPlayer
from tests.support.engine.spader_deals import bid, count_command
from tests.support.ledger.carried_sessions import (
    game_options,
    play_random_deals,
    play_split_and_unsplit,
    seeds,
)
from tests.support.ledger.memory_store import Book
from tests.verification.attack.random_correction import draw_correction

evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)
FOUR = {f"p{n}": f"m{n}" for n in range(1, 5)}


def play_random_session(die, game):
    """Return a random session with corrections, undo, voided deals and transfers."""
    kind = GAMES[game]
    agreed = msgspec.structs.asdict(
        msgspec.convert(draw_options(kind.options_type, die), kind.options_type)
    )
    book = Book(die.choice(kind.player_counts), game=kind, **agreed)
    chooser = RandomPlayer(die)
    for _ in range(die.randint(20, 90)):
        try:
            match die.choices(("act", "settle", "pay", "misdeal", "correct"), (30, 3, 2, 1, 3))[0]:
                case "act":
                    action = chooser.choose_command(book.legal)
                    if action is None:
                        break
                    book.act(action)
                case "settle":
                    book.settle()
                case "pay":
                    book.transfer(*die.sample(book.session.table.players, 2), die.randint(1, 99))
                case "misdeal":
                    book.misdeal()
                case "correct":
                    closed = [d for d in newest_first(book.session.deals) if d.status == "closed"]
                    number = die.choice(closed).number
                    actions = (
                        draw_correction(book.session, number, die) if die.random() < 0.8 else None
                    )
                    if actions is None:
                        book.void_deal(number, later_deals="void")
                    else:
                        book.correct(number, *actions, later_deals="void")
        except (RuleViolation, ZeroDivisionError, IndexError):
            continue  # not possible here: try the next step
    return book


@evenings
@given(seed=st.integers(0, 2**32), games=st.lists(st.sampled_from(sorted(GAMES)), max_size=4))
def test_a_season_adds_up_when_all_players_are_members(seed, games):
    die = Random(seed)
    played = [play_random_session(die, game).session for game in games]
    members = [f"m{n}" for n in range(1, 17)]
    member_by_player = [
        dict(zip(s.table.players, die.sample(members, len(s.table.players)), strict=True))
        for s in played
    ]
    stats = compute_season_stats(members, zip(played, member_by_player, strict=True))
    on_table = 0
    for session_stats in stats.sessions:
        on_table += session_stats.left_on_table
        assert sum((session_stats.results or {}).values()) + session_stats.left_on_table == 0
        if session_stats.totals is not None:
            assert sum(session_stats.totals.values()) + on_table == 0
    assert sum(t.result.get("SEK", 0) for t in stats.members.values()) + on_table == 0
    for member, tally in stats.members.items():
        sat = [
            deal
            for s, players in zip(played, member_by_player, strict=True)
            for deal in newest_first(s.deals)
            if deal.status == "closed" and member in {players[p] for p in deal.seats}
        ]
        assert tally.deals == len(sat)
        assert tally.won_declaring <= tally.declared <= tally.deals


@evenings
@given(agreed=game_options, seed=seeds, before=st.integers(1, 5), after=st.integers(1, 5))
def test_a_session_split_in_two_makes_the_same_season(agreed, seed, before, after):
    unsplit, first, second = play_split_and_unsplit(agreed, seed, before, after)
    cut = compute_season_stats(FOUR.values(), [(first.session, FOUR), (second.session, FOUR)])
    uncut = compute_season_stats(FOUR.values(), [(unsplit.session, FOUR)])
    for member, tally in cut.members.items():
        split_tally = msgspec.structs.replace(tally, sessions=0, open={})
        assert split_tally == msgspec.structs.replace(uncut.members[member], sessions=0, open={})
    assert (
        sum(session_stats.left_on_table for session_stats in cut.sessions)
        == uncut.sessions[0].left_on_table
    )


def test_what_was_carried_forward_is_open_in_the_later_session_alone():
    _, first, second = play_split_and_unsplit({}, seed=6, before=4, after=2)
    stats = compute_season_stats(FOUR.values(), [(first.session, FOUR), (second.session, FOUR)])
    assert any(first.session.balances[player] for player in FOUR)
    for player, member in FOUR.items():
        assert stats.members[member].open["SEK"] == second.session.balances[player]


def test_both_partners_won_the_game_for_points_and_no_money():
    book = Book(4, game=GAMES["spader"], target=60, point_value=None)
    book.act(c.OpenDeal(), bid("p2+p4", "6"), bid("p1+p3", "6"), count_command("A" * 6 + "B" * 7))
    (winners,) = book.session.sheet.winners
    stats = compute_season_stats(FOUR.values(), [(book.session, FOUR)])
    for player, member in FOUR.items():
        assert stats.members[member].games_won == int(player in winners.split("+"))
    assert stats.sessions[0].results is None
    assert stats.sessions[0].totals is None


@pytest.mark.parametrize("absent", ["p2", "p4"])
def test_a_player_who_is_no_member_is_skipped(absent):
    book = Book(4)
    play_random_deals(book, 6, Random(6))
    members = {player: member for player, member in FOUR.items() if player != absent}
    all_stats = compute_season_stats(FOUR.values(), [(book.session, FOUR)])
    stats = compute_season_stats(FOUR.values(), [(book.session, members)])
    for player, member in members.items():
        assert stats.members[member] == all_stats.members[member], player
    assert stats.members[FOUR[absent]].sessions == 0
    assert FOUR[absent] not in stats.sessions[0].results
    assert FOUR[absent] not in stats.sessions[0].totals
