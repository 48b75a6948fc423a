"""Every screen opens once a deal is recorded, in every game and in a group. A fault of the form is
called one, and not a lost connection."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from engine.games.registry import GAMES
from tests.support.browser.form_sources import read_modules
from tests.support.browser.group_screens import close_session, found_group, open_group_session
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import record_deal
from tests.support.browser.server_and_phones import open_context
from tests.support.player_names import FOUR_NAMES

NO_SCREEN = re.compile("Ingen kontakt|Här finns ingen kväll|Något gick fel|Vola är upptaget")
IS_DRAWN = "() => document.body.dataset.at === location.hash"


def screens(router: str, table: str) -> list[str]:
    """Return the names by which a router's table opens its screens; the first is empty."""
    entries = read_modules()[f"static/app/{router}.js"].partition(f"const {table} = {{")[2]
    return re.findall(r"(?:^|,) +'?([a-z-]*)'?: ", entries.partition("\n};")[0], re.M)


def visit_all(phone: Phone, home: str, names: list[str]) -> None:
    for name in names:
        phone.page.goto(f"{home}/{name}" if name else home)
        wait_until(phone.page, IS_DRAWN)
        expect(phone.page.locator("h1")).not_to_have_text(NO_SCREEN)


@pytest.mark.parametrize("game", GAMES)
def test_every_screen_of_an_evening_opens_in_every_game(phone: Phone, game: str) -> None:
    phone.begin(game=game)
    record_deal(phone, game, 1)
    phone.see_result(1)
    phone.see_saved()
    of_a_deal = {"deal": "deal/1", "correct": "correct/1"}
    tables = ("SESSION_SCREENS", "SESSION_LOADERS")
    names = [of_a_deal.get(name, name) for table in tables for name in screens("router", table)]
    assert len(names) > 15
    visit_all(phone, phone.table_url(), names)
    phone.visit("close")
    phone.tap("close")
    expect(phone.page.locator("h1")).not_to_have_text("Gör upp och stäng")
    visit_all(phone, phone.table_url(), names)


def test_every_screen_of_a_group_opens(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    home = f"{phone.url}/#/c/{group}"
    names = screens("group_router", "GROUP_SCREENS")
    assert len(names) > 10
    visit_all(phone, home, names)
    open_group_session(phone, group, "ABCD")
    record_deal(phone, "polskt_pass", 1)
    close_session(phone)
    visit_all(phone, home, names)


def test_a_fault_of_the_form_is_called_one_and_reported(browser: Browser, server_url: str) -> None:
    def break_screen(route: Route) -> None:
        body = "export const costsScreen = () => { throw new ReferenceError('broken'); };"
        route.fulfill(body=body, content_type="text/javascript")

    phone = Phone(open_context(browser, reduced_motion=True).new_page(), server_url)
    errors: list[str] = []
    phone.page.on("pageerror", lambda error: errors.append(str(error)))
    phone.begin()
    phone.page.route("**/screens/costs.js", break_screen)
    phone.visit("costs")
    expect(phone.page.locator("h1")).to_have_text("Något gick fel")
    expect(phone.page.locator(".lead")).to_contain_text("Det ni har skrivit in finns kvar.")
    assert errors == ["broken"]
    phone.page.unroute_all()
    phone.tap("again")
    expect(phone.page.locator("h1")).to_have_text("Gemensamma utgifter")
    phone.page.context.close()


def test_a_screen_that_a_newer_server_has_no_more_is_loaded_anew(
    browser: Browser, server_url: str
) -> None:
    phone = Phone(open_context(browser, reduced_motion=True).new_page(), server_url)
    phone.begin()
    phone.page.route("**/screens/costs.js", lambda route: route.fulfill(status=404))
    phone.visit("costs")
    expect(phone.page.locator("h1")).to_have_text("Ingen kontakt")
    expect(phone.page.locator("h1")).to_have_text("Något gick fel")
    phone.page.unroute_all()
    with phone.page.expect_navigation():
        phone.tap("again")
    expect(phone.page.locator("h1")).to_have_text("Gemensamma utgifter")
    phone.page.context.close()
