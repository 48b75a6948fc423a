"""Lines that are read from the book a page at a time are those of the whole history."""

from random import Random
from uuid import uuid4

import pytest

from ledger import movements
from ledger.movements import Wanted
from ledger.statement import account, lines, statement, units
from ledger.writing import Request, Work
from tests.ledger.book import Book, Walk


def kept(store, book):
    """The same evening in the store; its session and its history."""
    session_id = uuid4()

    def request(number):
        return Request(key=f"key-{number}", digest=b"", status=201, by="host.0", expected="any")

    opened, *rest = [recorded.event for recorded in book.history]
    store.create(request(0), session_id, None, Work(events=(opened,)), lambda *_: b"{}")
    for start in range(0, len(rest), 50):
        work = Work(events=tuple(rest[start : start + 50]))
        store.write(session_id, request(start + 1), lambda _, w=work: w, lambda *_: b"{}")
    session = store.read(session_id)
    return session, store.events(session_id, 0, session.version)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("page", [1, 7, 500])
def test_a_statement_in_pages_is_the_statement_of_the_history(store, monkeypatch, seed, page):
    """Whatever was undone, voided or paid back; of everybody, and up to every tenth version."""
    monkeypatch.setattr(movements, "PAGE_VERSIONS", page)
    walk = Walk(Book(4), Random(seed))
    for _ in range(60):
        walk.step()
    session, history = kept(store, walk.book)
    for player in (None, *session.table.players):
        for unit in units(session):
            whole = statement(session, history, player, unit)
            mine = account(session, player, unit)[0] if player else None
            wanted = Wanted(session_id=session.id, upto=session.version, unit=unit, mine=mine)
            sums = movements.sums(store.pool, wanted)
            moved = movements.moved(store.pool, session.rules, wanted, sums)
            assert tuple(lines(moved, mine)) == whole.lines
            assert (sums.lines, sums.first, sums.last) == (
                len(whole.lines),
                whole.first,
                whole.last,
            )
            assert sums.now.get(mine or "", 0) == whole.closing
    for version in range(1, session.version, 10):
        then = store.read(session.id, version)
        whole = statement(then, history[:version], None)
        wanted = Wanted(session_id=session.id, upto=version, unit="money")
        sums = movements.sums(store.pool, wanted)
        moved = movements.moved(store.pool, then.rules, wanted, sums)
        assert tuple(lines(moved)) == whole.lines
