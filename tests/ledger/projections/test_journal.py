"""The journal agrees with the deals after any correction."""

from collections import Counter

import pytest

from engine import commands as c
from engine import events as e
from ledger.projections.deals import newest_first
from ledger.projections.journal import UNBOOKED, deal_number
from ledger.projections.postings import postings_of
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.ledger.memory_store import Book, play_e1_book

fails = (c.Declare(players=(BO,)), c.Result(winner=CILLA))


def effective_lines(book):
    """Return the lines that an undo would mark, newest first."""
    at, lines = book.session.effective_lines, []
    while at is not None:
        lines.append(at.line)
        at = at.earlier
    return lines


def movement_of(line):
    return line.deal, line.source, line.target, line.amount


def deal_postings(book):
    """Return the postings of the deals in force, newest first."""
    deals = list(newest_first(book.session.deals))[::-1]
    valid_deals = [deal for deal in deals if not deal.voided]
    lines = [
        (deal.number, p.source, p.target, p.amount)
        for deal in valid_deals
        for recorded in deal.facts
        for p in postings_of(recorded.event)
    ]
    return lines[::-1]


def sum_by_deal(lines):
    """Return what each deal changed on each account, by its lines."""
    sums = Counter()
    for deal, source, target, amount in lines:
        sums[deal, source] -= amount
        sums[deal, target] += amount
    return {key: amount for key, amount in sums.items() if amount}


def played_lines(book):
    """Return every line of a deal except settlements of la vola, which no undo reverses."""
    return [movement_of(x) for x in book.lines.values() if x.deal and x.kind != "payment_settled"]


@pytest.fixture(
    params=[
        (2, c.AllPass()),
        (2, c.Declare(players=(DISA,)), c.Result(winner=BO)),
        (5, c.AllPass()),
    ]
)
def corrected(request):
    """The seven deals of E1, one of them corrected."""
    book = play_e1_book()
    deal, *actions = request.param
    book.correct(deal, *actions)
    return book


def test_the_lines_of_a_deal_add_up_to_its_corrected_outcome(corrected):
    assert sum_by_deal(played_lines(corrected)) == sum_by_deal(deal_postings(corrected))


def test_the_effective_lines_are_the_postings_of_the_deals_in_order(corrected):
    assert [movement_of(line) for line in effective_lines(corrected)] == deal_postings(corrected)


def test_a_line_from_a_correction_has_no_number_and_names_its_origin(corrected):
    last = corrected.history[-1]
    changed = {rescored.deal for rescored in last.event.rescored}
    for line in effective_lines(corrected):
        if line.deal in changed:
            assert (line.line, line.version, line.kind) == (UNBOOKED, last.version, last.type)
        else:
            assert corrected.lines[line.version, line.line] == line


def test_undo_after_a_correction_marks_only_booked_lines(corrected):
    before = {key: line for key, line in corrected.lines.items() if line.undone_by}
    (undone,) = corrected.undo()
    marked = [x for key, x in corrected.lines.items() if x.undone_by and key not in before]
    assert {line.undone_by for line in marked} == {undone.version} if marked else True
    assert all(line.line != UNBOOKED for line in marked)
    assert [movement_of(line) for line in effective_lines(corrected)] == deal_postings(corrected)
    assert sum_by_deal(played_lines(corrected)) == sum_by_deal(deal_postings(corrected))


def test_a_deal_before_the_corrected_one_keeps_its_lines():
    book = Book()
    book.act(c.OpenDeal(), *fails)
    book.act(c.OpenDeal(), c.AllPass())
    deal_lines = [line for line in effective_lines(book) if line.deal == 1]
    book.correct(2, c.Declare(players=(DISA,)), c.Result(winner=ADA))
    assert [line for line in effective_lines(book) if line.deal == 1] == deal_lines
    assert all(line.line != UNBOOKED for line in deal_lines)


def test_an_event_belongs_to_the_deal_that_it_names():
    assert (
        deal_number(e.DealOpened(number=4, dealer=ADA, seats=(ADA, BO), stake=1, played_for=1)) == 4
    )
    assert deal_number(e.PotTaken(deal=3, player=BO, amount=10)) == 3
    assert deal_number(e.AllPassed()) is None
    assert deal_number(e.EveningClosed(policy="carry")) is None
