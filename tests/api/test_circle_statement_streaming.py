"""A circle's statement is sent while it is read, an evening and a page at a time: more evenings
take hardly more memory.
"""

import tracemalloc
from uuid import UUID

import pytest

from ledger.writing import Request
from tests.api.conftest import FOUR, keys
from tests.api.test_circles import founded
from tests.api.test_statement_streaming import Kept, book_of

MEMBERS = {f"p{place}": f"m{place}" for place in range(1, 5)}
DEALS = 60
FEW, MANY = 2, 10


def circle_of(app, client, evenings, book):
    """A circle of so many evenings, written straight into the store."""
    circle = founded(client, *(who["name"] for who in FOUR))
    for _ in range(evenings):
        evening = Kept(app, client, book).id
        request = Request(key=f"add-{next(keys)}", digest=b"", by="host.0", expected="any")
        app.extensions["circles"].add(UUID(circle.id), evening, request, MEMBERS, lambda _: b"{}")
    return circle


@pytest.fixture(scope="module")
def book():
    return book_of(DEALS)


def growth(circle, query):
    """What was sent, and the most memory that it took with the evenings known already."""

    def pieces():
        right = {"Authorization": f"Bearer {circle.tokens['viewer']}"}
        path = f"{circle.here}/statement{query}"
        answer = circle.client.get(path, headers=right, buffered=False)
        return sum(len(piece) for piece in answer.iter_encoded())

    pieces()
    tracemalloc.start()
    sent = pieces()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return sent, most


def test_five_times_the_evenings_take_hardly_more_memory(app, client, book, capsys):
    few, many = (circle_of(app, client, evenings, book) for evenings in (FEW, MANY))
    for form in ("json", "csv", "hledger", "html", "xlsx"):
        (sent, little), (much_sent, much) = (growth(one, f"?format={form}") for one in (few, many))
        with capsys.disabled():
            print(
                f"\n{form}: {FEW} evenings {sent:,} bytes, {little:,} of memory; "
                f"{MANY} evenings {much_sent:,} bytes, {much:,} of memory"
            )
        if form != "xlsx":  # whose bytes are packed
            assert much_sent > 4 * sent
        assert much < 1.6 * little + 300_000
