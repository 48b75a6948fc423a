"""Settling up on a small phone, with large text, and for people who cannot see the screen."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.appearance import looks, sizes
from tests.support.browser.downloads import SEND_CSV_PIECE, SLOW_CSV
from tests.support.browser.layout_checks import (
    ScreenChecks,
    find_misfits,
    find_violations,
    wait_until_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_e1
from tests.support.browser.settlement_screen import NUMBER


def walk(phone: Phone, screens: ScreenChecks) -> None:
    """Check every screen of settling up and of downloads, each with content."""
    phone.visit("settlement")
    screens.look(phone, "the plan", '[data-key="paid-p1-p3"]')
    phone.mark("way", "through")
    expect(phone.page.locator("input[name=treasurer]")).to_have_count(4)
    screens.look(phone, "through one person")
    phone.mark("way", "fewest")
    expect(phone.page.locator("input[name=treasurer]")).to_have_count(0)
    phone.tap("open-p1-p3").mark("method", "swish")
    screens.look(phone, "a number asked for")
    phone.page.locator('[data-key="code-number"]').fill("12")
    phone.tap("code-show")
    screens.look(phone, "a number refused", ".payee-details .wrong")
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    phone.tap("code-show")
    screens.look(phone, "the code", ".payment-code")
    phone.page.locator('[data-key="amount"]').fill("51")
    screens.look(phone, "too much")
    phone.page.locator('[data-key="amount"]').fill("20")
    phone.tap("receipt")
    expect(phone.page.locator(".confirmation")).to_be_visible()
    phone.page.locator('[data-key^="back-"]').tap()
    expect(phone.page.locator(".paid")).to_have_count(2)
    screens.look(phone, "paid and put right")
    for line in ("p1-p3", "p2-p3", "p4-p3"):
        phone.tap(f"paid-{line}")
        expect(phone.page.locator(f'[data-key="paid-{line}"]')).to_have_count(0)
    screens.look(phone, "even", ".all-settled")
    phone.visit("settlement/p1-p3")
    screens.look(phone, "gone", '[data-key="plan"]')
    phone.visit("statement")
    wait_until_drawn(phone)
    phone.page.locator('[data-key="from"]').fill("2026-02-01")
    phone.page.locator('[data-key="to"]').fill("2026-01-01")
    screens.look(phone, "backwards")
    phone.page.locator('[data-key="to"]').fill("")
    phone.page.evaluate(SLOW_CSV)
    phone.tap("take-csv")
    phone.page.evaluate(SEND_CSV_PIECE, "a\r\n" * 15_000)
    screens.look(phone, "a file on its way", '[data-key="stop-csv"]')
    phone.tap("stop-csv")
    expect(phone.page.locator('[data-key="stop-csv"]')).to_be_hidden()
    phone.visit("share")
    wait_until_drawn(phone)
    phone.tap("another-way")
    phone.page.locator('[data-key="forgetting"] summary').tap()
    screens.look(phone, "names")
    phone.tap("forget-p1")
    screens.look(phone, "asked twice")
    phone.tap("sure-no")


@sizes()
def test_settling_fits_a_small_phone_and_a_thumb(
    lend: Callable[..., Phone], language: str, text: str
) -> None:
    phone = lend(width=320, height=640, language=language)
    open_e1(phone)
    screens = ScreenChecks(lambda phone: find_misfits(phone, text))
    walk(phone, screens)
    assert screens.faults == {}


@looks(("dark", "en-GB"), ("light", "da-DK"))
def test_axe_finds_nothing_while_settling(styled_phone: Phone) -> None:
    open_e1(styled_phone)
    screens = ScreenChecks(find_violations)
    walk(styled_phone, screens)
    assert screens.faults == {}
