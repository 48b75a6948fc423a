"""The journal beside the deals: what stands in it is what they come to, after any correction."""

from collections import Counter

import pytest

from engine import commands as c
from engine import events as e
from ledger.postings import postings
from ledger.projections.deals import newest_first
from ledger.projections.journal import UNBOOKED, deal_of
from tests.ledger.book import Book
from tests.ledger.test_corrections import e1
from tests.spec import ADA, BO, CILLA, DISA

fails = (c.Declare(players=(BO,)), c.Result(winner=CILLA))


def standing(book):
    """The lines that an undo would mark, the last one first."""
    at, lines = book.session.standing, []
    while at is not None:
        lines.append(at.line)
        at = at.earlier
    return lines


def moved(line):
    return line.deal, line.source, line.target, line.amount


def told(book):
    """What every deal moves as it stands, the last movement first."""
    deals = list(newest_first(book.session.deals))[::-1]
    kept = [deal for deal in deals if not deal.voided]
    lines = [
        (deal.number, p.source, p.target, p.amount)
        for deal in kept
        for recorded in deal.facts
        for p in postings(recorded.event)
    ]
    return lines[::-1]


def by_deal(lines):
    """What a deal has brought every account, by what is booked in its name."""
    sums = Counter()
    for deal, source, target, amount in lines:
        sums[deal, source] -= amount
        sums[deal, target] += amount
    return {key: amount for key, amount in sums.items() if amount}


def of_play(book):
    """Every line of a deal but what la vola was settled with, which no undo takes back."""
    return [moved(x) for x in book.lines.values() if x.deal and x.kind != "payment_settled"]


@pytest.fixture(
    params=[
        (2, c.AllPass()),
        (2, c.Declare(players=(DISA,)), c.Result(winner=BO)),
        (5, c.AllPass()),
    ]
)
def corrected(request):
    """The seven deals of E1, and then one of them was played otherwise."""
    book = e1()
    deal, *said = request.param
    book.correct(deal, *said)
    return book


def test_what_is_booked_in_the_name_of_a_deal_is_what_it_comes_to_now(corrected):
    assert by_deal(of_play(corrected)) == by_deal(told(corrected))


def test_what_stands_is_what_the_deals_say_now_in_their_order(corrected):
    assert [moved(line) for line in standing(corrected)] == told(corrected)


def test_a_line_that_only_a_correction_tells_has_no_number_and_says_where_it_is_from(corrected):
    last = corrected.history[-1]
    changed = {again.deal for again in last.event.rescored}
    for line in standing(corrected):
        if line.deal in changed:
            assert (line.line, line.version, line.kind) == (UNBOOKED, last.version, last.type)
        else:
            assert corrected.lines[line.version, line.line] == line


def test_undone_after_a_correction_only_what_is_booked_is_marked(corrected):
    before = {key: line for key, line in corrected.lines.items() if line.undone_by}
    (undone,) = corrected.undo()
    marked = [x for key, x in corrected.lines.items() if x.undone_by and key not in before]
    assert {line.undone_by for line in marked} == {undone.version} if marked else True
    assert all(line.line != UNBOOKED for line in marked)
    assert [moved(line) for line in standing(corrected)] == told(corrected)
    assert by_deal(of_play(corrected)) == by_deal(told(corrected))


def test_a_deal_before_the_corrected_one_keeps_its_lines():
    book = Book()
    book.act(c.OpenDeal(), *fails)
    book.act(c.OpenDeal(), c.AllPass())
    kept = [line for line in standing(book) if line.deal == 1]
    book.correct(2, c.Declare(players=(DISA,)), c.Result(winner=ADA))
    assert [line for line in standing(book) if line.deal == 1] == kept
    assert all(line.line != UNBOOKED for line in kept)


def test_an_event_is_of_the_deal_that_it_names():
    assert deal_of(e.DealOpened(number=4, dealer=ADA, seats=(ADA, BO), stake=1, played_for=1)) == 4
    assert deal_of(e.PotTaken(deal=3, player=BO, amount=10)) == 3
    assert deal_of(e.AllPassed()) is None
    assert deal_of(e.EveningClosed(policy="carry")) is None
