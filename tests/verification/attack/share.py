"""What one worker of the night does, in a database of its own."""

import psycopg

from ledger import database
from ledger.store import Store
from tests.attack.attacks import Tally, attack, clean_evenings
from tests.attack.corruption import REST, ROWS
from tests.conftest import Urls


def work(urls: Urls, seed: str, evenings: int, rows: int, rest: int) -> Tally:
    """So many clean evenings, then so many attacks in them."""
    tally = Tally()
    pool = database.pool(urls.app, size=2)
    try:
        with psycopg.connect(urls.audit) as auditor:
            played = clean_evenings(Store(pool), auditor, seed, evenings, tally)
        with psycopg.connect(urls.super) as db:
            attack(db, played, seed, rows, list(ROWS), tally)
            attack(db, played, seed, rest, list(REST), tally)
    finally:
        pool.close()
    return tally
