"""Command handlers: batches are atomic; commands outside the play have rules of their own."""

import pytest

from engine import commands as c
from engine.errors import (
    CreditLimitReached,
    DealNotOpen,
    NoOpenDeal,
    NoSuchPlayer,
    NotOnLead,
    SessionClosed,
    WrongNumberOfPlayers,
)
from engine.games.knektpass import decider as knektpass
from ledger.events.event_types import CarriedForward, PlayerJoined, TransferRecorded
from ledger.projections.deals import newest_first
from ledger.session import command_handlers
from ledger.session.command_handlers import (
    MAX_PLAYERS,
    AlreadyCarriedForward,
    PlayedForPoints,
    SamePlayer,
)
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL
from tests.support.ledger.memory_store import Book

both_lose = (c.Declare(players=(DISA, ADA)), c.Result(winner=BO))


def deals(book):
    """Return number, status and outcome of each deal, newest first."""
    return [
        (deal.number, deal.status, deal.closing and deal.closing.outcome)
        for deal in newest_first(book.session.deals)
    ]


def test_a_refused_batch_names_the_action_and_writes_nothing():
    book = Book()
    actions = (c.OpenDeal(), c.Declare(players=(BO,), trump="H"), c.Play(player=ADA, card="AS"))
    with pytest.raises(NotOnLead) as refused:
        book.act(*actions)
    assert refused.value.operands == {"turn": BO, "player": ADA, "action": 2}
    assert book.session.version == 1


def test_a_batch_may_undo_what_it_did():
    book = Book()
    book.act(c.OpenDeal(), c.AllPass(), c.Undo(), c.Undo())
    assert book.balances == [0, 0, 0, 0]
    assert book.session.deals is None


def test_players_get_consecutive_ids_until_the_session_is_full():
    book = Book(4)
    joined = [book.join() for _ in range(MAX_PLAYERS - 4)]
    assert joined == [f"p{number}" for number in range(5, MAX_PLAYERS + 1)]
    assert book.balances == [0] * MAX_PLAYERS
    with pytest.raises(WrongNumberOfPlayers):
        book.join()


def test_a_player_too_many_is_refused_with_the_maximum():
    book = Book(4)
    for _ in range(MAX_PLAYERS - 4):
        book.join()
    with pytest.raises(WrongNumberOfPlayers) as full:
        book.join()
    fewest_players = book.session.game.player_counts[0]
    assert full.value.operands == {
        "count": MAX_PLAYERS + 1,
        "least": fewest_players,
        "most": MAX_PLAYERS,
    }


def test_a_session_has_at_most_sixteen_players():
    book = Book(5)
    ids = [book.join() for _ in range(11)]
    assert ids[-1] == "p16"
    with pytest.raises(WrongNumberOfPlayers):
        book.join()


def test_names_are_stored_as_commitments():
    game = Book().session.game
    agreed = {"currency": "SEK", "players": (ADA, BO, CILLA), "first_dealer": BO}
    opening = command_handlers.open_session(
        game, game.options_type(stake=7), names=("aa", "bb", "cc"), **agreed
    )
    assert (opening.names, opening.players, opening.first_dealer) == (
        ("aa", "bb", "cc"),
        (ADA, BO, CILLA),
        BO,
    )
    assert (opening.game, opening.currency, opening.options["stake"]) == ("polskt_pass", "SEK", 7)
    assert opening.start == {}
    assert command_handlers.join_player(DISA, "dd") == (PlayerJoined(player=DISA, name="dd"),)


def test_a_game_for_points_begins_with_its_sheet():
    assert set(Book(game=knektpass.GAME).session.opening.start) == {ADA, BO, CILLA, DISA}


@pytest.mark.parametrize("is_undone", [False, True])
def test_within_a_batch_la_vola_counts_until_its_undo(is_undone):
    """Bo, who deals next, may owe 15: he owes Cilla 10 and cannot put 10 into the pot."""
    book = Book(credit_limit=15)
    vola = c.Result(la_vola=c.Vola(player=CILLA, won=True))
    batch = [c.OpenDeal(), c.Declare(players=(ADA,)), vola]
    if is_undone:
        book.act(*batch, c.Undo(), c.Result(winner=ADA), c.OpenDeal())
        assert book.balances == [0, -10, 0, 0]
    else:
        with pytest.raises(CreditLimitReached) as refused:
            book.act(*batch, c.OpenDeal())
        assert refused.value.operands["balance"] == -10


def test_within_a_batch_la_vola_pays_for_the_next_stake():
    """Two la volas: the second adds to the first, 10 from each other player each time."""
    book = Book(3, credit_limit=0)
    book.transfer(ADA, CILLA, 10)
    bo_sweeps = c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True))
    book.act(c.OpenDeal(), *bo_sweeps, c.OpenDeal(), *bo_sweeps)
    book.settle()
    assert book.balances == [10 - 10 - 20, 10 + 40, -10 - 20]
    with pytest.raises(CreditLimitReached) as refused:
        book.act(c.OpenDeal())
    assert refused.value.operands["balance"] == -30


@pytest.mark.parametrize(("is_undone", "balance"), [(False, -50), (True, -130)])
def test_within_a_batch_all_postings_count_for_the_next_dealer(is_undone, balance):
    """Cilla owes 100 and lays a bet of 10. Her la vola brings the pot of 10, her own bet, and 20
    from each of two; when it is taken back, Bo wins instead and she lays 20 more."""
    book = Book(3, credit_limit=20)
    book.transfer(ADA, CILLA, 100)
    cilla_fails = (c.OpenDeal(), c.Declare(players=(CILLA,)), c.Result(winner=BO))
    vola = c.Result(la_vola=c.Vola(player=CILLA, won=True))
    batch = (*cilla_fails, c.OpenDeal(), c.Declare(players=(CILLA,)), vola)
    instead = (c.Undo(), c.Result(winner=BO))
    with pytest.raises(CreditLimitReached) as refused:
        book.act(*batch, *(instead if is_undone else ()), c.OpenDeal())
    assert refused.value.operands["balance"] == balance


def test_within_a_batch_an_undone_correction_counts_for_the_next_dealer():
    """Bo owes 100, and gets back the 10 and the 30 that a correction had given to Cilla."""
    book = Book(credit_limit=20)
    book.transfer(ADA, BO, 100)
    bo_declares = c.Declare(players=(BO,))
    book.act(c.OpenDeal(), bo_declares, c.Result(la_vola=c.Vola(player=BO, won=True)))
    book.correct(1, bo_declares, c.Result(la_vola=c.Vola(player=CILLA, won=True)))
    with pytest.raises(CreditLimitReached) as refused:
        book.act(c.Undo(), c.OpenDeal())
    assert refused.value.operands["balance"] == -100 + 10 + 30


def test_each_obstacle_to_a_transfer_has_an_error():
    book = Book()
    with pytest.raises(NoSuchPlayer) as unknown_player:
        book.transfer(ADA, "p9", 5)
    assert unknown_player.value.operands == {"player": "p9"}
    book.close()
    book.write(CarriedForward(to="there"))
    with pytest.raises(AlreadyCarriedForward) as already_carried:
        book.transfer(ADA, BO, 5)
    assert already_carried.value.operands == {"to": "there"}
    with pytest.raises(PlayedForPoints):
        Book(game=knektpass.GAME).transfer(ADA, BO, 5)


def test_a_transfer_records_how_it_was_paid():
    paid = command_handlers.record_transfer(Book().session, ADA, BO, 5, "swish")
    assert paid == (TransferRecorded(payer=ADA, payee=BO, amount=5, method="swish"),)


def test_a_closed_session_takes_no_new_players():
    book = Book()
    book.close()
    with pytest.raises(SessionClosed):
        book.join()


def test_a_new_player_plays_after_a_reseating():
    book = Book()
    assert book.join() == EMIL
    with pytest.raises(NoSuchPlayer):
        book.act(c.Reseat(players=(ADA, BO, "p6")))
    book.act(c.Reseat(players=(EMIL, BO, CILLA), dealer=EMIL), c.OpenDeal())
    assert book.balances == [0, 0, 0, 0, -10]


def test_a_transfer_is_between_two_players_of_the_session():
    book = Book()
    for payer, payee in ((ADA, "p9"), ("p9", ADA)):
        with pytest.raises(NoSuchPlayer):
            book.transfer(payer, payee, 5)
    with pytest.raises(SamePlayer):
        book.transfer(ADA, ADA, 5)
    book.close()
    book.transfer(ADA, BO, 5)  # transfers after the closing are allowed
    assert book.balances == [5, -5, 0, 0]


def test_a_misdeal_does_not_count():
    book = Book()
    book.act(c.OpenDeal(), *both_lose)
    before = book.balances, book.session.pot, book.bets
    book.act(c.OpenDeal(), c.Declare(players=(BO,)))
    book.misdeal()
    assert (book.balances, book.session.pot, book.bets) == before
    assert deals(book) == [(2, "voided", None), (1, "closed", "won")]
    with pytest.raises(NoOpenDeal):
        command_handlers.void_open_deal(book.session, 2)
    book.act(c.OpenDeal())
    with pytest.raises(DealNotOpen):
        command_handlers.void_open_deal(book.session, 2)
    assert deals(book)[0] == (3, "open", None)


# Deals when undo goes back past a voided one


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


def test_a_deal_reopened_past_a_misdeal_continues(voided_second):
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
    assert book.session.table.deal_number == 3


def test_a_deal_undone_past_a_misdeal_frees_its_number(voided_second):
    book = voided_second
    book.act(c.Undo(), c.Undo(), c.Undo())
    assert deals(book) == [(2, "voided", None)]
    book.act(c.OpenDeal())
    assert deals(book) == [(3, "open", None), (2, "voided", None)]
