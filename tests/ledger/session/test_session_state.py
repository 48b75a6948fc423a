"""What an evening is at one version, beside what is played: who has paid, and what must add up."""

from contextlib import suppress
from itertools import pairwise
from random import Random

import msgspec
import pytest

from engine import commands as c
from engine import events as e
from engine.errors import RuleViolation
from engine.games import GAMES
from ledger import session as sessions
from ledger.chain import FIRST
from ledger.entries import PaymentSettled, TransferRecorded
from ledger.envelope import Unreadable, record
from ledger.projector import COLUMNS, changes, line_row, rows
from ledger.session import Session, applied, apply, fold
from tests.engine.anyone import Anyone
from tests.ledger.book import ID, SECOND, Book, Walk
from tests.spec import ADA, BO, CILLA, DISA


def tricks(*winners):
    return [c.Trick(winner=winner) for winner in winners]


bo_sweeps = (c.OpenDeal(), c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True)))


def test_what_people_pay_each_other_is_kept_apart_from_what_the_cards_brought():
    book = Book()
    book.transfer(ADA, BO, 30)
    assert book.session.paid == {ADA: 30, BO: -30}
    book.transfer(BO, CILLA, 20)
    book.transfer(ADA, CILLA, 5)
    assert book.session.paid == {ADA: 35, BO: -10, CILLA: -25}
    assert book.balances == [35, -10, -25, 0]


def test_only_people_have_balances():
    """A bet is an account, too; nobody of that number gets its money."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    assert book.session.balances == {ADA: -10, BO: -10, CILLA: 10, DISA: 0}


def test_a_version_says_when_it_was_and_what_it_is_sealed_with():
    book = Book()
    book.act(c.OpenDeal())
    first, last = book.history[0], book.history[-1]
    now = book.session
    assert (now.version, now.at, now.hash) == (2, 2 * SECOND, last.hash)
    assert now.begun == first.at == SECOND
    assert now.acted == 2


def test_only_a_settled_payment_leaves_an_older_version_good_to_write_on():
    book = Book()
    book.act(*bo_sweeps)
    before = book.session.version
    book.settle()
    assert (book.session.acted, book.session.version) == (before, before + 3)
    book.join()
    assert book.session.acted == book.session.version


@pytest.mark.parametrize("newer", [{"game": "whist"}, {"options": {"stake": 10, "rake": 1}}])
def test_an_evening_of_a_game_that_only_a_newer_version_knows_is_said_to_be_one(newer):
    opened = msgspec.structs.replace(Book().session.opening, **newer)
    (told,) = record(ID, (opened,), version=0, before=FIRST, at=SECOND, by="host.0")
    with pytest.raises(Unreadable, match=f"Version 1 of session {ID}.*a newer one"):
        fold(Session(id=ID), [told])


def test_an_evening_is_open_until_it_is_closed():
    book = Book()
    assert book.session.status == "open"
    book.close()
    assert book.session.status == "closed"


def test_an_evening_that_was_only_opened_comes_from_none_and_went_on_in_none():
    session = Book().session
    assert (session.brought, session.carried_to, session.paid) == (None, None, {})
    assert (session.pot, session.bets, session.payments, session.deals) == (0, (), {}, None)


def test_a_stream_has_no_holes():
    book = Book()
    late = msgspec.structs.replace(book.act(c.OpenDeal())[0], version=4)
    with pytest.raises(AssertionError):
        apply(book.session, late)
    again = msgspec.structs.replace(late, version=2)
    with pytest.raises(AssertionError):
        apply(book.session, again)


def test_nor_has_it_any_among_events_that_move_nothing():
    book = Book()
    told = book.act(c.OpenDeal(), c.Declare(players=(BO,)), *[c.Trick(winner=BO)] * 2)
    assert {type(one.event) for one in told[1:]} <= sessions.QUIET
    for hole in ([told[1], told[3]], [told[1], told[1]]):
        with pytest.raises(AssertionError):
            applied(fold(Session(id=ID), book.history[:2]), hole)


def test_an_evening_that_nobody_opened_is_none():
    nothing = Session(id=ID)
    with pytest.raises(AssertionError):
        _ = nothing.opening
    with pytest.raises(AssertionError):
        _ = nothing.table


def test_a_session_folded_anew_is_the_same():
    book = Book()
    book.act(*bo_sweeps)
    book.settle(book.due[0])
    folded = fold(Session(id=ID), book.history)
    for field in ("version", "acted", "at", "hash", "pot", "bets", "balances", "payments", "paid"):
        assert getattr(folded, field) == getattr(book.session, field)


def test_what_somebody_has_counts_what_is_due_both_ways():
    book = Book()
    book.act(*bo_sweeps)
    assert [book.session.funds(who) for who in (ADA, BO, CILLA, DISA)] == [-20, 40, -10, -10]
    book.settle(book.due[0])
    assert [book.session.funds(who) for who in (ADA, BO, CILLA, DISA)] == [-20, 40, -10, -10]


@pytest.mark.parametrize("change", [{"pot": 1}, {"drawn": 1}, {"balances": {ADA: 1}}])
def test_a_session_that_does_not_add_up_says_so(change):
    session = Book().session
    assert session.conserved
    assert not msgspec.structs.replace(session, **change).conserved


def test_a_claim_is_no_money_yet():
    """Bo owes 10 for his bet and has paid nothing: what adds up is the rest."""
    book = Book(bet_payment="on_collection")
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    assert [bet.paid for bet in book.session.bets] == [False]
    assert book.balances == [-10, 0, 10, 0]
    assert book.session.conserved


def test_a_game_for_points_is_for_money_only_if_a_point_has_a_value():
    for key, value, money in (
        ("polskt_pass", {}, True),
        ("knektpass", {}, False),
        ("knektpass", {"point_value": 50}, True),
    ):
        assert Book(game=GAMES[key], **value).session.for_money is money


def test_a_payment_that_nobody_owes_is_an_error_of_the_book():
    book = Book()
    unknown = PaymentSettled(payment="9-p1-p2", deal=9, payer=ADA, payee=BO, amount=10)
    with pytest.raises(KeyError):
        book.write(unknown)
    book.write(TransferRecorded(payer=ADA, payee=BO, amount=10))
    assert book.session.version == 2


@pytest.mark.parametrize("cuts", [(), (3,), range(1, 12)])
def test_two_bets_put_together_where_no_rule_lets_them_be_are_so_however_they_are_read(cuts):
    """Only a forger says so within a deal; the table and the book then hear the same of him."""
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(ADA, DISA)), c.Result(winner=BO))
    facts = [recorded.event for recorded in book.history]
    one, two = (fact for fact in facts if isinstance(fact, e.BetLaid))
    merged = e.BetsMerged(
        deal=1, bet=one.bet, added=two.bet, by=two.by, each=two.each, paid=two.paid
    )
    forged = record(
        ID, [*facts[:-1], merged, facts[-1]], version=0, before=FIRST, at=5, by="host.0"
    )
    session = Session(id=ID)
    for begins, ends in pairwise((0, *cuts, len(forged))):
        session, _ = applied(session, forged[begins:ends])
    assert session.bets == session.table.table.bets
    assert [bet.by for bet in session.bets] == [(*one.by, *two.by)]


def test_what_no_row_shows_of_a_deal_is_not_written_again():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), *tricks(CILLA, CILLA, BO, CILLA, DISA))
    before = book.session
    book.correct(1, c.Declare(players=(BO,)), *tricks(CILLA, BO, CILLA, CILLA, DISA))
    assert before.deals != book.session.deals
    assert changes(before, book.session, ()) == {}


def played(key, seed):
    """An evening of this game at random, with what happens beside the play."""
    options = {"point_value": 5} if GAMES[key].scoring else {}
    book, die = Book(4, game=GAMES[key], **options), Random(seed)
    anyone, beside = Anyone(die), Walk(book, die)
    for _ in range(150):
        if (said := anyone.next(book.legal)) is not None:
            book.act(said)
        with suppress(RuleViolation):  # not every game lets people come and go
            die.choice((beside.settle,) * 20 + (beside.transfer, beside.misdeal, beside.join))()
    return book


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_what_is_quiet_would_change_nothing_if_everybody_heard_it(key, seed, monkeypatch):
    book = played(key, seed)
    assert any(type(recorded.event) in sessions.QUIET for recorded in book.history)
    monkeypatch.setattr(sessions, "QUIET", frozenset())
    loud = fold(Session(id=ID), book.history)
    for field in Session.__struct_fields__:
        if field not in ("evening", "deals", "standing"):
            assert getattr(loud, field) == getattr(book.session, field), field
    for table in COLUMNS:
        assert rows(loud, table) == rows(book.session, table)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_however_many_events_come_at_once_it_comes_to_the_same(key, seed):
    """The book hears of them as they are written, action by action."""
    book, die = played(key, seed), Random(seed)
    session, rest, lines = Session(id=ID), book.history, {}
    while rest:
        many = die.randint(1, 40)
        session, moved = applied(session, rest[:many])
        lines |= {(line.version, line.line): line for line in moved}
        rest = rest[many:]
    assert lines == book.lines
    for field in ("version", "acted", "at", "hash"):
        assert getattr(session, field) == getattr(book.session, field)
    assert session.table.table == book.session.table.table
    for table in COLUMNS:
        assert rows(session, table) == rows(book.session, table)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", GAMES)
def test_the_rows_are_the_same_without_a_table(key, seed):
    """A rebuild asks for none."""
    book = played(key, seed)
    session, moved = applied(Session(id=ID), book.history, played=False)
    lines = {(line.version, line.line): line for line in moved}
    assert session.evening is None
    for table in COLUMNS:
        assert rows(session, table) == rows(book.session, table)
    assert [line_row(session, line) for line in lines.values()] == [
        line_row(book.session, line) for line in book.lines.values()
    ]


def test_rows_without_a_table_follow_corrections_too():
    book = Book()
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=CILLA))
    book.act(c.OpenDeal(), c.Declare(players=(BO,)), c.Result(winner=BO))
    book.correct(1, c.Declare(players=(BO,)), c.Result(winner=BO))
    session, _ = applied(Session(id=ID), book.history, played=False)
    for table in COLUMNS:
        assert rows(session, table) == rows(book.session, table)
