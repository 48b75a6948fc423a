"""A change that arrives while a screen is being opened is shown on it, although the answer that the
screen waits for is older."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import APIResponse, Route, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere

VERSION = f"async () => (await {imported_module()}).currentSession().version"
PLANS = re.compile(r"/v1/sessions/[^/]+/settlement(\?.*)?$")
COST = {"payer": "p2", "amount": 40_000, "parts": None, "purpose": None}


@contextmanager
def hold_plans(phone: Phone, screen: str) -> Iterator[None]:
    """Open this screen; the answers to what it asks for at once arrive at the end of the `with`."""
    held: list[tuple[Route, APIResponse]] = []
    is_over = False

    def hold(route: Route) -> None:
        if is_over:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    phone.page.route(PLANS, hold)
    place = "location.hash.split('/').slice(0, 3).join('/')"
    phone.page.evaluate(f"location.hash = {place} + '/{screen}'")
    phone.wait_until(lambda: bool(held))
    yield
    is_over = True
    for route, answer in held:
        route.fulfill(response=answer)


@pytest.mark.parametrize(
    ("screen", "shown"),
    [
        ("settlement", '[data-key="open-p3-p2"]'),
        ("settlement/p3-p2", '[data-key="amount"]'),
        ("close", ".payment-plan .transfer :text('107,50')"),
    ],
)
def test_payments_are_those_after_the_latest_change(phone: Phone, screen: str, shown: str) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    with hold_plans(phone, screen):
        assert recorder.write("/costs", COST).status == 201
        version = recorder.state()["version"]
        phone.wait_until(lambda: phone.page.evaluate(VERSION) == version)
    expect(phone.page.locator(shown)).to_be_visible()


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
    with hold_plans(phone, "settlement"):
        version = phone.page.evaluate(VERSION)
        posted[0].continue_()
        phone.wait_until(lambda: phone.page.evaluate(VERSION) > version)
    expect(phone.page.locator('[data-key="open-p3-p2"]')).to_be_visible()
