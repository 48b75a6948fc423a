"""A statement of a long session takes no more memory than that of a short one: it is sent while
it is read."""

import json
import os
from functools import partial

import pytest

from ledger.reporting import journal_query
from tests.support.api.long_session import (
    LongSession,
    assert_memory_stays,
    measure_memory,
    play_deals,
)

FEW_DEALS = 200
MANY_DEALS = int(os.environ.get("STATEMENT_DEALS", "1000"))


@pytest.fixture(scope="module")
def long_sessions(app):
    return [
        LongSession(app, app.test_client(), play_deals(deals)) for deals in (FEW_DEALS, MANY_DEALS)
    ]


@pytest.mark.parametrize("form", ["json", "csv", "hledger", "html", "xlsx"])
def test_many_more_deals_take_no_more_memory(long_sessions, form, capsys):
    measured = []
    for long_session in long_sessions:
        long_session.send(f"?format={form}")  # caches the session
        measured.append(measure_memory(partial(long_session.send, f"?format={form}")))
    growth = None if form == "xlsx" else MANY_DEALS / FEW_DEALS * 0.8  # its bytes are compressed
    with capsys.disabled():
        assert_memory_stays(form, *measured, growth=growth, slack=300_000)


def test_a_long_statement_has_every_row_in_every_format(long_sessions):
    """`make bench` measures the memory on ten thousand deals (row P10)."""
    _, long_session = long_sessions
    version = long_session.version
    query = journal_query.JournalQuery(session_id=long_session.id, version=version, unit="money")
    with long_session.pool.connection() as db:
        period = {"after": 0, "through": version}
        rows = len(db.execute(journal_query.PAGE, query.parameters | period).fetchall())
    newlines = sum(piece.count(b"\r\n") for piece in long_session.send_pieces("?format=csv"))
    document = json.loads(b"".join(long_session.send_pieces("?format=json")))
    player_rows = 2 * len(
        document["balances"]
    )  # the result of each player, and what is left to settle
    assert len(document["lines"]) == rows == newlines - 3 - player_rows
