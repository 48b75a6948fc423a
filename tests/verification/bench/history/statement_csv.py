"""A long evening's statement as CSV (P10): its time and its memory.

The reference of the time is reading the statement's rows, that of the memory a tenth of the deals.
The app is called without a server, and the pieces of its answer are counted as they come.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from uuid import UUID

from flask import Flask

from api.app import create_app
from api.auth.tokens import session_tokens
from ledger.reporting import journal_query
from ledger.store import connection_pool as database
from ledger.store.read_stream import read_stream
from tests.verification.bench import large_ledger
from tests.verification.bench.bench_context import BenchContext
from tests.verification.bench.measurement import (
    Measurement,
    compare_sides,
    run_in_turn,
    time_call,
)

SHORT, LONG = UUID(int=1, version=4), UUID(int=2, version=4)


class Statement:
    """The statement of one evening, as a viewer asks for it."""

    def __init__(self, app: Flask, session_id: UUID) -> None:
        self.client = app.test_client()
        self.path = f"/v1/sessions/{session_id}/statement?format=csv"
        rights = session_tokens(app.extensions["session_metadata"].secret, session_id)
        self.headers = {"Authorization": f"Bearer {rights['viewer']}"}

    def sent(self) -> tuple[int, int]:
        """Return the bytes and lines of the statement; no piece of it is kept."""
        answer = self.client.get(self.path, headers=self.headers, buffered=False)
        assert answer.status_code == 200
        size = lines = 0
        for piece in answer.iter_encoded():
            size, lines = size + len(piece), lines + piece.count(b"\r\n")
        return size, lines

    def memory(self) -> float:
        """Return the most bytes in use at once, when the folded evening is in memory already."""
        self.sent()
        tracemalloc.start()
        self.sent()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak


def statement_cost(context: BenchContext) -> Iterator[Measurement]:
    """Yield the rows of P10."""
    sizes = context.sizes
    with ExitStack() as stack:
        urls = stack.enter_context(context.database())
        large_ledger.fill_ledger(urls, [SHORT], sizes.statement_deals // 10)
        version = large_ledger.fill_ledger(urls, [LONG], sizes.statement_deals)
        pool = database.open_pool(urls.app, size=2)
        stack.callback(pool.close)
        app = create_app(pool)
        short, long = Statement(app, SHORT), Statement(app, LONG)

        def rows(db: Any) -> int:
            query = journal_query.JournalQuery(session_id=LONG, version=version, unit="money")
            period = {"after": 0, "through": version}
            return len(db.execute(journal_query.PAGE, query.parameters | period).fetchall())

        def read() -> None:
            with pool.connection() as db:
                rows(db)

        def events() -> None:
            with pool.connection() as db:
                assert sum(1 for _ in read_stream(db, LONG, 0, version)) == version

        first = time_call(long.sent)
        size, lines = long.sent()
        times = run_in_turn(
            {
                "ours": lambda: time_call(long.sent),
                "rows": lambda: time_call(read),
                "events": lambda: time_call(events),
            },
            sizes.repetitions,
        )
        memory = run_in_turn({"ours": long.memory, "few": short.memory}, 1)
    notes = [
        f"{sizes.statement_deals:,} deals, {version:,} events, {lines:,} lines, {size:,} bytes; "
        f"rows: the query of the statement, in one go and as tuples",
        f"the evening being folded already; with folding it {first:.2f} s; reading and "
        f"decoding its events {min(times['events']):.2f} s",
    ]
    yield compare_sides("P10 time", times, "rows", "s", notes)
    yield Measurement(
        name="P10 memory",
        ours=[bytes_ / 1e6 for bytes_ in memory["ours"]],
        reference=[bytes_ / 1e6 for bytes_ in memory["few"]],
        unit="MB",
        notes=["what Python allocates while it is sent, by tracemalloc; once"],
    )
