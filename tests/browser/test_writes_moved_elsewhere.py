"""A recorder whose deal another tab of the phone takes back or renumbers meanwhile."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser import connection
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import deal_actions, open_as_host, record_elsewhere
from tests.support.browser.two_tabs import bring_to_front

NO_TIMEOUT = "AbortSignal.timeout = () => new AbortController().signal;"
"""A script with which the form waits for an answer as long as the test holds it back."""


def open_two_tabs(
    phone: Phone, record: Callable[[], object], **opening: Any
) -> tuple[Phone, Phone, RemoteSession]:
    """Return a phone's tab in which deal 1 waits without a network; another, whose request to send
    deal 1 stays without an answer; and another phone that records there too."""
    recorder = record_elsewhere(phone, **opening)
    open_as_host(phone, recorder)
    connection.unplug(phone)
    record()
    phone.tap("table")
    slow_tab = Phone(phone.page.context.new_page(), phone.url)
    held: list[Route] = []
    slow_tab.page.add_init_script(NO_TIMEOUT)
    slow_tab.page.route(connection.ACTIONS, lambda route: held.append(route))
    slow_tab.page.goto(phone.table_url())
    slow_tab.wait_until(lambda: len(held) == 1)
    return phone, slow_tab, recorder


@pytest.fixture
def tabs(lend: Callable[..., Phone]) -> tuple[Phone, Phone, RemoteSession]:
    """Two tabs and another phone as of `open_two_tabs`, in Polskt pass."""
    phone = lend()
    return open_two_tabs(phone, lambda: phone.play(1, "C", "CCDCB"))


def send_behind_deal_1(tab: Phone) -> None:
    """Record deal 2, which cannot be sent before deal 1 is answered."""
    tab.tap("record").seat("BAABAC")
    expect(tab.page.locator(".question")).to_have_text("Skriver in …")


def see_table(page: Page, next_deal: str) -> None:
    expect(page.locator("body.table .felt")).to_be_visible()
    expect(page.locator('[data-key="record"]')).to_have_text(next_deal)


def test_a_recorder_leaves_a_deal_that_another_tab_takes_back(
    tabs: tuple[Phone, Phone, RemoteSession],
) -> None:
    phone, slow_tab, _ = tabs
    send_behind_deal_1(slow_tab)
    bring_to_front(phone.page)
    expect(phone.page.locator(".sync")).to_contain_text("2 väntar")
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    bring_to_front(slow_tab.page)
    see_table(slow_tab.page, "Fortsätt giv 2")


def test_a_recorder_leaves_a_deal_that_another_tab_renumbers(
    tabs: tuple[Phone, Phone, RemoteSession],
) -> None:
    phone, slow_tab, recorder = tabs
    send_behind_deal_1(slow_tab)
    recorder.act(*deal_actions({"type": "all_pass"}))
    connection.plug_in(phone)
    phone.tap("as-next")
    connection.see_all_sent(phone)
    bring_to_front(slow_tab.page)
    see_table(slow_tab.page, "Skriv in giv 4")
    assert [deal["number"] for deal in connection.read_deals(phone)] == [1, 2, 3]


def test_taps_follow_a_deal_that_another_tab_renumbers(
    tabs: tuple[Phone, Phone, RemoteSession],
) -> None:
    phone, slow_tab, recorder = tabs
    slow_tab.tap("record").seat("BAA")
    recorder.act(*deal_actions({"type": "all_pass"}))
    connection.plug_in(phone)
    phone.tap("as-next")
    connection.see_all_sent(phone)
    bring_to_front(slow_tab.page)
    expect(slow_tab.page.locator("h1")).to_have_text("Giv 3")
    expect(slow_tab.page.locator(".slot .player-token")).to_have_count(2)
    expect(slow_tab.page.locator("dialog")).to_have_count(0)
    expect(slow_tab.page.locator("body")).to_have_attribute("data-at", re.compile("/record$"))


def test_a_bid_follows_a_deal_that_another_tab_renumbers(lend: Callable[..., Phone]) -> None:
    """Deal 1 was a misdeal, so the same dealer deals again, and the bids keep their turns."""
    phone = lend()

    def ask_for_new_cards() -> None:
        phone.tap("record").tap("redeal").tap("redeal-p3-no_spade")
        phone.see_result(1)

    options = {"redeal_dealer": "next"}  # closes the deal
    _, slow_tab, recorder = open_two_tabs(phone, ask_for_new_cards, game="spader", options=options)
    slow_tab.tap("record").tap("bid-7")
    recorder.act(*deal_actions({"type": "side_bid", "side": "p2+p4", "tricks": 5}))
    version = recorder.state()["version"]
    assert recorder.write("/deals/1", None, method="DELETE", version=version).status == 200
    connection.plug_in(phone)
    phone.tap("as-next")
    connection.see_all_sent(phone)
    bring_to_front(slow_tab.page)
    expect(slow_tab.page.locator("h1")).to_have_text("Giv 3")
    expect(slow_tab.page.locator(".question")).to_contain_text("Bo och Disa")
    expect(slow_tab.page.locator('[data-key="undo-tap"]')).to_be_visible()
    expect(slow_tab.page.locator("dialog")).to_have_count(0)
    expect(slow_tab.page.locator("body")).to_have_attribute("data-at", re.compile("/record$"))


def test_a_recorder_whose_question_is_put_off_shows_the_table(
    lend: Callable[..., Phone],
) -> None:
    """Deal 1 is refused while deal 2, which another tab has recorded, waits behind it."""
    phone = lend()
    recorder = record_elsewhere(phone)
    phone.page.add_init_script(NO_TIMEOUT)
    open_as_host(phone, recorder)
    other_tab = Phone(phone.page.context.new_page(), phone.url)
    other_tab.page.goto(phone.table_url())
    other_tab.see_table()
    held: list[Route] = []
    phone.page.route(connection.ACTIONS, lambda route: held.append(route))
    phone.tap("record").seat("BCCDCB")
    phone.wait_until(lambda: len(held) == 1)
    connection.unplug(other_tab)
    other_tab.page.reload()
    other_tab.play(2, "B", "AABAC")
    bring_to_front(phone.page)
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]")).to_have_count(2)
    phone.close_dialog()
    recorder.act(*deal_actions({"type": "all_pass"}))
    held[0].continue_()
    phone.close_dialog()
    expect(phone.page.locator("#notice")).to_contain_text("Svara")
    expect(phone.page.locator("body.table .felt")).to_be_visible()
