"""What is typed into a form outlasts a reload and a step back, until it is sent or hours old."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.group_screens import found_group, seat_members, see_group
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

GROW_OLD = """() => {
  const entries = JSON.parse(localStorage.getItem('vola.typed'));
  entries.new.at -= 13 * 3_600_000;
  localStorage.setItem('vola.typed', JSON.stringify(entries));
}"""


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
def test_the_game_dealer_stake_and_title_of_a_new_evening_stay(phone: Phone, leave: Leave) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("new")
    phone.choose_game("knektpass")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.mark("dealer", "2").mark("point_value", "free")
    phone.page.locator("#free-point_value").fill("0,75")
    phone.page.locator("summary").tap()
    phone.page.locator("[name=title]").fill("Hos Cilla")
    leave(phone.page)
    see_names(phone, *FOUR_NAMES)
    expect(phone.page.locator("#free-point_value")).to_have_value("0,75")
    phone.tap("open")
    phone.see_table()
    state = phone.read("")
    assert (state["game"], state["title"]) == ("knektpass", "Hos Cilla")
    assert state["deal"] | {"dealer": "p3"} == state["deal"]
    assert state["options"] | {"point_value": 75} == state["options"]


@leaving
def test_the_seats_of_a_group_evening_stay(phone: Phone, leave: Leave) -> None:
    group = found_group(phone, FOUR_NAMES)
    seat_members(phone, group, "DBA")
    phone.mark("dealer", "m2")
    leave(phone.page)
    expect(phone.page.locator('[data-key="sit-m1"] .dealer')).to_contain_text("3")
    expect(phone.page.locator("[name=dealer]:checked")).to_have_value("m2")
    phone.tap("open")
    phone.see_table()
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    expect(phone.page.locator('[data-key="sit-m1"]')).to_have_attribute("aria-pressed", "false")


@leaving
def test_a_rematch_begins_anew_when_it_is_chosen_again(phone: Phone, leave: Leave) -> None:
    phone.begin(("Ada", "Bo", "Cilla"))
    table_url = phone.table_url()
    phone.tap("menu").tap("again")
    phone.page.locator(".lineup input").nth(2).fill("Disa")
    leave(phone.page)
    phone.page.goto(table_url)
    phone.tap("menu").tap("again")
    see_names(phone, "Ada", "Bo", "Cilla")


def test_what_was_typed_yesterday_is_gone(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("new")
    phone.page.locator(".lineup input").first.fill("Ada")
    phone.page.evaluate(GROW_OLD)
    phone.page.reload()
    see_names(phone, "")


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


@leaving
def test_the_code_to_join_by_stays(phone: Phone, leave: Leave) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("code")
    phone.page.locator('[data-key="join-code-input"]').press_sequentially("abc-")
    phone.page.locator('[data-key="device-name"]').fill("Bos telefon")
    leave(phone.page)
    expect(phone.page.locator('[data-key="join-code-input"]')).to_have_value("ABC")
    expect(phone.page.locator('[data-key="device-name"]')).to_have_value("Bos telefon")


def test_a_guest_who_has_sat_down_stays(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    seat_members(phone, group, "AB")
    phone.page.locator('[data-key="guest"]').fill("Emil")
    phone.tap("guest-add")
    guest = phone.page.locator('[data-key="sit-m5"] .dealer')
    expect(guest).to_contain_text("3")
    phone.page.reload()
    expect(guest).to_contain_text("3")


def test_what_was_typed_yesterday_is_removed_from_the_phone(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    phone.tap("new")
    name = phone.page.locator(".lineup input").first
    name.fill("Ada")
    name.blur()  # else the join screen takes the focus, and what was typed is kept anew
    phone.page.evaluate(GROW_OLD)
    phone.page.goto(phone.url + "/#/join")
    phone.page.reload()
    phone.wait_until(lambda: "Ada" not in phone.page.evaluate("JSON.stringify(localStorage)"))


KEPT_IN_PART = '{"new": {"at": 1e15, "entry": {"game": "knektpass", "players": {}}}}'


@pytest.mark.parametrize("text", ['{"new": null}', KEPT_IN_PART], ids=["null", "in part"])
def test_a_form_opens_whatever_is_kept_of_it(phone: Phone, text: str) -> None:
    phone.page.goto(phone.url + "/")
    phone.page.evaluate("(text) => localStorage.setItem('vola.typed', text)", text)
    phone.tap("new")
    phone.page.locator(".lineup input").first.fill("Ada")
    phone.page.reload()
    see_names(phone, "Ada")


NAMES = ["Ada", "Bo", "Cilla", "Disa"]
PLAYERS = {"names": NAMES, "seated": NAMES, "dealer": 0}
WRONG_TYPES: dict[str, dict[str, Any]] = {
    "no names": {"players": {**PLAYERS, "names": None}},
    "names as text": {"players": {**PLAYERS, "names": "Ada"}},
    "a name as number": {"players": {**PLAYERS, "names": ["Ada", 2, None]}},
    "a number to type": {"players": PLAYERS, "free": {"stake": 7}},
    "nothing typed": {"players": PLAYERS, "free": {"stake": None}},
    "an option as object": {"players": PLAYERS, "options": {"stake": {"SEK": 10}}},
    "a title as number": {"players": PLAYERS, "title": 7},
}


@pytest.mark.parametrize("wrong", WRONG_TYPES)
def test_an_evening_is_opened_whatever_types_are_kept(phone: Phone, wrong: str) -> None:
    entry = {"game": "polskt_pass", "currency": "SEK", **WRONG_TYPES[wrong]}
    phone.page.goto(phone.url + "/")
    kept = json.dumps({"new": {"at": 1e15, "entry": entry}})
    phone.page.evaluate("(text) => localStorage.setItem('vola.typed', text)", kept)
    phone.tap("new")
    for place, name in enumerate(NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.tap("open")
    phone.see_table()
    assert phone.read("")["options"] | {"stake": 1_000} == phone.read("")["options"]


@pytest.mark.parametrize("members", ["Ada", [None]], ids=["text", "null"])
def test_a_group_is_founded_whatever_types_are_kept(phone: Phone, members: Any) -> None:
    phone.page.goto(phone.url + "/")
    kept = json.dumps({"group": {"at": 1e15, "entry": {"members": members}}})
    phone.page.evaluate("(text) => localStorage.setItem('vola.typed', text)", kept)
    phone.tap("new-group")
    phone.page.locator('[data-key="group-name"]').fill("Torsdagarna")
    phone.page.locator('[data-key="member"]').fill("Ada")
    phone.tap("member-add").tap("found")
    see_group(phone)
