"""A call of a deal taken back just as the network goes: the recording goes on from there."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.card_by_card import begin_by_cards
from tests.support.browser.connection import plug_in, read_deals, see_all_sent, unplug
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
    plug_in(phone)
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
    plug_in(phone)
    see_all_sent(phone)
    bids = [a["tricks"] for a in only_deal(phone)["actions"] if a["type"] == "side_bid"]
    assert bids == [6, 5]


def test_a_first_card_taken_back_as_the_network_goes_waits_for_it(phone: Phone) -> None:
    begin_by_cards(phone, "polskpas").tap("card-QH")
    expect(question(phone)).to_contain_text("Spelar Bo")
    unplug(phone)
    phone.tap("undo-tap")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    plug_in(phone)
    see_all_sent(phone)
    expect(phone.page.locator('[data-key="card-QH"]')).to_be_visible()
    assert read_deals(phone) == []


@pytest.mark.parametrize("is_offline", [False, True], ids=["online", "offline"])
def test_undo_after_the_exchanges_takes_back_the_trick(phone: Phone, is_offline: bool) -> None:
    """That the exchanges are over is noted for the rest of the deal; it is no tap to take back."""
    phone.begin(game="knektpass")
    if is_offline:
        unplug(phone)
        expect(phone.page.locator(".sync.failed")).to_be_visible()
    phone.tap("record").tap("depth-tricks").tap("stay").tap("stay").tap("rest-pass")
    phone.tap("exchanged").seat("B")
    undo = phone.page.locator('[data-key="undo-tap"]')
    expect(undo).to_have_text("Ångra stick 1")
    phone.tap("undo-tap")
    expect(phone.page.locator("#status")).to_have_text("Stick 1 i giv 1 är ångrat")
    expect(undo).not_to_have_text("Ångra stick 1")


def test_undo_without_a_tap_to_take_back_leads_to_the_table(phone: Phone) -> None:
    phone.begin(game="spader").tap("record")
    unplug(phone)
    phone.tap("bid-7")
    expect(question(phone)).to_contain_text("Ada och Cilla")
    phone.page.reload()
    expect(question(phone)).to_contain_text("Ada och Cilla")
    phone.tap("undo-tap")
    phone.see_table()
