"""Each posting names the events that led to it."""

from engine import commands as c
from engine import events as e
from ledger.projections.deals import newest_first
from ledger.reporting.posting_reasons import explain_deal
from ledger.reporting.provenance import source_versions
from tests.support.engine.given_when_then import BO, CILLA
from tests.support.ledger.memory_store import Book
from tests.support.worked_evenings import E1, lines


def kinds(book, versions):
    return [book.history[version - 1].type for version in versions]


def deal_2():
    book = Book()
    for line in list(lines(E1))[:2]:
        book.act(*line.commands())
    deal = book.session.deals.last
    return book, deal, explain_deal(book.session.rule_references, deal)


def test_the_pot_comes_from_the_events_of_its_deal():
    book, deal, reasons = deal_2()
    pot = next(r for r in reasons if r.code == "pot_taken")
    tricks = ["trick_recorded"] * 5
    event_types = kinds(book, source_versions(book.session, deal, pot.version))
    assert event_types == ["deal_opened", "declared", *tricks, "pot_taken"]


def test_a_taken_bet_comes_from_the_event_that_laid_it():
    book, deal, reasons = deal_2()
    bet = next(r for r in reasons if r.code == "bet_taken")
    first, *rest = source_versions(book.session, deal, bet.version)
    assert isinstance(book.history[first - 1].event, e.BetLaid)
    assert book.history[first - 1].event.by == (BO,)
    assert kinds(book, rest)[-1] == "bet_taken"


def test_a_stake_comes_from_the_opening_alone():
    book, deal, reasons = deal_2()
    assert kinds(book, source_versions(book.session, deal, reasons[0].version)) == ["deal_opened"]


def test_a_merged_bet_comes_from_its_laying_and_its_merging():
    book = Book()
    declaration = c.Declare(players=("p4", "p1"))
    book.act(c.OpenDeal(), declaration, c.Result(winner=CILLA), c.Merge())
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=BO))
    deal = next(newest_first(book.session.deals))
    bet = next(r for r in explain_deal(book.session.rule_references, deal) if r.code == "bet_taken")
    event_types = kinds(book, source_versions(book.session, deal, bet.version))
    assert event_types[:2] == ["bet_laid", "bets_merged"]
