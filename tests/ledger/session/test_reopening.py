"""Reopening a session: what its closing paid out is on the table again."""

from random import Random

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import SessionClosed, SessionNotClosed
from engine.games.knektpass import decider as knektpass
from engine.games.polskt_pass import decider as polskt_pass
from engine.games.spader import decider as spader
from ledger.events.event_types import CarriedForward
from ledger.session import command_handlers
from ledger.session.command_handlers import AlreadyCarriedForward, PaidSinceClosing
from ledger.session.session_state import SessionState, fold
from tests.support.engine.given_when_then import ADA, BO, CILLA
from tests.support.ledger.memory_store import Book, Walk
from tests.support.ledger.unpaged_statement import build_statement

POLICIES = ("carry", "refund_bets", "split_equal")


def play_book(seed, game=polskt_pass.GAME, **options):
    """Return a book of some finished deals with everything settled."""
    book = Book(4, game=game, **options)
    walk = Walk(book, Random(seed))
    while book.session.table.deal_number < 6 or book.session.table.deal_is_open:
        walk.step()
        if not book.legal:
            break
    book.settle()
    return book


def figures(session):
    table = session.table
    return (
        (session.pot, session.bets, dict(session.balances), dict(session.payments)),
        (
            session.sheet,
            session.sheet_balance,
            table.game_state,
            table.seats,
            table.dealer,
            table.next_number,
        ),
        (table.closed, [session.result(player) for player in session.balances]),
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("bet_payment", ["immediate", "on_collection"])
@pytest.mark.parametrize("seed", range(6))
def test_reopening_restores_the_state_before_the_closing(policy, bet_payment, seed):
    book = play_book(seed, bet_payment=bet_payment)
    before, lines = book.session, build_statement(book.session, book.history, None).lines
    book.close(policy)
    book.reopen()
    assert figures(book.session) == figures(before)
    assert book.session.status == "open"
    assert build_statement(book.session, book.history, None).lines == lines
    assert figures(fold(SessionState(id=book.session.id), book.history)) == figures(before)


FOR_POINTS = {
    spader.GAME: (
        c.SideBid(side="p2+p4", tricks=4),
        c.SideBid(side="p1+p3", tricks=5),
        c.Tricks(taken={"p1": 4, "p2": 3, "p3": 4, "p4": 2}),
    ),
    knektpass.GAME: (
        *(c.Stay(player=player) for player in ("p2", "p3", "p4", "p1")),
        c.Tricks(taken={"p1": 3, "p2": 2, "p3": 0, "p4": 0}),
    ),
}


@pytest.mark.parametrize("game", FOR_POINTS, ids=lambda game: game.key)
def test_reopening_returns_the_money_paid_for_points(game):
    book = Book(4, game=game, point_value=10)
    book.act(c.OpenDeal(), *FOR_POINTS[game])
    before = book.session
    book.close()
    assert any(book.session.balances.values())
    book.reopen()
    assert figures(book.session) == figures(before)
    assert not any(book.session.balances.values())


def test_play_continues_and_the_last_deal_can_be_undone():
    book = play_book(1)
    legal = book.legal
    book.close("split_equal")
    book.reopen()
    assert book.legal == legal
    book.undo()
    assert book.session.table.deal_is_open
    book.act(c.Undo())


def test_a_second_closing_has_the_result_of_the_first():
    closed_once, closed_twice = play_book(2), play_book(2)
    closed_twice.close("refund_bets")
    closed_twice.reopen()
    for book in (closed_once, closed_twice):
        book.close("split_equal")
    assert figures(closed_once.session) == figures(closed_twice.session)
    assert closed_twice.session.table.closing.policy == "split_equal"


def test_an_open_session_cannot_be_reopened():
    session = Book().session
    assert not session.can_reopen
    with pytest.raises(SessionNotClosed):
        command_handlers.reopen_session(session)


def test_a_session_with_a_later_payment_cannot_be_reopened():
    book = play_book(1)
    book.transfer(ADA, BO, 5)  # before the closing: no obstacle
    book.close("split_equal")
    assert book.session.can_reopen
    book.transfer(BO, CILLA, 10)
    assert not book.session.can_reopen
    with pytest.raises(PaidSinceClosing):
        book.reopen()
    book.transfer(CILLA, BO, 10)  # recorded by mistake
    book.reopen()
    assert book.session.status == "open"


def test_a_session_that_was_carried_forward_cannot_be_reopened():
    book = play_book(1)
    book.close("carry")
    book.write(CarriedForward(to="0f8fad5b-d9cb-469f-a165-70867728950e"))
    assert not book.session.can_reopen
    with pytest.raises(AlreadyCarriedForward):
        book.reopen()


def test_a_closed_session_refuses_undo():
    book = play_book(1)
    book.close("carry")
    with pytest.raises(SessionClosed):
        book.undo()


def test_the_lines_of_the_closing_are_marked_in_the_journal():
    book = play_book(5)
    book.close("split_equal")
    paid_out = [line for line in book.lines.values() if line.kind in ("pot_shared", "bet_shared")]
    assert paid_out
    book.reopen()
    version = book.session.version
    assert isinstance(book.history[-1].event, e.SessionReopened)
    assert {book.lines[x.version, x.line].undone_by for x in paid_out} == {version}
    assert all(x.undone_by == version for x in book.lines.values() if x.version == version)


def test_settlements_after_the_closing_stay_settled():
    """A la vola leg that a worker settles after the closing is no payment between people."""
    book = Book(4)
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Trick(winner=CILLA), c.Trick(winner=CILLA))
    book.act(c.LaVola(player=CILLA), *[c.Trick(winner=CILLA)] * 3)
    before = dict.fromkeys(book.session.balances, 0) | {
        player: book.session.result(player) for player in book.session.balances
    }
    book.close()
    book.settle()
    book.reopen()
    assert dict(book.session.balances) == before
