"""A statement: opening and lines are closing, and what never counted is not on it."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from ledger.statement import statement
from tests.engine.test_evenings import by_tricks
from tests.evenings import E1, lines
from tests.ledger.book import SECOND, Book, Walk
from tests.spec import ADA, BO, CILLA, DISA

random_evenings = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def told(book, player=None):
    return statement(book.session, book.history, player)


def test_an_evening_in_which_nothing_was_played():
    empty = told(Book(), ADA)
    assert (empty.opening, empty.lines, empty.closing, empty.first) == (0, (), 0, None)


def test_adas_evening_line_by_line():
    """The seven deals of E1."""
    book = Book()
    for line in lines(E1):
        book.act(*by_tricks(line))
        book.settle()
    moved = [
        (line.deal, line.reason.code, line.change, line.balance) for line in told(book, ADA).lines
    ]
    assert moved == [
        (1, "ante", -10, -10),
        (2, "pot_taken", 10, 0),
        (2, "bet_taken", 10, 10),
        (5, "ante", -10, 0),
        (5, "la_vola_paid", -50, -50),
    ]
    for player, balance in zip((ADA, BO, CILLA, DISA), book.balances, strict=True):
        assert told(book, player).closing == balance


def test_what_was_taken_back_is_left_out():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    one = [(line.reason.posting, line.balance) for line in told(book, BO).lines]
    book.undo()
    assert told(book, BO).lines == ()
    book.act(c.Result(winner=CILLA), c.OpenDeal())
    book.misdeal()
    assert [(line.reason.posting, line.balance) for line in told(book, BO).lines] == one


def test_what_is_shared_names_the_policy_and_what_is_paid_outside_the_game_no_rule():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.AllPass())
    book.close("split_equal")
    book.transfer(ADA, BO, 25)
    rules = {line.reason.code: line.reason.rule for line in told(book).lines}
    assert rules["leftover_pot"] == rules["leftover_bet"] == "§5, A-PP-13"
    assert rules["transfer"] == ""


def test_a_transfer_raises_the_balance_of_who_paid():
    book = Book()
    book.transfer(ADA, BO, 25)
    (line,) = told(book, ADA).lines
    assert (line.kind, line.change, line.balance) == ("transfer_recorded", 25, 25)
    (line,) = told(book, BO).lines
    assert (line.change, line.balance) == (-25, -25)


def test_the_statement_of_the_evening_has_every_line_and_nobodys_balance():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    whole = told(book)
    assert [line.reason.code for line in whole.lines] == ["ante", "pot_taken", "bet_laid"]
    assert {(line.change, line.balance) for line in whole.lines} == {(None, None)}
    assert (whole.first, whole.last) == (2 * SECOND, whole.lines[-1].at)


@random_evenings
@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32))
def test_opening_and_lines_are_closing_for_everybody(players, claims, seed):
    """Whatever was undone, voided, settled, paid back or transferred."""
    book = Book(players, bet_payment="on_collection" if claims else "immediate")
    walk = Walk(book, Random(seed))
    for _ in range(80):
        walk.step()
    while book.session.table.open:
        book.undo()
    book.close("split_equal")
    for player, balance in book.session.balances.items():
        made = told(book, player)
        assert made.opening + sum(line.change for line in made.lines) == made.closing == balance
        running = 0
        for line in made.lines:
            running += line.change
            assert line.balance == running
    by_version = [line.version for line in told(book).lines]
    assert by_version == sorted(by_version)
