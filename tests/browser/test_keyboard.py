"""An evening without touching the screen: only Tab, Enter, the space bar and the arrows.

At every step an element has the focus, visible and not covered; and Tab reaches the next element
through no more than what lies between the two on the page.
"""

import re

from playwright.sync_api import Route, expect

from tests.support.browser.keyboard import Keys
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.played_evenings import E1
from tests.support.browser.sum_confirmations import card, open_by_link, record_closed_session


def test_an_evening_of_polskt_pass_from_the_keyboard(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator("h1")).to_be_focused()
    keys = Keys(phone).begin()
    for number, (declarers, tricks, balances) in enumerate(E1, start=1):
        keys.play(number, declarers, tricks)
        phone.see_balances(balances)
    keys.press("undo").see_screen("/record")
    keys.seat("C").see_result(7)  # the fifth trick is recorded again
    phone.see_balances(E1[-1][2])
    keys.press("table")
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[-1][2]])

    for screen in ("pictures", "rules", "share", "players", "group", "board"):
        keys.press("menu").go_to(f'dialog a[href$="/{screen}"]').keys.press("Enter")
        keys.see_screen(f"/{screen}").press("back").see_screen(r"#/s/[^/]+")
    keys.press("hint-stake").phone.close_dialog()
    expect(phone.page.locator('[data-key="hint-stake"]')).to_be_focused()
    assert keys.check_focus("h1")["name"] == "hint-stake"

    keys.press("menu").go_to('dialog a[href$="/deals"]').keys.press("Enter")
    keys.see_screen("/deals").go_to('[data-key="slider"]').keys.press("ArrowLeft")
    expect(phone.page.locator(".past-state .felt")).to_be_visible()
    keys.press("later")
    assert keys.check_focus("h1")["name"] == "slider"  # there is nothing later
    keys.press("correct-2").see_screen("/correct/2")
    keys.press("row-1-p2", "row-2-p1", "row-3-p2", "row-5-p4", "reason-2", "correct")
    expect(phone.page.locator('[data-key="correct-sure"]')).to_be_enabled()
    keys.press("correct-sure")
    expect(phone.page.locator(".compare .version")).to_have_count(2)
    phone.see_balances((-70, -20, 150, -60))

    keys.press("table", "menu").go_to('dialog a[href$="/close"]').keys.press("Enter")
    keys.see_screen("/close").press("close").see_screen("/settlement")
    keys.arrow("[name=way]", "through").arrow("[name=way]", "fewest")
    keys.press("pass-on").phone.close_dialog()
    expect(phone.page.locator('[data-key="pass-on"]')).to_be_focused()
    keys.press("paid-p1-p3", "paid-p2-p3", "open-p4-p3").see_screen("/p4-p3")
    keys.press("receipt").see_screen("/settlement")
    expect(phone.page.locator(".all-settled")).to_be_visible()
    keys.press("statement").see_screen("/statement")
    keys.go_to("[name=whose]:checked, .pill input:checked")


def test_a_deal_of_every_other_game_from_the_keyboard(phone: Phone) -> None:
    keys = Keys(phone).begin("polskpas")
    keys.play(1, "B", "CBCAC")
    phone.see_balances((-10, -10, 0, 0))

    keys.begin("spader").press("record").see_screen("/record")
    keys.arrow("[name=nil]", "nil p2").press("bid-4", "bid-8")
    for count in (5, 4, 0):
        keys.press(f"pad-{count}")
    keys.press("send").see_result(1)
    phone.see_points({"p1+p3": 81, "p2+p4": 90})

    keys.begin("knektpass").press("record").see_screen("/record")
    keys.press("with-p2-0", "with-p4-3", "with-p1-2", "together")
    keys.press("pad-1", "pad-2", "send").see_result(1)
    assert phone.read("")["deal"]["number"] == 2  # type: ignore[index]


def test_the_bar_covers_no_reason_that_has_the_focus(phone: Phone) -> None:
    keys = Keys(phone).begin("spader").press("record").see_screen("/record")
    keys.arrow("[name=nil]", "nil p2").press("bid-4", "bid-8")
    for count in (5, 4, 0):
        keys.press(f"pad-{count}")
    keys.press("send").see_result(1).press("undo").see_screen("/record")


def test_while_a_bid_is_on_its_way_the_focus_waits_at_the_question(phone: Phone) -> None:
    keys = Keys(phone).begin("spader").press("record").see_screen("/record")
    waited: list[bool] = []

    def slow(route: Route) -> None:
        expect(phone.page.locator(".question")).to_be_focused()
        waited.append(phone.page.locator("[inert] [data-key=bid-8]").is_visible())
        route.continue_()

    phone.page.route("**/actions", slow)
    keys.press("bid-4")
    expect(phone.page.locator('[data-key="bid-4"]')).to_be_focused()
    keys.press("bid-8").go_to('[data-key="pad-5"]')
    assert waited == [True, True]


def test_a_card_that_comes_late_leaves_the_focus_in_sight(phone: Phone) -> None:
    open_by_link(phone, record_closed_session(phone)).tap("settle")
    expect(card(phone)).to_be_visible()
    keys = Keys(phone).see_screen("/settlement")

    def wait_for_keys(route: Route) -> None:
        keys.go_to('[data-key="pass-on"]')
        route.continue_()

    phone.page.route(re.compile(r"/events\?after=0&limit=\d\d$"), wait_for_keys)
    phone.page.set_viewport_size({"width": 360, "height": 900})  # nothing scrolls without the card
    phone.page.reload()
    expect(card(phone)).to_be_visible()
    keys.check_focus("h1")
