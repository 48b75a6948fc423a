"""A form that was sent leads back to the screen before it, which is in the history only once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_e1


def see_screen(phone: Phone, screen: str) -> None:
    place = re.compile(rf"^#/s/[^/]+{re.escape(screen)}$")
    expect(phone.page.locator("body")).to_have_attribute("data-at", place)


def fill(phone: Phone, key: str, amount: str) -> Phone:
    phone.page.locator(f'[data-key="{key}"]').fill(amount)
    return phone


def pay_a_part(phone: Phone) -> str:
    phone.tap("menu").tap("close").tap("pay-now").tap("open-p4-p3")
    see_screen(phone, "/settlement/p4-p3")
    fill(phone, "amount", "5").tap("receipt")
    return "/settlement"


def correct_a_cost(phone: Phone) -> str:
    phone.tap("menu").tap("costs").mark("payer", "p1")
    fill(phone, "cost-amount", "40").tap("record-cost").tap("correct-cost-1")
    see_screen(phone, "/costs/1")
    fill(phone, "cost-amount", "44").tap("record-cost")
    return "/costs"


def correct_a_deal(phone: Phone) -> str:
    phone.tap("menu").tap("deals")
    phone.page.locator('a[href$="/deal/2"]').first.tap()
    phone.page.locator('a[href$="/correct/2"]').tap()
    phone.tap("row-1-p2").tap("correct").tap("correct-sure")
    return "/deal/2"


def change_seats(phone: Phone) -> str:
    phone.tap("menu").tap("players").tap("up-p2").tap("sit")
    return ""


def close_here(phone: Phone) -> str:
    phone.tap("to-close")
    see_screen(phone, "/close")
    phone.tap("close")
    expect(phone.page.locator('[data-key="reopen"]')).to_be_visible()
    return "/settlement"


def close_from_the_settlement(phone: Phone) -> str:
    phone.visit("settlement")
    return close_here(phone)


def close_after_a_look_at_the_settlement(phone: Phone) -> str:
    phone.tap("menu").tap("close").tap("pay-now")
    return close_here(phone)


SCREENS_BEFORE = {
    pay_a_part: "/close",
    correct_a_cost: "",
    correct_a_deal: "/deals",
    close_from_the_settlement: "",
    close_after_a_look_at_the_settlement: "",
}


@pytest.mark.parametrize("send", SCREENS_BEFORE)
def test_one_step_back_leads_past_the_form(phone: Phone, send: Callable[[Phone], str]) -> None:
    open_e1(phone)
    see_screen(phone, send(phone))
    phone.page.go_back()
    see_screen(phone, SCREENS_BEFORE[send])


def test_new_seats_are_followed_by_the_table_as_it_was(phone: Phone) -> None:
    open_e1(phone)
    length = phone.page.evaluate("history.length")
    see_screen(phone, change_seats(phone))
    phone.page.go_forward()
    see_screen(phone, "/players")
    assert phone.page.evaluate("history.length") == length + 1


def test_a_second_tap_leads_no_step_further_back(phone: Phone) -> None:
    open_e1(phone)
    phone.tap("menu").tap("players")
    button = phone.page.locator('[data-key="sit"]')
    button.evaluate("(button) => { button.click(); button.click(); }")
    see_screen(phone, "")
    phone.page.go_forward()
    see_screen(phone, "/players")


def test_a_form_at_its_own_address_gives_way_to_the_screen(phone: Phone) -> None:
    open_e1(phone)
    phone.visit("settlement/p4-p3")
    phone.tap("receipt")
    see_screen(phone, "/settlement")
    phone.page.go_back()
    see_screen(phone, "")
