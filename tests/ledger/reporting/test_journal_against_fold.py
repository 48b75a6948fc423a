"""One sum from two sides: what SQL reads from the journal is what the folded evening says.

Random evenings of every game, with undo, voided deals, corrections and corrections of corrections;
at many versions, account by account, line by line, and period by period.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from engine.games import GAMES
from ledger import database, movements, postings
from ledger.movements import FOREVER, Wanted
from ledger.projections.deals import newest_first
from ledger.projections.journal import UNBOOKED
from ledger.statement import account, lines, statement, units
from ledger.store import Store
from tests.attack.evenings import Table
from tests.conftest import copied

EVENINGS, STEPS, VERSIONS, CUTS = 6, 70, 5, 4

JOURNAL = """
SELECT deal, source, target, amount, version, line FROM projections.journal
 WHERE session_id = %s AND undone_by IS NULL AND deal IS NOT NULL AND kind <> 'payment_settled'
"""


@pytest.fixture(scope="module")
def store(cluster):
    pool = database.pool(copied(cluster, "vola_two_sides").app, size=2)
    yield Store(pool)
    pool.close()


@pytest.fixture(scope="module")
def evenings(store):
    """Some of each game; now and then one is closed before its end."""
    played = {}
    for game in GAMES:
        for number in range(EVENINGS):
            table = Table(store, Random(f"two sides {game} {number}"), game)
            table.play(STEPS)
            played.setdefault(game, []).append(table)
    return played


def at_versions(store, tables, salt):
    """Each evening as it stands, and as it stood at some versions, with the die that chose them."""
    for table in tables:
        last = table.session.version
        die = Random(f"{salt} {last}")
        for version in {last, *(die.randint(1, last) for _ in range(VERSIONS))}:
            session = store.read(table.id, version)
            yield session, store.events(table.id, 0, version), die


def read(store, session, unit, mine=None, **period):
    """Sums and lines as SQL has them."""
    wanted = Wanted(session_id=session.id, upto=session.version, unit=unit, mine=mine, **period)
    sums = movements.sums(store.pool, wanted)
    moved = movements.moved(store.pool, session.rules, wanted, sums)
    return sums, tuple(lines(moved, mine, sums.opening.get(mine, 0)))


def folded(session, unit):
    """Every account that has anything on it, as the projections in memory say."""
    if unit == "points":
        held = {postings.score(k): x for k, x in session.sheet.scores.items()}
        held[postings.SHEET] = session.drawn
    else:
        held = {postings.player(p): x for p, x in session.balances.items()}
        held[postings.POT] = session.pot
        held |= {postings.bet(b.number): b.amount for b in session.bets if b.paid}
    return {a: x for a, x in held.items() if x}


def added_up(moved):
    """Account by account, from (source, target, amount)."""
    sums = Counter()
    for source, target, amount in moved:
        sums[source] -= amount
        sums[target] += amount
    return {a: x for a, x in sums.items() if x}


def ends(line):
    posting = line.reason.posting
    return posting.source, posting.target, posting.amount


def test_the_evenings_have_everything_that_makes_it_hard(store, evenings):
    met, corrected, sideways = Counter(), Counter(), 0
    for game, tables in evenings.items():
        for table in tables:
            session = table.session
            met.update(one.type for one in store.events(table.id, 0, session.version))
            corrected[game] += any(len(deal.before) > 1 for deal in newest_first(session.deals))
            for unit in units(session):
                sideways += any(
                    source.startswith("score:") and target.startswith("score:")
                    for source, target, _ in map(ends, read(store, session, unit)[1])
                )
    hard = ("action_undone", "deal_voided", "deal_corrected", "payment_settled")
    assert all(met[kind] > 5 for kind in hard), met
    assert all(corrected[game] for game in GAMES), "corrections of corrections"
    assert sideways, "points that go from one side to another"


@pytest.mark.parametrize("game", GAMES)
def test_every_account_of_the_journal_has_what_the_fold_says(store, evenings, game):
    for session, _, _ in at_versions(store, evenings[game], "accounts"):
        for unit in units(session):
            sums, told = read(store, session, unit)
            kept = {a: x for a, x in sums.now.items() if x and a != postings.BROUGHT}
            assert kept == folded(session, unit), (session.id, session.version)
            assert added_up(map(ends, told)) == {a: x for a, x in sums.now.items() if x}
            assert sums.lines == len(told)


@pytest.mark.parametrize("game", GAMES)
def test_every_line_is_the_one_that_history_says(store, evenings, game):
    for session, history, _ in at_versions(store, evenings[game], "lines"):
        for unit in units(session):
            assert read(store, session, unit)[1] == statement(session, history, None, unit).lines
            for player in session.table.players:
                mine, balance = account(session, player, unit)
                told = read(store, session, unit, mine)[1]
                assert told == statement(session, history, player, unit).lines
                assert (told[-1].balance if told else 0) == balance


@pytest.mark.parametrize("game", GAMES)
def test_the_journal_of_a_deal_is_what_still_stands_of_it(store, evenings, game):
    """What a correction booked by the difference comes to what the deal's facts say now."""
    for table in evenings[game]:
        stands, by_deal, booked = table.session.standing, {}, set()
        while stands is not None:
            line, stands = stands.line, stands.earlier
            by_deal.setdefault(line.deal, []).append((line.source, line.target, line.amount))
            if line.line != UNBOOKED:
                booked.add((line.version, line.line))
        with store.pool.connection() as db:
            rows = db.execute(JOURNAL, (table.id,)).fetchall()
        journal = {}
        for deal, *moved, _, _ in rows:
            journal.setdefault(deal, []).append(moved)
        for deal in by_deal.keys() | journal.keys():
            assert added_up(journal.get(deal, ())) == added_up(by_deal.get(deal, ())), deal
        assert booked <= {(version, line) for *_, version, line in rows}


@pytest.mark.parametrize("game", GAMES)
def test_periods_join_and_each_adds_up(store, evenings, game):
    """Whatever moments they are cut at; a moment that something happened at is the later one's."""
    for session, history, die in at_versions(store, evenings[game], "periods"):
        times = sorted({recorded.at for recorded in history})
        cuts = sorted({die.choice(times) + die.choice((-1, 0, 0, 1)) for _ in range(CUTS)})
        edges = [-FOREVER, *cuts, FOREVER]
        for unit in units(session):
            accounts = [account(session, p, unit)[0] for p in session.table.players]
            for mine in (None, *dict.fromkeys(accounts)):
                whole, before = read(store, session, unit, mine), {}
                joined = []
                for first, end in pairwise(edges):
                    sums, told = read(store, session, unit, mine, first=first, end=end)
                    assert filled(sums.opening) == before
                    assert all(first <= line.at < end for line in told)
                    assert filled(sums.now) == filled(whole[0].now)
                    if mine is None:
                        moved = added_up([*map(ends, told), *opened(before)])
                        assert moved == filled(sums.closing)
                    else:
                        total = before.get(mine, 0) + sum(line.change for line in told)
                        assert total == sums.closing.get(mine, 0)
                        assert all(line.change and line.balance is not None for line in told)
                    before = filled(sums.closing)
                    joined += told
                assert tuple(joined) == whole[1]
                assert before == filled(whole[0].closing) == filled(whole[0].now)


def filled(sums):
    return {account: amount for account, amount in sums.items() if amount}


def opened(sums):
    """Opening balances as movements, from nowhere in particular."""
    for held, amount in sums.items():
        if amount > 0:
            yield None, held, amount
        else:
            yield held, None, -amount
