"""An answer that arrives after its screen was left draws nothing, and opens no other screen."""

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere

NOTHING_WAITS = f"""async () => (await {imported_module()})
  .unsentWrites(Object.keys(localStorage).find((key) => key.startsWith('vola.role.')).slice(10))
  .length === 0"""


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


def test_a_misdeal_typed_slowly_is_voided_in_its_own_evening(phone: Phone) -> None:
    """Meanwhile the phone shows another evening, whose first deal has the same version."""
    other = record_elsewhere(phone, ALL_PASS)
    evening = record_elsewhere(phone)
    open_as_host(phone, other)
    go_to_front_page(phone)
    open_as_host(phone, evening)
    phone.visit("late")
    phone.page.locator('[data-key="line"]').fill("!")
    request = held_request(phone, "**/actions", "POST", lambda: phone.tap("enter-line"))
    phone.page.goto(f"{phone.url}/#/s/{other.id}")
    phone.see_table()
    request.continue_()
    phone.wait_until(lambda: evening.state()["deal"]["phase"] == "waiting")
    phone.wait_until(lambda: evening.get("/deals/1").json["status"] == "voided")
    assert other.get("/deals/1").json["status"] == "closed"
