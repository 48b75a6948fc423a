"""What the book says after a run, read once, to be compared with what the phones saw."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import psycopg

EVENTS = """
SELECT session_id::text, version, type, "by", data, encode(hash, 'hex') FROM vola.events
 ORDER BY session_id, version
"""
HEADS = "SELECT session_id::text, version, encode(hash, 'hex') FROM vola.heads"
REPLIES = """
SELECT session_id::text, key, version, event_count FROM vola.stored_replies ORDER BY session_id, key
"""
PAYMENTS = "SELECT session_id::text, payment_id, status FROM projections.payments"


class Event(msgspec.Struct, frozen=True):
    version: int
    type: str
    by: str
    data: dict[str, Any]
    hash: str


class StoredSession(msgspec.Struct, kw_only=True):
    """One session as it is stored."""

    events: list[Event] = []
    head: tuple[int, str] = (0, "")
    replies: dict[str, tuple[int, int]] = {}  # by key: the version, and how many events
    payments: dict[str, str] = {}  # status by id


StoredLedger = dict[str, StoredSession]


def read_ledger(url: str) -> StoredLedger:
    book: StoredLedger = {}
    with psycopg.connect(url) as db:
        for session, version, kind, by, data, digest in db.execute(EVENTS):
            event = Event(version, kind, by, msgspec.json.decode(data), digest)
            book.setdefault(session, StoredSession()).events.append(event)
        for session, version, digest in db.execute(HEADS):
            book.setdefault(session, StoredSession()).head = version, digest
        for session, key, version, count in db.execute(REPLIES):
            book.setdefault(session, StoredSession()).replies[key] = version, count
        for session, payment, status in db.execute(PAYMENTS):
            book.setdefault(session, StoredSession()).payments[payment] = status
    return book


def body_digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:32]
