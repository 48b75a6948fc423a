"""A statement of a long evening takes no more memory than that of a short one: it is sent while it
is read.
"""

import json
import os
import tracemalloc
from uuid import uuid4

import pytest

from api import access
from engine import commands as c
from ledger import movements
from ledger.writing import Name, Request, Work
from tests.api.conftest import FOUR, Table
from tests.ledger.book import Book

MANY = int(os.environ.get("STATEMENT_DEALS", "1000"))
FEW = 200


class Kept:
    """An evening of so many deals, written straight into the store of a running app."""

    def __init__(self, app, client, book):
        store = app.extensions["store"]
        session_id = uuid4()
        names = tuple(
            Name(player=f"p{n}", name=who["name"], salt=bytes(16)) for n, who in enumerate(FOUR, 1)
        )
        entries = [recorded.event for recorded in book.history]
        for start in range(0, len(entries), 500):
            request = Request(key=f"{session_id}-{start}", digest=b"", by="host.0", expected="any")
            work = Work(events=tuple(entries[start : start + 500]), names=() if start else names)
            if start:
                store.write(session_id, request, lambda _, w=work: w, lambda *_: b"{}")
            else:
                store.create(request, session_id, None, work, lambda *_: b"{}")
        rights = access.tokens(app.extensions["cards"].secret, session_id)
        self.table = Table(client, str(session_id), rights)
        self.id, self.pool = session_id, store.pool
        self.version = len(entries)

    def pieces(self, query):
        """The answer as it is sent."""
        headers = {"Authorization": f"Bearer {self.table.tokens['viewer']}"}
        path = f"{self.table.here}/statement{query}"
        return self.table.client.get(path, headers=headers, buffered=False).iter_encoded()

    def growth(self, query):
        """The most memory that one answer took, with the evening itself known already."""
        sum(len(piece) for piece in self.pieces(query))
        tracemalloc.start()
        sent = sum(len(piece) for piece in self.pieces(query))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return sent, most


def book_of(deals):
    """Won in turn, so that pot and bets move and nobody runs out; now and then one is undone."""
    book = Book(4)
    for number in range(deals):
        declarer, winner = f"p{1 + number % 4}", f"p{1 + (number // 2) % 4}"
        book.act(c.OpenDeal(), c.Declare(players=(declarer,)), c.Result(winner=winner))
        if number % 50 == 7:
            book.undo()
            book.act(c.Result(winner=winner))
    return book


@pytest.fixture(scope="module")
def evenings(app):
    return [Kept(app, app.test_client(), book_of(deals)) for deals in (FEW, MANY)]


@pytest.mark.parametrize("form", ["json", "csv", "hledger", "html", "xlsx"])
def test_many_more_deals_take_no_more_memory(evenings, form, capsys):
    (sent, little), (much_sent, much) = (kept.growth(f"?format={form}") for kept in evenings)
    with capsys.disabled():
        print(
            f"\n{form}: {FEW} deals {sent:,} bytes, {little:,} of memory; "
            f"{MANY} deals {much_sent:,} bytes, {much:,} of memory; {much / little:.2f} times"
        )
    if form != "xlsx":  # whose bytes are packed
        assert much_sent > MANY / FEW * 0.8 * sent
    assert much < 1.6 * little + 300_000


def test_a_long_statement_has_every_row_in_every_form(evenings):
    """What it takes is measured on ten thousand deals (promises.md P10, `make bench`)."""
    _, kept = evenings
    ask = {"session_id": kept.id, "upto": kept.version, "points": False, "mine": None}
    with kept.pool.connection() as db:
        found = db.execute(movements.PAGE, {**ask, "after": 0, "through": kept.version})
        rows = len(found.fetchall())
    told = sum(piece.count(b"\r\n") for piece in kept.pieces("?format=csv"))
    document = json.loads(b"".join(kept.pieces("?format=json")))
    assert len(document["lines"]) == rows == told - 3
