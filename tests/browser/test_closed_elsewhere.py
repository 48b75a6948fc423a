"""A table that shows a session while another phone closes it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import (
    plug_in,
    read_deals,
    recording_phones,
    see_all_sent,
    unplug,
)
from tests.support.browser.group_screens import close_session
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere


def test_a_table_asks_once_whose_phone_it_is(lend: Callable[..., Phone]) -> None:
    host, scorer = recording_phones(lend)
    question = scorer.page.get_by_role("heading", name="Vems är den här telefonen?")
    expect(question).to_have_count(1)
    close_session(host)
    expect(scorer.page.locator('[data-key="holder-none"]')).to_be_visible()
    expect(question).to_have_count(1)


def play_while_the_evening_closes(phone: Phone) -> RemoteSession:
    """Play a deal without a network while another phone closes the evening; return the evening."""
    evening = record_elsewhere(phone)
    open_as_host(phone, evening)
    unplug(phone)
    phone.play(1, "C", "CCDCB")
    closed = evening.write("/closure", {}, version=evening.state()["version"])
    assert closed.status == 201
    plug_in(phone)
    return evening


def test_a_deal_that_waits_is_recorded_once_its_host_reopens_the_evening(phone: Phone) -> None:
    evening = play_while_the_evening_closes(phone)
    expect(phone.page.locator("dialog")).to_contain_text("den måste öppnas igen")
    phone.tap("reopen-again")
    see_all_sent(phone)
    assert [deal["number"] for deal in read_deals(phone)] == [1]
    assert evening.state()["status"] == "open"


def test_the_address_of_a_deal_that_was_refused_leads_to_the_question(phone: Phone) -> None:
    """A step back leads there as well."""
    play_while_the_evening_closes(phone)
    expect(phone.page.locator("dialog")).to_contain_text("den måste öppnas igen")
    phone.visit("deal/1")
    phone.see_table()
    expect(phone.page.locator("dialog")).to_contain_text("den måste öppnas igen")


def test_a_busy_server_is_not_said_to_be_out_of_reach_while_it_reopens(phone: Phone) -> None:
    play_while_the_evening_closes(phone)
    phone.page.route("**/closure", lambda route: route.fulfill(status=503))
    phone.tap("reopen-again")
    expect(phone.page.locator("#notice")).to_contain_text("Vola kan inte svara just nu")
