"""Whether the book can be written, how many payments are due, and how long the oldest has been."""

import time

from engine import commands as c
from ledger.standing import ready
from tests.ledger.book import Book
from tests.ledger.test_movements import kept
from tests.spec import BO


def test_a_book_in_which_nobody_owes_anything_can_be_written_and_nothing_is_late(store):
    assert ready(store.pool) == (True, 0, 0)


def test_what_la_vola_owes_is_as_old_as_it_is(store):
    began = time.monotonic_ns() // 1000
    book = Book(4)
    bo_sweeps = c.Declare(players=(BO,)), c.Result(la_vola=c.Vola(player=BO, won=True))
    book.act(c.OpenDeal(), *bo_sweeps)
    kept(store, book)
    first = ready(store.pool)
    assert first[:2] == (True, 3)
    later = ready(store.pool)
    assert 0 <= first[2] < later[2] < time.monotonic_ns() // 1000 - began
