"""Sessions that another client records, and a phone that opens them."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.support import worked_evenings
from tests.support.api.http_client import RemoteSession
from tests.support.browser.phone import Phone

E1_CORRECTED = (-70, -20, 150, -60)


def record_and_open(phone: Phone, *deals: list[dict[str, Any]], **opening: Any) -> Phone:
    """Record these deals elsewhere, and open the session on this phone by the host's link."""
    return open_as_host(phone, record_elsewhere(phone, *deals, **opening))


def record_elsewhere(phone: Phone, *deals: list[dict[str, Any]], **opening: Any) -> RemoteSession:
    recorder = RemoteSession(phone.url).open(**{"options": {"stake": 1_000}, **opening})
    for actions in deals:
        recorder.act(*actions)
    if deals:
        recorder.settled()
    return recorder


def record_transfer(recorder: RemoteSession, payer: str, receiver: str, amount: int) -> None:
    """Record elsewhere that a player pays another, in the smallest unit."""
    payment = {"from": payer, "to": receiver, "amount": amount}
    answer = recorder.write("/transfers", payment, version=recorder.state()["version"])
    assert answer.status == 201


def void_deal(recorder: RemoteSession, number: int) -> None:
    version = recorder.state()["version"]
    answer = recorder.write(f"/deals/{number}", None, method="DELETE", version=version)
    assert answer.status == 200, answer.raw


def side_bids(deal: dict[str, Any]) -> list[tuple[str, int]]:
    return [(a["side"], a["tricks"]) for a in deal["actions"] if a["type"] == "side_bid"]


def open_as_host(phone: Phone, recorder: RemoteSession) -> Phone:
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}/{recorder.token}")
    # the table of another session may still be shown while the token is exchanged
    expect(phone.page.locator("body")).to_have_attribute("data-at", f"#/s/{recorder.id}")
    phone.see_table()
    return phone


def open_e1(phone: Phone, deals: int = 7) -> Phone:
    """Record the first deals of docs/rules.md §8 E1 elsewhere, and open the session."""
    lines = list(worked_evenings.lines(worked_evenings.E1))[:deals]
    return record_and_open(phone, *(line.actions() for line in lines))


def deal_actions(*actions: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "open_deal"}, *actions]


ALL_PASS = deal_actions({"type": "all_pass"})
SPADER_DEAL = deal_actions(
    {"type": "side_bid", "side": "p2+p4", "tricks": 4},
    {"type": "side_bid", "side": "p1+p3", "tricks": 6},
    {"type": "tricks", "taken": {"p1+p3": 8, "p2+p4": 5}},
)


def record_exchange_and_pass(phone: Phone, number: int) -> None:
    """Record a deal of Knektpass whose dealer takes the turn-up, and one that all pass."""
    phone.tap("record").tap("swap-turn-up").tap("with-p2-1").tap("with-p4-0").tap("together")
    phone.tap("pad-3").tap("send")
    phone.see_result(number)
    phone.tap("table").tap("record").tap("all-pass")
    phone.see_result(number + 1)


def see_correction(phone: Phone, number: int) -> None:
    expect(phone.page.locator("h1")).to_have_text(re.compile(rf"\b{number}$"))
    expect(phone.page.locator(".compare .version")).to_have_count(2)
