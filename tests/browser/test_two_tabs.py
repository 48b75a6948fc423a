"""Two tabs of one phone, which keep the same queue of writes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser.connection import (
    ACTIONS,
    load_offline_form,
    read_deals,
    see_all_sent,
    set_flight_mode,
)
from tests.support.browser.phone import Phone


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    """Return a phone at the table, which has stored the form."""
    phone = lend(installed=True)
    load_offline_form(phone)
    phone.begin()
    return phone


def second_tab(phone: Phone) -> Page:
    """Open the phone's address in another tab, and wait until that tab knows the waiting deal."""
    tab = phone.page.context.new_page()
    tab.goto(phone.page.url)
    expect(tab.locator(".sync")).to_contain_text("1 väntar")
    return tab


def say_offline(phone: Phone, offline: bool) -> None:
    """Let the browser tell this tab alone that there is no network."""
    phone.page.evaluate(
        """(offline) => {
          Object.defineProperty(navigator, 'onLine', {value: !offline, configurable: true});
          dispatchEvent(new Event(offline ? 'offline' : 'online'));
        }""",
        offline,
    )


def test_a_deal_taken_back_in_one_tab_is_not_sent_by_the_other(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = second_tab(phone)
    phone.tap("undo")
    expect(phone.page.locator(".slot .marker")).to_have_count(4)
    set_flight_mode(phone, enabled=False)
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    see_all_sent(phone)
    assert read_deals(phone) == []


def test_a_tab_that_is_looked_at_drops_a_deal_taken_back_elsewhere(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = second_tab(phone)
    phone.tap("undo")
    expect(phone.page.locator(".slot .marker")).to_have_count(4)
    other_tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")
    expect(other_tab.locator(".sync")).to_contain_text("Ingen kontakt")


def test_a_deal_that_the_other_tab_is_sending_is_not_taken_back(phone: Phone) -> None:
    say_offline(phone, True)
    phone.play(1, "B", "CCDCB")
    other_tab, held = phone.page.context.new_page(), list[Route]()
    other_tab.route(ACTIONS, lambda route: held.append(route))
    other_tab.goto(phone.page.url)
    phone.wait_until(lambda: len(held) == 1)
    phone.tap("undo")
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]")).to_contain_text("Skickas")
    held[0].continue_()
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    say_offline(phone, False)
    see_all_sent(phone)
    (deal,) = read_deals(phone)
    assert deal["outcome"]["tricks"] == ["p3", "p3", "p4", "p3", "p2"]  # type: ignore[index]
