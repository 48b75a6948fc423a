"""A screen shows the session after its latest change, although an answer to the screen is older.

The change came while the screen was being opened, or the answer has taken longer than a later one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere

VERSION = f"async () => (await {imported_module()}).currentSession().version"
NEXT_TASK = "() => new Promise((resolve) => setTimeout(resolve))"
COUNT_ARRIVED = "(address) => performance.getEntriesByName(address).length"
PLANS = re.compile(r"/v1/sessions/[^/]+/settlement(\?.*)?$")
DEALS = re.compile(r"/v1/sessions/[^/]+/deals(\?.*)?$")


def record_cost(recorder: RemoteSession) -> None:
    cost = {"payer": "p2", "amount": 40_000, "parts": None, "purpose": None}
    assert recorder.write("/costs", cost).status == 201


def record_deal(recorder: RemoteSession) -> None:
    tricks = [{"type": "trick", "winner": winner} for winner in ("p3", "p3", "p4", "p3", "p2")]
    declared = {"type": "declare", "players": ["p2"]}
    assert recorder.act({"type": "open_deal"}, declared, *tricks).status == 201


@dataclass(frozen=True)
class Case:
    """A screen, what it asks for, a change, and what it shows after one change and after two."""

    screen: str
    asked: re.Pattern[str]
    change: Callable[[RemoteSession], None]
    shown: tuple[str, str]


CASES = {
    "settlement": Case("settlement", PLANS, record_cost, ("110 kr", "210 kr")),
    "payment": Case("settlement/p3-p2", PLANS, record_cost, ("Högst 100 kr", "Högst 200 kr")),
    "closing": Case("close", PLANS, record_cost, ("107,50 kr", "207,50 kr")),
    "deals": Case("deals", DEALS, record_deal, ("Cilla vann 20 kr", "Cilla vann 30 kr")),
    "pictures": Case("pictures", DEALS, record_deal, ("Giv 2", "Giv 3")),
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@dataclass
class HeldAnswers:
    """The answers to what the phone asks for, until it is told that the others may pass."""

    phone: Phone
    asked: re.Pattern[str]
    others_pass: bool = False
    held: list[tuple[Route, APIResponse]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.phone.page.route(self.asked, self._hold)

    def _hold(self, route: Route) -> None:
        if self.others_pass:
            route.continue_()
        else:
            self.held.append((route, route.fetch()))

    def wait_for_one(self) -> None:
        self.phone.wait_until(lambda: bool(self.held))

    def give(self) -> None:
        """Give the phone the answers."""
        self.others_pass = True
        for route, answer in self.held:
            give(self.phone, route, response=answer)


def give(phone: Phone, route: Route, **answer: Any) -> None:
    """Give the phone this answer, and wait until it has dealt with it."""
    address = route.request.url
    earlier_count = phone.page.evaluate(COUNT_ARRIVED, address)
    route.fulfill(**answer)
    phone.wait_until(lambda: phone.page.evaluate(COUNT_ARRIVED, address) > earlier_count)
    phone.page.evaluate(NEXT_TASK)


def go_to(phone: Phone, screen: str) -> None:
    place = "location.hash.split('/').slice(0, 3).join('/')"
    phone.page.evaluate(f"location.hash = {place} + '/{screen}'")


def open_screen(phone: Phone, screen: str) -> None:
    """Go to the screen, and wait until it is shown."""
    go_to(phone, screen)
    expect(phone.page.locator("body")).to_have_attribute("data-at", re.compile(f"{screen}$"))


def wait_for_version(phone: Phone, recorder: RemoteSession) -> None:
    version = recorder.state()["version"]
    phone.wait_until(lambda: phone.page.evaluate(VERSION) == version)


@cases
def test_a_change_while_the_screen_opens_is_shown(phone: Phone, case: Case) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    answers = HeldAnswers(phone, case.asked)
    go_to(phone, case.screen)
    answers.wait_for_one()
    case.change(recorder)
    wait_for_version(phone, recorder)
    answers.give()
    expect(phone.page.locator("#main")).to_contain_text(case.shown[0])


@cases
def test_an_older_answer_does_not_replace_a_newer_one(phone: Phone, case: Case) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    open_screen(phone, case.screen)
    answers = HeldAnswers(phone, case.asked)
    case.change(recorder)
    answers.wait_for_one()
    wait_for_version(phone, recorder)
    answers.others_pass = True
    case.change(recorder)
    expect(phone.page.locator("#main")).to_contain_text(case.shown[1])
    answers.give()
    expect(phone.page.locator("#main")).to_contain_text(case.shown[1])


def test_payments_are_those_after_a_write_of_this_phone(phone: Phone) -> None:
    open_as_host(phone, record_elsewhere(phone, ALL_PASS))
    phone.visit("costs")
    posted: list[Route] = []
    phone.page.route(
        "**/costs",
        lambda route: posted.append(route) if route.request.method == "POST" else route.continue_(),
    )
    phone.mark("payer", "p2")
    phone.page.locator('[data-key="cost-amount"]').fill("400")
    phone.tap("record-cost")
    phone.wait_until(lambda: bool(posted))
    answers = HeldAnswers(phone, PLANS)
    go_to(phone, "settlement")
    answers.wait_for_one()
    version = phone.page.evaluate(VERSION)
    posted[0].continue_()
    phone.wait_until(lambda: phone.page.evaluate(VERSION) > version)
    answers.give()
    expect(phone.page.locator("#main")).to_contain_text("110 kr")


def test_a_settlement_failure_that_is_over_does_not_come_back(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    open_screen(phone, "settlement")
    due = [3]

    def add_due_payments(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "payments_due": due[0]})

    failures: list[Route] = []
    phone.page.route(PLANS, add_due_payments)
    phone.page.route("**/payments", lambda route: failures.append(route))
    record_cost(recorder)
    phone.wait_until(lambda: bool(failures))
    due[0] = 0
    record_cost(recorder)
    expect(phone.page.locator("#main")).to_contain_text("210 kr")
    failure = {"since": "2026-11-21T19:00:00.000000Z", "attempts": 4}
    give(phone, failures[0], json={"failure": failure})
    expect(phone.page.locator('[data-key="try-again"]')).to_have_count(0)
