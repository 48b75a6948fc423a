"""Sessions of many deals, and the memory that a response about them takes."""

from __future__ import annotations

import tracemalloc
from uuid import uuid4

from api.auth.tokens import session_tokens
from engine import commands as c
from ledger.store.append_request import AppendRequest, Decision, PlayerName
from tests.support.api.session_client import SessionClient
from tests.support.ledger.memory_store import Book
from tests.support.player_names import FOUR_PLAYERS


class LongSession:
    """A session with the events of `book`, written straight into the store of a running app."""

    def __init__(self, app, client, book):
        store = app.extensions["store"]
        session_id = uuid4()
        names = tuple(
            PlayerName(player=f"p{n}", name=player["name"], salt=bytes(16))
            for n, player in enumerate(FOUR_PLAYERS, 1)
        )
        entries = [recorded.event for recorded in book.history]
        for start in range(0, len(entries), 500):
            request = AppendRequest(
                key=f"{session_id}-{start}", digest=b"", by="host.0", expected_version="any"
            )
            decision = Decision(
                events=tuple(entries[start : start + 500]), names=() if start else names
            )
            if start:
                store.append(session_id, request, lambda _, decision=decision: decision)
            else:
                store.create(request, session_id, None, decision)
        tokens = session_tokens(app.extensions["session_metadata"].secret, session_id)
        self.client = SessionClient(client, str(session_id), tokens)
        self.id, self.pool = session_id, store.pool
        self.version = len(entries)

    def send_pieces(self, query):
        """Yield the response in the pieces that are sent."""
        headers = {"Authorization": f"Bearer {self.client.tokens['viewer']}"}
        path = f"{self.client.path}/statement{query}"
        return self.client.client.get(path, headers=headers, buffered=False).iter_encoded()

    def send(self, query):
        """Return the size of the response, sent piece by piece."""
        return sum(len(piece) for piece in self.send_pieces(query))


def measure_memory(send):
    """Return the number of bytes that `send` sends, and the peak of memory."""
    tracemalloc.start()
    sent_bytes = send()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return sent_bytes, peak


def assert_memory_stays(name, small, large, *, growth, slack):
    """Assert that a response with `growth` times the bytes takes hardly more memory.

    `small` and `large` are results of `measure_memory`.
    """
    (small_bytes, small_memory), (large_bytes, large_memory) = small, large
    print(
        f"\n{name}: {small_bytes:,} bytes, {small_memory:,} of memory; "
        f"{large_bytes:,} bytes, {large_memory:,} of memory; "
        f"{large_memory / small_memory:.2f} times"
    )
    if growth is not None:
        assert large_bytes > growth * small_bytes
    assert large_memory < 1.6 * small_memory + slack


def play_deals(deals):
    """Return a book whose deals are won in turn, so that pot and bets move while no player goes
    broke; one deal in fifty is undone."""
    book = Book(4)
    for number in range(deals):
        declarer, winner = f"p{1 + number % 4}", f"p{1 + (number // 2) % 4}"
        book.act(c.OpenDeal(), c.Declare(players=(declarer,)), c.Result(winner=winner))
        if number % 50 == 7:
            book.undo()
            book.act(c.Result(winner=winner))
    return book
