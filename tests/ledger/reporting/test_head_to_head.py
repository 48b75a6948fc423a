"""Head-to-head results: both sides of every comparison agree with the sessions."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.games.registry import GAMES
from ledger.projections.deals import newest_first
from ledger.reporting.head_to_head import Declarer, Partners, Streak, compute_head_to_head
from ledger.reporting.season_stats import compute_season_stats
from tests.support.engine.random_player import RandomPlayer
from tests.support.engine.spader_deals import bid, count_command
from tests.support.ledger.carried_sessions import seeds
from tests.support.ledger.memory_store import Book

MEMBERS = [f"m{n}" for n in range(1, 7)]
FOUR = {f"p{n}": f"m{n}" for n in range(1, 5)}


def play_session(die, game="polskt_pass", deals=6, **options):
    """Return a session of four with this many random deals, or until the game is won."""
    book = Book(4, game=GAMES[game], **options)
    chooser = RandomPlayer(die)
    while book.session.table.deal_number < deals:
        action = chooser.choose_command(book.legal)
        if action is None:
            break
        book.act(action)
    return book.session


def play_season(die, games):
    return [
        (
            play_session(die, game, deals=die.randint(1, 8)),
            dict(zip(FOUR, die.sample(MEMBERS, 4), strict=True)),
        )
        for game in games
    ]


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seed=seeds, games=st.lists(st.sampled_from(sorted(GAMES)), min_size=1, max_size=4))
def test_figures_agree_with_the_standings_and_pairs_with_their_sessions(seed, games):
    season = play_season(Random(seed), games)
    found = compute_head_to_head(MEMBERS, season)
    pairs = {pair.members: pair for pair in found.pairs}
    for first, second in combinations(MEMBERS, 2):
        together = [
            session
            for session, members in season
            if {first, second}
            <= {
                members[player]
                for deal in newest_first(session.deals)
                if deal.status == "closed"
                for player in deal.seats
            }
        ]
        assert ((first, second) in pairs) == bool(together)
        if together:
            pair = pairs[first, second]
            assert pair.sessions == len(together)
            assert sum(pair.sessions_ahead.values()) <= pair.sessions
            assert set(pair.sessions_ahead) == set(pair.deals_beaten) == {first, second}
    standings = compute_season_stats(MEMBERS, season).members
    for member, tally in standings.items():
        declarer = Declarer(member=member, declared=tally.declared, won=tally.won_declaring)
        assert (declarer in found.declarers) == bool(tally.declared)
        assert sum(won.member == member for won in found.la_volas) == tally.la_volas
        partners = [pair for pair in found.partners if member in pair.members]
        assert all(pair.games_won <= pair.games for pair in partners)
    shares = [declarer.won / declarer.declared for declarer in found.declarers]
    assert shares == sorted(shares, reverse=True)


def session_won_by(winner, times=1):
    """A session of Polskt pass in which p1 deals first, and this player wins every deal."""
    book = Book(4)
    for _ in range(times):
        book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(winner=winner))
    return book.session


def test_who_wins_what_another_declared_has_beaten_that_player():
    season = [(session_won_by("p3", times=2), FOUR), (session_won_by("p2"), FOUR)]
    found = compute_head_to_head(MEMBERS, season)
    (pair,) = [pair for pair in found.pairs if pair.members == ("m2", "m3")]
    assert pair.sessions == 2
    assert pair.sessions_ahead == {"m2": 1, "m3": 1}
    assert pair.deals_beaten == {"m2": 0, "m3": 2}
    assert found.declarers == [Declarer(member="m2", declared=3, won=1)]


def test_of_equal_shares_the_one_of_more_deals_comes_first():
    fewer, more = (dict(zip(FOUR, members, strict=True)) for members in (MEMBERS[:4], MEMBERS[2:]))
    season = [(session_won_by("p2"), fewer), (session_won_by("p2", times=2), more)]
    assert compute_head_to_head(MEMBERS, season).declarers == [
        Declarer(member="m4", declared=2, won=2),
        Declarer(member="m2", declared=1, won=1),
    ]


def test_the_la_volas_of_a_session_begin_with_the_oldest():
    book = Book(4)
    for player in ("p2", "p3"):
        vola = c.Vola(player=player, won=True)
        book.act(c.OpenDeal(), c.Declare(players=(player,)), c.Result(la_vola=vola))
    found = compute_head_to_head(MEMBERS, [(book.session, FOUR)])
    assert [(won.member, won.deal) for won in found.la_volas] == [("m2", 1), ("m3", 2)]


def test_a_streak_counts_sessions_in_a_row():
    won, lost = session_won_by("p3"), session_won_by("p2")
    season = [(won, FOUR), (won, FOUR), (lost, FOUR), (won, FOUR)]
    streaks = {streak.member: streak for streak in compute_head_to_head(MEMBERS, season).streaks}
    # p3 neither pays nor wins where p2 takes the pot that p1 laid: a level session
    assert streaks["m3"] == Streak(member="m3", longest_winning=2, longest_losing=0, current=1)
    assert streaks["m2"] == Streak(member="m2", longest_winning=1, longest_losing=2, current=-1)


@pytest.mark.parametrize("point_value", [None, 10])
def test_partners_win_a_decided_game_together(point_value):
    book = Book(4, game=GAMES["spader"], target=60, point_value=point_value)
    book.act(c.OpenDeal(), bid("p2+p4", "6"), bid("p1+p3", "6"), count_command("A" * 6 + "B" * 7))
    session = book.session
    (winners,) = session.sheet.winners
    found = compute_head_to_head(MEMBERS, [(session, FOUR)])
    assert [pair.members for pair in found.partners] == [("m1", "m3"), ("m2", "m4")]
    for pair, side in zip(found.partners, ("p1+p3", "p2+p4"), strict=True):
        assert pair == Partners(members=pair.members, games=1, games_won=int(side == winners))
    ahead = {pair.members: pair.sessions_ahead for pair in found.pairs}
    assert ahead["m1", "m3"] == {"m1": 0, "m3": 0}


def test_fewest_points_are_ahead_where_the_lowest_wins():
    session = play_session(Random(5), "knektpass", deals=3)
    scores = session.sheet.scores
    found = compute_head_to_head(MEMBERS, [(session, FOUR)])
    for pair in found.pairs:
        first, second = (scores[member.replace("m", "p")] for member in pair.members)
        ahead = [int(first < second), int(second < first)]
        assert list(pair.sessions_ahead.values()) == ahead


def test_a_session_without_a_deal_does_not_count():
    found = compute_head_to_head(MEMBERS, [(Book(4).session, FOUR)])
    assert not any((found.pairs, found.partners, found.streaks, found.declarers, found.la_volas))
