"""Names typed into a form outlast a reload and a step back, until the form has been sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.group_screens import see_group
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES


def reload(page: Page) -> None:
    page.reload()


def go_back_and_forth(page: Page) -> None:
    heading = page.locator("h1").inner_text()
    page.go_back()
    expect(page.locator("h1")).not_to_have_text(heading)
    page.go_forward()
    expect(page.locator("h1")).to_have_text(heading)


leaving = pytest.mark.parametrize("leave", [reload, go_back_and_forth])
Leave = Callable[[Page], None]


def see_names(phone: Phone, *names: str) -> None:
    fields = phone.page.locator(".lineup input")
    for place, name in enumerate(names):
        expect(fields.nth(place)).to_have_value(name)


@leaving
def test_the_players_of_a_new_evening_stay(phone: Phone, leave: Leave) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("new")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    leave(phone.page)
    see_names(phone, *FOUR_NAMES)
    phone.tap("open")
    phone.see_table()


@leaving
def test_the_players_of_a_rematch_stay(phone: Phone, leave: Leave) -> None:
    phone.begin(("Ada", "Bo", "Cilla"))
    phone.tap("menu").tap("again")
    phone.page.locator(".lineup input").nth(2).fill("Disa")
    leave(phone.page)
    see_names(phone, "Ada", "Bo", "Disa")


@leaving
def test_the_members_of_a_new_group_stay(phone: Phone, leave: Leave) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("new-group")
    phone.page.locator('[data-key="group-name"]').fill("Torsdagarna")
    for member in FOUR_NAMES:
        phone.page.locator('[data-key="member"]').fill(member)
        phone.tap("member-add")
    phone.page.get_by_role("button", name="Ta bort Disa").tap()
    leave(phone.page)
    expect(phone.page.locator('[data-key="group-name"]')).to_have_value("Torsdagarna")
    expect(phone.page.locator(".name-chips .name")).to_have_text(FOUR_NAMES[:3])
    phone.tap("found")
    see_group(phone)
    phone.page.goto(phone.url + "/#/c")
    expect(phone.page.locator('[data-key="group-name"]')).to_have_value("")
