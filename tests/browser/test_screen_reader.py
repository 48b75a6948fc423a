"""What a screen reader says: names, states, and changes away from the focus."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.downloads import SEND_CSV_PIECE, SLOW_CSV
from tests.support.browser.group_screens import found_group, open_group_session, play_two_deals
from tests.support.browser.join_requests import host_and_requester
from tests.support.browser.keyboard import Keys
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import record_deal
from tests.support.browser.recorded_sessions import open_e1
from tests.support.browser.settlement_screen import NUMBER
from tests.support.player_names import FOUR_NAMES


def says(phone: Phone, sentence: str | re.Pattern[str]) -> None:
    expect(phone.page.locator("#status")).to_have_text(sentence)


def test_an_amount_is_called_wrong_only_while_it_is(phone: Phone) -> None:
    phone.begin().visit("costs")
    amount = phone.page.locator('[data-key="cost-amount"]')
    expect(amount).to_have_accessible_name("Belopp")
    expect(amount).to_have_accessible_description("")
    amount.fill("12x")
    expect(amount).to_have_attribute("aria-invalid", "true")
    expect(amount).to_have_accessible_name("Belopp Skriv ett belopp, till exempel 430.")
    amount.fill("12")
    expect(amount).not_to_have_attribute("aria-invalid", re.compile(""))


def test_each_count_is_said_with_the_question_that_follows(phone: Phone) -> None:
    phone.begin(game="knektpass").tap("record")
    for key in ("with-p1-0", "with-p2-2", "with-p3-0", "together", "pad-3"):
        phone.tap(key)
    says(phone, "Bo 3. Hur många stick tog Cilla?")
    phone.tap("more-p3")
    says(phone, "Cilla 1. Stämmer det?")


def test_an_answer_is_said_with_the_question_that_follows(phone: Phone) -> None:
    keys = Keys(phone.begin(game="knektpass")).press("record", "depth-tricks", "stay")
    says(phone, "Bo är med. Är Cilla med?")
    keys.press("pass", "stay", "stay")
    expect(phone.page.locator(".question")).to_be_focused()  # and so it is read
    says(phone, "Ada är med")


def test_a_deal_recorded_again_is_asked_aloud_too(phone: Phone) -> None:
    record_deal(phone.begin(game="knektpass"), "knektpass", 1)
    phone.visit("correct/1/anew")
    Keys(phone).press("depth-tricks", "stay")
    says(phone, "Bo är med. Är Cilla med?")


def test_the_trump_of_a_discard_is_named(phone: Phone) -> None:
    phone.begin().tap("record").tap("depth-cards").tap("card-JC").tap("card-9H")
    expect(phone.page.locator(".prompt .subtext")).to_have_text("Trumf Hjärter")


def test_trumps_of_a_correction_are_named_apart_from_players(phone: Phone) -> None:
    open_e1(phone).visit("correct/1")
    row = phone.page.locator('[data-row="0"]')
    expect(row.get_by_role("group", name="Spelförare: Bo")).to_have_count(1)
    expect(row.get_by_role("group", name="Trumf").get_by_role("button")).to_have_count(5)


def test_the_sign_of_a_fold_is_not_read(phone: Phone) -> None:
    phone.begin().visit("costs")
    summary = phone.page.locator("summary")
    expect(summary).to_have_accessible_name("Alla delar lika")
    summary.tap()
    expect(summary).to_have_accessible_name("Alla delar lika")


def test_a_cell_is_not_read_with_its_heading_twice(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    open_group_session(phone, group, "ABCD")
    play_two_deals(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    row = phone.page.locator('[data-key="by-member"] tbody tr').first
    expect(row.get_by_role("cell", name="2", exact=True)).to_have_count(1)


def test_the_order_of_the_seats_is_said_when_it_changes(phone: Phone) -> None:
    phone.begin().visit("players")
    phone.tap("up-p2")
    says(phone, "Bo, Ada, Cilla och Disa")
    phone.tap("away-p1")
    says(phone, "Bo, Cilla och Disa")
    phone.tap("in-p1")
    says(phone, "Bo, Cilla, Disa och Ada")


def test_after_a_newcomer_the_next_name_can_be_typed(phone: Phone) -> None:
    phone.begin().visit("players")
    field = phone.page.locator('[data-key="newcomer"]')
    field.fill("Emil")
    field.press("Enter")
    says(phone, "Emil är med.")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_a_member_of_a_new_group_is_announced(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/c")
    field = phone.page.locator('[data-key="member"]')
    field.fill("Emil")
    field.press("Enter")
    says(phone, "Emil är med.")


def test_a_payment_code_is_announced_and_keeps_the_focus_near(phone: Phone) -> None:
    open_e1(phone).visit("settlement/p1-p3")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill(NUMBER)
    Keys(phone).press("code-show")
    says(phone, re.compile(r"^QR-kod: 50.kr till Cilla$"))
    expect(phone.page.locator('[data-key="copy-amount"]')).to_be_focused()


def test_the_slider_says_its_place_and_the_event_is_said_once(phone: Phone) -> None:
    open_e1(phone).visit("deals")
    slider = phone.page.locator('[data-key="slider"]')
    slider.press("ArrowLeft")
    expect(phone.page.locator(".past-outcome")).not_to_be_empty()
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^steg \d+ av \d+$"))
    says(phone, phone.page.locator(".past-outcome").inner_text())


def test_a_stopped_download_gives_the_focus_back_to_its_button(phone: Phone) -> None:
    open_e1(phone).visit("statement")
    wait_until_drawn(phone)
    phone.page.evaluate(SLOW_CSV)
    phone.tap("take-csv")
    phone.page.evaluate(SEND_CSV_PIECE, "a\r\n" * 15_000)
    stop = phone.page.locator('[data-key="stop-csv"]')
    expect(stop).to_be_visible()
    stop.press("Enter")
    expect(stop).to_be_hidden()
    expect(phone.page.locator('[data-key="take-csv"]')).to_be_focused()


def test_the_change_of_a_deal_is_told_apart_from_the_balance(phone: Phone) -> None:
    record_deal(phone.begin(), "polskt_pass", 1)
    row = phone.page.locator('li[data-player="p1"]')
    expect(row).to_have_text(re.compile(r"Giv.1[+−]\d+.kr[+−]\d+.kr$"))


def test_the_change_of_points_is_told_apart_from_the_score(phone: Phone) -> None:
    record_deal(phone.begin(game="knektpass"), "knektpass", 1)
    expect(phone.page.locator('li[data-contestant="p1"]')).to_have_text(re.compile(r"Giv.1[+−0]"))


def test_the_answers_to_a_join_request_name_the_phone(lend: Callable[..., Phone]) -> None:
    host, _ = host_and_requester(lend)
    let_in = host.page.locator('[data-key^="let-in-"]')
    expect(let_in).to_have_accessible_name(re.compile("^Släpp in: .?Bos telefon.?$"))


@pytest.mark.parametrize("key", ["Enter", "Tab", "Escape"])
def test_a_language_is_chosen_with_the_arrows_once_it_is_left(phone: Phone, key: str) -> None:
    keys = Keys(phone.begin()).press("menu")
    keys.go_to('dialog [data-key="language"]').keys.press("ArrowDown")
    keys.keys.press("ArrowDown")
    menu = phone.page.locator("dialog")
    expect(menu).to_be_visible()
    expect(menu.locator("select")).to_be_focused()
    chosen = menu.locator("select").input_value()
    assert chosen != "sv"
    keys.keys.press(key)
    expect(menu).to_be_hidden()
    expect(phone.page.locator("html")).to_have_attribute("lang", chosen)


def test_a_warning_is_read_and_tapped_in_the_sheet_it_is_about(phone: Phone) -> None:
    phone.begin().visit("share/names")
    urls = "**/players/p1/name"
    phone.page.route(urls, lambda route: route.fulfill(status=503))
    phone.tap("name-p1").page.locator('[data-key="name-new"]').fill("Emil")
    phone.tap("name-send")
    warning = phone.page.get_by_role("dialog").get_by_role("alert")
    expect(warning).to_contain_text("Försök igen")
    warning.get_by_role("button").tap()
    expect(warning).to_have_text("")
    phone.page.unroute(urls)
    phone.tap("name-send")
    says(phone, re.compile("Nu står det .?Emil.? överallt"))
    expect(phone.page.locator("body > #notice")).to_have_count(1)
