"""Deals that a phone without a network has begun, action by action, while another phone changes the
dealer or takes the deal back: what is given up is gone, what is kept fits."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import plug_in, read_deals, see_all_sent, unplug
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    SPADER_DEAL,
    open_as_host,
    record_elsewhere,
    side_bids,
    void_deal,
)
from tests.support.browser.storage_faults import DRAFTS
from tests.support.browser.two_tabs import bring_to_front

COUNT_DIALOGS_MEANWHILE = """() => {
  const { getAll } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.getAll = function (...range) {
    if (this.transaction.mode === 'readwrite')
      for (let key = 0; key < 5_000; key += 1) this.get(`none ${key}`);
    return getAll.apply(this, range);
  };
  window.dialogs = 0;
  new MutationObserver((changes) => {
    window.dialogs += changes.flatMap(({ addedNodes }) => [...addedNodes])
      .filter(({ nodeName }) => nodeName === 'DIALOG').length;
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""A script that makes it slow to store an answer, and counts the dialogs that open from now on."""

DRAFT_OF_ANOTHER_DECLARER = """(id) => localStorage.setItem(`vola.draft.${id}`, JSON.stringify({
  number: 1, base: 1, heard: [{ type: 'declare', players: ['p2'] }],
  taps: [{ type: 'trick', winner: 'p2' }], seated: 'p1,p2,p3,p4',
}))"""
"""A script that stores the draft of a deal which Bo declares."""


def question(phone: Phone) -> Locator:
    return phone.page.locator(".question")


def see_recorded(phone: Phone, text: str) -> None:
    expect(phone.page.locator('[data-key="record"]')).to_have_text(text)


def continue_deal(phone: Phone, number: int) -> None:
    """Go on with a deal, once everything is sent and nothing was asked."""
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    see_recorded(phone, f"Fortsätt giv {number}")
    phone.tap("record")


def last_closed(phone: Phone) -> dict[str, Any]:
    deals: list[dict[str, Any]] = read_deals(phone)
    return max((d for d in deals if d["status"] == "closed"), key=lambda deal: deal["number"])


def bid_as_the_network_goes(phone: Phone, *later_bids: str) -> RemoteSession:
    """Let the first bid of deal 2, which Bo deals, wait on the phone, with later taps behind it."""
    recorder = record_elsewhere(phone, SPADER_DEAL, game="spader", options={})
    open_as_host(phone, recorder).tap("record")
    unplug(phone)
    phone.tap("bid-7")
    expect(question(phone)).to_contain_text("Bo och Disa")
    for bid in later_bids:
        phone.tap(bid)
        expect(phone.page.locator('[data-key="pad-8"]')).to_be_visible()
    return recorder


def test_a_begun_deal_that_is_given_up_leaves_no_taps(phone: Phone) -> None:
    """Deal 1 is voided elsewhere, so that Ada deals, and Bo and Disa bid first."""
    recorder = bid_as_the_network_goes(phone, "bid-5")
    void_deal(recorder, 1)
    plug_in(phone)
    dialog = phone.page.locator("dialog")
    expect(dialog.locator(".sentence")).to_contain_text(["Ada och Cilla: 7 · Bo och Disa: 5"])
    phone.tap("give-up")
    see_all_sent(phone)
    assert phone.page.evaluate(DRAFTS) == []
    see_recorded(phone, "Skriv in giv 2")
    phone.tap("record")
    expect(question(phone)).to_contain_text("Bo och Disa")
    phone.tap("bid-3").tap("bid-6")
    expect(phone.page.locator('[data-key="pad-8"]')).to_be_visible()


def test_a_question_about_a_begun_deal_may_close_unanswered(phone: Phone) -> None:
    """Another tab of the phone gives the answer."""
    recorder = bid_as_the_network_goes(phone, "bid-5")
    void_deal(recorder, 1)
    other_tab = phone.page.context.new_page()
    other_tab.goto(phone.page.url)
    expect(other_tab.locator("dialog")).to_be_visible()
    plug_in(phone)
    bring_to_front(phone.page)
    dialog = phone.page.locator("dialog")
    expect(dialog).to_be_visible()
    other_tab.locator('[data-key="give-up"]').tap()
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    bring_to_front(phone.page)
    expect(dialog).to_have_count(0)
    see_all_sent(phone)


def test_an_answer_on_the_way_to_the_table_is_asked_for_once(phone: Phone) -> None:
    """The evening was closed elsewhere. The table asks about what waits as well."""
    recorder = bid_as_the_network_goes(phone, "bid-5")
    recorder.write("/closure", {}, version=recorder.state()["version"])
    plug_in(phone)
    expect(phone.page.locator("dialog")).to_be_visible()
    phone.page.evaluate(COUNT_DIALOGS_MEANWHILE)
    phone.tap("give-up")
    see_all_sent(phone)
    phone.see_table()
    assert phone.page.evaluate("window.dialogs") == 0


def test_a_taken_deal_that_is_given_up_is_asked_about_once(phone: Phone) -> None:
    """Another phone has recorded a misdeal as deal 2; the taps behind the first bid go along."""
    recorder = bid_as_the_network_goes(phone, "bid-5")
    recorder.act({"type": "open_deal"})
    void_deal(recorder, 2)
    plug_in(phone)
    phone.tap("give-up")
    see_all_sent(phone)
    phone.tap("record")
    expect(question(phone)).to_contain_text("Ada och Cilla")
    expect(phone.page.locator("dialog")).to_have_count(0)
    assert phone.page.evaluate(DRAFTS) == []


@pytest.mark.parametrize("later_bids", [(), ("bid-5",)], ids=["one bid", "both bids"])
def test_a_begun_deal_sent_again_keeps_its_bids(phone: Phone, later_bids: tuple[str, ...]) -> None:
    """Its only waiting bid cannot come first under the new dealer."""
    recorder = bid_as_the_network_goes(phone, *later_bids)
    void_deal(recorder, 1)
    plug_in(phone)
    phone.tap("try-again")
    continue_deal(phone, 2)
    if not later_bids:
        expect(question(phone)).to_contain_text("Bo och Disa")
        phone.tap("bid-5")
    phone.tap("pad-8").tap("send")
    phone.see_result(2)
    assert side_bids(last_closed(phone)) == [("p2+p4", 5), ("p1+p3", 7)]


def test_a_begun_deal_becomes_the_next_one_of_another_dealer(phone: Phone) -> None:
    """Another phone has recorded deal 2 as a whole, so deal 3 is Cilla's."""
    recorder = bid_as_the_network_goes(phone)
    recorder.act(SPADER_DEAL[0], *reversed(SPADER_DEAL[1:3]), SPADER_DEAL[3])
    plug_in(phone)
    phone.tap("as-next")
    continue_deal(phone, 3)
    expect(question(phone)).to_contain_text("Bo och Disa")
    phone.tap("bid-5").tap("pad-8").tap("send")
    phone.see_result(3)
    assert side_bids(last_closed(phone)) == [("p2+p4", 5), ("p1+p3", 7)]


def continue_a_deal_of_another_phone(phone: Phone) -> RemoteSession:
    """Let Cilla's call wait on the phone: another one has recorded that Bo stays in deal 2, which
    Ada deals."""
    all_pass = [{"type": "open_deal"}, {"type": "all_pass"}]
    recorder = record_elsewhere(phone, all_pass, game="knektpass", options={}, first_dealer="p4")
    recorder.act({"type": "open_deal"}, {"type": "stay", "player": "p2"})
    open_as_host(phone, recorder).tap("record").tap("depth-tricks")
    expect(question(phone)).to_contain_text("Cilla")
    unplug(phone)
    phone.tap("stay")
    expect(question(phone)).to_contain_text("Disa")
    return recorder


def take_back_and_void(recorder: RemoteSession) -> None:
    """Take deal 2 back, and void deal 1: Disa deals deal 2."""
    recorder.act({"type": "undo"}, {"type": "undo"})
    void_deal(recorder, 1)


def calls(deal: dict[str, Any]) -> list[tuple[str, str]]:
    return [(a["type"], a["player"]) for a in deal["actions"] if "player" in a]


CALLS = [("pass", "p1"), ("stay", "p2"), ("stay", "p3"), ("pass", "p4")]


def test_a_deal_that_another_phone_took_back_goes_on(phone: Phone) -> None:
    recorder = continue_a_deal_of_another_phone(phone)
    take_back_and_void(recorder)
    plug_in(phone)
    phone.tap("as-next")
    see_all_sent(phone)
    see_recorded(phone, "Fortsätt giv 2")
    phone.tap("record")
    expect(question(phone)).to_contain_text("Ada")
    phone.tap("pass")
    expect(question(phone)).to_contain_text("Disa")
    phone.tap("pass").tap("exchanged").seat("BBCCB")
    phone.see_result(2)
    assert calls(last_closed(phone)) == CALLS


def test_a_whole_deal_that_was_taken_back_elsewhere_is_sent(phone: Phone) -> None:
    recorder = continue_a_deal_of_another_phone(phone)
    phone.tap("pass").tap("pass").tap("exchanged").seat("BBCCB")
    phone.see_result(2)
    take_back_and_void(recorder)
    plug_in(phone)
    phone.tap("as-next")
    see_all_sent(phone)
    see_recorded(phone, "Skriv in giv 3")
    deal = last_closed(phone)
    assert (deal["dealer"], calls(deal)) == ("p4", CALLS)


def test_a_call_in_a_misdealt_deal_of_another_phone_is_given_up(phone: Phone) -> None:
    recorder = continue_a_deal_of_another_phone(phone)
    phone.tap("pass")
    expect(question(phone)).to_contain_text("Ada")
    void_deal(recorder, 2)
    plug_in(phone)
    expect(phone.page.locator("dialog")).to_contain_text("Giv 2 togs inte emot")
    expect(phone.page.locator('[data-key="as-next"]')).to_have_text("Det var giv 3: skriv in den")
    phone.tap("give-up")
    see_all_sent(phone)
    see_recorded(phone, "Skriv in giv 3")
    assert phone.page.evaluate(DRAFTS) == []


def test_undo_at_the_table_takes_back_the_latest_tap_first(phone: Phone) -> None:
    """The bid of Ada and Cilla waits; that of Bo and Disa is a tap behind it."""
    bid_as_the_network_goes(phone, "bid-5")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.tap("back").tap("undo")
    expect(question(phone)).to_contain_text("Bo och Disa")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")


def test_undo_at_the_table_spares_what_others_recorded(phone: Phone) -> None:
    """The declarer is recorded; the tricks are taps on this phone."""
    recorder = record_elsewhere(phone)
    recorder.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    open_as_host(phone, recorder).tap("record").seat("CC").tap("back")
    phone.see_table()
    undo = phone.page.locator('[data-key="undo"]')
    expect(undo).to_have_text("Ångra stick 2")
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(1)
    phone.tap("back").see_table()
    expect(undo).to_have_text("Ångra stick 1")
    phone.tap("undo").tap("back").see_table()
    expect(undo).to_have_text("Ångra spelföraren")


def test_taps_do_not_continue_a_deal_that_was_declared_anew(phone: Phone) -> None:
    recorder = record_elsewhere(
        phone, [{"type": "open_deal"}, {"type": "declare", "players": ["p3"]}]
    )
    open_as_host(phone, recorder)
    phone.page.evaluate(DRAFT_OF_ANOTHER_DECLARER, recorder.id)
    phone.tap("record")
    expect(question(phone)).to_contain_text("stick 1")


def test_a_deal_left_half_open_can_be_voided(phone: Phone) -> None:
    """The first bid of deal 2 is recorded, and stands in the way of deal 3, which waits."""
    recorder = bid_as_the_network_goes(phone, "bid-5")
    phone.tap("pad-8").tap("send")
    phone.see_result(2)
    phone.visit("")
    phone.tap("record").tap("bid-6").tap("bid-4").tap("pad-8").tap("send")
    phone.see_result(3)
    void_deal(recorder, 1)
    recorder.act({"type": "open_deal"}, {"type": "side_bid", "side": "p2+p4", "tricks": 3})
    plug_in(phone)
    phone.tap("give-up").tap("void-earlier")
    see_all_sent(phone)
    assert [deal["status"] for deal in read_deals(phone)][-2:] == ["voided", "closed"]
