"""The audit finds every change by the superuser, and PostgreSQL refuses those by the app's role.

A smoke test; `make attack` is the full size.
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
from tests.verification.attack.attack_run import Tally, attack_sessions, audit_clean_sessions
from tests.verification.attack.kinds import EVENT_ATTACKS, OTHER_ATTACKS
from tests.verification.attack.stored_sessions import open_table

EVENINGS = 60
SEED = "moss"
"""With this seed, every kind of corruption applies to some session, even the rare kinds."""


@pytest.fixture(scope="module")
def tally(cluster):
    """Play clean sessions, then plant every kind of corruption once."""
    urls, tally = copy_database(cluster, "vola_corrupted"), Tally()
    pool = database.open_pool(urls.app, size=2)
    with psycopg.connect(urls.audit) as auditor:
        played = audit_clean_sessions(EventStore(pool), auditor, SEED, EVENINGS, tally)
    pool.close()
    with psycopg.connect(urls.super) as db:
        attack_sessions(db, played, SEED, len(EVENT_ATTACKS), EVENT_ATTACKS, tally)
        attack_sessions(db, played, SEED, len(OTHER_ATTACKS), OTHER_ATTACKS, tally)
    return tally


def test_every_corruption_is_found_and_no_clean_evening_is_accused(tally):
    assert tally.failures == [], tally.table()
    assert tally.clean == EVENINGS
    assert tally.corrected > tally.corrected_again > 0, (
        "with corrections, and corrections of corrections"
    )
    assert tally.costs > tally.costs_changed > 0, "with costs, corrected and voided"
    assert tally.detected == tally.tried


def test_there_is_every_kind_of_corruption_and_more_than_forty(tally):
    assert len(EVENT_ATTACKS) + len(OTHER_ATTACKS) >= 40
    assert tally.never_tried == []


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
    assert app_role.refusal_code(app_url, statement) == code


def test_a_session_of_ten_players_has_no_findings(cluster):
    """Stored rows are sorted as text (p1, p10, p2); postings are not."""
    urls = copy_database(cluster, "vola_ten_players")
    pool = database.open_pool(urls.app, size=1)
    table = open_table(EventStore(pool), Random("ten"), "knektpass", players=10)
    pool.close()
    with psycopg.connect(urls.audit) as db, database_snapshot(db):
        assert audit_session(db, table.id) == []
