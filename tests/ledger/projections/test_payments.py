"""What la vola makes due, and what becomes of it when the deal is taken back."""

import pytest

from engine import commands as c
from ledger import why
from ledger.statement import statement
from tests.ledger.book import Book
from tests.spec import ADA, BO, CILLA, DISA

bo_sweeps = (c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True)))
cilla_sweeps = c.Result(la_vola=c.Vola(player=CILLA, won=True))


def legs(book):
    """Every leg: who pays whom, how much, and how it stands."""
    return [(p.payer, p.payee, p.amount, p.status) for p in book.session.payments.values()]


@pytest.fixture
def book():
    """Ada dealt, Bo won la vola for 10: nothing is settled yet."""
    book = Book()
    book.act(c.OpenDeal(), *bo_sweeps)
    return book


def test_everybody_else_owes_what_was_played_for_and_has_not_paid_yet(book):
    assert legs(book) == [
        (CILLA, BO, 10, "due"),
        (DISA, BO, 10, "due"),
        (ADA, BO, 10, "due"),
    ]
    assert book.balances == [-10, 10, 0, 0]
    assert [book.session.funds(p) for p in (ADA, BO, CILLA, DISA)] == [-20, 40, -10, -10]


def test_each_leg_is_settled_by_itself_in_any_order(book):
    book.settle(book.due[1])
    assert book.balances == [-10, 20, 0, -10]
    book.settle()
    assert book.balances == [-20, 40, -10, -10]
    assert not book.due


def test_a_settled_payment_makes_no_write_stale(book):
    acted = book.session.acted
    book.settle()
    assert book.session.acted == acted
    book.transfer(ADA, BO, 20)
    assert book.session.acted == book.session.version


def test_taken_back_before_it_is_settled_it_is_cancelled(book):
    book.undo()
    assert {status for *_, status in legs(book)} == {"cancelled"}
    assert book.balances == [-10, 0, 0, 0]
    assert not book.due


def test_taken_back_after_it_was_settled_it_is_paid_back(book):
    book.settle()
    book.undo()
    assert [(p.payer, p.payee, p.amount) for p in book.due] == [
        (BO, CILLA, 10),
        (BO, DISA, 10),
        (BO, ADA, 10),
    ]
    assert all(book.session.payments[back.reverses].status == "settled" for back in book.due)
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_half_settled_and_taken_back_only_what_was_paid_is_paid_back(book):
    book.settle(book.due[0])
    book.undo()
    assert [(p.payer, p.payee) for p in book.due] == [(BO, CILLA)]
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_undone_and_played_again_it_makes_new_payments(book):
    """Twice, and what was paid back is not paid back again."""
    before = set(book.session.payments)
    for _ in range(2):
        book.settle()
        book.undo()
        book.act(bo_sweeps[1])
        assert not before & {leg.id for leg in book.due if not leg.reverses}
        before = set(book.session.payments)
    book.settle()
    assert book.balances == [-20, 40, -10, -10]
    book.undo()
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_what_was_paid_back_is_not_paid_back_again_when_another_la_vola_is_undone(book):
    book.settle()
    book.undo()
    book.act(c.Result(la_vola=c.Vola(player=CILLA, won=True)))
    book.settle()
    assert book.balances == [-20, -10, 40, -10]
    book.undo()
    assert {(p.payer, p.payee) for p in book.due} == {(CILLA, DISA), (CILLA, ADA), (CILLA, BO)}
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_a_leg_is_due_from_the_moment_and_the_version_of_the_event_that_made_it_so(book):
    won = book.history[-2]
    assert won.type == "la_vola_won"
    assert [(leg.id, leg.due_at, leg.deal) for leg in book.due] == [
        (f"{won.version}-{payer}-{BO}", won.at, 1) for payer in (CILLA, DISA, ADA)
    ]


def test_a_la_vola_that_somebody_else_won_cancels_what_is_due_and_makes_it_due_to_him(book):
    (corrected,) = book.correct(1, bo_sweeps[0], cilla_sweeps)
    assert legs(book)[3:] == [
        (DISA, CILLA, 10, "due"),
        (ADA, CILLA, 10, "due"),
        (BO, CILLA, 10, "due"),
    ]
    assert {status for *_, status in legs(book)[:3]} == {"cancelled"}
    assert [leg.id for leg in book.due] == [
        f"{corrected.version}.1-{payer}-{CILLA}" for payer in (DISA, ADA, BO)
    ]
    assert {leg.due_at for leg in book.due} == {corrected.at}


def test_when_it_had_been_settled_only_the_difference_is_due(book):
    """Bo gives back what he got, and owes Cilla as much as the others do."""
    book.settle()
    first = {leg.payer: leg.id for leg in book.session.payments.values()}
    book.correct(1, bo_sweeps[0], cilla_sweeps)
    assert {(leg.payer, leg.payee, leg.amount, leg.reverses) for leg in book.due} == {
        (DISA, CILLA, 10, None),
        (ADA, CILLA, 10, None),
        (BO, CILLA, 20, None),
        (BO, DISA, 10, first[DISA]),
        (BO, ADA, 10, first[ADA]),
    }
    book.settle()
    assert book.balances == [-20, -10, 40, -10]


def settled_by_correction(book):
    """As the deals and as the statements tell it."""
    settled = (leg for leg in book.session.payments.values() if leg.status == "settled")
    told = [why.of_payment(book.session.rules, leg) for leg in settled]
    lines = [line.reason for line in statement(book.session, book.history, None).lines]
    codes = {"la_vola_paid", "la_vola_paid_back", "la_vola_corrected"}
    stated = [reason for reason in lines if reason.code in codes]
    assert [r.code for r in told] == [r.code for r in stated]
    return [(r.code, r.posting.amount) for r in told if r.code != "la_vola_paid"]


def test_what_a_correction_makes_due_is_not_said_to_be_all_of_it_or_taken_back(book):
    """Cilla won it and not Bo: Bo's 20 are what he owes her, and what he got from her."""
    book.settle()
    book.correct(1, bo_sweeps[0], cilla_sweeps)
    book.settle()
    assert sorted(settled_by_correction(book)) == [
        *[("la_vola_corrected", 10)] * 4,
        ("la_vola_corrected", 20),
    ]


def test_a_la_vola_that_comes_to_less_was_not_taken_back():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(CILLA,)), cilla_sweeps)
    book.settle()
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    book.settle()
    assert settled_by_correction(book) == [("la_vola_corrected", 10)] * 3
    book.undo()
    book.settle()
    assert settled_by_correction(book)[3:] == [("la_vola_paid_back", 10)] * 3


def test_a_leg_can_be_settled_after_the_evening_is_closed(book):
    book.close()
    book.settle()
    assert book.balances == [-20, 40, -10, -10]
    assert book.session.status == "closed"


def test_no_two_legs_share_a_name():
    book = Book(3, stake=1)
    for _ in range(5):
        book.act(c.OpenDeal(), *bo_sweeps)
        book.settle()
        book.undo()
        book.act(bo_sweeps[1])
    kept = list(book.session.payments)
    assert len(kept) == len(set(kept)) == 5 * 3 * 2
