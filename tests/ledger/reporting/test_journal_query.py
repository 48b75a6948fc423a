"""Lines that are read from the book a page at a time are those of the whole history."""

from random import Random
from uuid import uuid4

import pytest
from msgspec.structs import replace

from engine.games import GAMES
from ledger import database, movements
from ledger.movements import Wanted
from ledger.statement import account, lines, statement, units
from ledger.writing import Request, Work
from tests.ledger.book import Book, Walk


def kept(store, book, at_once=50):
    """The same evening in the store, so many events at a time; its session and its history."""
    session_id = uuid4()

    def request(number):
        return Request(key=f"key-{number}", digest=b"", status=201, by="host.0", expected="any")

    opened, *rest = [recorded.event for recorded in book.history]
    store.create(request(0), session_id, None, Work(events=(opened,)), lambda *_: b"{}")
    for start in range(0, len(rest), at_once):
        work = Work(events=tuple(rest[start : start + at_once]))
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


def added_up(lines):
    """What is on every account that these lines have left anything on."""
    sums = dict[str, int]()
    for line in lines:
        posting = line.reason.posting
        for moved, amount in ((posting.source, -posting.amount), (posting.target, posting.amount)):
            sums[moved] = sums.get(moved, 0) + amount
    return {moved: amount for moved, amount in sums.items() if amount}


def test_a_period_begins_with_all_that_was_before_it_and_ends_with_all_that_was_in_it(store):
    walk = Walk(Book(4), Random(7))
    for _ in range(90):
        walk.play()
    session, history = kept(store, walk.book, at_once=2)
    times = sorted({one.at for one in history})
    lines = statement(session, history, None).lines
    wanted = Wanted(session_id=session.id, upto=session.version, unit="money", coin=20)
    for first, end in (
        *zip(times[1:], times[4:], strict=False),
        (-movements.FOREVER, times[9]),
        (times[9] + 1, times[10]),
        (times[9], movements.FOREVER),
    ):
        asked = replace(wanted, first=first, end=end)
        sums = movements.sums(store.pool, asked)
        within = tuple(line for line in lines if first <= line.at < end)
        assert tuple(movements.moved(store.pool, session.rules, asked, sums)) == within
        assert sums.lines == len(within)
        assert sums.small == any(line.reason.posting.amount % 20 for line in within)
        for told, upto in ((sums.opening, first), (sums.closing, end), (sums.now, None)):
            then = (line for line in lines if upto is None or line.at < upto)
            assert {moved: n for moved, n in told.items() if n} == added_up(then)


def test_the_points_that_a_game_begins_with_are_no_money(store):
    session, _ = kept(store, Book(4, game=GAMES["knektpass"], point_value=3))
    wanted = Wanted(session_id=session.id, upto=session.version, unit="points")
    points = movements.sums(store.pool, wanted)
    begun = {f"score:{player}": session.sheet.scores[player] for player in session.table.players}
    assert points.now == {"sheet": -sum(begun.values()), **begun}
    assert points.lines == 4
    money = movements.sums(store.pool, replace(wanted, unit="money"))
    assert (money.now, money.lines) == ({}, 0)


def test_the_next_page_is_read_while_this_one_is_worked_on_and_nobody_waits_for_a_connection(
    store, monkeypatch
):
    monkeypatch.setattr(movements, "PAGE_VERSIONS", 1)
    walk = Walk(Book(4), Random(1))
    for _ in range(60):
        walk.step()
    session, _ = kept(store, walk.book)
    pool = database.pool(store.pool.conninfo, size=1)
    try:
        wanted = Wanted(session_id=session.id, upto=session.version, unit="money")
        sums = movements.sums(pool, wanted)
        worked = list[bool]()  # whether the only connection was out meanwhile

        def work(page):
            worked.append(pool.get_stats()["pool_available"] == 0)
            return len(page)

        for _ in movements.paged(pool, wanted, sums, work):
            assert pool.get_stats()["pool_available"] == 1  # while somebody has what came of it
        assert len(worked) > 5
        assert worked == [True] * (len(worked) - 1) + [False], "nothing follows the last page"
    finally:
        pool.close()
