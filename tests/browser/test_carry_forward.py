"""An evening that carries another forward, and what each of the two shows about the other."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.support.api.http_client import RemoteSession, new_key
from tests.support.browser.group_screens import (
    SEASON_BALANCES,
    create_season,
    found_group,
    open_group_session,
    play_two_deals,
    read_group,
    read_links,
    record_group_deal,
    see_group,
)
from tests.support.browser.layout_checks import ScreenChecks, find_misfits, wait_until_drawn
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.settlement_screen import see_plan
from tests.support.player_names import FOUR_NAMES

ALL_PASS = [{"type": "open_deal"}, {"type": "all_pass"}]


def row(phone: Phone) -> Locator:
    return phone.page.locator('[data-key="along"]')


def test_the_history_begins_with_what_was_carried_forward(phone: Phone) -> None:
    group = create_season(phone)
    first_session = phone.table_url()
    open_group_session(phone, group, "CDA")
    phone.visit("deals")
    expect(phone.page.locator(".empty")).to_have_text("Ingen giv är spelad än.")
    expect(row(phone)).to_contain_text("Från förra kvällen")
    expect(row(phone)).to_contain_text("En bet: 20 kr")
    for name, kronor in SEASON_BALANCES.items():
        expect(row(phone).locator(".inline-item").filter(has_text=name)).to_contain_text(
            format_kronor(kronor)
        )
    phone.visit("")
    phone.play(1, "A", "AACCA")
    phone.visit("deals")
    rows = phone.page.locator("ol.rows > .row")
    expect(rows).to_have_count(2)
    expect(rows.last).to_have_attribute("data-key", "along")
    phone.tap("to-before")
    phone.see_table()
    assert phone.table_url() == first_session


def test_without_a_carried_evening_the_history_mentions_none(phone: Phone) -> None:
    create_season(phone)
    phone.visit("deals")
    expect(phone.page.locator("ol.rows > .row")).to_have_count(2)
    expect(row(phone)).to_have_count(0)


def test_back_in_time_shows_absent_players_with_carried_balances(phone: Phone) -> None:
    """Cilla, Disa and Ada play on; what Bo owes is carried forward although he does not play."""
    group = create_season(phone)
    open_group_session(phone, group, "CDA")
    phone.play(1, "")
    phone.visit("deals")
    phone.page.locator('[data-key="slider"]').press("Home")
    past_table = phone.page.locator(".past-state")
    expect(phone.page.locator(".past-outcome")).to_have_text("Kvällen börjar.")
    expect(past_table.locator(".seat .sum")).to_have_text(["0 kr"] * 3)
    phone.tap("later")
    expect(phone.page.locator(".past-outcome")).to_have_text("Bo är med.")
    expect(past_table.locator(".absent-players")).to_contain_text("0 kr")
    phone.tap("later")
    expect(phone.page.locator(".past-outcome")).to_contain_text("från den förra kvällen är med")
    expect(past_table.locator(".seat .sum")).to_have_text(["0 kr"] * 3)  # no result of this evening
    bo = past_table.locator(".figures .row").filter(has_text="Bo")
    expect(bo).to_contain_text(re.compile("ska betala 20.kr"))
    expect(past_table.locator(".bets li")).to_contain_text("Disa, från en tidigare kväll")


def test_leftovers_on_the_table_link_to_the_group(phone: Phone) -> None:
    group = create_season(phone)
    banner = phone.page.locator(".banner")
    expect(banner).to_contain_text(re.compile("20.kr på bordet ligger kvar till nästa gång"))
    expect(banner).to_contain_text("nästa gång i Torsdagarna kan ni spela vidare om det")
    phone.tap("to-group")
    see_group(phone)
    assert group in phone.page.url


def test_a_guest_of_the_last_evening_is_named(phone: Phone) -> None:
    group = found_group(phone, ("Ada", "Bo"))
    evening = RemoteSession(phone.url).open(3)
    assert evening.write("/costs", {"payer": "p1", "amount": 3_000}).status == 201
    assert evening.write("/closure", {}, version=2).status == 201
    shown = {"token": evening.token, "members": {"p1": "m1", "p2": "m2"}}
    answer = phone.page.request.put(
        f"{phone.url}/v1/groups/{group}/sessions/{evening.id}",
        data=shown,
        headers={"Idempotency-Key": new_key()},
    )
    assert answer.ok, answer.text()
    for screen in ("", "/tonight"):
        phone.page.goto(f"{phone.url}/#/c/{group}{screen}")
        expect(phone.page.locator(".callout .name")).to_have_text(["Ada", "Bo", "Cilla"])


def test_an_evening_outside_a_group_links_to_none(phone: Phone) -> None:
    phone.begin(FOUR_NAMES)
    play_two_deals(phone)
    phone.visit("close")
    phone.tap("carry").tap("close")
    expect(phone.page.locator(".banner")).to_contain_text("Kom överens om vem")
    expect(phone.page.locator('[data-key="to-group"]')).to_have_count(0)


def test_a_carried_evening_says_that_the_next_one_is_settled(phone: Phone) -> None:
    group = create_season(phone)
    phone.page.locator('[data-key^="paid-"]').first.tap()
    expect(phone.page.locator(".confirmation")).to_be_visible()
    first_session = phone.table_url()
    open_group_session(phone, group, "ABCD")
    next_session = phone.table_url()
    phone.page.goto(f"{first_session}/settlement")
    expect(phone.page.locator(".other-settlement")).to_contain_text("gått vidare till nästa kväll")
    expect(phone.page.locator(".banner")).to_have_count(0)
    expect(phone.page.locator("body")).not_to_contain_text("Ingen är skyldig någon något.")
    expect(phone.page.locator(".transfer")).to_have_count(1)  # the payment is still shown
    see_plan(phone)
    expect(phone.page.locator('[data-key^="back-"]')).to_have_count(0)
    phone.tap("to-next")
    phone.see_table()
    assert phone.table_url() == next_session


def test_a_viewer_sees_that_the_evening_was_carried_forward(phone: Phone) -> None:
    group = create_season(phone)
    expect(phone.page.locator(".banner")).to_be_visible()
    seats = ["m1", "m2", "m3"]
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=seats, carry=True)
    expect(phone.page.locator(".other-settlement")).to_be_visible()
    phone.tap("to-next")  # this phone has never opened it; the group gives it access
    phone.see_table()
    expect(phone.page.locator(".absent-players")).to_contain_text("Disa")
    assert phone.read("")["id"] == read_group(phone, group)["sessions"][1]["session"]
    expect(phone.page.locator('[data-key="record"]')).to_be_visible()


def test_a_stranger_sees_that_it_was_carried_without_a_link(
    phone: Phone, lend: Callable[..., Phone]
) -> None:
    group = create_season(phone)
    first = read_group(phone, group)["sessions"][0]["path"]
    outsider = lend()
    outsider.page.goto(outsider.url + first)
    outsider.see_table()
    seats = ["m1", "m2", "m3"]
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=seats, carry=True)
    outsider.visit("settlement")
    expect(outsider.page.locator(".other-settlement")).to_be_visible()
    expect(outsider.page.locator('[data-key="to-next"]')).to_have_count(0)
    viewer = lend()
    viewer.page.goto(viewer.url + read_links(phone, group)["viewer"])
    see_group(viewer)
    viewer.tap("evening-1")
    viewer.see_table()
    viewer.visit("settlement")
    viewer.tap("to-next")
    viewer.see_table()
    expect(viewer.page.locator('[data-key="record"]')).to_have_count(0)


def test_carrying_forward_fits_a_small_phone_and_a_thumb(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    group = create_season(phone)
    first_session = phone.table_url()
    screens = ScreenChecks(lambda phone: find_misfits(phone, "200%") + find_misfits(phone, "100%"))
    screens.look(phone, "what stays")
    open_group_session(phone, group, "CDA")
    phone.visit("deals")
    expect(row(phone)).to_be_visible()
    screens.look(phone, "what came along")
    phone.page.goto(f"{first_session}/settlement")
    wait_until_drawn(phone)
    screens.look(phone, "went on", ".other-settlement")
    assert screens.faults == {}


def test_carried_leftovers_are_shared_as_shown_before_the_first_deal(phone: Phone) -> None:
    """Disa's bet of 20 kr leaves two öre over: for Cilla, who deals next, and the player after
    her."""
    group = create_season(phone)
    open_group_session(phone, group, "DAC")
    phone.visit("close")
    option = phone.page.locator(".option", has_text="Allt delas lika")
    expect(option.locator(".inline-item b")).to_have_text(["+6,67 kr", "+6,66 kr", "+6,67 kr"])
    option.tap()
    phone.tap("close")
    expect(phone.page.locator("body")).to_have_attribute("data-at", re.compile("settlement$"))
    path = f"/v1/sessions/{phone.table_url().rpartition('/')[2]}/balances"
    balances = phone.page.request.get(phone.url + path).json()["balances"]
    assert [balances[p] for p in ("p1", "p2", "p3")] == [-2000 + 667, 1000 + 666, 1000 + 667]
