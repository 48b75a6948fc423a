"""Answers that the test holds back while the phone goes on to another screen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone

NOTHING_WAITS = f"""async () => (await {imported_module()})
  .unsentWrites(Object.keys(localStorage).find((key) => key.startsWith('vola.role.')).slice(10))
  .length === 0"""

NEXT_TASK = "() => new Promise((resolve) => setTimeout(resolve))"


def held_request(phone: Phone, pattern: str, method: str, act: Callable[[], object]) -> Route:
    """Return the first request that `act` leads to; it waits for an answer until the test lets it
    go on."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held or route.request.method != method:
            route.fallback()
        else:
            held.append(route)

    phone.page.route(pattern, hold)
    act()
    phone.wait_until(lambda: len(held) == 1)
    return held[0]


def see_front_page(phone: Phone) -> None:
    expect(phone.page.locator("body.front h1")).to_have_text("Vola")


def go_to_front_page(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/#/")
    see_front_page(phone)


def fail_unseen(phone: Phone, request: Route) -> None:
    """Let a request fail, and check that no warning shows."""
    with phone.page.expect_event("requestfailed"):
        request.abort()
    phone.page.evaluate(NEXT_TASK)
    expect(phone.page.locator("#notice .warning")).to_have_count(0)
