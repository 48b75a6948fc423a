"""Groups by taps: create one, play, go on from the last evening, look at the season."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser.connection import lose_answer
from tests.support.browser.group_screens import (
    SEASON_BALANCES,
    close_session,
    create_season,
    create_season_by_tapping,
    found_group,
    found_group_by_tapping,
    found_group_of_table,
    open_group_session,
    play_two_deals,
    read_group,
    read_links,
    record_group_deal,
    seat_members,
    see_group,
)
from tests.support.browser.join_requests import read_link
from tests.support.browser.layout_checks import find_broken_words, find_misfits, wait_until_drawn
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.recorded_sessions import ALL_PASS
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES


def test_a_group_is_founded_by_tapping(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator(".empty").last).to_contain_text("Ett sällskap är ni som brukar spela")
    group = found_group_by_tapping(phone)
    expect(phone.page.locator(".member-list .name")).to_have_text(FIVE_NAMES)
    assert [member["name"] for member in read_group(phone, group)["members"]] == list(FIVE_NAMES)
    phone.tap("back")
    phone.tap(f"group-{group}")
    see_group(phone)


def test_a_name_left_in_the_field_becomes_a_member(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/c")
    phone.page.locator('[data-key="group-name"]').fill("Vi")
    phone.page.locator('[data-key="member"]').fill("Ada")
    phone.page.keyboard.press("Enter")
    phone.page.locator('[data-key="member"]').fill(" ada ")
    phone.tap("member-add")
    expect(phone.page.locator(".new-members .wrong")).to_contain_text("Två heter likadant")
    phone.page.locator('[data-key="member"]').fill("Bo")
    phone.tap("found")
    expect(phone.page.locator(".member-list .name")).to_have_text(["Ada", "Bo"])


def test_the_next_evening_starts_with_the_carried_leftovers(phone: Phone) -> None:
    group = create_season_by_tapping(phone)
    seat_members(phone, group, "CDA")
    card = phone.page.locator('[data-key="carry-card"]')
    expect(card).to_contain_text("En bet: 20 kr")
    for name, kronor in SEASON_BALANCES.items():
        expect(card.locator(".inline-item").filter(has_text=name)).to_contain_text(
            format_kronor(kronor)
        )
    expect(phone.page.locator('[data-key="carry"]')).to_be_checked()
    # Cilla would have dealt next
    expect(phone.page.locator('input[name="dealer"]:checked')).to_have_value("m3")
    phone.tap("open")
    phone.see_table()
    expect(phone.page.locator(".seat .name")).to_have_text(["Cilla", "Disa", "Ada"])
    expect(phone.page.locator(".seat .sum")).to_have_text(["0 kr"] * 3)  # nothing is won tonight
    expect(phone.page.locator(".absent-players")).to_contain_text("Bo")
    for name, kronor in SEASON_BALANCES.items():  # what was carried forward is still to pay
        owes = "ska få 10" if kronor > 0 else "ska betala 20"
        line = phone.page.locator(".figures .row").filter(has_text=name)
        expect(line).to_contain_text(re.compile(rf"{owes}.kr"))
    expect(phone.page.locator(".pot")).to_have_text("0 kr")
    expect(phone.bets()).to_have_count(1)
    expect(phone.bets()).to_contain_text("Disa, från en tidigare kväll")
    expect(phone.page.locator(".table-center .subtext")).to_have_text("nästa giv om 30 kr")
    assert read_group(phone, group)["carry_forward"]["balances"]["m1"] == 1000  # öre


def test_the_earlier_evening_links_to_the_one_that_continues_it(phone: Phone) -> None:
    group = create_season(phone)
    earlier = phone.table_url()
    open_group_session(phone, group, "ABCD")
    phone.page.goto(earlier)
    expect(phone.page.locator(".banner")).to_contain_text("gått vidare till nästa kväll")
    phone.page.goto(f"{earlier}/deals")
    phone.tap("earlier")
    expect(phone.page.locator(".past-outcome")).to_have_text("Kvällen är slut.")
    phone.page.goto(f"{phone.url}/#/c/{group}")
    expect(phone.page.locator('[data-key="evening-1"]')).to_contain_text("spelas vidare")
    expect(phone.page.locator('[data-key="evening-2"]')).to_contain_text("pågår")
    phone.tap("evening-2")
    phone.see_table()
    phone.play(1, "A", "AABBA")
    phone.visit("deals")
    phone.page.locator('[data-key="slider"]').press("Home")
    phone.tap("later")
    carried = "Det som låg över från den förra kvällen är med."
    expect(phone.page.locator(".past-outcome")).to_have_text(carried)
    phone.visit("")
    phone.tap("menu")
    phone.tap("to-group")
    see_group(phone)


def test_a_refusal_is_shown_in_the_servers_words(phone: Phone) -> None:
    group = create_season(phone)
    seat_members(phone, group, "ABCD")
    detail = "Två betalningar är på väg."
    refused = f'{{"code": "payments_are_due", "detail": "{detail}", "status": 409}}'
    phone.page.route(
        "**/sessions",
        lambda route: route.fulfill(
            status=409, body=refused, content_type="application/problem+json"
        ),
    )
    phone.tap("open")
    expect(phone.page.locator("#notice")).to_contain_text(detail)


def test_leftovers_need_not_be_carried_forward(phone: Phone) -> None:
    group = create_season(phone)
    seat_members(phone, group, "ABCD")
    phone.tap("carry")
    phone.tap("open")
    phone.see_table()
    expect(phone.page.locator(".seat .sum")).to_have_text(["0 kr"] * 4)
    expect(phone.bets()).to_have_count(0)


def test_one_tap_seats_the_members_as_last_time(phone: Phone) -> None:
    group = found_group(phone)
    open_group_session(phone, group, "DBA")
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    phone.tap("as-last")
    pressed = phone.page.locator('.plate[aria-pressed="true"]')
    expect(pressed).to_have_count(3)
    expect(phone.page.locator('[data-key="sit-m4"] .dealer')).to_contain_text("1")
    phone.tap("sit-m4")
    phone.tap("sit-m4")
    expect(phone.page.locator('[data-key="sit-m4"] .dealer')).to_contain_text("3")


def test_the_options_of_the_last_evening_are_preselected(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    phone.choose_game("polskpas")
    phone.mark("stake", "free")
    phone.page.locator("#free-stake").fill("7,50")
    for member in ("m1", "m2", "m3"):
        phone.tap(f"sit-{member}")
    phone.tap("open")
    phone.see_table()
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    expect(phone.page.locator('.game input[value="polskpas"]')).to_be_checked()
    expect(phone.page.locator("#free-stake")).to_have_value("7,50")


def test_leftovers_that_cannot_be_carried_are_explained(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    open_group_session(phone, group, "ABCD")
    play_two_deals(phone)
    seat_members(phone, group, "ABCD")
    card = phone.page.locator('[data-key="carry-card"]')
    expect(card.locator(".banner")).to_contain_text("inte avslutad")
    expect(phone.page.locator('[data-key="carry"]')).to_have_count(0)
    phone.tap("to-earlier")
    phone.see_table()
    phone.visit("close")
    expect(phone.page.locator(".option").first).to_contain_text("nästa gång i Torsdagarna")
    close_session(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    phone.choose_game("spader")
    expect(card.locator(".banner")).to_contain_text("poäng")
    phone.choose_game("polskpas")
    expect(card.locator(".banner")).to_contain_text("Polskt pass")
    phone.choose_game("polskt_pass")
    expect(phone.page.locator('[data-key="carry"]')).to_be_checked()
    phone.mark("currency", "DKK")
    expect(card.locator(".banner")).to_contain_text("SEK")
    expect(phone.page.locator('.plates [aria-pressed="true"]')).to_have_count(4)  # seated before
    phone.tap("open")
    phone.see_table()
    assert read_group(phone, group)["carry_forward"]["number"] == 1


def test_too_few_seats_are_said_beside_them(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    seat_members(phone, group, "AB")
    phone.tap("open")
    expect(phone.page.locator(".plates .wrong")).to_have_text("Det behövs minst 3 vid bordet.")


def test_a_guest_who_sits_down_becomes_a_member(phone: Phone) -> None:
    group = found_group(phone, ("Ada", "Bo"))
    seat_members(phone, group, "BA")
    phone.page.locator('[data-key="guest"]').fill("Cilla")
    phone.tap("guest-add")
    expect(phone.page.locator('[data-key="sit-m3"] .dealer')).to_contain_text("3")
    phone.tap("open")
    phone.see_table()
    expect(phone.page.locator(".seat .name")).to_have_text(["Bo", "Ada", "Cilla"])
    members = read_group(phone, group)["members"]
    assert [member["name"] for member in members] == ["Ada", "Bo", "Cilla"]


def test_a_guest_left_in_the_field_sits_down_as_well(phone: Phone) -> None:
    group = found_group(phone)
    seat_members(phone, group, "ABC")
    phone.page.locator('[data-key="guest"]').fill("Frida")
    phone.tap("open")
    phone.see_table()
    expect(phone.page.locator(".seat .name")).to_have_text(["Ada", "Bo", "Cilla", "Frida"])


def test_a_guest_who_sits_already_is_said_to_have_the_same_name(phone: Phone) -> None:
    group = found_group(phone)
    seat_members(phone, group, "ABC")
    phone.page.locator('[data-key="guest"]').fill("ada")
    phone.tap("guest-add")
    expect(phone.page.locator("#notice")).to_contain_text("Två heter likadant.")


def test_a_warning_goes_when_the_next_name_is_added(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/members")
    member = phone.page.locator('[data-key="member"]')
    member.fill("ada")
    phone.tap("member-add")
    expect(phone.page.locator("#notice")).to_contain_text("Två spelare kan inte heta likadant")
    member.fill("Emil")
    phone.tap("member-add")
    expect(phone.page.locator("#main .name", has_text="Emil").first).to_be_visible()
    expect(phone.page.locator("#notice")).to_be_empty()


def test_a_member_added_by_two_taps_is_sent_once(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/members")
    sent: list[str] = []
    phone.page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    phone.page.locator('[data-key="member"]').fill("Emil")
    phone.page.locator('[data-key="member-add"]').evaluate(
        "(button) => { button.click(); button.click(); }"
    )
    expect(phone.page.locator("#status")).to_contain_text("Emil")
    assert len([request for request in sent if request.startswith("POST")]) == 1
    expect(phone.page.locator("#main > ul > li")).to_have_count(5)


def test_the_season_shows_what_the_server_counts(phone: Phone) -> None:
    group = create_season(phone)
    open_group_session(phone, group, "ABCD")
    phone.play(1, "A", "AABBA")
    phone.see_saved()
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    reply = read_group(phone, group, "/standings")
    expect(phone.page.locator(".plot .curve-group")).to_have_count(4)
    expect(phone.page.locator(".curve-end")).to_have_count(4)
    for member in reply["members"]:
        end = phone.page.locator(f'[data-key="line-{member["id"]}"]')
        expect(end).to_contain_text(format_kronor(member["result"]["SEK"] // 100))
    rows = phone.page.locator('[data-key="by-evening"] tbody tr')
    expect(rows).to_have_count(2)
    for row, night in zip(rows.all(), reply["sessions"], strict=True):
        expect(row.locator("td")).to_have_text([bare(a) for a in night["results"].values()])
    totals = phone.page.locator('[data-key="by-evening"] tfoot td')
    expect(totals).to_have_text([bare(a) for a in reply["sessions"][-1]["totals"].values()])
    figures = phone.page.locator('[data-key="by-member"] tbody tr')
    for row, member in zip(figures.all(), reply["members"], strict=True):
        expect(row.locator("td")).to_have_text(
            [
                str(member["sessions"]),
                str(member["deals"]),
                bare(member["result"]["SEK"]),
                bare(member["open"].get("SEK", 0)),
            ]
        )
    won = [f"{member['won_declaring']} av {member['declared']}" for member in reply["members"]]
    expect(phone.page.locator(".bars").first.locator(".bar-value")).to_have_text(won)


def bare(amount: int) -> str:
    return format_kronor(amount // 100).removesuffix(" kr")


def test_a_tap_on_a_member_highlights_the_line(phone: Phone) -> None:
    group = create_season(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    phone.tap("line-m2")
    expect(phone.page.locator('[data-key="line-m2"]')).to_have_attribute("aria-pressed", "true")
    expect(phone.page.locator(".curve-group.chosen")).to_have_attribute("data-line", "m2")
    expect(phone.page.locator(".curve-group.faint")).to_have_count(3)
    phone.tap("line-m2")
    expect(phone.page.locator(".curve-group.faint")).to_have_count(0)


def test_a_season_can_be_limited_to_a_period(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator(".empty")).to_contain_text("första given")
    open_group_session(phone, group, "ABCD")
    phone.play(1, "B", "CCDCB")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    phone.mark("span", "year")
    expect(phone.page.locator(".plot")).to_be_visible()
    phone.mark("span", "own")
    phone.page.locator('[data-key="to"]').fill("2020-01-01")
    phone.page.locator('[data-key="to"]').dispatch_event("change")
    expect(phone.page.locator(".empty")).to_have_text("Ingen giv spelades då.")
    phone.page.locator('[data-key="from"]').fill("2020-01-02")
    expect(phone.page.locator(".empty")).to_have_text("Den sista dagen ligger före den första.")


def test_money_of_one_currency_is_never_drawn_with_anothers(phone: Phone) -> None:
    group = create_season(phone)
    seat_members(phone, group, "ABC")
    phone.mark("currency", "EUR")
    phone.tap("open")
    phone.see_table()
    phone.play(1, "B", "CCACB")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value("EUR")
    expect(phone.page.locator(".plot .curve-group")).to_have_count(3)
    phone.mark("currency", "SEK")
    expect(phone.page.locator(".plot .curve-group")).to_have_count(4)
    expect(phone.page.locator('[data-key="line-m1"]')).to_contain_text("+10 kr")


def test_a_season_begins_with_the_currency_of_the_latest_evening(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    members = ["m1", "m2", "m3"]
    for currency in ("SEK", "EUR", "SEK"):
        record_group_deal(
            phone, group, ALL_PASS, game="polskt_pass", members=members, currency=currency
        )
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator('input[name="currency"]')).to_have_count(2)
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value("SEK")


def test_bets_in_several_currencies_are_counted_without_an_amount(phone: Phone) -> None:
    group = create_season(phone)
    bets = phone.page.locator("section", has_text="Satta betar").locator(".bar-value")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(bets).to_have_text([re.compile(rf"^{count} · .+kr$") for count in (0, 1, 0, 1)])
    record_group_deal(
        phone, group, ALL_PASS, game="polskt_pass", members=["m1", "m2", "m3"], currency="EUR"
    )
    phone.page.reload()
    expect(bets).to_have_text(["0", "1", "0", "1"])


def test_a_season_of_points_has_no_money_to_draw(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    declarations = [{"type": kind, "player": p} for kind, p in (("stay", "p2"), ("pass", "p3"))]
    deal = [{"type": "open_deal"}, *declarations, {"type": "pass", "player": "p1"}]
    players = ["m1", "m2", "m3"]
    record_group_deal(phone, group, deal, game="knektpass", members=players, options={"start": 5})
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator(".bars .bar-value")).to_have_text(["0", "1", "0"])
    expect(phone.page.locator(".plot")).to_have_count(0)
    expect(phone.page.locator('[data-key="by-member"] tbody tr')).to_have_count(3)


def test_an_evening_opened_on_another_phone_appears(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    deal = [{"type": "open_deal"}, {"type": "all_pass"}]
    record_group_deal(phone, group, deal, game="polskt_pass", members=["m1", "m2", "m3"])
    expect(phone.page.locator('[data-key="evening-1"]')).to_contain_text("1 giv")
    expect(phone.page.locator('[data-key="season"]')).to_be_visible()


def test_a_long_season_is_drawn_as_a_line_without_dots(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    for night in range(26):
        winner = {"type": "result", "winner": f"p{night % 3 + 1}"}
        declared: dict[str, Any] = {"type": "declare", "players": ["p1"]}
        deal = [{"type": "open_deal"}, declared, winner]
        record_group_deal(phone, group, deal, game="polskt_pass", members=["m1", "m2", "m3"])
    phone.page.goto(f"{phone.url}/#/c/{group}")
    expect(phone.page.locator(".session-row")).to_have_count(12)
    phone.tap("older")
    expect(phone.page.locator(".session-row")).to_have_count(26)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator(".curve")).to_have_count(3)
    expect(phone.page.locator(".curve-points")).to_have_count(0)


def test_a_guest_sits_down_though_the_first_answer_was_lost(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    phone.page.route("**/members", lose_answer, times=1)
    phone.page.locator('[data-key="guest"]').fill("Emil")
    phone.tap("guest-add")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("guest-add")
    expect(phone.page.locator('[data-member="m5"]')).to_have_attribute("aria-pressed", "true")
    assert len(read_group(phone, group)["members"]) == 5


def test_a_group_is_made_of_an_evening(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("")
    phone.tap("menu")
    phone.page.locator('a[href$="/group"]').tap()
    phone.page.locator('[data-key="group-name"]').fill("Kusinerna")
    phone.tap("join")
    see_group(phone, "Kusinerna")
    expect(phone.page.locator(".member-list .name")).to_have_text(FOUR_NAMES)
    phone.page.go_back()
    phone.see_table()
    phone.page.go_forward()
    see_group(phone, "Kusinerna")
    expect(phone.page.locator('[data-key="evening-1"] .inline-item')).to_have_count(4)
    phone.tap("evening-1")
    phone.see_table()
    phone.visit("group")
    expect(phone.page.locator(".lead")).to_contain_text("Kusinerna")


def test_a_group_made_of_an_evening_by_two_taps_is_made_once(phone: Phone) -> None:
    phone.begin()
    phone.visit("group")
    phone.page.locator('[data-key="group-name"]').fill("Kusinerna")
    sent: list[str] = []
    phone.page.on("request", lambda request: sent.append(request.url))
    phone.page.locator('[data-key="join"]').evaluate(
        "(button) => { button.click(); button.click(); }"
    )
    see_group(phone, "Kusinerna")
    assert len([url for url in sent if url.endswith("/links")]) == 1


def test_a_group_is_made_of_an_evening_though_the_answer_was_lost(phone: Phone) -> None:
    phone.begin()
    phone.visit("group")
    phone.page.locator('[data-key="group-name"]').fill("Kusinerna")
    phone.page.route("**/v1/groups/*/sessions/*", lose_answer, times=1)
    phone.tap("join")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("join")
    see_group(phone, "Kusinerna")


def test_an_evening_of_a_group_unknown_to_this_phone_founds_no_other(phone: Phone) -> None:
    phone.begin()
    evening = phone.table_url()
    found_group_of_table(phone, "Kusinerna")
    phone.page.evaluate("localStorage.removeItem('vola.circles')")
    phone.page.goto(f"{evening}/group")
    expect(phone.page.locator(".lead")).to_contain_text("hör redan till ett sällskap")
    expect(phone.page.locator('[data-key="group-name"]')).to_have_count(0)


def test_an_evening_added_to_a_group_meanwhile_founds_no_other(lend: Callable[..., Phone]) -> None:
    phone, other_phone = lend(), lend()
    other_phone.page.goto(read_link(phone.begin(), "host"))
    other_phone.see_table()
    phone.visit("group")
    phone.page.locator('[data-key="group-name"]').fill("Kusinerna igen")
    found_group_of_table(other_phone, "Kusinerna")
    phone.tap("join")
    expect(phone.page.locator("#notice")).to_contain_text("hör redan till ett sällskap")


def test_an_evening_is_added_to_a_group_and_who_is_who_can_be_changed(phone: Phone) -> None:
    group = found_group(phone, ("Ada", "Bosse", "Cilla"))
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("group")
    phone.mark("group", group)
    expect(phone.page.locator(".member-match select")).to_have_count(4)
    chosen = "e => e.selectedOptions[0].textContent"
    choices = [menu.evaluate(chosen) for menu in phone.page.locator(".member-match select").all()]
    assert choices == ["Ada", "Ny medlem", "Cilla", "Ny medlem"]
    phone.page.locator('[data-key="is-p2"]').select_option("m3")
    phone.tap("join")
    expect(phone.page.locator(".wrong")).to_contain_text("samma medlem")
    phone.page.locator('[data-key="is-p2"]').select_option("m2")
    phone.tap("join")
    see_group(phone)
    [evening] = read_group(phone, group)["sessions"]
    assert evening["members"] == {"p1": "m1", "p2": "m2", "p3": "m3", "p4": "m4"}
    assert read_group(phone, group)["members"][3]["name"] == "Disa"


def test_a_forgotten_member_is_gone_from_the_group_and_its_evenings(phone: Phone) -> None:
    group = create_season(phone)
    evening = phone.table_url()
    phone.page.goto(f"{phone.url}/#/c/{group}/members")
    phone.page.locator('[data-key="forgetting"] summary').tap()
    phone.tap("forget-m3")
    expect(phone.page.locator("dialog")).to_contain_text("Det går inte att ångra")
    phone.tap("sure")
    expect(phone.page.locator('[data-key="forgotten"]')).to_contain_text("Medlem 3")
    for address in (evening, f"{evening}/deals", f"{phone.url}/#/c/{group}"):
        phone.page.goto(address)
        wait_until_drawn(phone)
        expect(phone.page.locator("body")).not_to_contain_text("Cilla")
    expect(phone.page.locator(".member-list")).to_contain_text("Medlem 3")
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    expect(phone.page.locator(".plate")).to_have_count(3)
    assert "Cilla" not in phone.page.evaluate("JSON.stringify({...localStorage})")


def test_a_link_lets_another_phone_in_and_leaves_no_trace(lend: Callable[..., Phone]) -> None:
    host, guest = lend(), lend()
    group = create_season(host)
    host.page.goto(f"{host.url}/#/c/{group}/share")
    expect(host.page.locator(".qr").first).to_be_visible()
    for role, plays in (("viewer", 0), ("scorer", 1)):
        path = read_links(host, group)[role]
        token = path.split("/")[-1]
        guest.page.goto(guest.url + path)
        see_group(guest)
        expect(guest.page.locator('[data-key="tonight"]')).to_have_count(plays)
        expect(guest.page.locator('[data-key="share"]')).to_have_count(0)
        readable = "JSON.stringify({...localStorage}) + document.cookie + location"
        assert token not in guest.page.evaluate(readable)
        guest.tap("evening-1")
        guest.see_table()
        assert guest.page.evaluate("location.hash.split('/').length") == 3
    assert guest.page.evaluate("recall => localStorage['vola.role.' + recall]", group) == '"scorer"'


def test_a_wider_right_to_an_evening_is_kept(phone: Phone, lend: Callable[..., Phone]) -> None:
    """The phone that opened an evening stays its host, although the group's link only lets it
    view."""
    other_phone = lend()
    phone.begin()
    evening = phone.table_url()
    found_group_of_table(phone, "Vi")
    group = phone.page.evaluate("location.hash.split('/')[2]")
    link = read_links(phone, group)["viewer"]
    phone.page.evaluate("localStorage.removeItem('vola.circles')")  # it may be host of the group
    phone.page.goto(phone.url + link)
    expect(phone.page).to_have_url(f"{phone.url}/#/c/{group}")
    see_group(phone, "Vi")
    phone.tap("evening-1")
    phone.see_table()
    assert phone.table_url() == evening
    expect(phone.page.locator('[data-key="record"]')).to_be_visible()
    other_phone.page.goto(f"{other_phone.url}/#/c/{group}/viewer0.nonsense")
    expect(other_phone.page.locator("h1")).to_have_text("Här finns inget sällskap")


def test_a_viewer_at_the_address_of_a_new_evening_sees_the_group(
    lend: Callable[..., Phone],
) -> None:
    host, viewer = lend(), lend()
    group = found_group(host)
    viewer.page.goto(viewer.url + read_links(host, group)["viewer"])
    see_group(viewer)
    viewer.page.goto(f"{viewer.url}/#/c/{group}/tonight")
    expect(viewer.page).to_have_url(f"{viewer.url}/#/c/{group}")
    see_group(viewer)


def test_a_slow_link_does_not_pull_a_phone_back_to_its_screen(lend: Callable[..., Phone]) -> None:
    """The link leads to a group or an evening; the user's screen and address stay as they are."""
    host, phone = lend(), lend()
    group = found_group(host)
    seat_members(host, group, "ABCD")
    host.tap("open")
    host.see_table()
    session = host.table_url().rpartition("/")[2]
    of_evening = host.page.request.get(f"{phone.url}/v1/sessions/{session}/links").json()["links"]
    of_group = read_links(host, group)
    phone.page.goto(phone.url + of_group["viewer"])
    see_group(phone)
    exchanges: list[Route] = []

    def hold_exchange(route: Route) -> None:
        exchanges.append(route)

    for path in (of_group["scorer"], of_evening[-1]["path"]):
        phone.page.goto(f"{phone.url}/#/c/{group}")
        see_group(phone)
        phone.page.route("**/cookie", hold_exchange)
        with phone.page.expect_request("**/cookie"):
            phone.page.goto(phone.url + path)
        phone.page.goto(f"{phone.url}/#/")
        expect(phone.page.locator('[data-key="new"]')).to_be_visible()
        phone.wait_until(lambda: bool(exchanges))
        with phone.page.expect_response("**/cookie"):
            exchanges.pop().continue_()
        phone.page.unroute("**/cookie")
        phone.page.evaluate("fetch('/healthz')")  # by now the response has had its effect
        assert phone.page.evaluate("location.hash") == "#/"
        expect(phone.page.locator('[data-key="new"]')).to_be_visible()


def test_every_screen_of_a_group_fits_a_small_phone_and_a_thumb(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    group = found_group(phone, ("Maximiliana-Wilhelmina af Korsholm Vasa", *FIVE_NAMES[1:]))
    open_group_session(phone, group, "ABCDE")
    phone.play(1, "B", "CCDCB")
    close_session(phone)
    wrong = {}
    for screen in ("", "tonight", "season", "members", "share", "statement"):
        for text in ("100%", "200%"):
            phone.page.goto(f"{phone.url}/#/c/{group}/{screen}".rstrip("/"))
            wait_until_drawn(phone)
            wrong[screen, text] = find_misfits(phone, text)
    assert {place: faults for place, faults in wrong.items() if faults} == {}


def test_two_phones_begin_tonights_evening_and_are_in_the_same_one(
    lend: Callable[..., Phone],
) -> None:
    first, second = lend(), lend()
    group = create_season(first)
    second.page.goto(first.url + read_links(first, group)["scorer"])
    expect(second.page.locator('[data-key="evening-1"]')).to_be_visible()
    seat_members(first, group, "ABCD")
    seat_members(second, group, "ABC")
    first.tap("open").see_table()
    second.tap("open").see_table()
    expect(second.page).to_have_url(first.table_url())
    assert len(read_group(first, group)["sessions"]) == 2


CLIPPED = """() => [...document.querySelectorAll('.figures')].flatMap((one) => {
  const edge = one.getBoundingClientRect().right + 1;
  return [
    one.scrollWidth - one.clientWidth > 1 && one.dataset.key,
    ...[...one.querySelectorAll('tbody :is(td, th), tfoot :is(td, th)')]
      .filter((cell) => cell.getBoundingClientRect().right > edge)
      .map((cell) => cell.textContent),
  ];
}).filter(Boolean)"""


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_a_season_of_long_names_is_read_whole_on_a_small_phone(
    lend: Callable[..., Phone], text: str
) -> None:
    """No number lies outside of its table, and no table is wider than the phone."""
    phone = lend(width=320, height=640, language="de-DE")
    names = ("Maximiliana-Wilhelmina af Korsholm", "Bo", "Cilla Bartholomäusdotter", "Disa")
    group = found_group(phone, names)
    open_group_session(phone, group, "ABCD")
    phone.play(1, "B", "CCDCB")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    phone.page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
    expect(phone.page.locator('[data-key="by-member"] tbody tr')).to_have_count(4)
    clipped = phone.page.evaluate(CLIPPED)
    assert clipped == []
    row = phone.page.locator('[data-key="by-member"] [role=row]').nth(1)
    expect(row.get_by_role("cell")).to_have_count(4)  # it is still read as a table


def test_amounts_beside_the_lines_stay_whole_on_a_small_phone(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    group = found_group(phone, FOUR_NAMES)
    members = [f"m{n}" for n in range(1, 5)]
    deal = [{"type": "open_deal"}, {"type": "all_pass"}]
    record_group_deal(
        phone, group, deal, members=members, game="polskt_pass", options={"stake": 2_750}
    )
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    assert find_broken_words(phone, ".legend b", "100%") == []
