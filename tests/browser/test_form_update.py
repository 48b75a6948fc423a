"""A newer version of the form, while pages of the older one are open."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import connection
from tests.support.browser.form_versions import (
    NEWER_SENTENCE,
    SENTENCE,
    WORKER_PATH,
    FormServer,
    run_form_server,
)
from tests.support.browser.phone import Phone
from tests.support.browser.server_and_phones import SAVING
from tests.support.browser.storage_faults import BLOCKED, WARNING
from tests.support.browser.two_tabs import bring_to_front

LOOK_FOR_UPDATE = """async () => {
  const registration = await navigator.serviceWorker.ready;
  await registration.update().catch(() => null);
  const { installing } = registration;
  if (installing === null) return registration.waiting?.state;
  await new Promise((resolve) => installing.addEventListener('statechange', resolve));
  return installing.state;
}"""
"""A script that lets the browser look for an update, and returns how far its installation came."""


@pytest.fixture
def form_server(server_url: str) -> Iterator[FormServer]:
    with run_form_server(server_url) as server:
        yield server


@pytest.fixture
def phone(lend: Callable[..., Phone], form_server: FormServer) -> Phone:
    """A phone that has stored the older version, and loads nothing in advance."""
    phone = lend(installed=True)
    phone.url = form_server.url
    phone.page.context.add_init_script(SAVING)
    connection.load_offline_form(phone)
    see_version(phone.page, SENTENCE)
    return phone


def see_version(page: Page, sentence: str) -> None:
    expect(page.locator(".headline")).to_contain_text(sentence)
    expect(page.locator('[data-key="new"]')).to_be_visible()


def test_an_open_front_page_becomes_the_newer_version(
    phone: Phone, form_server: FormServer
) -> None:
    form_server.publish_newer_form()
    assert phone.page.evaluate(LOOK_FOR_UPDATE) == "installed"
    see_version(phone.page, NEWER_SENTENCE)
    connection.set_flight_mode(phone)
    phone.page.reload()
    see_version(phone.page, NEWER_SENTENCE)


def test_a_phone_whose_clock_was_ahead_still_looks_for_a_newer_version(
    phone: Phone, form_server: FormServer
) -> None:
    phone.page.evaluate("localStorage.setItem('vola.looked', String(Date.now() + 1e12))")
    form_server.publish_newer_form()
    bring_to_front(phone.page)
    see_version(phone.page, NEWER_SENTENCE)


def test_a_tab_in_an_evening_keeps_its_version_until_it_ends(
    phone: Phone, form_server: FormServer
) -> None:
    """Another tab activates the newer version; the older one opens all its screens, also without
    a network, and what waits is sent."""
    phone.begin()
    form_server.publish_newer_form()
    other_tab = phone.page.context.new_page()
    other_tab.goto(form_server.url)
    see_version(other_tab, NEWER_SENTENCE)
    connection.set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    phone.tap("table").tap("menu")
    expect(phone.page.locator("dialog[open]")).to_be_visible()
    phone.close_dialog()
    connection.set_flight_mode(phone, enabled=False)
    connection.see_all_sent(phone)
    assert len(connection.read_deals(phone)) == 1
    phone.tap("back")
    see_version(phone.page, NEWER_SENTENCE)


def test_an_update_loses_no_deal_that_is_in_memory_only(
    phone: Phone, form_server: FormServer
) -> None:
    phone.page.context.add_init_script(BLOCKED)
    phone.begin()
    phone.page.reload()
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)
    connection.unplug(phone)
    phone.play(1, "B", "CCDCB")
    phone.tap("back").tap("back")
    form_server.publish_newer_form()
    assert phone.page.evaluate(LOOK_FOR_UPDATE) == "installed"
    see_version(phone.page, SENTENCE)
    expect(phone.page.locator(".tag.due")).to_have_text("1 väntar")
    connection.plug_in(phone)
    phone.page.go_back()
    assert len(connection.read_deals(phone)) == 1


def test_files_of_an_older_server_are_not_kept_as_newer_ones(
    phone: Phone, form_server: FormServer
) -> None:
    """One of two servers has been replaced, and the other answers what the service worker asks."""
    form_server.publish_newer_form(WORKER_PATH)
    assert phone.page.evaluate(LOOK_FOR_UPDATE) == "redundant"
    connection.set_flight_mode(phone)
    phone.page.reload()
    see_version(phone.page, SENTENCE)
    connection.set_flight_mode(phone, enabled=False)
    form_server.publish_newer_form()
    assert phone.page.evaluate(LOOK_FOR_UPDATE) == "installed"
    see_version(phone.page, NEWER_SENTENCE)
