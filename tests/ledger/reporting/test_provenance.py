"""Behind every movement stand the events that led to it."""

from engine import commands as c
from engine import events as e
from ledger.behind import behind
from ledger.projections.deals import newest_first
from ledger.why import of_deal
from tests.engine.test_evenings import by_tricks
from tests.evenings import E1, lines
from tests.ledger.book import Book
from tests.spec import BO, CILLA


def kinds(book, versions):
    return [book.history[version - 1].type for version in versions]


def of_deal_2():
    book = Book()
    for line in list(lines(E1))[:2]:
        book.act(*by_tricks(line))
    deal = book.session.deals.last
    return book, deal, of_deal(book.session.rules, deal)


def test_behind_the_pot_stands_what_was_said_in_the_deal():
    book, deal, reasons = of_deal_2()
    pot = next(r for r in reasons if r.code == "pot_taken")
    tricks = ["trick_recorded"] * 5
    told = kinds(book, behind(book.session, deal, pot.version))
    assert told == ["deal_opened", "declared", *tricks, "pot_taken"]


def test_behind_a_bet_that_is_taken_stands_the_event_that_laid_it():
    book, deal, reasons = of_deal_2()
    bet = next(r for r in reasons if r.code == "bet_taken")
    first, *rest = behind(book.session, deal, bet.version)
    assert isinstance(book.history[first - 1].event, e.BetLaid)
    assert book.history[first - 1].event.by == (BO,)
    assert kinds(book, rest)[-1] == "bet_taken"


def test_behind_a_stake_stands_the_opening_alone():
    book, deal, reasons = of_deal_2()
    assert kinds(book, behind(book.session, deal, reasons[0].version)) == ["deal_opened"]


def test_a_bet_that_was_put_together_has_both_its_laying_and_its_merging_behind_it():
    book = Book()
    both = c.Declare(players=("p4", "p1"))
    book.act(c.OpenDeal(), both, c.Result(winner=CILLA), c.Merge())
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=BO))
    deal = next(newest_first(book.session.deals))
    bet = next(r for r in of_deal(book.session.rules, deal) if r.code == "bet_taken")
    told = kinds(book, behind(book.session, deal, bet.version))
    assert told[:2] == ["bet_laid", "bets_merged"]
