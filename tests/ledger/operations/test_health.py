"""Whether the book can be written, how many payments are due, and how long the oldest has been."""

import time

from engine import commands as c
from ledger.operations.health import read_health
from tests.support.engine.given_when_then import BO
from tests.support.ledger.memory_store import Book
from tests.support.ledger.store_session import append_history


def test_a_ledger_without_debts_is_writable_and_has_nothing_due(store):
    assert read_health(store.pool) == (None, True, 0, 0)


def test_the_age_of_due_payments_grows_until_they_are_settled(store):
    began = time.monotonic_ns() // 1000
    book = Book(4)
    bo_sweeps = c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True))
    book.act(c.OpenDeal(), *bo_sweeps)
    append_history(store, book)
    first = read_health(store.pool)
    assert first[:3] == (None, True, 3)
    second = read_health(store.pool)
    assert 0 <= first[3] < second[3] < time.monotonic_ns() // 1000 - began
