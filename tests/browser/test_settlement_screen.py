"""The settlement screen: what comes late moves no payment, and nothing waits for it."""

import re

from playwright.sync_api import Route, expect

from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_e1
from tests.support.browser.settlement_screen import see_plan
from tests.support.browser.sum_confirmations import card, open_by_link, record_closed_session

FEW_EVENTS = re.compile(r"/events\?after=\d+&limit=\d\d?$")
"""The events among which the card looks for the one that closed the session."""
PLANS = re.compile(r"/settlement$")
EVENTS = re.compile(r"/events\?")
PLACES = """() => Object.fromEntries([...document.querySelectorAll('#main [data-key]')]
  .map((node) => [node.dataset.key, node.getBoundingClientRect().top + scrollY]))"""


def test_the_question_about_the_sums_moves_no_button(phone: Phone) -> None:
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "host")
    expect(card(phone)).to_be_visible()
    held = HeldRequests(phone, FEW_EVENTS)
    phone.page.goto("about:blank")
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}/settlement")
    phone.wait_until(lambda: len(held.routes) == 1)
    before: dict[str, float] = phone.page.evaluate(PLACES)
    assert "paid-p1-p3" in before
    held.routes[0].continue_()
    expect(card(phone)).to_be_visible()
    after: dict[str, float] = phone.page.evaluate(PLACES)
    assert {key: after.get(key) for key in before} == before


class HeldRequests:
    """Requests of this address, which get no answer until they are let go."""

    def __init__(self, phone: Phone, url: str | re.Pattern[str]) -> None:
        self.routes: list[Route] = []
        phone.page.route(url, lambda route: self.routes.append(route))
        self.abandoned: list[str] = []
        phone.page.on("requestfailed", lambda request: self.abandoned.append(request.url))

    def is_still_awaited(self) -> bool:
        assert self.routes
        return self.routes[0].request.url not in self.abandoned


def answer_three_due(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "payments_due": 3})


def test_payments_are_shown_before_why_some_cannot_be_settled(phone: Phone) -> None:
    open_e1(phone)
    phone.page.route(PLANS, answer_three_due)
    held = HeldRequests(phone, "**/payments")
    phone.visit("settlement")
    see_plan(phone, "p1-p3 50 kr", "p2-p3 40 kr", "p4-p3 60 kr")
    assert held.is_still_awaited()
    expect(phone.page.locator(".banner")).to_contain_text("3 betalningar är på väg")
    failure = {"since": "2026-11-21T19:00:00.000000Z", "attempts": 4}
    held.routes[0].fulfill(json={"payments": [], "failure": failure})
    expect(phone.page.locator(".banner")).to_contain_text("3 betalningar har inte")


def test_payments_are_shown_before_those_made_earlier(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    phone.tap("paid-p1-p3")
    earlier = phone.page.locator('[data-key^="back-"]')
    expect(earlier).to_have_count(1)
    phone.see_saved()
    held = HeldRequests(phone, EVENTS)
    phone.page.reload()
    see_plan(phone, "p2-p3 40 kr", "p4-p3 60 kr")
    assert held.is_still_awaited()
    held.routes[0].continue_()
    expect(earlier).to_have_count(1)
