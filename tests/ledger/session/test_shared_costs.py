"""Shared costs beside play: in every game and currency the money adds up, and no result changes."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine.errors import CreditLimitReached, NoSuchPlayer, SessionClosed
from engine.games.registry import GAMES
from ledger.audit.check_rules import decide_again
from ledger.events.event_types import CostVoided
from ledger.projections.costs import counted_costs
from ledger.session.command_handlers import PlayedForPoints
from ledger.session.cost_commands import CostDoesNotCount, CostNotShared
from ledger.session.session_state import SessionState, apply_event
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.cost_walk import CostWalk, book_for_money
from tests.support.ledger.memory_store import ID, Book, is_balanced

random_evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)

games = st.sampled_from(sorted(GAMES))
currencies = st.sampled_from(["SEK", "DKK", "EUR", "JPY", "KWD", "chips"])
seeds = st.integers(0, 2**32)

every_game = pytest.mark.parametrize("game", sorted(GAMES))


def owed_by_costs(session):
    """Add up each cost that counts by hand: what its payer paid, less each one's own share."""
    owed = Counter(dict.fromkeys(session.balances, 0))
    for cost in counted_costs(session.costs):
        owed[cost.fact.payer] += cost.fact.amount
        for share in cost.fact.shares:
            owed[share.player] -= share.amount
    return dict(owed)


def assert_adds_up(book):
    """Assert what holds at every version."""
    session = book.session
    assert is_balanced(session)
    costs = owed_by_costs(session)
    assert sum(costs.values()) == 0
    for player in session.balances:
        assert session.net_costs.get(player, 0) == costs[player]
        outside = session.net_paid.get(player, 0) + costs[player]
        assert session.funds(player) == session.result(player) + outside


def walked_book(game, currency, seed, steps=60):
    book = book_for_money(game, currency)
    book.watch = lambda: assert_adds_up(book)
    walk = CostWalk(book, Random(seed))
    for _ in range(steps):
        walk.step()
    return book


@random_evenings
@given(games, currencies, seeds)
def test_money_adds_up_at_every_version_of_every_game(game, currency, seed):
    book = walked_book(game, currency, seed)
    assert sum(book.session.net_costs.values()) == 0


@random_evenings
@given(games, currencies, seeds)
def test_the_journal_in_force_is_that_of_the_costs_that_count(game, currency, seed):
    book = walked_book(game, currency, seed)
    in_force = Counter()
    for line in book.lines.values():
        if line.kind == "cost_recorded" and line.undone_by is None:
            in_force[line.source.removeprefix("player:")] -= line.amount
            in_force[line.target.removeprefix("player:")] += line.amount
    expected = owed_by_costs(book.session)
    assert {p: n for p, n in in_force.items() if n} == {p: n for p, n in expected.items() if n}
    voiding = [line for line in book.lines.values() if line.kind == "cost_voided"]
    assert all(line.undone_by == line.version for line in voiding)


@random_evenings
@given(games, currencies, seeds)
def test_every_cost_event_follows_from_the_rules(game, currency, seed):
    book = walked_book(game, currency, seed)
    session = SessionState(id=ID)
    for recorded in book.history:
        if recorded.type in ("cost_recorded", "cost_voided"):
            assert decide_again(session, [recorded.event]) == (recorded.event,)
        session, _ = apply_event(session, recorded)


@random_evenings
@given(games, seeds)
def test_costs_change_neither_play_nor_results(game, seed):
    """The same play with and without costs in between comes to the same results."""
    with_costs, without_costs = book_for_money(game), book_for_money(game)
    player, cost_walk = RandomPlayer(Random(seed)), CostWalk(with_costs, Random(seed))
    for _ in range(40):
        cost_walk.cost()
        if (command := player.choose_command(without_costs.legal)) is None:
            break
        for book in (with_costs, without_costs):
            book.act(command)
    for player in with_costs.session.balances:
        assert with_costs.session.result(player) == without_costs.session.result(player)


def test_everybody_bears_a_cost_unless_the_table_says_otherwise():
    book = Book()
    book.record_cost(DISA, 43_000)
    assert book.balances == [-10_750, -10_750, -10_750, 32_250]
    book.record_cost(ADA, 30_000, **{BO: 2, CILLA: 1})
    assert book.balances == [19_250, -30_750, -20_750, 32_250]


def test_the_smallest_cost_is_borne_by_one_player_in_turn():
    book = Book(3)
    book.record_cost(ADA, 1)
    assert book.balances == [0, 0, 0]
    book.record_cost(ADA, 1)
    assert book.balances == [1, -1, 0]


def test_a_player_who_joins_later_bears_no_earlier_cost():
    book = Book(3)
    book.record_cost(ADA, 300)
    book.record_cost(book.join(), 400)
    assert book.balances == [100, -200, -200, 300]


def test_a_corrected_cost_counts_as_if_it_had_been_recorded_so():
    book = Book()
    book.record_cost(DISA, 40_000)
    book.correct_cost(1, DISA, 43_000, **{ADA: 1, DISA: 1})
    assert book.balances == [-21_500, 0, 0, 21_500]
    assert [recorded.type for recorded in book.history[1:]] == [
        "cost_recorded", "cost_voided", "cost_recorded"
    ]  # fmt: skip
    assert [line.amount for line in book.lines.values() if line.undone_by is None] == [21_500]


def test_a_cost_that_was_taken_back_can_be_recorded_again_under_its_number():
    book = Book()
    book.record_cost(DISA, 40_000)
    book.void_cost(1)
    assert book.balances == [0, 0, 0, 0]
    with pytest.raises(CostDoesNotCount):
        book.void_cost(1)
    book.correct_cost(1, DISA, 40_000)
    book.record_cost(ADA, 4)
    assert [*book.session.costs] == [1, 2]


def test_a_forged_cost_event_is_no_history():
    book = Book(3)
    book.record_cost(ADA, 300)
    cost = book.session.costs[1]
    voided = CostVoided(cost=1, recorded_version=cost.version, took_back=(cost.fact,))
    for forged, reason in (
        (replace(cost.fact, cost=2, amount=301), "the shares add up"),
        (replace(cost.fact, cost=3), "numbers have no holes"),
        (cost.fact, "numbers have no holes"),
        (replace(voided, recorded_version=1), "what it takes back"),
        (replace(voided, took_back=(replace(cost.fact, payer=BO),)), "what it takes back"),
    ):
        with pytest.raises(AssertionError, match=reason):
            book.write(forged)
    book.write(voided)
    with pytest.raises(AssertionError, match="a cost is voided once"):
        book.write(voided)


def test_an_undo_takes_back_play_and_no_cost():
    book = Book()
    book.act(c.OpenDeal())
    book.record_cost(BO, 400)
    book.undo()
    assert book.balances == [-100, 300, -100, -100]
    assert book.session.pot == 0


def test_a_cost_brings_the_dealer_to_the_credit_limit():
    book = Book(credit_limit=100, stake=10)
    book.record_cost(BO, 400)
    with pytest.raises(CreditLimitReached):
        book.act(c.OpenDeal())


def test_a_cost_that_only_its_payer_bears_moves_nothing_and_is_refused():
    book = Book()
    with pytest.raises(CostNotShared):
        book.record_cost(ADA, 400, **{ADA: 1})
    with pytest.raises(CostNotShared):
        book.record_cost(ADA, 400, **{ADA: 1, BO: 0})


def test_payer_and_sharers_are_players_of_the_session():
    book = Book()
    with pytest.raises(NoSuchPlayer):
        book.record_cost("p9", 400)
    with pytest.raises(NoSuchPlayer):
        book.record_cost(ADA, 400, p9=1)


def test_a_closed_session_takes_no_cost_until_it_is_reopened():
    book = Book()
    book.record_cost(ADA, 400)
    book.close()
    for write in (
        lambda: book.record_cost(ADA, 400),
        lambda: book.correct_cost(1, ADA, 500),
        lambda: book.void_cost(1),
    ):
        with pytest.raises(SessionClosed):
            write()
    book.reopen()
    book.void_cost(1)
    assert book.balances == [0, 0, 0, 0]


@every_game
def test_a_game_for_points_alone_takes_no_costs(game):
    if not GAMES[game].scoring:
        assert book_for_money(game).session.is_for_money
        return
    with pytest.raises(PlayedForPoints):
        Book(4, game=GAMES[game]).record_cost(ADA, 400)
