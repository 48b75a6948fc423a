"""The open payments, as a phone lists them."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone


def see_plan(phone: Phone, *expected: str) -> None:
    """Check the payments that the screen offers: `p1-p3 50 kr`."""
    rows = phone.page.locator('[data-key^="open-"]')
    expect(rows).to_have_count(len(expected))
    for row, line in enumerate(expected):
        payment, amount = line.split(" ", 1)
        expect(rows.nth(row)).to_have_attribute("data-key", f"open-{payment}")
        expect(rows.nth(row).locator(".payment-arrow b")).to_have_text(amount)


NUMBER = "070-123 45 67"
KEEP_SENT_TEXT = "navigator.share = async (what) => { window.sent = what.text; }"


def send_result(phone: Phone) -> list[str]:
    """Send the result; return the lines of the text, as KEEP_SENT_TEXT kept it."""
    phone.tap("pass-on").tap("pass-send")
    text: str = wait_until(phone.page, "() => window.sent")
    return text.replace("\u00a0", " ").split("\n")
