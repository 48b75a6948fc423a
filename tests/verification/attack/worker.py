"""What one worker of the night does, in a database of its own."""

import psycopg

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.databases import DatabaseUrls
from tests.verification.attack.attack_run import Tally, attack, clean_evenings
from tests.verification.attack.corruption import REST, ROWS


def work(urls: DatabaseUrls, seed: str, evenings: int, rows: int, rest: int) -> Tally:
    """So many clean evenings, then so many attacks in them."""
    tally = Tally()
    pool = database.open_pool(urls.app, size=2)
    try:
        with psycopg.connect(urls.audit) as auditor:
            played = clean_evenings(EventStore(pool), auditor, seed, evenings, tally)
        with psycopg.connect(urls.super) as db:
            attack(db, played, seed, rows, list(ROWS), tally)
            attack(db, played, seed, rest, list(REST), tally)
    finally:
        pool.close()
    return tally
