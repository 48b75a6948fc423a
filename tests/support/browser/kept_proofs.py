"""What a phone keeps of a session's proofs, and forged events in a server's database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.databases import DatabaseUrls
from tests.support.postgresql.cluster import Postgres
from tests.verification.attack import forger
from tests.verification.attack.forger import Event, Forger

SERVED_DATABASE = "vola_served"
"""The database of the server that the run shares (tests/conftest.py)."""
WATCH = imported_module("features/proofs/receipt_watch.js")
START = f"async () => (await {WATCH}).watchReceipts()"
READ = f"async (session) => (await {imported_module()}).readProofs(session)"
RECEIPTS = "**/v1/sessions/*/receipts/*"


def start_receipt_watch(phone: Phone) -> Phone:
    """Start on this page what the phone starts itself once it has loaded the other modules."""
    phone.page.evaluate(START)
    return phone


def session_of(phone: Phone) -> str:
    return str(phone.page.evaluate("location.hash.split('/')[2]"))


def record_of(phone: Phone, session: str | None = None) -> Any:
    return phone.page.evaluate(READ, session or session_of(phone))


def see_proven(phone: Phone, session: str | None = None) -> Any:
    """Wait until the phone keeps the newest version of the session, with no receipt left to prove.
    Return its record."""
    session = session or session_of(phone)

    def is_proven() -> bool:
        answer = phone.page.request.get(f"{phone.url}/v1/sessions/{session}")
        record = record_of(phone, session)
        newest = answer.json()["version"]
        return bool(
            record
            and record["head"]
            and record["head"]["version"] == newest
            and not record["receipts"]
        )

    phone.wait_until(is_proven)
    return record_of(phone, session)


def alarm(phone: Phone) -> Locator:
    return phone.page.locator("aside.alarm")


def see_no_alarm(phone: Phone) -> None:
    expect(alarm(phone)).to_have_count(0)


@contextmanager
def forging(cluster: Postgres, monkeypatch: pytest.MonkeyPatch, session: str) -> Iterator[Forger]:
    """Yield a forger that can rewrite a session in the server's database, permanently."""
    monkeypatch.setattr(
        forger, "DISABLE_GUARDS", forger.DISABLE_GUARDS[:1]
    )  # other tests need the rest
    with psycopg.connect(DatabaseUrls(cluster, SERVED_DATABASE).super) as db:
        yield Forger(db, UUID(session), Random(1), [])


def rewrite(
    cluster: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    phone: Phone,
    change: Callable[[list[Event]], list[Event]],
) -> None:
    with forging(cluster, monkeypatch, session_of(phone)) as attack:
        attack.rewrite(change(attack.history()))


def move_back(events: list[Event]) -> list[Event]:
    """Move the evening one microsecond back, which changes every hash."""
    for event in events:
        event.at -= 1
    return events
