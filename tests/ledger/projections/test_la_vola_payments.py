"""The payments that la vola makes due, and their fate when the deal is undone."""

import pytest

from engine import commands as c
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.ledger.memory_store import Book
from tests.support.ledger.unpaged_statement import build_statement

bo_sweeps = (c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True)))
cilla_sweeps = c.Result(la_vola=c.Vola(player=CILLA, won=True))


def legs(book):
    """Return payer, payee, amount and status of each payment leg."""
    return [(p.payer, p.payee, p.amount, p.status) for p in book.session.payments.values()]


@pytest.fixture
def book():
    """Ada dealt, Bo won la vola for 10: nothing is settled yet."""
    book = Book()
    book.act(c.OpenDeal(), *bo_sweeps)
    return book


def test_the_others_owe_the_amount_played_for_until_they_pay(book):
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
    acted = book.session.conflict_version
    book.settle()
    assert book.session.conflict_version == acted
    book.transfer(ADA, BO, 20)
    assert book.session.conflict_version == book.session.version


def test_undo_before_settlement_cancels_the_payments(book):
    book.undo()
    assert {status for *_, status in legs(book)} == {"cancelled"}
    assert book.balances == [-10, 0, 0, 0]
    assert not book.due


def test_undo_after_settlement_pays_back(book):
    book.settle()
    book.undo()
    assert [(p.payer, p.payee, p.amount) for p in book.due] == [
        (BO, CILLA, 10),
        (BO, DISA, 10),
        (BO, ADA, 10),
    ]
    assert all(book.session.payments[leg.reverses].status == "settled" for leg in book.due)
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_undo_after_a_partial_settlement_pays_back_the_paid_part(book):
    book.settle(book.due[0])
    book.undo()
    assert [(p.payer, p.payee) for p in book.due] == [(BO, CILLA)]
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_la_vola_replayed_after_an_undo_makes_new_payments(book):
    """This holds twice, and no amount is paid back a second time."""
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


def test_undoing_another_la_vola_does_not_pay_back_twice(book):
    book.settle()
    book.undo()
    book.act(c.Result(la_vola=c.Vola(player=CILLA, won=True)))
    book.settle()
    assert book.balances == [-20, -10, 40, -10]
    book.undo()
    assert {(p.payer, p.payee) for p in book.due} == {(CILLA, DISA), (CILLA, ADA), (CILLA, BO)}
    book.settle()
    assert book.balances == [-10, 0, 0, 0]


def test_a_leg_is_due_from_the_time_and_version_of_its_event(book):
    won = book.history[-2]
    assert won.type == "la_vola_won"
    assert [(leg.id, leg.due_at, leg.deal) for leg in book.due] == [
        (f"{won.version}-{payer}-{BO}", won.at, 1) for payer in (CILLA, DISA, ADA)
    ]


def test_a_correction_to_another_winner_redirects_due_payments(book):
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


def test_a_correction_after_settlement_makes_the_difference_due(book):
    """Bo returns what he got, and owes Cilla as much as the others do."""
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


def test_a_correction_that_keeps_la_vola_keeps_its_payments(book):
    before = dict(book.session.payments)
    book.correct(1, c.Declare(players=(CILLA,)), bo_sweeps[1])
    assert book.session.payments == before


def settled_by_correction(book):
    """Return the settlements of corrections, with the reasons that the statement gives."""
    settled = [leg for leg in book.session.payments.values() if leg.status == "settled"]
    lines = [line.explanation for line in build_statement(book.session, book.history, None).lines]
    codes = {"la_vola_paid", "la_vola_paid_back", "la_vola_corrected"}
    stated = [reason for reason in lines if reason.code in codes]
    assert [leg.amount for leg in settled] == [r.posting.amount for r in stated]
    return [(r.code, r.posting.amount) for r in stated if r.code != "la_vola_paid"]


def test_a_difference_has_a_reason_of_its_own_in_the_statement(book):
    """Cilla won it instead of Bo: he pays her the 10 that he owes and the 10 that she paid him."""
    book.settle()
    book.correct(1, bo_sweeps[0], cilla_sweeps)
    book.settle()
    assert sorted(settled_by_correction(book)) == [
        *[("la_vola_corrected", 10)] * 4,
        ("la_vola_corrected", 20),
    ]


def test_a_smaller_la_vola_is_corrected_and_not_paid_back():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(CILLA,)), cilla_sweeps)
    book.settle()
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    book.settle()
    assert settled_by_correction(book) == [("la_vola_corrected", 10)] * 3
    book.undo()
    book.settle()
    assert settled_by_correction(book)[3:] == [("la_vola_corrected", 10)] * 3
    book.undo()
    book.settle()
    assert settled_by_correction(book)[6:] == [("la_vola_paid_back", 20)] * 3


def test_a_leg_can_be_settled_after_the_session_is_closed(book):
    book.close()
    book.settle()
    assert book.balances == [-20, 40, -10, -10]
    assert book.session.status == "closed"


def test_no_two_legs_share_an_id():
    book = Book(3, stake=1)
    for _ in range(5):
        book.act(c.OpenDeal(), *bo_sweeps)
        book.settle()
        book.undo()
        book.act(bo_sweeps[1])
    payment_ids = list(book.session.payments)
    assert len(payment_ids) == len(set(payment_ids)) == 5 * 3 * 2
