"""Lines that are read page by page are those of the whole history."""

from random import Random

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.games.registry import GAMES
from ledger.reporting import journal_query
from ledger.reporting.journal_query import JournalQuery
from ledger.reporting.statement import find_account, running_lines, statement_units
from ledger.store import connection_pool as database
from tests.support.ledger.memory_store import Book, Walk
from tests.support.ledger.store_session import append_history
from tests.support.ledger.unpaged_statement import build_statement


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("page", [1, 7, 500])
def test_a_statement_in_pages_is_the_statement_of_the_history(store, monkeypatch, seed, page):
    """This holds for undone, voided and repaid lines, for all players, at every tenth version."""
    monkeypatch.setattr(journal_query, "PAGE_VERSIONS", page)
    walk = Walk(Book(4), Random(seed))
    for _ in range(60):
        walk.step()
    session, history = append_history(store, walk.book)
    for player in (None, *session.table.players):
        for unit in statement_units(session):
            full_statement = build_statement(session, history, player, unit)
            mine = find_account(session, player, unit)[0] if player else None
            query = JournalQuery(
                session_id=session.id, version=session.version, unit=unit, account=mine
            )
            sums = journal_query.summarize_journal(store.pool, query)
            moved = journal_query.read_lines(store.pool, session.rule_references, query, sums)
            assert tuple(running_lines(moved, mine)) == full_statement.lines
            assert (sums.line_count, sums.first_line_at, sums.last_line_at) == (
                len(full_statement.lines),
                full_statement.first,
                full_statement.last,
            )
            assert sums.current.get(mine or "", 0) == full_statement.closing
    for version in range(1, session.version, 10):
        past_session = store.load(session.id, version)
        full_statement = build_statement(past_session, history[:version], None)
        query = JournalQuery(session_id=session.id, version=version, unit="money")
        sums = journal_query.summarize_journal(store.pool, query)
        moved = journal_query.read_lines(store.pool, past_session.rule_references, query, sums)
        assert tuple(running_lines(moved)) == full_statement.lines


def sum_by_account(lines):
    """Return the balance of each account by these lines, without accounts that are empty."""
    sums: dict[str, int] = {}
    for line in lines:
        posting = line.explanation.posting
        for moved, amount in ((posting.source, -posting.amount), (posting.target, posting.amount)):
            sums[moved] = sums.get(moved, 0) + amount
    return {moved: amount for moved, amount in sums.items() if amount}


def test_a_period_has_its_opening_its_lines_and_its_closing(store):
    walk = Walk(Book(4), Random(7))
    for _ in range(90):
        walk.play()
    session, history = append_history(store, walk.book, batch_size=2)
    times = sorted({recorded.at for recorded in history})
    lines = build_statement(session, history, None).lines
    query = JournalQuery(
        session_id=session.id, version=session.version, unit="money", coin_units=20
    )
    for first, end in (
        *zip(times[1:], times[4:], strict=False),
        (-journal_query.FOREVER, times[9]),
        (times[9] + 1, times[10]),
        (times[9], journal_query.FOREVER),
    ):
        period_query = replace(query, start=first, end=end)
        sums = journal_query.summarize_journal(store.pool, period_query)
        period_lines = tuple(line for line in lines if first <= line.at < end)
        assert (
            tuple(journal_query.read_lines(store.pool, session.rule_references, period_query, sums))
            == period_lines
        )
        assert sums.line_count == len(period_lines)
        assert sums.needs_minor_units == any(
            line.explanation.posting.amount % 20 for line in period_lines
        )
        for balances, upto in ((sums.opening, first), (sums.closing, end), (sums.current, None)):
            earlier_lines = (line for line in lines if upto is None or line.at < upto)
            assert {moved: n for moved, n in balances.items() if n} == sum_by_account(earlier_lines)


def test_starting_points_are_no_money(store):
    session, _ = append_history(store, Book(4, game=GAMES["knektpass"], point_value=3))
    query = JournalQuery(session_id=session.id, version=session.version, unit="points")
    points = journal_query.summarize_journal(store.pool, query)
    starting_points = {
        f"score:{player}": session.sheet.scores[player] for player in session.table.players
    }
    assert points.current == {"sheet": -sum(starting_points.values()), **starting_points}
    assert points.line_count == 4
    money = journal_query.summarize_journal(store.pool, replace(query, unit="money"))
    assert (money.current, money.line_count) == ({}, 0)


@pytest.mark.parametrize("account", [None, "player:p1"])
def test_only_the_first_line_of_an_event_has_its_data(store, account):
    """A correction of many deals has megabytes of data, and thousands of lines."""
    book = Book(4)
    for number in range(1, 4):
        declared, lost = c.Declare(players=("p1",)), c.Result(winner="p2")
        book.act(c.OpenDeal(number=number), declared, lost)
    book.correct(1, c.Declare(players=("p1",)), c.Result(winner="p1"))
    session, history = append_history(store, book)
    query = JournalQuery(
        session_id=session.id, version=session.version, unit="money", account=account
    )
    sums = journal_query.summarize_journal(store.pool, query)
    rows = [row for page in journal_query.read_pages(store.pool, query, sums, list) for row in page]
    first, *others = (row[-1] for row in rows if row[0] == session.version)
    assert first == history[-1].data
    assert others
    assert {*others} == {None}


def test_the_next_page_is_read_ahead_without_holding_a_connection(store, monkeypatch):
    monkeypatch.setattr(journal_query, "PAGE_VERSIONS", 1)
    walk = Walk(Book(4), Random(1))
    for _ in range(60):
        walk.step()
    session, _ = append_history(store, walk.book)
    pool = database.open_pool(store.pool.conninfo, size=1)
    try:
        query = JournalQuery(session_id=session.id, version=session.version, unit="money")
        sums = journal_query.summarize_journal(pool, query)
        worked: list[bool] = []  # whether the only connection was in use

        def work(page):
            worked.append(pool.get_stats()["pool_available"] == 0)
            return len(page)

        for _ in journal_query.read_pages(pool, query, sums, work):
            assert pool.get_stats()["pool_available"] == 1  # while the caller has a result
        assert len(worked) > 5
        assert worked == [True] * (len(worked) - 1) + [False], "nothing follows the last page"
    finally:
        pool.close()
