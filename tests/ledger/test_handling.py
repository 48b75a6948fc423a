"""The road into history: all or nothing, and what is not an action of play."""

import pytest

from engine import commands as c
from engine.errors import (
    DealNotOpen,
    NoOpenDeal,
    NotOnLead,
    SessionClosed,
    UnknownPlayer,
    WrongNumberOfPlayers,
)
from ledger import handling
from ledger.handling import MOST_PLAYERS, SamePlayer
from ledger.projections.deals import newest_first
from tests.ledger.book import Book
from tests.spec import ADA, BO, CILLA, DISA, EMIL

both_lose = (c.Declare(players=(DISA, ADA)), c.Result(winner=BO))


def deals(book):
    """Every deal, the last one first: its number, its status, and how it ended."""
    return [
        (deal.number, deal.status, deal.closing and deal.closing.outcome)
        for deal in newest_first(book.session.deals)
    ]


def test_a_refusal_in_a_batch_says_which_action_it_was_and_writes_nothing():
    book = Book()
    said = (c.OpenDeal(), c.Declare(players=(BO,), trump="H"), c.Play(player=ADA, card="AS"))
    with pytest.raises(NotOnLead) as refused:
        book.act(*said)
    assert refused.value.operands == {"turn": BO, "player": ADA, "action": 2}
    assert book.session.version == 1


def test_a_batch_may_undo_what_it_did():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass(), c.Undo(), c.Undo())
    assert book.balances == [0, 0, 0, 0]
    assert book.session.deals is None


def test_everybody_gets_the_next_id_until_the_evening_is_full():
    book = Book(4)
    joined = [book.join() for _ in range(MOST_PLAYERS - 4)]
    assert joined == [f"p{number}" for number in range(5, MOST_PLAYERS + 1)]
    assert book.balances == [0] * MOST_PLAYERS
    with pytest.raises(WrongNumberOfPlayers):
        book.join()


def test_nobody_joins_a_closed_evening():
    book = Book()
    book.close()
    with pytest.raises(SessionClosed):
        book.join()


def test_who_has_joined_plays_after_a_reseating():
    book = Book()
    assert book.join() == EMIL
    with pytest.raises(UnknownPlayer):
        book.act(c.Reseat(players=(ADA, BO, "p6")))
    book.act(c.Reseat(players=(EMIL, BO, CILLA), dealer=EMIL), c.OpenDeal())
    assert book.balances == [0, 0, 0, 0, -10]


def test_a_transfer_is_between_two_people_of_this_evening():
    book = Book()
    for payer, payee in ((ADA, "p9"), ("p9", ADA)):
        with pytest.raises(UnknownPlayer):
            book.transfer(payer, payee, 5)
    with pytest.raises(SamePlayer):
        book.transfer(ADA, ADA, 5)
    book.close()
    book.transfer(ADA, BO, 5)  # afterwards is when people settle up
    assert book.balances == [5, -5, 0, 0]


def test_a_misdeal_never_counted():
    book = Book()
    book.act(c.OpenDeal(), *both_lose)
    before = book.balances, book.session.pot, book.bets
    book.act(c.OpenDeal(), c.Declare(players=(BO,)))
    book.misdeal()
    assert (book.balances, book.session.pot, book.bets) == before
    assert deals(book) == [(2, "voided", None), (1, "closed", "won")]
    with pytest.raises(NoOpenDeal):
        handling.misdeal(book.session, 2)
    book.act(c.OpenDeal())
    with pytest.raises(DealNotOpen):
        handling.misdeal(book.session, 2)
    assert deals(book)[0] == (3, "open", None)


# Deals as they are told, when undo goes back past a voided one


@pytest.fixture
def voided_second():
    """Disa and Ada have lost the first deal; the second was a misdeal."""
    book = Book()
    book.act(c.OpenDeal(), *both_lose, c.OpenDeal())
    book.misdeal()
    return book


def test_bets_merged_after_a_misdeal_belong_to_the_deal_before(voided_second):
    book = voided_second
    book.act(c.Merge())
    assert deals(book) == [(2, "voided", None), (1, "closed", "won")]
    assert [d.facts[-1].type for d in newest_first(book.session.deals)] == [
        "deal_opened",
        "bets_merged",
    ]
    book.undo()
    assert deals(book) == [(2, "voided", None), (1, "closed", "won")]
    assert book.bets == [((DISA,), 10), ((ADA,), 10)]


def test_a_deal_reopened_past_a_misdeal_goes_on_where_it_was(voided_second):
    book = voided_second
    book.undo()
    assert deals(book) == [(2, "voided", None), (1, "open", None)]
    book.act(c.Result(winner=ADA))
    assert deals(book) == [(2, "voided", None), (1, "closed", "won")]
    book.act(c.OpenDeal())
    assert deals(book)[0] == (3, "open", None)


def test_a_deal_reopened_past_a_misdeal_can_be_a_misdeal_itself(voided_second):
    book = voided_second
    book.undo()
    book.misdeal()
    assert deals(book) == [(2, "voided", None), (1, "voided", None)]
    assert book.balances == [0, 0, 0, 0]
    book.act(c.OpenDeal())
    assert book.session.table.number == 3


def test_a_deal_undone_past_a_misdeal_is_gone_and_its_number_too(voided_second):
    book = voided_second
    book.act(c.Undo(), c.Undo(), c.Undo())
    assert deals(book) == [(2, "voided", None)]
    book.act(c.OpenDeal())
    assert deals(book) == [(3, "open", None), (2, "voided", None)]
