"""A group's links are replaced by taps, and a join request can be withdrawn."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser import group_screens
from tests.support.browser.group_screens import found_group, read_group, read_links, see_group
from tests.support.browser.join_requests import (
    HOLD_COOKIE_RESPONSE,
    answer_join_request,
    host_and_requester,
)
from tests.support.browser.keyboard import Keys
from tests.support.browser.layout_checks import SMALL_TARGETS, TOO_WIDE, find_violations
from tests.support.browser.phone import Phone

Lend = Callable[..., Phone]
pytestmark = pytest.mark.short_waits


def share(phone: Phone, group: str, role: str) -> Any:
    """Open the host's screen of links, unfold this role's link, and return it."""
    phone.page.goto(f"{phone.url}/#/c/{group}/share")
    fold = phone.page.locator(f'.share-code[data-role="{role}"]')
    expect(fold).to_be_visible()
    if role != "scorer":  # the scorer's link needs no unfolding
        fold.locator("summary").tap()
    expect(fold.locator(".qr")).to_be_visible()
    return fold


def is_out(phone: Phone) -> None:
    expect(phone.page.locator("h1")).to_have_text("Här finns inget sällskap")


def test_replacing_a_link_shuts_out_the_phones_of_the_old_one(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    fold = share(host, group, "scorer")
    old, code = fold.locator("input").input_value(), fold.locator(".qr").get_attribute("src")
    guest.page.goto(old)
    see_group(guest)
    host.tap("end-scorer")
    dialog = host.page.locator("dialog")
    expect(dialog).to_contain_text("Alla som är inne i sällskapet med den är ute.")
    expect(dialog).not_to_contain_text("den här telefonen")
    host.tap("sure-no")
    expect(fold.locator("input")).to_have_value(old)
    host.tap("end-scorer").tap("sure")
    expect(host.page.locator("#status")).to_have_text("Länken är utbytt. Här är den nya koden.")
    expect(host.page.locator('[data-key="end-scorer"]')).to_be_focused()
    expect(fold.locator("input")).not_to_have_value(old)
    expect(fold.locator(".qr")).not_to_have_attribute("src", code or "")
    guest.page.reload()
    is_out(guest)
    guest.page.goto(old)
    is_out(guest)
    guest.page.goto(fold.locator("input").input_value())
    see_group(guest)
    host.page.goto(f"{host.url}/#/c/{group}")
    see_group(host)


GONE_HOME_JUST_THEN = """async () => {
  while (!window.answered) await new Promise(requestAnimationFrame);
  location.hash = '#/';
  window.answered();
}"""


def test_going_home_while_a_link_is_exchanged_stays_home(lend: Lend) -> None:
    """The tap changes the address, and the response arrives before the page handles that change."""
    host, guest = lend(), lend()
    group = found_group(host)
    address = share(host, group, "scorer").locator("input").input_value()
    guest.page.goto(guest.url + read_links(host, group)["viewer"])
    see_group(guest)
    guest.page.evaluate(HOLD_COOKIE_RESPONSE)
    guest.page.goto(address)
    guest.page.evaluate(GONE_HOME_JUST_THEN)
    expect(guest.page.locator(f'a[href="#/c/{group}"]')).to_be_visible()  # at home, and only there
    expect(guest.page).to_have_url(f"{guest.url}/#/")


def test_the_host_replaces_his_own_and_stays(lend: Lend) -> None:
    host, thief = lend(), lend()
    group = found_group(host)
    fold = share(host, group, "host")
    thief.page.goto(fold.locator("input").input_value())
    see_group(thief)
    host.tap("end-host")
    expect(host.page.locator("dialog")).to_contain_text("den här telefonen får den nya")
    host.tap("sure")
    expect(host.page.locator("#status")).to_contain_text("Länken är utbytt")
    address = re.escape(read_links(host, group)["host"])
    expect(fold.locator("input")).to_have_value(re.compile(address))
    host.page.reload()
    expect(fold).to_be_visible()
    thief.page.reload()
    is_out(thief)
    stored = host.page.evaluate(
        "JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie + location"
    )
    assert read_links(host, group)["host"].rpartition(".")[2] not in stored
    assert "ending." not in stored


def test_an_answer_that_is_lost_costs_the_host_nothing(phone: Phone) -> None:
    group = found_group(phone)
    share(phone, group, "host")

    def lost(route: Route) -> None:
        route.fetch()  # the server handles the request, and the phone gets no response
        route.abort("internetdisconnected")

    phone.page.route("**/links/host/rotation", lost)
    phone.tap("end-host").tap("sure")
    expect(phone.page.locator("body")).to_contain_text("Ingen kontakt")
    phone.page.unroute("**/links/host/rotation")
    phone.page.goto(f"{phone.url}/#/c/{group}")
    see_group(phone)
    assert read_links(phone, group)["host"].split("/")[-1].startswith("host1.")
    assert phone.page.evaluate("id => localStorage['vola.ending.' + id] ?? null", group) is None


def test_a_repeated_request_ends_only_one_link(phone: Phone) -> None:
    keys: list[str] = []
    fold = share(phone, found_group(phone), "scorer")

    def lost(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 1:
            route.continue_()
            return
        route.fetch()
        route.abort("internetdisconnected")

    phone.page.route("**/links/scorer/rotation", lost)
    phone.tap("end-scorer").tap("sure")
    expect(phone.page.locator("body")).to_contain_text("Ingen kontakt")
    phone.tap("end-scorer").tap("sure")
    expect(phone.page.locator("#status")).to_contain_text("Länken är utbytt")
    expect(fold.locator("input")).to_have_value(re.compile(r"/scorer1\."))
    phone.tap("end-scorer").tap("sure")
    expect(fold.locator("input")).to_have_value(re.compile(r"/scorer2\."))
    assert keys[0] == keys[1] != keys[2]


def test_links_of_evenings_are_replaced_too_if_the_host_agrees(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = group_screens.create_season(host)
    table = read_group(host, group)["sessions"][0]["session"]
    guest.page.goto(guest.url + read_links(host, group)["host"])
    see_group(guest)
    guest.tap("evening-1")
    guest.see_table()
    share(host, group, "host")
    host.tap("end-host").tap("end-evenings").tap("sure")
    expect(host.page.locator("#status")).to_contain_text("Länken är utbytt")
    path = f"/v1/sessions/{table}"
    assert guest.page.request.get(guest.url + path).status == 404
    assert host.page.request.get(f"{host.url}{path}/links").ok  # this phone has the next link
    expect(guest.page.locator("h1")).to_have_text("Du är inte inne längre")


def test_the_sheet_works_by_thumb_keyboard_and_screen_reader(lend: Lend) -> None:
    for language, scheme in (("sv-SE", "dark"), ("de-DE", "light")):
        phone = lend(width=320, height=640, language=language, scheme=scheme)
        group = found_group(phone)
        fold = share(phone, group, "host")
        value = fold.locator("input").input_value()
        keys = Keys(phone)
        keys.keys.press("Tab")  # from now on only keys are used
        keys.press("end-host")
        expect(phone.page.locator("dialog")).to_be_visible()
        assert phone.page.evaluate(TOO_WIDE) <= 0
        assert phone.page.evaluate(SMALL_TARGETS) == []
        keys.press("sure-no")
        expect(phone.page.locator('[data-key="end-host"]')).to_be_focused()
        keys.check_focus("h1")
        keys.press("end-host").press("end-evenings", key="Space")
        expect(phone.page.locator('[data-key="end-evenings"]')).to_be_checked()
        keys.press("sure")
        expect(fold.locator("input")).not_to_have_value(value)
        expect(phone.page.locator('[data-key="end-host"]')).to_be_focused()
        keys.check_focus("h1")
        keys.press("end-host")
        expect(phone.page.locator("dialog[open]")).to_be_visible()
        assert find_violations(phone) == []


def test_a_withdrawn_join_request_disappears_at_the_host(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    expect(host.page.locator(".join-request")).to_have_count(1)
    expect(bo.page.locator('[data-key="give-up"]')).to_have_text("Avbryt")
    bo.tap("give-up")
    expect(bo.page.locator('[data-key="request-join"]')).to_be_visible()
    expect(bo.page.locator("#status")).to_contain_text("Du har tagit tillbaka din fråga")
    expect(host.page.locator(".join-request")).to_have_count(0)
    bo.tap("request-join")
    answer_join_request(host)
    bo.see_table()


def test_a_withdrawal_on_one_page_reaches_the_other(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    second_page = Phone(bo.page.context.new_page(), bo.url)
    second_page.page.goto(second_page.url + "/#/join")
    expect(second_page.page.locator(".waiting-for-host")).to_be_visible()
    expect(host.page.locator(".join-request")).to_have_count(1)
    bo.tap("give-up")
    for page in (bo.page, second_page.page):
        expect(page.locator('[data-key="request-join"]')).to_be_visible()


def test_a_phone_that_is_in_the_group_may_follow_an_old_link(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    links = read_links(host, group)
    guest.page.goto(host.url + links["viewer"])
    see_group(guest)
    guest.page.goto(f"{host.url}/#/c/{group}/scorer0.of-an-old-message")
    see_group(guest)
    expect(guest.page).to_have_url(f"{host.url}/#/c/{group}")


def test_a_screen_for_the_host_alone_sends_others_to_the_group(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    guest.page.goto(host.url + read_links(host, group)["viewer"])
    see_group(guest)
    guest.page.goto(f"{host.url}/#/c/{group}/share")
    expect(guest.page.locator("h1")).to_have_text("Den här länken ger inte rätt till det.")
    expect(guest.page.locator("main")).not_to_contain_text("finns inte")
    guest.tap("group")
    see_group(guest)


def test_a_viewer_of_a_new_group_is_told_of_no_button(lend: Lend) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    guest.page.goto(host.url + read_links(host, group)["viewer"])
    see_group(guest)
    expect(guest.page.locator("main .empty")).to_have_text("Ingen kväll än.")
    host.page.goto(f"{host.url}/#/c/{group}/check")
    expect(host.page.locator("main .empty")).to_have_text("Ingen kväll än.")


@pytest.mark.parametrize("screen", ["bank-lines", "leave"])
def test_a_screen_of_the_host_leads_others_to_the_group(lend: Lend, screen: str) -> None:
    host, guest = lend(), lend()
    group = found_group(host)
    guest.page.goto(share(host, group, "scorer").locator("input").input_value())
    see_group(guest)
    guest.page.goto(f"{guest.url}/#/c/{group}/{screen}")
    expect(guest.page).to_have_url(f"{guest.url}/#/c/{group}")
    see_group(guest)
