"""The sums that SQL reads from the journal are those of the folded session.

Random sessions of every game, with undo, voided deals, corrections and corrections of corrections;
at many versions, account by account, line by line, and period by period.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from engine.games.registry import GAMES
from ledger.projections import postings
from ledger.projections.deals import newest_first
from ledger.projections.journal import UNBOOKED
from ledger.reporting import journal_query
from ledger.reporting.journal_query import FOREVER, JournalQuery
from ledger.reporting.statement import find_account, running_lines, statement_units
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.ledger.unpaged_statement import build_statement
from tests.verification.attack.stored_sessions import open_table

EVENINGS, STEPS, VERSIONS, CUTS = 6, 70, 5, 4

JOURNAL = """
SELECT deal, source, target, amount, version, line FROM projections.journal
 WHERE session_id = %s AND undone_by IS NULL AND deal IS NOT NULL AND kind <> 'payment_settled'
"""


@pytest.fixture(scope="module")
def store(module_urls):
    pool = database.open_pool(module_urls.app, size=2)
    yield EventStore(pool)
    pool.close()


@pytest.fixture(scope="module")
def evenings(store):
    """Some sessions of each game; a few are closed before their end."""
    played = {}
    for game in GAMES:
        for number in range(EVENINGS):
            table = open_table(store, Random(f"two sides {game} {number}"), game)
            table.play(STEPS)
            played.setdefault(game, []).append(table)
    return played


def at_versions(store, tables, salt, versions=VERSIONS):
    """Yield each session at its current and at random versions, with the generator used."""
    for table in tables:
        last = table.session.version
        die = Random(f"{salt} {last}")
        for version in {last, *(die.randint(1, last) for _ in range(versions))}:
            session = store.load(table.id, version)
            yield session, store.load_events(table.id, 0, version), die


def read_journal(store, session, unit, mine=None, **period):
    """Return sums and lines as SQL computes them."""
    query = JournalQuery(
        session_id=session.id, version=session.version, unit=unit, account=mine, **period
    )
    sums = journal_query.summarize_journal(store.pool, query)
    moved = journal_query.read_lines(store.pool, session.rule_references, query, sums)
    return sums, tuple(running_lines(moved, mine, sums.opening.get(mine, 0)))


def folded_balances(session, unit):
    """Return the balance of each account that is not empty, by the projections in memory."""
    if unit == "points":
        balances = {postings.score_account(k): x for k, x in session.sheet.scores.items()}
        balances[postings.SHEET] = session.sheet_balance
    else:
        balances = {postings.player_account(p): x for p, x in session.balances.items()}
        balances[postings.POT] = session.pot
        balances |= {postings.bet_account(b.number): b.amount for b in session.bets if b.paid}
    return {a: x for a, x in balances.items() if x}


def sum_by_account(moved):
    """Return the balance of each account, from (source, target, amount)."""
    sums = Counter()
    for source, target, amount in moved:
        sums[source] -= amount
        sums[target] += amount
    return {a: x for a, x in sums.items() if x}


def posting_ends(line):
    posting = line.explanation.posting
    return posting.source, posting.target, posting.amount


def test_the_sessions_contain_every_difficult_event(store, evenings):
    met, corrected, sideways = Counter(), Counter(), 0
    for game, tables in evenings.items():
        for table in tables:
            session = table.session
            met.update(
                recorded.type for recorded in store.load_events(table.id, 0, session.version)
            )
            corrected[game] += any(len(deal.superseded) > 1 for deal in newest_first(session.deals))
            for unit in statement_units(session):
                sideways += any(
                    source.startswith("score:") and target.startswith("score:")
                    for source, target, _ in map(
                        posting_ends, read_journal(store, session, unit)[1]
                    )
                )
    hard = ("action_undone", "deal_voided", "deal_corrected", "payment_settled")
    assert all(met[kind] > 5 for kind in hard), met
    assert all(corrected[game] for game in GAMES), "corrections of corrections"
    assert sideways, "points that go from one side to another"


@pytest.mark.parametrize("game", GAMES)
def test_every_account_of_the_journal_has_the_folded_balance(store, evenings, game):
    for session, _, _ in at_versions(store, evenings[game], "accounts"):
        for unit in statement_units(session):
            sums, query_lines = read_journal(store, session, unit)
            balances = {
                a: x for a, x in sums.current.items() if x and a != postings.BROUGHT_FORWARD
            }
            assert balances == folded_balances(session, unit), (session.id, session.version)
            assert sum_by_account(map(posting_ends, query_lines)) == {
                a: x for a, x in sums.current.items() if x
            }
            assert sums.line_count == len(query_lines)


@pytest.mark.parametrize("game", GAMES)
def test_every_line_is_that_of_its_event(store, evenings, game):
    for session, history, _ in at_versions(store, evenings[game], "lines"):
        for unit in statement_units(session):
            assert (
                read_journal(store, session, unit)[1]
                == build_statement(session, history, None, unit).lines
            )
            for player in session.table.players:
                mine, balance = find_account(session, player, unit)
                query_lines = read_journal(store, session, unit, mine)[1]
                assert query_lines == build_statement(session, history, player, unit).lines
                assert (query_lines[-1].balance if query_lines else 0) == balance


@pytest.mark.parametrize("game", GAMES)
def test_the_journal_of_a_deal_is_what_is_still_in_force(store, evenings, game):
    """The differences that a correction books add up to the corrected deal."""
    for table in evenings[game]:
        effective_line, by_deal, booked = table.session.effective_lines, {}, set()
        while effective_line is not None:
            line, effective_line = effective_line.line, effective_line.earlier
            if line.deal is None:  # the closing belongs to no deal
                continue
            by_deal.setdefault(line.deal, []).append((line.source, line.target, line.amount))
            if line.line != UNBOOKED:
                booked.add((line.version, line.line))
        with store.pool.connection() as db:
            rows = db.execute(JOURNAL, (table.id,)).fetchall()
        journal = {}
        for deal, *moved, _, _ in rows:
            journal.setdefault(deal, []).append(moved)
        for deal in by_deal.keys() | journal.keys():
            assert sum_by_account(journal.get(deal, ())) == sum_by_account(by_deal.get(deal, ())), (
                deal
            )
        assert booked <= {(version, line) for *_, version, line in rows}


@pytest.mark.parametrize("game", GAMES)
def test_periods_join_and_each_adds_up_to_its_closing(store, evenings, game):
    """This holds for any boundary; an event at a boundary belongs to the later period."""
    for session, history, die in at_versions(store, evenings[game], "periods", 1):
        times = sorted({recorded.at for recorded in history})
        cuts = sorted({die.choice(times) + die.choice((-1, 0, 0, 1)) for _ in range(CUTS)})
        edges = [-FOREVER, *cuts, FOREVER]
        for unit in statement_units(session):
            accounts = [find_account(session, p, unit)[0] for p in session.table.players]
            for mine in (None, *dict.fromkeys(accounts)):
                all_lines, before = read_journal(store, session, unit, mine), {}
                joined = []
                for first, end in pairwise(edges):
                    sums, query_lines = read_journal(
                        store, session, unit, mine, start=first, end=end
                    )
                    assert without_empty_accounts(sums.opening) == before
                    assert all(first <= line.at < end for line in query_lines)
                    assert without_empty_accounts(sums.current) == without_empty_accounts(
                        all_lines[0].current
                    )
                    if mine is None:
                        moved = sum_by_account(
                            [*map(posting_ends, query_lines), *opening_movements(before)]
                        )
                        assert moved == without_empty_accounts(sums.closing)
                    else:
                        total = before.get(mine, 0) + sum(line.change for line in query_lines)
                        assert total == sums.closing.get(mine, 0)
                        assert all(line.change and line.balance is not None for line in query_lines)
                    before = without_empty_accounts(sums.closing)
                    joined += query_lines
                assert tuple(joined) == all_lines[1]
                assert (
                    before
                    == without_empty_accounts(all_lines[0].closing)
                    == without_empty_accounts(all_lines[0].current)
                )


def without_empty_accounts(sums):
    return {account: amount for account, amount in sums.items() if amount}


def opening_movements(sums):
    """Yield the opening balances as movements from an unnamed account."""
    for account, amount in sums.items():
        if amount > 0:
            yield None, account, amount
        else:
            yield account, None, -amount
