"""Whoever owns the machine cannot change the book unseen; whoever holds the app cannot at all.

The size of a smoke test; the whole is `make attack`.
"""

from random import Random

import psycopg
import pytest

from ledger.audit.run import audit_session
from ledger.store import connection_pool as database
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import EventStore
from tests.support.databases import copy_database
from tests.support.ledger.store_session import play_e1
from tests.verification.attack import app_role
from tests.verification.attack.attack_run import Tally, attack, clean_evenings
from tests.verification.attack.corruption import REST, ROWS
from tests.verification.attack.stored_sessions import Table

EVENINGS, ON_ROWS, ON_THE_REST = 60, 200, 200
SEED = "dusk"
"""Of evenings in which every kind of corruption finds something, rare as two brought bets are."""


@pytest.fixture(scope="module")
def night(cluster):
    """Clean evenings, then every kind of corruption in them, several times."""
    urls, tally = copy_database(cluster, "vola_corrupted"), Tally()
    pool = database.open_pool(urls.app, size=2)
    with psycopg.connect(urls.audit) as auditor:
        played = clean_evenings(EventStore(pool), auditor, SEED, EVENINGS, tally)
    pool.close()
    with psycopg.connect(urls.super) as db:
        attack(db, played, SEED, ON_ROWS, list(ROWS), tally)
        attack(db, played, SEED, ON_THE_REST, list(REST), tally)
    return tally


def test_every_corruption_is_found_and_no_clean_evening_is_accused(night):
    assert night.wrong == [], night.table()
    assert night.clean == EVENINGS
    assert night.corrected > night.again > 0, "with corrections, and corrections of corrections"
    assert night.found == night.tried
    assert sum(night.tried.values()) > (ON_ROWS + ON_THE_REST) * 9 // 10  # some are rare


def test_there_is_every_kind_of_corruption_and_more_than_forty(night):
    assert len(ROWS) + len(REST) >= 40
    assert night.never == []


@pytest.fixture(scope="module")
def app_url(cluster):
    urls = copy_database(cluster, "vola_attacked_as_app")
    pool = database.open_pool(urls.app, size=1)
    play_e1(EventStore(pool))
    pool.close()
    return urls.app


@pytest.mark.parametrize("name", app_role.ATTACKS)
def test_the_app_s_own_role_is_refused(app_url, name):
    statement, code = app_role.ATTACKS[name]
    assert app_role.tried(app_url, statement) == code


def test_ten_players_begin_alike_when_told_again(cluster):
    """What is stored is sorted as text: p1, p10, p2; what is booked is not."""
    urls = copy_database(cluster, "vola_ten_players")
    pool = database.open_pool(urls.app, size=1)
    table = Table(EventStore(pool), Random("ten"), "knektpass", players=10)
    pool.close()
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, table.id) == []
