"""Undo takes back the last action with everything that followed from it, and nothing else."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.errors import NothingToUndo, SessionClosed
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA, EMIL, Given, without_history
from tests.support.engine.random_walk import next_action
from tests.support.ledger.memory_store import Book

random_evenings = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)

four = Given()
open_deal, undo = c.OpenDeal(), c.Undo()
bo_declares = c.Declare(players=(BO,))
ada_and_disa_lose = (c.Declare(players=(DISA, ADA)), c.Result(winner=BO))


def same_table(first, second):
    return without_history(first.table_state) == without_history(second.table_state)


def undone(deal, *facts):
    return e.ActionUndone(deal=deal, took_back=facts)


def test_nothing_has_happened_so_nothing_is_undone():
    four.when(undo).refused(NothingToUndo)


def test_an_opened_deal_is_taken_back_and_its_stake_returned():
    opened = e.DealOpened(
        number=1, dealer=ADA, seats=(ADA, BO, CILLA, DISA), stake=10, played_for=10
    )
    after = four.after(open_deal).when(undo).then(undone(1, opened))
    assert same_table(after, four)
    assert after.table_state.next_number == 1
    after.when(undo).refused(NothingToUndo)


def test_one_trick_is_taken_back_at_a_time():
    before = four.after(open_deal, bo_declares, c.Trick(winner=CILLA))
    after = before.after(c.Trick(winner=DISA)).when(undo)
    assert same_table(after.then(undone(1, e.TrickRecorded(winner=DISA))), before)


def test_undoing_the_last_trick_takes_back_money_and_close():
    before = four.after(open_deal, bo_declares, *[c.Trick(winner=CILLA)] * 4)
    facts = before.decide(c.Trick(winner=CILLA))
    assert [type(fact) for fact in facts[1:]] == [e.PotTaken, e.BetLaid, e.DealClosed]
    after = before.given(*facts).when(undo).then(undone(1, *facts))
    assert same_table(after, before)
    assert after.table_state.deal_is_open


def test_the_last_card_of_a_trick_is_taken_back_with_the_trick():
    cards = dict(zip((BO, CILLA, DISA, ADA), ("9S", "10S", "QS", "KS"), strict=True))
    plays = [c.Play(player=player, card=card) for player, card in cards.items()]
    before = four.after(open_deal, c.Declare(players=(BO,), trump="H"), *plays[:3])
    after = before.after(plays[3])
    assert after.table_state.game_state.phase.tricks.winners == (ADA,)
    assert same_table(after.after(undo), before)


def test_a_cut_jack_is_taken_back_with_the_cutters_taking_it():
    before = four.after(open_deal)
    assert same_table(before.after(c.Cut(card="JC"), undo), before)


def test_a_forced_turn_up_is_taken_back_with_the_dealers_taking_it():
    before = four.after(open_deal, c.Cut(card="9C"))
    assert same_table(before.after(c.TurnUp(card="JS"), undo), before)


def test_la_vola_won_is_taken_back_with_what_everybody_owed():
    before = four.after(open_deal, bo_declares)
    facts = before.decide(c.Result(la_vola=c.Vola(player=CILLA, won=True)))
    assert any(isinstance(fact, e.LaVolaWon) for fact in facts)
    assert same_table(before.given(*facts).when(undo).then(undone(1, *facts)), before)


def test_a_merge_comes_off_before_the_deal_that_it_belongs_to():
    closed = four.after(open_deal, *ada_and_disa_lose)
    merged = closed.after(c.Merge())
    assert same_table(merged.after(undo), closed)
    assert merged.after(undo, undo).table_state.deal_is_open


def test_a_reseating_comes_off_before_the_deal_before_it():
    closed = Given(away=1).after(open_deal, bo_declares, c.Result(winner=BO))
    reseat = c.Reseat(players=(ADA, EMIL, CILLA, DISA), dealer=DISA)
    (reseated,) = closed.decide(reseat)
    after = closed.given(reseated).when(undo).then(undone(None, reseated))
    assert same_table(after, closed)
    assert after.after(undo).table_state.deal_is_open


def test_a_closed_deal_undone_is_open_again_without_its_last_action():
    before = four.after(open_deal, bo_declares)
    after = before.after(c.Result(winner=BO), undo)
    assert same_table(after, before)
    assert same_table(after.after(c.Result(winner=CILLA)), before.after(c.Result(winner=CILLA)))


def test_undo_goes_back_across_deals_down_to_nothing():
    deals = (open_deal, bo_declares, c.Result(winner=CILLA), open_deal, c.AllPass())
    at = four.after(*deals)
    for _ in deals:
        at = at.after(undo)
    assert same_table(at, four)
    at.when(undo).refused(NothingToUndo)


def test_a_misdeal_gives_the_stake_back_and_its_number_is_never_used_again():
    played = four.after(open_deal, c.AllPass())
    at = played.after(open_deal, bo_declares, c.Trick(winner=BO))
    (voided,) = at.when_misdealt(2).decide()
    assert voided.next_dealer == BO
    assert [type(fact) for fact in voided.took_back] == [
        e.DealOpened,
        e.Declared,
        e.TrickRecorded,
    ]
    after = at.given(voided)
    assert same_table(after, played)
    assert after.table_state.next_number == 3
    assert after.after(open_deal).table_state.deal_number == 3


def test_undo_after_a_misdeal_goes_to_the_deal_before_it():
    """And the number of the misdeal stays used up, however far undo goes back."""
    playing = four.after(open_deal, bo_declares)
    at = playing.after(c.Result(winner=BO), open_deal)
    at = at.given(*at.when_misdealt(2).decide()).after(undo)
    assert same_table(at, playing)
    repeated = at.after(c.Result(winner=CILLA))
    assert repeated.table_state.next_number == 3
    assert at.after(undo, undo).table_state.next_number == 3


# --- past a misdeal, when the next one deals (A-PP-16) -------------------------------------------


def misdealt_by_bo(**options):
    """Deal 1 by Ada was won by Bo; Bo misdealt deal 2, so that it is Cilla's turn."""
    setup = four.agreed(misdeal_policy="next_dealer", **options)
    at = setup.after(open_deal, bo_declares, c.Result(winner=BO), open_deal)
    at = at.given(*at.when_misdealt(2).decide())
    assert at.table_state.dealer == CILLA
    return at


def test_a_deal_recorded_anew_below_a_misdeal_leaves_the_turn_to_the_next():
    at = misdealt_by_bo().after(undo, c.Result(winner=CILLA))
    assert (at.table_state.dealer, at.table_state.next_number) == (CILLA, 3)


def test_also_when_it_was_undone_down_to_its_opening():
    at = misdealt_by_bo().after(undo, undo, undo)
    assert at.table_state.dealer == ADA
    at = at.after(open_deal, bo_declares, c.Result(winner=CILLA))
    assert (at.table_state.dealer, at.table_state.next_number) == (CILLA, 4)


def test_two_misdeals_in_a_row_pass_two_turns():
    at = misdealt_by_bo().after(open_deal)
    at = at.given(*at.when_misdealt(3).decide()).after(undo, c.Result(winner=CILLA))
    assert at.table_state.dealer == DISA


def test_a_turn_that_passed_passes_once():
    at = misdealt_by_bo().after(undo, c.Result(winner=CILLA), open_deal, c.AllPass())
    assert at.table_state.dealer == DISA
    at = at.after(*[open_deal, c.AllPass()] * 3)
    assert at.table_state.dealer == CILLA, "Bo deals again when it comes round"


def test_a_reseating_undone_below_a_misdeal_leaves_the_turn_to_the_next():
    setup = Given(away=1).agreed(misdeal_policy="next_dealer")
    at = setup.after(open_deal, bo_declares, c.Result(winner=BO))
    at = at.after(c.Reseat(players=(ADA, BO, EMIL, DISA)), open_deal)
    at = at.given(*at.when_misdealt(2).decide())
    assert at.table_state.dealer == EMIL
    assert at.after(undo).table_state.dealer == CILLA


def test_an_older_undo_below_a_misdeal_is_read_as_it_was_meant():
    """It did not say that the turn had passed, and the turn came back."""
    at = misdealt_by_bo()
    (undone,) = at.decide(undo)
    older = e.ActionUndone(deal=undone.deal, took_back=undone.took_back)
    assert undone != older
    assert at.given(older).after(c.Result(winner=CILLA)).table_state.dealer == BO


def test_where_the_same_one_deals_again_an_undo_says_nothing_of_misdeals():
    at = four.after(open_deal, bo_declares, c.Result(winner=BO), open_deal)
    at = at.given(*at.when_misdealt(2).decide())
    (undone,) = at.decide(undo)
    assert undone == e.ActionUndone(deal=1, took_back=undone.took_back)


# --- what it would take back ---------------------------------------------------------------------


def would_take_back(setup):
    (listed,) = [action.undo_target for action in setup.legal if action.type == "undo"]
    return listed


def test_an_undo_says_what_it_would_take_back():
    at = Given(away=1).after(open_deal)
    assert would_take_back(at) == {"type": "open_deal", "deal": 1}
    at = at.after(bo_declares, c.Trick(winner=CILLA), c.Trick(winner=DISA))
    assert would_take_back(at) == {"type": "trick", "deal": 1, "trick": 2}
    at = at.after(c.Trick(winner=DISA), c.Trick(winner=ADA), c.Trick(winner=ADA))
    assert would_take_back(at) == {"type": "trick", "deal": 1, "trick": 5}
    at = at.after(c.Reseat(players=(ADA, EMIL, CILLA, DISA)))
    assert would_take_back(at) == {"type": "reseat"}
    at = at.after(open_deal, c.AllPass())
    assert would_take_back(at) == {"type": "all_pass", "deal": 2}


def test_a_card_is_of_the_trick_that_it_was_played_to():
    cards = dict(zip((BO, CILLA, DISA, ADA), ("9S", "10S", "QS", "KS"), strict=True))
    plays = [c.Play(player=player, card=card) for player, card in cards.items()]
    at = four.after(open_deal, c.Declare(players=(BO,), trump="H"), plays[0])
    assert would_take_back(at) == {"type": "play", "deal": 1, "trick": 1}
    assert would_take_back(at.after(*plays[1:]))["trick"] == 1
    assert would_take_back(at.after(*plays[1:], c.Play(player=ADA, card="AS")))["trick"] == 2


def test_after_a_correction_it_is_the_correction():
    book = Book()
    book.act(open_deal, c.AllPass())
    book.correct(1, bo_declares, c.Result(winner=BO))
    assert would_take_back(book) == {"type": "correct", "deal": 1}
    book.void_deal(1)
    assert would_take_back(book) == {"type": "void", "deal": 1}


def test_nothing_is_undone_when_the_evening_is_closed():
    played = four.after(open_deal, c.AllPass())
    played.given(*played.when_closed("carry").decide()).when(undo).refused(SessionClosed)


def test_who_has_joined_meanwhile_stays_known():
    book = Book(3)
    book.act(open_deal, c.AllPass())
    book.join()
    book.act(undo, undo)
    assert book.session.table.players == (ADA, BO, CILLA, DISA)
    assert book.session.balances[DISA] == 0


def restorable_state(book):
    """Everything that undo must bring back; what is still owed counts as paid."""
    session = book.session
    at = session.table
    funds = {player: session.funds(player) for player in at.players if session.funds(player)}
    return without_history(at), session.pot, session.bets, funds


def is_open(state):
    return state[0][4]


@random_evenings
@given(st.integers(3, 5), st.booleans(), seeds)
def test_any_number_of_undos_goes_back_by_as_many_actions(players, double, seed):
    """Whatever was undone, settled, voided or joined on the way."""
    book, die = Book(players, bet_multiplier=1 + double), Random(seed)
    past = []  # how it stood before each action that still counts
    for _ in range(die.randint(1, 80)):
        at = book.session.table
        if at.deal_is_open and die.random() < 0.02:
            book.misdeal()
            while is_open(past[-1]):
                past.pop()
            assert restorable_state(book) == past.pop()
            continue
        command = next_action(book.legal, die)
        if isinstance(command, c.Undo):
            book.act(command)
            assert restorable_state(book) == past.pop()
        else:
            past.append(restorable_state(book))
            book.act(command)
        if book.due and die.random() < 0.3:
            book.settle(die.choice(book.due))
        if len(at.players) < 6 and die.random() < 0.03:
            book.join()
    for state_before in reversed(past[-die.randint(0, len(past)) :]):
        book.undo()
        assert restorable_state(book) == state_before
    book.settle()
    assert {p: amount for p, amount in book.session.balances.items() if amount} == restorable_state(
        book
    )[-1]


@random_evenings
@given(st.integers(3, 5), seeds)
def test_actions_undone_and_repeated_give_the_same_state(players, seed):
    book, die = Book(players), Random(seed)
    command = []
    for _ in range(die.randint(1, 50)):
        command.append(next_action(book.legal, die, but=("undo",)))
        book.act(command[-1])
    before, actions = restorable_state(book), die.randint(1, len(command))
    for _ in range(actions):
        book.undo()
    book.act(*command[-actions:])
    assert restorable_state(book) == before


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
