"""The state of a session at one version: balances, payments and what must add up."""

from contextlib import suppress
from itertools import pairwise
from random import Random

import msgspec
import pytest

from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.games.registry import GAMES
from ledger.events.event_types import PaymentSettled, TransferRecorded
from ledger.events.hash_chain import GENESIS_HASH
from ledger.events.recorded_event import UnreadableEvent, record_events
from ledger.session import session_state as sessions
from ledger.session.session_state import SessionState, apply_event, apply_events, fold
from ledger.store.projection_rows import STATE_FIELDS, folded_rows, row_changes
from tests.support.engine.given_when_then import ADA, BO, CILLA, DISA
from tests.support.engine.random_player import RandomPlayer
from tests.support.ledger.memory_store import ID, SECOND, Book, Walk, is_balanced


def tricks(*winners):
    return [c.Trick(winner=winner) for winner in winners]


bo_sweeps = (c.OpenDeal(), c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True)))


def test_transfers_are_separate_from_results_of_play():
    book = Book()
    book.transfer(ADA, BO, 30)
    assert book.session.net_paid == {ADA: 30, BO: -30}
    book.transfer(BO, CILLA, 20)
    book.transfer(ADA, CILLA, 5)
    assert book.session.net_paid == {ADA: 35, BO: -10, CILLA: -25}
    assert book.balances == [35, -10, -25, 0]


def test_only_players_have_balances():
    """A bet is an account as well; a player of the same number does not get its money."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    assert book.session.balances == {ADA: -10, BO: -10, CILLA: 10, DISA: 0}


def test_a_version_has_its_time_and_its_hash():
    book = Book()
    book.act(c.OpenDeal())
    first, last = book.history[0], book.history[-1]
    now = book.session
    assert (now.version, now.at, now.hash) == (2, 2 * SECOND, last.hash)
    assert now.opened_at == first.at == SECOND
    assert now.conflict_version == 2


def test_only_a_settled_payment_leaves_the_conflict_version():
    book = Book()
    book.act(*bo_sweeps)
    before = book.session.version
    book.settle()
    assert (book.session.conflict_version, book.session.version) == (before, before + 3)
    book.join()
    assert book.session.conflict_version == book.session.version


@pytest.mark.parametrize("newer", [{"game": "whist"}, {"options": {"stake": 10, "rake": 1}}])
def test_a_game_of_a_newer_version_is_reported(newer):
    opened = msgspec.structs.replace(Book().session.opening, **newer)
    (recorded,) = record_events(
        ID, (opened,), version=0, previous_hash=GENESIS_HASH, at=SECOND, by="host.0"
    )
    with pytest.raises(UnreadableEvent, match=f"Version 1 of session {ID}.*a newer one"):
        fold(SessionState(id=ID), [recorded])


def test_a_session_is_open_until_it_is_closed():
    book = Book()
    assert book.session.status == "open"
    book.close()
    assert book.session.status == "closed"


def test_a_new_session_has_no_predecessor_and_no_successor():
    session = Book().session
    assert (session.brought_forward, session.carried_to, session.net_paid) == (None, None, {})
    assert (session.pot, session.bets, session.payments, session.deals) == (0, (), {}, None)


def test_a_stream_has_no_holes():
    book = Book()
    late = msgspec.structs.replace(book.act(c.OpenDeal())[0], version=4)
    with pytest.raises(AssertionError):
        apply_event(book.session, late)
    same_version = msgspec.structs.replace(late, version=2)
    with pytest.raises(AssertionError):
        apply_event(book.session, same_version)


def test_a_stream_has_no_holes_among_events_without_postings():
    book = Book()
    recorded_events = book.act(c.OpenDeal(), c.Declare(players=(BO,)), *[c.Trick(winner=BO)] * 2)
    assert {type(recorded.event) for recorded in recorded_events[1:]} <= sessions.TABLE_ONLY_EVENTS
    for hole in (
        [recorded_events[1], recorded_events[3]],
        [recorded_events[1], recorded_events[1]],
    ):
        with pytest.raises(AssertionError):
            apply_events(fold(SessionState(id=ID), book.history[:2]), hole)


def test_a_session_needs_an_opening():
    empty = SessionState(id=ID)
    with pytest.raises(AssertionError):
        _ = empty.opening
    with pytest.raises(AssertionError):
        _ = empty.table


def test_a_session_folded_again_is_the_same():
    book = Book()
    book.act(*bo_sweeps)
    book.settle(book.due[0])
    folded = fold(SessionState(id=ID), book.history)
    for field in (
        "version",
        "conflict_version",
        "at",
        "hash",
        "pot",
        "bets",
        "balances",
        "payments",
        "net_paid",
    ):
        assert getattr(folded, field) == getattr(book.session, field)


def test_funds_count_due_payments_in_both_directions():
    book = Book()
    book.act(*bo_sweeps)
    assert [book.session.funds(player) for player in (ADA, BO, CILLA, DISA)] == [-20, 40, -10, -10]
    book.settle(book.due[0])
    assert [book.session.funds(player) for player in (ADA, BO, CILLA, DISA)] == [-20, 40, -10, -10]


@pytest.mark.parametrize("change", [{"pot": 1}, {"sheet_balance": 1}, {"balances": {ADA: 1}}])
def test_a_session_that_does_not_add_up_is_not_balanced(change):
    session = Book().session
    assert is_balanced(session)
    assert not is_balanced(msgspec.structs.replace(session, **change))


def test_an_unpaid_bet_is_no_money():
    """Bo owes 10 for his bet and has paid nothing, so the other accounts add up."""
    book = Book(bet_payment="on_collection")
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    assert [bet.paid for bet in book.session.bets] == [False]
    assert book.balances == [-10, 0, 10, 0]
    assert is_balanced(book.session)


def test_a_game_for_points_is_for_money_only_if_a_point_has_a_value():
    for key, value, money in (
        ("polskt_pass", {}, True),
        ("knektpass", {}, False),
        ("knektpass", {"point_value": 50}, True),
    ):
        assert Book(game=GAMES[key], **value).session.is_for_money is money


def test_a_payment_that_is_not_due_is_a_programming_error():
    book = Book()
    unknown = PaymentSettled(payment="9-p1-p2", deal=9, payer=ADA, payee=BO, amount=10)
    with pytest.raises(KeyError):
        book.write(unknown)
    book.write(TransferRecorded(payer=ADA, payee=BO, amount=10))
    assert book.session.version == 2


@pytest.mark.parametrize("cuts", [(), (3,), range(1, 12)])
def test_forged_merged_bets_are_folded_the_same_in_any_batches(cuts):
    """Only a forger merges bets within a deal; even then table and ledger fold the same bets."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(ADA, DISA)), c.Result(winner=BO))
    facts = [recorded.event for recorded in book.history]
    first_bet, second_bet = (fact for fact in facts if isinstance(fact, e.BetLaid))
    merged = e.BetsMerged(
        deal=1,
        bet=first_bet.bet,
        added=second_bet.bet,
        by=second_bet.by,
        each=second_bet.each,
        paid=second_bet.paid,
    )
    forged = record_events(
        ID,
        [*facts[:-1], merged, facts[-1]],
        version=0,
        previous_hash=GENESIS_HASH,
        at=5,
        by="host.0",
    )
    session = SessionState(id=ID)
    for begins, ends in pairwise((0, *cuts, len(forged))):
        session, _ = apply_events(session, forged[begins:ends])
    assert session.bets == session.table.game_state.bets
    assert [bet.by for bet in session.bets] == [(*first_bet.by, *second_bet.by)]


def test_a_deal_with_unchanged_rows_is_not_written_again():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), *tricks(CILLA, CILLA, BO, CILLA, DISA))
    before = book.session
    book.correct(1, c.Declare(players=(BO,)), *tricks(CILLA, BO, CILLA, CILLA, DISA))
    assert before.deals != book.session.deals
    changes = row_changes(before, book.session, ())
    assert changes.keys() == {"head"}
    assert not changes["head"].keys() & STATE_FIELDS.keys()


def play_random_session(key, seed):
    """Return a random session of this game, with joins, transfers and settlements."""
    options = {"point_value": 5} if GAMES[key].scoring else {}
    book, die = Book(4, game=GAMES[key], **options), Random(seed)
    chooser, walk = RandomPlayer(die), Walk(book, die)
    for _ in range(150):
        if (action := chooser.choose_command(book.legal)) is not None:
            book.act(action)
        with suppress(RuleViolation):  # not every game can be reseated
            die.choice((walk.settle,) * 20 + (walk.transfer, walk.misdeal, walk.join))()
    return book


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_events_skipped_by_a_projection_would_not_change_it(key, seed, monkeypatch):
    book = play_random_session(key, seed)
    assert any(type(recorded.event) in sessions.TABLE_ONLY_EVENTS for recorded in book.history)
    monkeypatch.setattr(sessions, "TABLE_ONLY_EVENTS", frozenset())
    loud = fold(SessionState(id=ID), book.history)
    for field in SessionState.__struct_fields__:
        if field not in ("table_state", "deals", "effective_lines"):
            assert getattr(loud, field) == getattr(book.session, field), field
    assert folded_rows(loud, ()) == folded_rows(book.session, ())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_a_fold_of_many_events_equals_a_fold_of_each(key, seed):
    """The book folds them as they are written, action by action."""
    book, die = play_random_session(key, seed), Random(seed)
    session, rest, lines = SessionState(id=ID), book.history, {}
    while rest:
        many = die.randint(1, 40)
        session, moved = apply_events(session, rest[:many])
        lines |= {(line.version, line.line): line for line in moved}
        rest = rest[many:]
    assert lines == book.lines
    for field in ("version", "conflict_version", "at", "hash"):
        assert getattr(session, field) == getattr(book.session, field)
    assert session.table.game_state == book.session.table.game_state
    assert folded_rows(session, ()) == folded_rows(book.session, ())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_the_rows_are_the_same_without_a_table(key, seed):
    """A rebuild does not fold the table."""
    book = play_random_session(key, seed)
    session, moved = apply_events(SessionState(id=ID), book.history, with_table=False)
    lines = {(line.version, line.line): line for line in moved}
    assert session.table_state is None
    assert folded_rows(session, lines.values()) == folded_rows(book.session, book.lines.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("key", GAMES)
def test_the_rows_are_the_same_from_events_with_amounts(key, seed):
    """A rebuild does not read the others."""
    book = play_random_session(key, seed)
    rebuilt, whole = rows_without_table_events(book), folded_rows(book.session, book.lines.values())
    assert rebuilt.tables == whole.tables
    assert all(rebuilt.head[column] == whole.head[column] for column in STATE_FIELDS)


def rows_without_table_events(book):
    history = [
        recorded for recorded in book.history
        if type(recorded.event) not in sessions.TABLE_ONLY_EVENTS
    ]  # fmt: skip
    assert len(history) < len(book.history)
    session, moved = apply_events(SessionState(id=ID), history, with_table=False)
    return folded_rows(session, {(line.version, line.line): line for line in moved}.values())


def test_rows_without_a_table_follow_corrections_too():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=BO))
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    session, _ = apply_events(SessionState(id=ID), book.history, with_table=False)
    assert folded_rows(session, ()) == folded_rows(book.session, ())


def test_rows_from_events_with_amounts_follow_corrections_and_undos():
    """A correction gives a deal all its facts again, whether they were read before or not."""
    book = Book()
    for deal in (1, 2):
        book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
        book.correct(deal, c.Declare(players=(BO,)), c.Result(winner=BO))
        for _ in range(deal):
            book.act(c.Undo())
    rebuilt, whole = rows_without_table_events(book), folded_rows(book.session, ())
    assert rebuilt.head["bets"] == whole.head["bets"]
    assert rebuilt.head["balances"] == whole.head["balances"]
