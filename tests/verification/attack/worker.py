"""The share of one worker process, in a database of its own."""

import psycopg

from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support.databases import DatabaseUrls
from tests.verification.attack.attack_run import Tally, attack_sessions, audit_clean_sessions
from tests.verification.attack.kinds import EVENT_ATTACKS, OTHER_ATTACKS


def run_share(
    urls: DatabaseUrls, seed: str, evenings: int, event_attacks: int, other_attacks: int
) -> Tally:
    """Play clean sessions, then attack their stored events, then the other tables."""
    tally = Tally()
    pool = database.open_pool(urls.app, size=2)
    try:
        with psycopg.connect(urls.audit) as auditor:
            played = audit_clean_sessions(EventStore(pool), auditor, seed, evenings, tally)
        with psycopg.connect(urls.super) as db:
            attack_sessions(db, played, seed, event_attacks, EVENT_ATTACKS, tally)
            attack_sessions(db, played, seed, other_attacks, OTHER_ATTACKS, tally)
    finally:
        pool.close()
    return tally
