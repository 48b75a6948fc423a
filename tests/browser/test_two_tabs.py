"""Two tabs of one phone, which keep the same queue of writes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser.connection import (
    ACTIONS,
    load_offline_form,
    read_deals,
    see_all_sent,
    set_flight_mode,
    unplug,
)
from tests.support.browser.phone import Phone
from tests.support.browser.two_tabs import bring_to_front, open_second_tab

WINNERS = ".slot .player-token"


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    """Return a phone at the table, which has stored the form."""
    phone = lend(installed=True)
    load_offline_form(phone)
    phone.begin()
    return phone


def say_offline(phone: Phone, offline: bool) -> None:
    """Let the browser tell this tab alone that there is no network."""
    phone.page.evaluate(
        """(offline) => {
          Object.defineProperty(navigator, 'onLine', {value: !offline, configurable: true});
          dispatchEvent(new Event(offline ? 'offline' : 'online'));
        }""",
        offline,
    )


def take_back_in_one_tab(phone: Phone) -> Page:
    """Record a deal in flight mode and take it back, and return another tab, where it waits."""
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = open_second_tab(phone)
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    return other_tab


def ask_in_two_tabs(phone: Phone) -> Page:
    """Ask for the bids of a deal without a network, and return another tab that asks as well."""
    phone.begin(game="spader")
    phone.tap("record")
    set_flight_mode(phone)
    phone.page.reload()  # else it takes a while to notice
    other_tab = phone.page.context.new_page()
    other_tab.goto(phone.page.url)
    for page in (phone.page, other_tab):
        expect(page.locator(".question")).to_contain_text("Bo och Disa")
        expect(page.locator(".sync")).to_contain_text("Ingen kontakt")
    return other_tab


def test_a_deal_taken_back_in_one_tab_is_not_sent_by_the_other(phone: Phone) -> None:
    other_tab = take_back_in_one_tab(phone)
    set_flight_mode(phone, enabled=False)
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    see_all_sent(phone)
    assert read_deals(phone) == []


def test_a_tab_that_is_looked_at_drops_a_deal_taken_back_elsewhere(phone: Phone) -> None:
    other_tab = take_back_in_one_tab(phone)
    bring_to_front(other_tab)
    expect(other_tab.locator(".sync")).to_contain_text("Ingen kontakt")


def test_a_tab_leaves_the_result_of_a_deal_taken_back_elsewhere(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = open_second_tab(phone)
    expect(other_tab.locator(".verdict")).to_contain_text("Cilla")
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    bring_to_front(other_tab)
    expect(other_tab.locator("body.table .felt")).to_be_visible()
    expect(other_tab.locator('[data-key="record"]')).to_have_text("Fortsätt giv 1")


def test_a_deal_that_the_other_tab_is_sending_is_not_taken_back(phone: Phone) -> None:
    say_offline(phone, True)
    phone.play(1, "B", "CCDCB")
    other_tab = phone.page.context.new_page()
    held: list[Route] = []
    other_tab.route(ACTIONS, lambda route: held.append(route))
    other_tab.goto(phone.page.url)
    phone.wait_until(lambda: len(held) == 1)
    phone.tap("undo")
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]")).to_contain_text("Skickas")
    held[0].continue_()
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    say_offline(phone, False)
    see_all_sent(phone)
    (deal,) = read_deals(phone)
    assert deal["outcome"]["tricks"] == ["p3", "p3", "p4", "p3", "p2"]  # type: ignore[index]


def test_a_deal_that_the_other_tab_has_sent_is_not_taken_back(phone: Phone) -> None:
    say_offline(phone, True)
    phone.play(1, "B", "CCDCB")
    other_tab = phone.page.context.new_page()
    other_tab.goto(phone.page.url)
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    phone.tap("undo")
    say_offline(phone, False)
    see_all_sent(phone)
    expect(phone.page.locator(".slot, dialog")).to_have_count(0)
    assert [deal["status"] for deal in read_deals(phone)] == ["closed"]


def test_a_tab_that_is_looked_at_sends_what_a_closed_one_has_left(phone: Phone) -> None:
    other_tab = Phone(phone.page.context.new_page(), phone.url)
    other_tab.page.goto(phone.page.url)
    unplug(other_tab)
    other_tab.play(1, "B", "CCDCB")
    other_tab.page.close()
    bring_to_front(phone.page)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    assert [deal["status"] for deal in read_deals(phone)] == ["closed"]


def test_both_tabs_show_the_taps_of_a_deal(phone: Phone) -> None:
    other_tab = Phone(phone.page.context.new_page(), phone.url)
    other_tab.page.goto(phone.page.url)
    phone.tap("record")
    other_tab.tap("record")
    phone.seat("BCC")
    expect(other_tab.page.locator(WINNERS)).to_have_text(["C", "C"])
    other_tab.seat("D")
    expect(phone.page.locator(WINNERS)).to_have_text(["C", "C", "D"])
    phone.page.reload()
    expect(phone.page.locator(WINNERS)).to_have_text(["C", "C", "D"])
    phone.tap("undo-tap")
    expect(other_tab.page.locator(WINNERS)).to_have_text(["C", "C"])
    other_tab.seat("BBB")
    other_tab.see_result(1)
    phone.see_table()
    (deal,) = read_deals(phone)
    assert deal["outcome"]["tricks"] == ["p3", "p3", "p2", "p2", "p2"]  # type: ignore[index]


def test_both_tabs_ask_the_same_question_without_a_network(phone: Phone) -> None:
    other_tab = ask_in_two_tabs(phone)
    questions = [page.locator(".question") for page in (phone.page, other_tab)]
    phone.tap("bid-4")
    for question in questions:
        expect(question).to_contain_text("Ada och Cilla")


def test_a_tab_leaves_a_deal_completed_in_the_other_without_a_network(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.tap("record").seat("B")
    other_tab = phone.page.context.new_page()
    other_tab.goto(phone.page.url)
    expect(other_tab.locator(".slots")).to_be_visible()
    phone.seat("CCDCB")
    phone.see_result(1)
    bring_to_front(other_tab)
    expect(other_tab.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")


def test_a_deal_completed_in_one_tab_is_sent_by_that_tab_alone(phone: Phone) -> None:
    other_tab = ask_in_two_tabs(phone)
    phone.tap("bid-5").tap("bid-4").tap("pad-8")
    expect(other_tab.locator(".question")).to_contain_text("stick")
    phone.tap("send")
    phone.see_result(1)
    bring_to_front(other_tab)
    expect(other_tab.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    phone.tap("undo")
    expect(phone.page.locator(".question")).to_contain_text("stick")
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert read_deals(phone) == []


def test_a_deal_is_sent_after_another_tab_has_regained_access(phone: Phone) -> None:
    context = phone.page.context
    cookies = context.cookies()
    phone.page.route("**/v1/sessions/*", lambda route: route.abort("internetdisconnected"))
    context.clear_cookies()
    with phone.page.expect_response(ACTIONS) as refusal:
        phone.tap("record").seat("BCCDCB")
    assert refusal.value.status == 404
    context.add_cookies(cookies)  # type: ignore[arg-type]
    phone.page.unroute("**/v1/sessions/*")
    see_all_sent(phone)
    assert len(read_deals(phone)) == 1
