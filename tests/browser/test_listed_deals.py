"""The list of deals without a network: the deals that the phone knows, and those that wait."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.connection import load_offline_form, see_all_sent, set_flight_mode
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere

OFFLINE_NOTE = '[data-key="known-deals"]'
CILLA_WINS_DEAL = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    *({"type": "trick", "winner": winner} for winner in ("p3", "p3", "p4", "p3", "p2")),
]


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    return lend(installed=True)


def listed_deals(phone: Phone) -> Locator:
    return phone.page.locator(".deal-link")


def record_deal(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.see_saved()
    phone.tap("table")


def list_offline(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.page.reload()
    phone.visit("deals")


def test_deals_that_wait_are_listed_until_they_are_recorded(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    for number, (declarer, tricks) in enumerate([("B", "CCDCB"), ("C", "DDACD")], start=1):
        phone.play(number, declarer, tricks)
    phone.visit("deals")
    expect(listed_deals(phone)).to_contain_text(["Disa", "Cilla"])
    expect(listed_deals(phone)).to_contain_text(["Väntar", "Väntar"])
    expect(phone.page.locator(OFFLINE_NOTE)).to_have_count(0)
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    expect(listed_deals(phone)).to_have_count(2)
    expect(listed_deals(phone).filter(has_text="Väntar")).to_have_count(0)


def test_a_list_seen_before_opens_without_a_network(phone: Phone) -> None:
    record_deal(phone)
    phone.visit("deals")
    expect(listed_deals(phone)).to_have_count(1)
    list_offline(phone)
    expect(listed_deals(phone)).to_contain_text(["Cilla"])
    expect(phone.page.locator(OFFLINE_NOTE)).to_have_count(0)
    listed_deals(phone).click()
    phone.see_result(1)
    expect(phone.page.locator(".verdict")).to_contain_text("Cilla")


def test_deals_recorded_on_this_page_are_listed_without_a_network(phone: Phone) -> None:
    record_deal(phone)
    set_flight_mode(phone)
    phone.visit("deals")
    expect(listed_deals(phone)).to_contain_text(["Cilla"])
    expect(phone.page.locator(OFFLINE_NOTE)).to_have_count(0)


def test_a_list_that_lacks_deals_says_so_until_the_network_is_back(phone: Phone) -> None:
    record_deal(phone)
    list_offline(phone)
    expect(phone.page.locator(OFFLINE_NOTE)).to_be_visible()
    expect(listed_deals(phone)).to_have_count(0)
    set_flight_mode(phone, enabled=False)
    expect(listed_deals(phone)).to_have_count(1)
    expect(phone.page.locator(OFFLINE_NOTE)).to_have_count(0)


def test_an_erased_name_is_not_kept_in_the_list(phone: Phone) -> None:
    recorder = record_elsewhere(phone, CILLA_WINS_DEAL)
    load_offline_form(phone)
    open_as_host(phone, recorder)
    phone.visit("deals")
    expect(listed_deals(phone)).to_contain_text(["Cilla"])
    phone.page.goto(f"{phone.url}/#/")
    assert recorder.write("/players/p3/name", None, method="DELETE").status == 200
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}")
    phone.see_table()
    list_offline(phone)
    expect(phone.page.locator(OFFLINE_NOTE)).to_be_visible()
    expect(phone.page.locator("main")).not_to_contain_text("Cilla")
