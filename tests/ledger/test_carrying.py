"""An evening that goes on where another ended is as one evening that was never interrupted."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.games import knektpass, polskpas, polskt_pass
from ledger import carrying
from ledger.carrying import BroughtIntoPoints, EveningIsOpen, PaymentsAreDue
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
