"""A call of a deal taken back just as the network goes: the recording goes on from there."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.support.browser.card_by_card import begin_by_cards
from tests.support.browser.connection import API_URLS, read_deals, see_all_sent, unplug
from tests.support.browser.phone import Phone


def question(phone: Phone) -> Locator:
    return phone.page.locator(".question")


def only_deal(phone: Phone) -> dict[str, Any]:
    (deal,) = read_deals(phone)
    return deal


def test_a_call_taken_back_as_the_network_goes_is_asked_for_again(phone: Phone) -> None:
    phone.begin(game="knektpass").tap("record").tap("depth-tricks").tap("stay").tap("pass")
    expect(question(phone)).to_contain_text("Disa")
    unplug(phone)
    phone.tap("undo-tap")
    expect(question(phone)).to_contain_text("Cilla")
    phone.tap("waiting")
    expect(phone.page.locator("dialog .sentence")).to_have_text("Ångra ”Passar”")
    phone.page.keyboard.press("Escape")
    phone.page.reload()
    expect(question(phone)).to_contain_text("Cilla")
    phone.tap("stay").tap("rest-pass").tap("exchanged").seat("BBCCB")
    phone.see_result(1)
    phone.page.unroute(API_URLS)
    see_all_sent(phone)
    calls = [(a["type"], a["player"]) for a in only_deal(phone)["actions"] if "player" in a]
    assert calls == [("stay", "p2"), ("stay", "p3"), ("pass", "p4"), ("pass", "p1")]


def test_a_first_bid_taken_back_as_the_network_goes_is_asked_for_again(phone: Phone) -> None:
    phone.begin(game="spader").tap("record").tap("bid-7")
    expect(question(phone)).to_contain_text("Ada och Cilla")
    unplug(phone)
    phone.tap("undo-tap")
    expect(question(phone)).to_contain_text("Bo och Disa")
    phone.tap("bid-6").tap("bid-5").tap("pad-8").tap("send")
    phone.see_result(1)
    phone.page.unroute(API_URLS)
    see_all_sent(phone)
    bids = [a["tricks"] for a in only_deal(phone)["actions"] if a["type"] == "side_bid"]
    assert bids == [6, 5]


def test_a_first_card_taken_back_as_the_network_goes_waits_for_it(phone: Phone) -> None:
    begin_by_cards(phone, "polskpas").tap("card-QH")
    expect(question(phone)).to_contain_text("Spelar Bo")
    unplug(phone)
    phone.tap("undo-tap")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.page.unroute(API_URLS)
    see_all_sent(phone)
    expect(phone.page.locator('[data-key="card-QH"]')).to_be_visible()
    assert read_deals(phone) == []
