"""A second tab of a phone, in the same browser."""

from playwright.sync_api import Page, expect

from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone

IS_A_WRITE_WITHDRAWN = """() => new Promise((done) => {
  indexedDB.open('vola').onsuccess = ({ target: { result: database } }) => {
    database.transaction('writes').objectStore('writes').getAll().onsuccess = ({ target }) => {
      database.close();
      done(target.result.some(({ isWithdrawn }) => isWithdrawn));
    };
  };
})"""


def open_second_tab(phone: Phone, waiting: int = 1) -> Page:
    """Open the phone's address in another tab, and wait until that tab knows the waiting deals."""
    tab = phone.page.context.new_page()
    tab.goto(phone.page.url)
    expect(tab.locator(".sync")).to_contain_text(f"{waiting} väntar")
    return tab


def wait_until_withdrawn(phone: Phone) -> None:
    """Wait until the phone has stored, for its other tabs, that a write was withdrawn."""
    wait_until(phone.page, IS_A_WRITE_WITHDRAWN)


def bring_to_front(tab: Page) -> None:
    """Fire the event that a browser fires when a tab becomes visible."""
    tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")
