"""The road into history: all or nothing, and what is not an action of play."""

import pytest

from engine import commands as c
from engine.errors import (
    CreditLimitReached,
    DealNotOpen,
    NoOpenDeal,
    NotOnLead,
    SessionClosed,
    UnknownPlayer,
    WrongNumberOfPlayers,
)
from engine.games import knektpass
from ledger import handling
from ledger.entries import CarriedForward, PlayerJoined, TransferRecorded
from ledger.handling import MOST_PLAYERS, AlreadyCarriedForward, PlayedForPoints, SamePlayer
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


def test_who_is_one_too_many_hears_how_many_there_may_be():
    book = Book(4)
    for _ in range(MOST_PLAYERS - 4):
        book.join()
    with pytest.raises(WrongNumberOfPlayers) as full:
        book.join()
    least = book.session.game.seats[0]
    assert full.value.operands == {"count": MOST_PLAYERS + 1, "least": least, "most": MOST_PLAYERS}


def test_sixteen_may_be_of_one_evening():
    book = Book(5)
    ids = [book.join() for _ in range(11)]
    assert ids[-1] == "p16"
    with pytest.raises(WrongNumberOfPlayers):
        book.join()


def test_names_are_kept_as_what_they_were_sealed_with():
    game = Book().session.game
    agreed = {"currency": "SEK", "players": (ADA, BO, CILLA), "first_dealer": BO}
    begun = handling.opening(game, game.options(stake=7), names=("aa", "bb", "cc"), **agreed)
    assert (begun.names, begun.players, begun.first_dealer) == (
        ("aa", "bb", "cc"),
        (ADA, BO, CILLA),
        BO,
    )
    assert (begun.game, begun.currency, begun.options["stake"]) == ("polskt_pass", "SEK", 7)
    assert begun.start == {}
    assert handling.joined(DISA, "dd") == (PlayerJoined(player=DISA, name="dd"),)


def test_a_game_for_points_begins_with_its_sheet():
    assert set(Book(game=knektpass.GAME).session.opening.start) == {ADA, BO, CILLA, DISA}


@pytest.mark.parametrize("taken_back", [False, True])
def test_within_a_batch_what_la_vola_owes_counts_until_it_is_taken_back(taken_back):
    """Bo, who deals next, may owe 15: he owes Cilla 10 and cannot put 10 into the pot."""
    book = Book(credit_limit=15)
    vola = c.Result(la_vola=c.Vola(player=CILLA, won=True))
    batch = [c.OpenDeal(), c.Declare(players=(ADA,)), vola]
    if taken_back:
        book.act(*batch, c.Undo(), c.Result(winner=ADA), c.OpenDeal())
        assert book.balances == [0, -10, 0, 0]
    else:
        with pytest.raises(CreditLimitReached) as refused:
            book.act(*batch, c.OpenDeal())
        assert refused.value.operands["balance"] == -10


def test_within_a_batch_who_won_la_vola_may_deal_on_what_he_is_owed():
    """Twice: the second adds to the first, 10 from everybody each time."""
    book = Book(3, credit_limit=0)
    book.transfer(ADA, CILLA, 10)
    bo_sweeps = c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True))
    book.act(c.OpenDeal(), *bo_sweeps, c.OpenDeal(), *bo_sweeps)
    book.settle()
    assert book.balances == [10 - 10 - 20, 10 + 40, -10 - 20]
    with pytest.raises(CreditLimitReached) as refused:
        book.act(c.OpenDeal())
    assert refused.value.operands["balance"] == -30


@pytest.mark.parametrize(("taken_back", "balance"), [(False, -50), (True, -130)])
def test_within_a_batch_all_that_has_moved_counts_for_who_deals_next(taken_back, balance):
    """Cilla owes 100 and lays a bet of 10. Her la vola brings the pot of 10, her own bet, and 20
    from each of two; when it is taken back, Bo wins instead and she lays 20 more."""
    book = Book(3, credit_limit=20)
    book.transfer(ADA, CILLA, 100)
    cilla_fails = (c.OpenDeal(), c.Declare(players=(CILLA,)), c.Result(winner=BO))
    vola = c.Result(la_vola=c.Vola(player=CILLA, won=True))
    batch = (*cilla_fails, c.OpenDeal(), c.Declare(players=(CILLA,)), vola)
    instead = (c.Undo(), c.Result(winner=BO))
    with pytest.raises(CreditLimitReached) as refused:
        book.act(*batch, *(instead if taken_back else ()), c.OpenDeal())
    assert refused.value.operands["balance"] == balance


def test_why_a_transfer_is_refused_is_told():
    book = Book()
    with pytest.raises(UnknownPlayer) as nobody:
        book.transfer(ADA, "p9", 5)
    assert nobody.value.operands == {"player": "p9"}
    book.close()
    book.write(CarriedForward(to="there"))
    with pytest.raises(AlreadyCarriedForward) as gone:
        book.transfer(ADA, BO, 5)
    assert gone.value.operands == {"to": "there"}
    with pytest.raises(PlayedForPoints):
        Book(game=knektpass.GAME).transfer(ADA, BO, 5)


def test_a_transfer_says_how_it_was_paid():
    paid = handling.transfer(Book().session, ADA, BO, 5, "swish")
    assert paid == (TransferRecorded(payer=ADA, payee=BO, amount=5, method="swish"),)


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
