"""A session that carries another forward has the amounts of one uninterrupted session."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.games.knektpass import decider as knektpass
from engine.games.polskpas import decider as polskpas
from engine.games.polskt_pass import decider as polskt_pass
from ledger.audit.check_rules import decide_again
from ledger.events.event_types import CarriedForward
from ledger.session import carry_forward as carrying
from ledger.session import command_handlers
from ledger.session.carry_forward import (
    AnotherCurrency,
    AnotherGame,
    CarriedIntoPoints,
    PaymentsAreDue,
    SessionIsOpen,
)
from ledger.session.command_handlers import AlreadyCarriedForward
from tests.support.ledger.carried_sessions import (
    carry_forward,
    game_options,
    play_random_deals,
    play_split_and_unsplit,
    seeds,
)
from tests.support.ledger.memory_store import ID, Book

evenings = settings(max_examples=120, deadline=None, derandomize=True, database=None)


def amounts_at_table(book):
    """Return balances, pot and bets, which do not depend on the numbers of bets and deals."""
    book.settle()
    return book.session.balances, book.session.pot, book.bets


@evenings
@given(agreed=game_options, seed=seeds, before=st.integers(1, 6), after=st.integers(1, 6))
def test_a_session_split_in_two_comes_to_the_same(agreed, seed, before, after):
    unsplit, _, second = play_split_and_unsplit(agreed, seed, before, after)
    assert amounts_at_table(second) == amounts_at_table(unsplit)


def close_with_equal_shares(book):
    """Close the session, share the leftovers equally and return the balances."""
    book.settle()
    book.close("split_equal")
    return book.balances


@evenings
@given(agreed=game_options, seed=st.integers(0, 2**32), before=st.integers(1, 6))
def test_before_its_first_deal_a_carried_session_shares_as_the_earlier(agreed, seed, before):
    unsplit, first = Book(4, **agreed), Book(4, **agreed)
    for actions in play_random_deals(unsplit, before, Random(seed)):
        first.act(*actions)
    assert close_with_equal_shares(carry_forward(first, **agreed)) == close_with_equal_shares(
        unsplit
    )


def carry_stake_of_ten():
    """Return a session that carries forward a pot of 10 from Ada's deal; Bo is to deal."""
    earlier = Book(4, stake=10)
    earlier.act(c.OpenDeal(), c.AllPass())
    return carry_forward(earlier, stake=10)


def test_remainders_start_left_of_the_last_dealer_of_the_earlier_session():
    assert close_with_equal_shares(carry_stake_of_ten()) == [-8, 3, 3, 2]


def test_before_the_first_deal_the_present_players_share():
    book = carry_stake_of_ten()
    book.act(c.Reseat(players=("p1", "p3", "p4"), dealer="p4"))
    assert close_with_equal_shares(book) == [-10 + 3, 0, 3, 4]
    book = carry_stake_of_ten()
    book.act(c.OpenDeal())
    book.undo()
    book.act(c.Reseat(players=("p4", "p3", "p2", "p1")))  # Bo deals still, after Cilla
    assert close_with_equal_shares(book) == [-10 + 3, 3, 2, 2]


def test_the_audit_accepts_the_old_sharing_before_the_first_deal():
    """Until 2026-11-22 sharing started one seat too far, among the first players of the session."""
    book = carry_stake_of_ten()
    book.act(c.Reseat(players=("p1", "p3", "p4")))
    session, closed = book.session, e.EveningClosed(policy="split_equal")

    def shares(**amounts):
        return e.PotShared(shares=tuple(e.Share(player=p, amount=n) for p, n in amounts.items()))

    new_shares = (shares(p3=4, p4=3, p1=3), closed)
    old_shares = (shares(p3=3, p4=3, p1=2, p2=2), closed)
    forged = (shares(p2=3, p3=3, p4=2, p1=2), closed)
    assert decide_again(session, new_shares) == new_shares
    assert decide_again(session, old_shares) == old_shares
    assert decide_again(session, forged) == new_shares
    book.act(c.OpenDeal(), c.AllPass())
    assert decide_again(book.session, old_shares) == command_handlers.close_session(
        book.session, "split_equal"
    )


@evenings
@given(seed=st.integers(0, 2**32), before=st.integers(1, 6))
def test_a_pot_without_bets_is_carried_forward(seed, before):
    first = Book(3, game=polskpas.GAME, stake=10)
    play_random_deals(first, before, Random(seed))
    second = carry_forward(first, stake=10)
    assert second.session.pot == first.session.pot
    assert second.session.balances == first.session.balances


@evenings
@given(agreed=game_options, seed=st.integers(0, 2**32))
def test_the_account_of_carried_amounts_ends_at_zero(agreed, seed):
    first = Book(4, **agreed)
    play_random_deals(first, 4, Random(seed))
    second = carry_forward(first, **agreed)
    balances = Counter()
    for line in second.lines.values():
        balances[line.source] -= line.amount
        balances[line.target] += line.amount
    assert balances.pop("brought", 0) == 0
    expected = {f"player:{p}": n for p, n in second.session.balances.items()}
    expected |= {f"bet:{b.number}": b.amount for b in second.session.bets if b.paid}
    expected["pot"] = second.session.pot
    assert {a: n for a, n in balances.items() if n} == {a: n for a, n in expected.items() if n}


def play_failed_bid(book):
    """Bo declares and Cilla wins, so Bo lays a bet."""
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(winner="p3"))


def test_only_a_closed_session_is_carried_forward():
    book = Book(3)
    play_failed_bid(book)
    with pytest.raises(SessionIsOpen):
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "SEK")


def test_la_vola_is_settled_before_carrying_forward():
    book = Book(3)
    vola = c.Vola(player="p2", won=True)
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(la_vola=vola))
    book.close("carry")
    with pytest.raises(PaymentsAreDue) as refused:
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "SEK")
    assert refused.value.operands == {"count": 2}


def test_a_carried_session_takes_no_transfers():
    book = Book(3)
    play_failed_bid(book)
    carry_forward(book)
    with pytest.raises(AlreadyCarriedForward):
        book.transfer("p1", "p2", 10)
    with pytest.raises(AlreadyCarriedForward):
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "SEK")


def test_money_is_not_carried_into_a_game_for_points():
    book = Book(3)
    play_failed_bid(book)
    book.close("carry")
    with pytest.raises(CarriedIntoPoints):
        carrying.check_carry_forward(book.session, knektpass.GAME, "SEK")


def test_players_without_open_amounts_can_be_absent():
    book = Book(4)
    play_failed_bid(book)
    assert carrying.players_with_open_amounts(book.session) == ("p1", "p2", "p3")


def test_each_obstacle_to_carrying_forward_has_an_error():
    book = Book(3)
    play_failed_bid(book)
    with pytest.raises(SessionIsOpen) as still_open:
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "SEK")
    assert still_open.value.operands == {"session": str(ID)}
    book.close("carry")
    with pytest.raises(AnotherCurrency) as crowns:
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "DKK")
    assert crowns.value.operands == {"currency": "DKK", "needed": "SEK"}
    with pytest.raises(AnotherGame) as another_game:
        carrying.check_carry_forward(book.session, polskpas.GAME, "SEK")
    assert another_game.value.operands == {"game": "polskpas", "needed": "polskt_pass"}
    book.write(CarriedForward(to="there"))
    with pytest.raises(AlreadyCarriedForward) as already_carried:
        carrying.check_carry_forward(book.session, polskt_pass.GAME, "SEK")
    assert already_carried.value.operands == {"to": "there"}


@pytest.mark.parametrize(
    "actions", [[c.AllPass()], [c.Declare(players=("p2",)), c.Result(winner="p3")]]
)
def test_a_pot_or_bet_is_carried_into_the_same_game_only(actions):
    book = Book(3)
    book.act(c.OpenDeal(), *actions)
    book.close("carry")
    with pytest.raises(AnotherGame):
        carrying.check_carry_forward(book.session, polskpas.GAME, "SEK")


def test_debts_alone_are_carried_into_any_game_for_money():
    book = Book(3)
    book.transfer("p1", "p2", 10)
    book.close()
    carrying.check_carry_forward(book.session, polskpas.GAME, "SEK")


def test_carried_amounts_name_version_and_hash_of_the_earlier_session():
    """Cilla took Ada's stake of 10, and Bo laid 10. Players have new numbers after the carry."""
    book = Book(3)
    play_failed_bid(book)
    book.act(c.OpenDeal(), c.AllPass())
    book.close("carry")
    book.write(CarriedForward(to="there"))
    brought_forward = carrying.bring_forward(book.session, {"p1": "p3", "p2": "p1", "p3": "p2"})
    assert (brought_forward.session, brought_forward.version) == (str(ID), book.session.version)
    assert brought_forward.hash == book.history[-1].hash.hex()
    assert brought_forward.pot == 10
    assert brought_forward.bets == (e.CarriedBet(bet=1, by=("p1",), each=10, paid=True),)
    assert brought_forward.balances == {"p3": -10, "p1": -20, "p2": 10}


def test_amounts_need_a_carry_event_in_the_earlier_session():
    book = Book(3)
    play_failed_bid(book)
    book.close("carry")
    with pytest.raises(AssertionError):
        carrying.bring_forward(book.session, {p: p for p in ("p1", "p2", "p3")})


def test_a_bet_or_a_balance_is_an_open_amount():
    book = Book(3)
    assert not carrying.has_open_amounts(book.session)
    book.act(c.OpenDeal(), c.AllPass())
    assert book.session.pot, "which the dealer has paid"
    assert carrying.has_open_amounts(book.session)
    for amount in ({"balances": {"p1": 1}}, {"bets": (object(),)}):
        empty = {"bets": (), "balances": {}}
        assert carrying.has_open_amounts(replace(book.session, **{**empty, **amount}))


def test_a_player_with_a_bet_is_carried_with_a_balance_of_zero():
    book = Book(4)
    play_failed_bid(book)
    book.transfer("p2", "p3", 10)
    assert book.session.balances["p2"] == 0
    assert carrying.players_with_open_amounts(book.session) == ("p1", "p2")
    assert sum(bet.amount for bet in book.session.bets) == 10


def test_a_correction_keeps_the_carried_bets():
    first = Book(3)
    play_failed_bid(first)
    second = carry_forward(first)
    second.act(c.OpenDeal(), c.AllPass())
    second.correct(1, c.Declare(players=("p1",)), c.Result(winner="p3"))
    assert [(bet.number, bet.deal, bet.by, bet.amount) for bet in second.session.bets] == [
        (2, 1, ("p1",), 20)  # played for: the stake, and the bet that Cilla takes
    ]
    second.correct(1, c.AllPass())
    assert [(bet.number, bet.deal, bet.by, bet.amount) for bet in second.session.bets] == [
        (1, 0, ("p2",), 10)
    ]
