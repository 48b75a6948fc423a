"""An evening that goes on where another ended is as one evening that was never interrupted."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.games import knektpass, polskpas, polskt_pass
from ledger import carrying, handling
from ledger.auditing.decided import follows
from ledger.carrying import (
    AnotherCurrency,
    AnotherGame,
    BroughtIntoPoints,
    EveningIsOpen,
    PaymentsAreDue,
)
from ledger.entries import CarriedForward
from ledger.handling import AlreadyCarriedForward
from tests.engine.walk import next_action
from tests.ledger.book import ID, Book

evenings = settings(max_examples=120, deadline=None, derandomize=True, database=None)
options = st.fixed_dictionaries(
    {
        "stake": st.integers(1, 50),
        "bet_multiplier": st.sampled_from([1, 2]),
        "merge_double_bets": st.booleans(),
        "amount_basis": st.sampled_from(["pot", "ante_only"]),
        "all_one_two_declarers": st.sampled_from(["both", "none"]),
        "bet_payment": st.sampled_from(["immediate", "on_collection"]),
        "bet_tie": st.sampled_from(["oldest", "newest"]),
        "failed_vola_declarer_bet": st.sampled_from(["none", "bet"]),
    }
)


def some_deals(book, count, die):
    """So many deals, chosen from what is legal; what was said in each."""
    deals = []
    for _ in range(count):
        said = [c.OpenDeal()]
        book.act(said[0])
        while book.session.table.open:
            legal = [a for a in book.legal if a.type not in ("undo", "reseat")]
            said.append(next_action(legal, die))
            book.act(said[-1])
        deals.append(said)
    return deals


def gone_on(earlier, **agreed):
    """The next evening of the same people, who sit as they sat."""
    table = earlier.session.table
    earlier.settle()
    earlier.close("carry")
    carrying.check(earlier.session, earlier.session.game, "SEK")
    earlier.write(CarriedForward(to=str(ID)))
    later = Book(len(table.players), first_dealer=table.dealer, game=earlier.session.game, **agreed)
    same = {player: player for player in table.players}
    later.write(carrying.brought(earlier.session, same))
    return later


def stands(book):
    """What is true at the table, whatever the numbers of its bets and deals."""
    book.settle()
    return book.session.balances, book.session.pot, book.bets


@evenings
@given(
    agreed=options, seed=st.integers(0, 2**32), before=st.integers(1, 6), after=st.integers(1, 6)
)
def test_an_evening_cut_in_two_comes_to_the_same(agreed, seed, before, after):
    die, whole = Random(seed), Book(4, **agreed)
    deals = some_deals(whole, before + after, die)
    earlier = Book(4, **agreed)
    for said in deals[:before]:
        earlier.act(*said)
    later = gone_on(earlier, **agreed)
    for _, *said in deals[before:]:
        later.act(c.OpenDeal(), *said)
    assert stands(later) == stands(whole)


def shared(book):
    """What everybody has when the evening ends, and all that lies there is shared equally."""
    book.settle()
    book.close("split_equal")
    return book.balances


@evenings
@given(agreed=options, seed=st.integers(0, 2**32), before=st.integers(1, 6))
def test_before_its_first_deal_an_evening_that_goes_on_is_shared_as_the_earlier(
    agreed, seed, before
):
    whole, earlier = Book(4, **agreed), Book(4, **agreed)
    for said in some_deals(whole, before, Random(seed)):
        earlier.act(*said)
    assert shared(gone_on(earlier, **agreed)) == shared(whole)


def a_stake_of_ten():
    """Ada has dealt and everybody passed; the next evening goes on from it, and Bo is to deal."""
    earlier = Book(4, stake=10)
    earlier.act(c.OpenDeal(), c.AllPass())
    return gone_on(earlier, stake=10)


def test_what_is_left_over_begins_at_the_left_of_who_dealt_last_the_evening_before():
    assert shared(a_stake_of_ten()) == [-8, 3, 3, 2]


def test_before_the_first_deal_those_who_sit_now_share():
    later = a_stake_of_ten()
    later.act(c.Reseat(players=("p1", "p3", "p4"), dealer="p4"))
    assert shared(later) == [-10 + 3, 0, 3, 4]
    later = a_stake_of_ten()
    later.act(c.OpenDeal())
    later.undo()
    later.act(c.Reseat(players=("p4", "p3", "p2", "p1")))  # Bo deals still, after Cilla
    assert shared(later) == [-10 + 3, 3, 2, 2]


def test_the_auditor_takes_the_older_way_to_share_before_the_first_deal():
    """Until 2026-11-22 it began one seat too far, among those who sat at the beginning."""
    later = a_stake_of_ten()
    later.act(c.Reseat(players=("p1", "p3", "p4")))
    at, closed = later.session, e.EveningClosed(policy="split_equal")

    def shares(**amounts):
        return e.PotShared(shares=tuple(e.Share(player=p, amount=n) for p, n in amounts.items()))

    now = (shares(p3=4, p4=3, p1=3), closed)
    then = (shares(p3=3, p4=3, p1=2, p2=2), closed)
    forged = (shares(p2=3, p3=3, p4=2, p1=2), closed)
    assert follows(at, now) == now
    assert follows(at, then) == then
    assert follows(at, forged) == now
    later.act(c.OpenDeal(), c.AllPass())
    assert follows(later.session, then) == handling.closure(later.session, "split_equal")


@evenings
@given(seed=st.integers(0, 2**32), before=st.integers(1, 6))
def test_a_pot_alone_goes_on_too(seed, before):
    earlier = Book(3, game=polskpas.GAME, stake=10)
    some_deals(earlier, before, Random(seed))
    later = gone_on(earlier, stake=10)
    assert later.session.pot == earlier.session.pot
    assert later.session.balances == earlier.session.balances


@evenings
@given(agreed=options, seed=st.integers(0, 2**32))
def test_what_is_booked_as_brought_comes_to_nothing(agreed, seed):
    earlier = Book(4, **agreed)
    some_deals(earlier, 4, Random(seed))
    later = gone_on(earlier, **agreed)
    held = Counter()
    for line in later.lines.values():
        held[line.source] -= line.amount
        held[line.target] += line.amount
    assert held.pop("brought", 0) == 0
    told = {f"player:{p}": n for p, n in later.session.balances.items()}
    told |= {f"bet:{b.number}": b.amount for b in later.session.bets if b.paid}
    told["pot"] = later.session.pot
    assert {a: n for a, n in held.items() if n} == {a: n for a, n in told.items() if n}


def failed(book):
    """Bo declares, Cilla wins: Bo lays a bet."""
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(winner="p3"))


def test_only_what_is_over_goes_on():
    book = Book(3)
    failed(book)
    with pytest.raises(EveningIsOpen):
        carrying.check(book.session, polskt_pass.GAME, "SEK")


def test_a_la_vola_is_settled_before_anything_goes_on():
    book = Book(3)
    vola = c.Vola(player="p2", won=True)
    book.act(c.OpenDeal(), c.Declare(players=("p2",)), c.Result(la_vola=vola))
    book.close("carry")
    with pytest.raises(PaymentsAreDue) as refused:
        carrying.check(book.session, polskt_pass.GAME, "SEK")
    assert refused.value.operands == {"count": 2}


def test_nobody_pays_in_an_evening_that_went_on():
    book = Book(3)
    failed(book)
    gone_on(book)
    with pytest.raises(AlreadyCarriedForward):
        book.transfer("p1", "p2", 10)
    with pytest.raises(AlreadyCarriedForward):
        carrying.check(book.session, polskt_pass.GAME, "SEK")


def test_money_is_not_brought_into_a_game_for_points():
    book = Book(3)
    failed(book)
    book.close("carry")
    with pytest.raises(BroughtIntoPoints):
        carrying.check(book.session, knektpass.GAME, "SEK")


def test_who_owes_nothing_and_laid_nothing_need_not_come():
    book = Book(4)
    failed(book)
    assert carrying.concerned(book.session) == ("p1", "p2", "p3")


def test_why_an_evening_cannot_go_on_is_told():
    book = Book(3)
    failed(book)
    with pytest.raises(EveningIsOpen) as still_open:
        carrying.check(book.session, polskt_pass.GAME, "SEK")
    assert still_open.value.operands == {"session": str(ID)}
    book.close("carry")
    with pytest.raises(AnotherCurrency) as crowns:
        carrying.check(book.session, polskt_pass.GAME, "DKK")
    assert crowns.value.operands == {"currency": "DKK", "needed": "SEK"}
    with pytest.raises(AnotherGame) as other:
        carrying.check(book.session, polskpas.GAME, "SEK")
    assert other.value.operands == {"game": "polskpas", "needed": "polskt_pass"}
    book.write(CarriedForward(to="there"))
    with pytest.raises(AlreadyCarriedForward) as gone:
        carrying.check(book.session, polskt_pass.GAME, "SEK")
    assert gone.value.operands == {"to": "there"}


@pytest.mark.parametrize(
    "said", [[c.AllPass()], [c.Declare(players=("p2",)), c.Result(winner="p3")]]
)
def test_a_pot_or_a_bet_is_played_for_in_the_game_that_it_came_from(said):
    book = Book(3)
    book.act(c.OpenDeal(), *said)
    book.close("carry")
    with pytest.raises(AnotherGame):
        carrying.check(book.session, polskpas.GAME, "SEK")


def test_debts_alone_go_on_in_any_game_for_money():
    book = Book(3)
    book.transfer("p1", "p2", 10)
    book.close()
    carrying.check(book.session, polskpas.GAME, "SEK")


def test_what_is_brought_names_the_evening_as_it_was_sealed():
    """p1 anted 10, which Cilla has; Bo laid 10. All of it goes on, people under new numbers."""
    book = Book(3)
    failed(book)
    book.act(c.OpenDeal(), c.AllPass())
    book.close("carry")
    book.write(CarriedForward(to="there"))
    begun = carrying.brought(book.session, {"p1": "p3", "p2": "p1", "p3": "p2"})
    assert (begun.session, begun.version) == (str(ID), book.session.version)
    assert begun.hash == book.history[-1].hash.hex()
    assert begun.pot == 10
    assert begun.bets == (e.Brought(bet=1, by=("p1",), each=10, paid=True),)
    assert begun.balances == {"p3": -10, "p1": -20, "p2": 10}


def test_an_evening_says_first_where_it_goes_on():
    book = Book(3)
    failed(book)
    book.close("carry")
    with pytest.raises(AssertionError):
        carrying.brought(book.session, {p: p for p in ("p1", "p2", "p3")})


def test_an_evening_has_left_something_while_a_pot_a_bet_or_a_balance_is_not_nothing():
    book = Book(3)
    assert not carrying.anything_open(book.session)
    book.act(c.OpenDeal(), c.AllPass())
    assert carrying.anything_open(book.session)
    for only in ({"pot": 1}, {"balances": {"p1": 1}}, {"bets": (object(),)}):
        nothing = {"pot": 0, "bets": (), "balances": {}}
        assert carrying.anything_open(replace(book.session, **{**nothing, **only}))
    points = Book(3, game=knektpass.GAME)
    assert not carrying.anything_open(replace(points.session, pot=1))


def test_who_laid_a_bet_comes_although_he_owes_nothing():
    book = Book(4)
    failed(book)
    book.transfer("p2", "p3", 10)
    assert book.session.balances["p2"] == 0
    assert carrying.concerned(book.session) == ("p1", "p2")
    assert carrying.on_bets(book.session) == 10


def test_a_correction_leaves_the_bets_that_were_brought():
    earlier = Book(3)
    failed(earlier)
    later = gone_on(earlier)
    later.act(c.OpenDeal(), c.AllPass())
    later.correct(1, c.Declare(players=("p1",)), c.Result(winner="p3"))
    assert [(bet.number, bet.deal, bet.by, bet.amount) for bet in later.session.bets] == [
        (2, 1, ("p1",), 20)  # played for: the stake, and the bet that Cilla takes
    ]
    later.correct(1, c.AllPass())
    assert [(bet.number, bet.deal, bet.by, bet.amount) for bet in later.session.bets] == [
        (1, 0, ("p2",), 10)
    ]
