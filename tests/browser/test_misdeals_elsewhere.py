"""Deals on a phone without a network whose dealer changes, because another phone has recorded a
misdeal or has voided the deal before: each player's calls stay, in the order of the new dealer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import plug_in, read_deals, see_all_sent, unplug
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import record_spader_deal
from tests.support.browser.recorded_sessions import (
    SPADER_DEAL,
    open_as_host,
    record_elsewhere,
    record_exchange_and_pass,
    side_bids,
    void_deal,
)

QUESTION = ".question"


def open_spader(phone: Phone, *deals: list[dict[str, Any]]) -> RemoteSession:
    """Let a phone without a network sit at the table; return another phone there."""
    recorder = record_elsewhere(phone, *deals, game="spader", options={})
    open_as_host(phone, recorder)
    unplug(phone)
    return recorder


def see_no_network(phone: Phone) -> None:
    """Wait until the phone knows, and sends nothing before a deal is complete."""
    expect(phone.page.locator(".sync.failed")).to_be_visible()


def record_misdeal(recorder: RemoteSession) -> None:
    recorder.act({"type": "open_deal"})
    void_deal(recorder, recorder.state()["deal"]["number"])


def closed_deals(phone: Phone) -> list[dict[str, Any]]:
    """Return the deals that count, in order."""
    deals = sorted(read_deals(phone), key=lambda deal: int(str(deal["number"])))
    return [deal for deal in deals if deal["status"] == "closed"]


@pytest.mark.parametrize(
    ("answer", "deals"),
    [
        (
            "as-next",
            [
                (2, "p1", [("p2+p4", 7), ("p1+p3", 5)]),
                (3, "p2", [("p1+p3", 6), ("p2+p4", 4)]),
            ],
        ),
        ("give-up", [(2, "p1", [("p2+p4", 4), ("p1+p3", 6)])]),
    ],
    ids=["both are kept", "the first is given up"],
)
def test_deals_after_a_misdeal_elsewhere_keep_their_bids(
    phone: Phone, answer: str, deals: list[tuple[int, str, list[tuple[str, int]]]]
) -> None:
    """After the misdeal of deal 1 Ada deals again, so the deals that wait have her and Bo as their
    dealers, or her alone."""
    recorder = open_spader(phone)
    record_spader_deal(phone, 1, ("7", "5"), (4, 3, 4))
    phone.tap("table")
    record_spader_deal(phone, 2, ("6", "4"), (4, 3, 4))
    record_misdeal(recorder)
    plug_in(phone)
    phone.tap(answer)
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    assert [
        (deal["number"], deal["dealer"], side_bids(deal)) for deal in closed_deals(phone)
    ] == deals


def test_a_deal_sent_again_has_the_dealer_of_the_voided_one(phone: Phone) -> None:
    """Deal 1 is voided elsewhere, and Ada deals again: deal 2 has her as its dealer, not Bo."""
    recorder = open_spader(phone, SPADER_DEAL)
    record_spader_deal(phone, 2, ("6", "4"), (4, 3, 4))
    phone.tap("table")
    record_spader_deal(phone, 3, ("3", "9"), (4, 3, 4))
    void_deal(recorder, 1)
    plug_in(phone)
    phone.tap("try-again")
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    assert [(deal["dealer"], side_bids(deal)) for deal in closed_deals(phone)] == [
        ("p1", [("p2+p4", 4), ("p1+p3", 6)]),
        ("p2", [("p1+p3", 9), ("p2+p4", 3)]),
    ]


def test_an_open_recorder_asks_in_the_order_of_a_new_dealer(phone: Phone) -> None:
    """One side has bid in deal 2; deal 1 is voided elsewhere, and the other side bids first."""
    recorder = open_spader(phone, SPADER_DEAL)
    see_no_network(phone)
    phone.tap("record").tap("bid-6")
    expect(phone.page.locator(QUESTION)).to_contain_text("Bo och Disa")
    void_deal(recorder, 1)
    plug_in(phone)
    see_all_sent(phone)
    phone.tap("bid-4").tap("pad-8").tap("send")
    phone.see_result(2)
    assert [(deal["dealer"], side_bids(deal)) for deal in closed_deals(phone)] == [
        ("p1", [("p2+p4", 4), ("p1+p3", 6)])
    ]


@pytest.mark.parametrize("is_misdeal", [True, False], ids=["misdeal", "another deal"])
def test_a_half_recorded_deal_becomes_the_next_one(phone: Phone, is_misdeal: bool) -> None:
    """Its first bid stays, and the other side is asked for its bid, whoever bids first."""
    recorder = open_spader(phone)
    see_no_network(phone)
    phone.tap("record").tap("bid-7")
    if is_misdeal:
        record_misdeal(recorder)
    else:
        recorder.act(*SPADER_DEAL)
    plug_in(phone)
    phone.tap("as-next")
    expect(phone.page.locator("h1")).to_contain_text("2")
    expect(phone.page.locator(QUESTION)).to_contain_text("Ada och Cilla")
    phone.tap("bid-5").tap("pad-8").tap("send")
    phone.see_result(2)
    sides = [("p2+p4", 7), ("p1+p3", 5)]
    assert side_bids(closed_deals(phone)[-1]) == (sides if is_misdeal else sides[::-1])


def test_a_deal_whose_first_bid_waits_goes_on_after_a_misdeal(phone: Phone) -> None:
    """The first bid was sent as the network went, and the second one is a tap on this phone."""
    recorder = record_elsewhere(phone, game="spader", options={})
    open_as_host(phone, recorder)
    phone.tap("record")
    unplug(phone)
    phone.tap("bid-7")
    expect(phone.page.locator(QUESTION)).to_contain_text("Ada och Cilla")
    phone.tap("bid-5")
    expect(phone.page.locator('[data-key="pad-8"]')).to_be_visible()
    record_misdeal(recorder)
    plug_in(phone)
    phone.tap("as-next")
    see_all_sent(phone)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Fortsätt giv 2")
    phone.tap("record").tap("pad-8").tap("send")
    phone.see_result(2)
    assert side_bids(closed_deals(phone)[-1]) == [("p2+p4", 7), ("p1+p3", 5)]


def test_an_exchange_by_another_dealer_is_said_not_to_fit(phone: Phone) -> None:
    """Ada took the turn-up as the dealer of deal 2; deal 1, which Disa dealt, is voided."""
    all_pass = [{"type": "open_deal"}, {"type": "all_pass"}]
    recorder = record_elsewhere(phone, all_pass, game="knektpass", options={}, first_dealer="p4")
    open_as_host(phone, recorder)
    unplug(phone)
    record_exchange_and_pass(phone, 2)
    void_deal(recorder, 1)
    plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Det här kan inte vara giv 2: där ger Disa")
    expect(phone.page.locator('[data-key="try-again"]')).to_have_count(0)
    phone.tap("give-up")
    see_all_sent(phone)
    assert [deal["dealer"] for deal in closed_deals(phone)] == ["p4"]


def test_a_half_recorded_exchange_by_another_dealer_is_dropped(phone: Phone) -> None:
    all_pass = [{"type": "open_deal"}, {"type": "all_pass"}]
    recorder = record_elsewhere(phone, all_pass, game="knektpass", options={}, first_dealer="p4")
    open_as_host(phone, recorder)
    unplug(phone)
    see_no_network(phone)
    phone.tap("record").tap("depth-tricks").tap("swap-turn-up").tap("stay")
    expect(phone.page.locator(QUESTION)).to_contain_text("Cilla")
    void_deal(recorder, 1)
    plug_in(phone)
    expect(phone.page.locator("#notice")).to_contain_text(
        "Det här kan inte vara giv 2: där ger Disa"
    )
    expect(phone.page.locator(QUESTION)).to_contain_text("Ada")  # Bo has stayed
    phone.tap("pass")
    expect(phone.page.locator(QUESTION)).to_contain_text("Cilla")
    phone.tap("rest-pass")
    phone.see_result(2)
    (deal,) = closed_deals(phone)
    calls = [(a["type"], a["player"]) for a in deal["actions"] if "player" in a]
    assert calls == [("pass", "p1"), ("stay", "p2"), ("pass", "p3"), ("pass", "p4")]
