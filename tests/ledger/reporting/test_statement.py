"""A statement: opening and lines add up to closing, and undone postings are not on it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.ledger.memory_store import SECOND, Book, play_random_book
from tests.support.ledger.unpaged_statement import build_statement
from tests.support.worked_evenings import E1, lines

random_evenings = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def player_statement(book, player=None):
    return build_statement(book.session, book.history, player)


def test_a_session_without_deals_has_an_empty_statement():
    empty = player_statement(Book(), ADA)
    assert (empty.opening, empty.lines, empty.closing, empty.first) == (0, (), 0, None)


def test_the_statement_of_ada_line_by_line():
    """The seven deals of E1."""
    book = Book()
    for line in lines(E1):
        book.act(*line.commands())
        book.settle()
    moved = [
        (line.deal, line.explanation.code, line.change, line.balance)
        for line in player_statement(book, ADA).lines
    ]
    assert moved == [
        (1, "ante", -10, -10),
        (2, "pot_taken", 10, 0),
        (2, "bet_taken", 10, 10),
        (5, "ante", -10, 0),
        (5, "la_vola_paid", -50, -50),
    ]
    for player, balance in zip((ADA, BO, CILLA, DISA), book.balances, strict=True):
        assert player_statement(book, player).closing == balance


def test_undone_postings_are_left_out():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    lines = [(line.explanation.posting, line.balance) for line in player_statement(book, BO).lines]
    book.undo()
    assert player_statement(book, BO).lines == ()
    book.act(c.Result(winner=CILLA), c.OpenDeal())
    book.misdeal()
    assert [
        (line.explanation.posting, line.balance) for line in player_statement(book, BO).lines
    ] == lines


def test_shares_cite_the_policy_and_transfers_cite_no_rule():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.AllPass())
    book.close("split_equal")
    book.transfer(ADA, BO, 25)
    rules = {line.explanation.code: line.explanation.rule for line in player_statement(book).lines}
    assert rules["leftover_pot"] == rules["leftover_bet"] == "§5, A-PP-13"
    assert rules["transfer"] == ""


def test_a_transfer_raises_the_balance_of_the_payer():
    book = Book()
    book.transfer(ADA, BO, 25)
    (line,) = player_statement(book, ADA).lines
    assert (line.kind, line.change, line.balance) == ("transfer_recorded", 25, 25)
    (line,) = player_statement(book, BO).lines
    assert (line.change, line.balance) == (-25, -25)


def test_the_session_statement_has_every_line_and_no_balance():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    session_statement = player_statement(book)
    assert [line.explanation.code for line in session_statement.lines] == [
        "ante",
        "pot_taken",
        "bet_laid",
    ]
    assert {(line.change, line.balance) for line in session_statement.lines} == {(None, None)}
    assert (session_statement.first, session_statement.last) == (
        2 * SECOND,
        session_statement.lines[-1].at,
    )


@random_evenings
@given(st.integers(3, 5), st.booleans(), st.integers(0, 2**32))
def test_opening_and_lines_add_up_to_closing_for_every_player(players, claims, seed):
    """This holds for undone, voided, settled, repaid and transferred amounts."""
    bet_payment = "on_collection" if claims else "immediate"
    book = play_random_book(80, seed, players, bet_payment=bet_payment)
    while book.session.table.deal_is_open:
        book.undo()
    book.close("split_equal")
    for player, balance in book.session.balances.items():
        closing_statement = player_statement(book, player)
        assert (
            closing_statement.opening + sum(line.change for line in closing_statement.lines)
            == closing_statement.closing
            == balance
        )
        running = 0
        for line in closing_statement.lines:
            running += line.change
            assert line.balance == running
    by_version = [line.version for line in player_statement(book).lines]
    assert by_version == sorted(by_version)
