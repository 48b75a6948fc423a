"""The settlement screen: what comes late moves no payment, and nothing waits for it."""

import re

from playwright.sync_api import Route, expect

from tests.support.browser.phone import Phone
from tests.support.browser.sum_confirmations import card, open_by_link, record_closed_session

FEW_EVENTS = re.compile(r"/events\?after=\d+&limit=\d\d?$")
"""The events among which the card looks for the one that closed the session."""
PLACES = """() => Object.fromEntries([...document.querySelectorAll('#main [data-key]')]
  .map((node) => [node.dataset.key, node.getBoundingClientRect().top + scrollY]))"""


def test_the_question_about_the_sums_moves_no_button(phone: Phone) -> None:
    held: list[Route] = []
    recorder = record_closed_session(phone)
    open_by_link(phone, recorder, "host")
    expect(card(phone)).to_be_visible()
    phone.page.route(FEW_EVENTS, lambda route: held.append(route))
    phone.page.goto("about:blank")
    phone.page.goto(f"{phone.url}/#/s/{recorder.id}/settlement")
    phone.wait_until(lambda: len(held) == 1)
    before: dict[str, float] = phone.page.evaluate(PLACES)
    assert "paid-p1-p3" in before
    held[0].continue_()
    expect(card(phone)).to_be_visible()
    after: dict[str, float] = phone.page.evaluate(PLACES)
    assert {key: after.get(key) for key in before} == before
