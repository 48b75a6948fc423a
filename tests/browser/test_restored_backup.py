"""A phone whose server was restored from an older backup while the phone showed a session."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.browser.connection import read_deals
from tests.support.browser.kept_proofs import rewrite_shown_session
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_e1
from tests.support.postgresql.cluster import Postgres


def test_a_phone_follows_a_server_that_lost_a_deal(phone: Phone, cluster: Postgres) -> None:
    open_e1(phone, 3)
    expect(phone.page.locator(".last-deal .overline")).to_have_text("Giv 3")
    *_, last_deal = read_deals(phone)
    first_version, _ = last_deal["versions"]  # type: ignore[misc]
    rewrite_shown_session(cluster, phone, lambda events: events[: first_version - 1])
    expect(phone.page.locator(".last-deal .overline")).to_have_text("Giv 2")
    phone.play(3, "C", "AABAC")
    phone.see_balances((40, -20, -30, -20))
    assert len(read_deals(phone)) == 3
