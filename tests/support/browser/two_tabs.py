"""A second tab of a phone, in the same browser."""

from playwright.sync_api import Page, expect

from tests.support.browser.phone import Phone


def open_second_tab(phone: Phone, waiting: int = 1) -> Page:
    """Open the phone's address in another tab, and wait until that tab knows the waiting deals."""
    tab = phone.page.context.new_page()
    tab.goto(phone.page.url)
    expect(tab.locator(".sync")).to_contain_text(f"{waiting} väntar")
    return tab


def bring_to_front(tab: Page) -> None:
    """Fire the event that a browser fires when a tab becomes visible."""
    tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")
