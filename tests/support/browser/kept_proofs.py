"""What a phone keeps of a session's proofs, and sessions rewritten in the server's database."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.databases import DatabaseUrls
from tests.support.postgresql.cluster import Postgres
from tests.support.session_forger import Change, rewrite_session

SERVED_DATABASE = "vola_served"
"""The database of the server that the run shares (tests/conftest.py)."""
START_WATCH = f"""async () => {{
  (await {imported_module("features/proofs/kept_proofs.js")}).watchReceipts();
  (await {imported_module("features/proofs/sum_confirmation.js")}).watchAnswers();
}}"""
READ_PROOFS = f"async (session) => (await {imported_module()}).readProofs(session)"
RECEIPTS = "**/v1/sessions/*/receipts/*"


def start_receipt_watch(phone: Phone) -> Phone:
    """Start on this page what the phone starts itself once it has loaded the other modules."""
    phone.page.evaluate(START_WATCH)
    return phone


def session_id_of(phone: Phone) -> str:
    return str(phone.page.evaluate("location.hash.split('/')[2]"))


def read_record(phone: Phone, session: str | None = None) -> Any:
    return phone.page.evaluate(READ_PROOFS, session or session_id_of(phone))


def see_proven(phone: Phone, session: str | None = None) -> Any:
    """Wait until the phone keeps the newest version of the session, with no receipt left to prove.
    Return its record."""
    session = session or session_id_of(phone)

    def is_proven() -> bool:
        answer = phone.page.request.get(f"{phone.url}/v1/sessions/{session}")
        record = read_record(phone, session)
        newest = answer.json()["version"]
        return bool(
            record
            and record["head"]
            and record["head"]["version"] == newest
            and not record["receipts"]
        )

    phone.wait_until(is_proven)
    return read_record(phone, session)


def alarm(phone: Phone) -> Locator:
    return phone.page.locator("aside.history-alarm")


def see_no_alarm(phone: Phone) -> None:
    expect(alarm(phone)).to_have_count(0)


def served_urls(cluster: Postgres) -> DatabaseUrls:
    return DatabaseUrls(cluster, SERVED_DATABASE)


def rewrite_shown_session(cluster: Postgres, phone: Phone, change: Change) -> None:
    """Rewrite the session that the phone shows, in the server's database, permanently."""
    rewrite_session(served_urls(cluster), session_id_of(phone), change)
