"""Invite links as they arrive: with something added, twice, or on a phone that is in already."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.group_screens import found_group, read_links, see_group
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import record_elsewhere

Lend = Callable[..., Phone]


@pytest.mark.parametrize("addition", [".", ")", "%20", "_", "?fbclid=IwAR1", "&utm_source=chat"])
def test_a_link_works_with_what_a_chat_has_added(phone: Phone, addition: str) -> None:
    evening = record_elsewhere(phone)
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}{addition}")
    phone.see_table()
    expect(phone.page).to_have_url(f"{phone.url}/#/s/{evening.id}")


def test_a_link_of_a_group_works_with_what_a_chat_has_added(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    guest.page.goto(host.url + read_links(host, group)["viewer"] + ").")
    see_group(guest)


def test_a_host_who_taps_the_link_for_the_others_stays_host(phone: Phone) -> None:
    phone.begin()
    links = {link["role"]: link["url"] for link in phone.read("/links")["links"]}
    table = phone.page.url
    for role in ("scorer", "viewer"):
        phone.page.goto(links[role])
        expect(phone.page).to_have_url(table)
        phone.see_table()
    phone.tap("menu")
    expect(phone.page.locator('dialog [data-key="share"]')).to_be_visible()
    assert phone.read("/links")["links"]


def test_the_host_of_a_group_who_taps_a_link_stays_host(phone: Phone) -> None:
    group = found_group(phone)
    links = read_links(phone, group)
    phone.page.goto(phone.url + links["viewer"])
    expect(phone.page).to_have_url(f"{phone.url}/#/c/{group}")
    see_group(phone)
    assert read_links(phone, group) == links


def test_a_link_that_gives_more_is_taken(phone: Phone) -> None:
    evening = record_elsewhere(phone)
    viewer = phone.page.request.get(
        f"{phone.url}/v1/sessions/{evening.id}/links",
        headers={"Authorization": f"Bearer {evening.token}"},
    ).json()["links"]
    phone.page.goto(next(link["url"] for link in viewer if link["role"] == "viewer"))
    phone.see_table()
    expect(phone.page.locator('[data-key="record"]')).to_have_count(0)
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}")
    expect(phone.page.locator('[data-key="record"]')).to_be_visible()


def test_a_browser_without_cookies_is_said_to_need_them(phone: Phone) -> None:
    """It discards the cookie that the link is exchanged for."""
    evening = record_elsewhere(phone)
    phone.page.add_init_script(
        "Object.defineProperty(document, 'cookie', {get: () => '', set() {}})"
    )
    phone.page.route("**/v1/sessions/*/cookie", lambda route: route.fulfill(status=204))
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}")
    expect(phone.page.locator("h1")).to_have_text("Webbläsaren tar inte emot kakor")
    expect(phone.page.locator("main")).not_to_contain_text("ny länk")
