"""Undo takes back the last action with everything that followed from it, and nothing else."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import NothingToUndo, SessionClosed
from tests.engine.walk import next_action
from tests.ledger.book import Book
from tests.spec import ADA, BO, CILLA, DISA, EMIL, Given

random_evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)

four = Given()
open_deal, undo = c.OpenDeal(), c.Undo()
bo_declares = c.Declare(players=(BO,))
ada_and_disa_lose = (c.Declare(players=(DISA, ADA)), c.Result(winner=BO))


def place(at):
    """An evening but for what undo walks, and for numbers used up meanwhile."""
    return at.table, at.seats, at.dealer, at.number, at.open, at.last, at.closed


def same(one, other):
    return place(one.evening) == place(other.evening)


def undone(deal, *facts):
    return e.ActionUndone(deal=deal, took_back=facts)


def test_nothing_has_happened_so_nothing_is_undone():
    four.when(undo).refused(NothingToUndo)


def test_an_opened_deal_is_taken_back_and_its_stake_returned():
    opened = e.DealOpened(
        number=1, dealer=ADA, seats=(ADA, BO, CILLA, DISA), stake=10, played_for=10
    )
    after = four.said(open_deal).when(undo).then(undone(1, opened))
    assert same(after, four)
    assert after.evening.next_number == 1
    after.when(undo).refused(NothingToUndo)


def test_one_trick_is_taken_back_at_a_time():
    before = four.said(open_deal, bo_declares, c.Trick(winner=CILLA))
    after = before.said(c.Trick(winner=DISA)).when(undo)
    assert same(after.then(undone(1, e.TrickRecorded(winner=DISA))), before)


def test_the_last_trick_is_taken_back_with_the_money_and_the_close_of_the_deal():
    before = four.said(open_deal, bo_declares, *[c.Trick(winner=CILLA)] * 4)
    facts = before.decided(c.Trick(winner=CILLA))
    assert [type(fact) for fact in facts[1:]] == [e.PotTaken, e.BetLaid, e.DealClosed]
    after = before.given(*facts).when(undo).then(undone(1, *facts))
    assert same(after, before)
    assert after.evening.open


def test_the_last_card_of_a_trick_is_taken_back_with_the_trick():
    cards = dict(zip((BO, CILLA, DISA, ADA), ("9S", "10S", "QS", "KS"), strict=True))
    plays = [c.Play(player=player, card=card) for player, card in cards.items()]
    before = four.said(open_deal, c.Declare(players=(BO,), trump="H"), *plays[:3])
    after = before.said(plays[3])
    assert after.evening.table.phase.play.taken == (ADA,)
    assert same(after.said(undo), before)


def test_a_cut_jack_is_taken_back_with_the_cutters_taking_it():
    before = four.said(open_deal)
    assert same(before.said(c.Cut(card="JC"), undo), before)


def test_a_forced_turn_up_is_taken_back_with_the_dealers_taking_it():
    before = four.said(open_deal, c.Cut(card="9C"))
    assert same(before.said(c.TurnUp(card="JS"), undo), before)


def test_la_vola_won_is_taken_back_with_what_everybody_owed():
    before = four.said(open_deal, bo_declares)
    facts = before.decided(c.Result(la_vola=c.Vola(player=CILLA, won=True)))
    assert any(isinstance(fact, e.LaVolaWon) for fact in facts)
    assert same(before.given(*facts).when(undo).then(undone(1, *facts)), before)


def test_a_merge_comes_off_before_the_deal_that_it_belongs_to():
    closed = four.said(open_deal, *ada_and_disa_lose)
    merged = closed.said(c.Merge())
    assert same(merged.said(undo), closed)
    assert merged.said(undo, undo).evening.open


def test_a_reseating_comes_off_before_the_deal_before_it():
    closed = Given(away=1).said(open_deal, bo_declares, c.Result(winner=BO))
    reseat = c.Reseat(players=(ADA, EMIL, CILLA, DISA), dealer=DISA)
    (reseated,) = closed.decided(reseat)
    after = closed.given(reseated).when(undo).then(undone(None, reseated))
    assert same(after, closed)
    assert after.said(undo).evening.open


def test_a_closed_deal_undone_is_open_again_without_its_last_action():
    before = four.said(open_deal, bo_declares)
    after = before.said(c.Result(winner=BO), undo)
    assert same(after, before)
    assert same(after.said(c.Result(winner=CILLA)), before.said(c.Result(winner=CILLA)))


def test_undo_goes_back_across_deals_down_to_nothing():
    deals = (open_deal, bo_declares, c.Result(winner=CILLA), open_deal, c.AllPass())
    at = four.said(*deals)
    for _ in deals:
        at = at.said(undo)
    assert same(at, four)
    at.when(undo).refused(NothingToUndo)


def test_a_misdeal_gives_the_stake_back_and_its_number_is_never_used_again():
    played = four.said(open_deal, c.AllPass())
    at = played.said(open_deal, bo_declares, c.Trick(winner=BO))
    (voided,) = at.misdealt(2).decided()
    assert voided.next_dealer == BO
    assert [type(fact) for fact in voided.took_back] == [
        e.DealOpened,
        e.Declared,
        e.TrickRecorded,
    ]
    after = at.given(voided)
    assert same(after, played)
    assert after.evening.next_number == 3
    assert after.said(open_deal).evening.number == 3


def test_undo_after_a_misdeal_goes_to_the_deal_before_it():
    """And the number of the misdeal stays used up, however far undo goes back."""
    playing = four.said(open_deal, bo_declares)
    at = playing.said(c.Result(winner=BO), open_deal)
    at = at.given(*at.misdealt(2).decided()).said(undo)
    assert same(at, playing)
    again = at.said(c.Result(winner=CILLA))
    assert again.evening.next_number == 3
    assert at.said(undo, undo).evening.next_number == 3


def test_nothing_is_undone_when_the_evening_is_closed():
    played = four.said(open_deal, c.AllPass())
    played.given(*played.closed("carry").decided()).when(undo).refused(SessionClosed)


def test_who_has_joined_meanwhile_stays_known():
    book = Book(3)
    book.act(open_deal, c.AllPass())
    book.join()
    book.act(undo, undo)
    assert book.session.table.players == (ADA, BO, CILLA, DISA)
    assert book.session.balances[DISA] == 0


def stands(book):
    """Everything that undo must bring back; what is still owed counts as paid."""
    session = book.session
    at = session.table
    funds = {player: session.funds(player) for player in at.players if session.funds(player)}
    return place(at), session.pot, session.bets, funds


def is_open(stood):
    return stood[0][4]


@random_evenings
@given(st.integers(3, 5), st.booleans(), seeds)
def test_any_number_of_undos_goes_back_by_as_many_actions(players, double, seed):
    """Whatever was undone, settled, voided or joined on the way."""
    book, die = Book(players, bet_multiplier=1 + double), Random(seed)
    past = []  # how it stood before each action that still counts
    for _ in range(die.randint(1, 80)):
        at = book.session.table
        if at.open and die.random() < 0.02:
            book.misdeal()
            while is_open(past[-1]):
                past.pop()
            assert stands(book) == past.pop()
            continue
        said = next_action(book.legal, die)
        if isinstance(said, c.Undo):
            book.act(said)
            assert stands(book) == past.pop()
        else:
            past.append(stands(book))
            book.act(said)
        if book.due and die.random() < 0.3:
            book.settle(die.choice(book.due))
        if len(at.players) < 6 and die.random() < 0.03:
            book.join()
    for stood in reversed(past[-die.randint(0, len(past)) :]):
        book.undo()
        assert stands(book) == stood
    book.settle()
    assert {p: amount for p, amount in book.session.balances.items() if amount} == stands(book)[-1]


@random_evenings
@given(st.integers(3, 5), seeds)
def test_what_is_undone_and_said_again_comes_to_the_same(players, seed):
    book, die = Book(players), Random(seed)
    said = []
    for _ in range(die.randint(1, 50)):
        said.append(next_action(book.legal, die, but=("undo",)))
        book.act(said[-1])
    before, actions = stands(book), die.randint(1, len(said))
    for _ in range(actions):
        book.undo()
    book.act(*said[-actions:])
    assert stands(book) == before


def test_undo_is_always_possible_down_to_the_first_action():
    book, die = Book(4), Random(1)
    for _ in range(300):
        book.act(next_action(book.legal, die, but=("undo",)))
    for _ in range(300):
        book.undo()
    with pytest.raises(NothingToUndo):
        book.undo()
    assert (book.session.pot, book.session.bets) == (0, ())
    assert all(book.session.funds(player) == 0 for player in book.session.table.players)
