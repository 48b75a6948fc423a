"""Settling up and closing on the phone: one screen shows the outcome, and closing can be undone."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.connection import read_nothing_until
from tests.support.browser.group_screens import found_group, open_group_session
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    deal_actions,
    open_as_host,
    record_elsewhere,
    record_transfer,
)
from tests.support.browser.settlement_screen import KEEP_SENT_TEXT, send_result


def lost_a_bet(phone: Phone) -> Phone:
    """Record a deal: Ada −10, Bo −10 with a bet of 10 on the table, Cilla +10."""
    phone.begin()
    phone.play(1, "B", "CCDCB")
    return phone


def results(phone: Phone, *kronor: int) -> None:
    expect(phone.page.locator(".figures [data-result]")).to_have_text(
        [format_kronor(k) for k in kronor]
    )


def ends(phone: Phone, screen: str) -> None:
    expect(phone.page.locator("body")).to_have_attribute("data-at", re.compile(f"{screen}$"))


def payments(phone: Phone) -> Locator:
    return phone.page.locator(".transfer .flow")


def close(phone: Phone, policy: str) -> None:
    phone.visit("close")
    phone.tap(policy).tap("close")
    ends(phone, "settlement")


def test_one_screen_shows_the_result_and_the_payment_plan(phone: Phone) -> None:
    lost_a_bet(phone).visit("close")
    phone.tap("split_equal")
    figures = phone.page.locator(".figures [data-result]")
    expect(figures).to_have_count(4)
    texts = figures.all_inner_texts()
    phone.mark("way", "through").mark("treasurer", "p4")
    expect(phone.page.locator(".payment-plan")).to_contain_text("genom Disa")
    planned = payments(phone).all_inner_texts()
    assert planned
    phone.tap("close")
    ends(phone, "settlement")
    expect(figures).to_have_text(texts, use_inner_text=True)
    expect(payments(phone)).to_have_text(planned, use_inner_text=True)


def test_leftovers_are_carried_only_in_a_group(phone: Phone) -> None:
    lost_a_bet(phone).visit("close")
    expect(phone.page.locator('[data-key="refund_bets"]')).to_be_checked()
    expect(phone.page.locator('[data-key="no-next"]')).to_contain_text("ingen nästa gång")
    open_group_session(phone, found_group(phone, ("Ada", "Bo", "Cilla", "Disa")), "ABCD")
    phone.play(1, "B", "CCDCB")
    phone.visit("close")
    expect(phone.page.locator('[data-key="carry"]')).to_be_checked()
    expect(phone.page.locator('[data-key="no-next"]')).to_have_count(0)


def test_the_reason_to_share_the_leftovers_goes_once_they_stay(phone: Phone) -> None:
    lost_a_bet(phone).visit("close")
    reason = phone.page.locator('[data-key="no-next"]')
    choice = phone.page.get_by_role("radiogroup")
    expect(choice).to_have_accessible_name(re.compile("ligger kvar på bordet. Vad gör ni"))
    for policy, count in (("split_equal", 1), ("carry", 0), ("refund_bets", 1)):
        phone.tap(policy)
        expect(phone.page.locator(f'[data-key="{policy}"]')).to_be_checked()
        expect(reason).to_have_count(count)


def test_bets_are_given_back_only_where_some_are_laid(phone: Phone) -> None:
    options = {"stake": 1_000, "leftover_policy": "refund_bets"}
    recorder = record_elsewhere(phone, ALL_PASS, options=options)
    open_as_host(phone, recorder).visit("close")
    choices = phone.page.locator('input[name="policy"]')
    expect(choices).to_have_count(2)
    expect(phone.page.locator('[data-key="split_equal"]')).to_be_checked()
    expect(phone.page.locator('[data-key="carry"]')).not_to_be_checked()
    declarer, winner = {"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}
    recorder.act(*deal_actions(declarer, winner))
    expect(choices).to_have_count(3)
    expect(phone.page.locator('[data-key="refund_bets"]')).to_be_checked()


def test_a_carried_bet_is_not_next_on_a_closed_evening(phone: Phone) -> None:
    lost_a_bet(phone).visit("")
    expect(phone.bets()).to_contain_text("näst på tur")
    close(phone, "carry")
    phone.visit("")
    expect(phone.bets()).to_contain_text("10 kr")
    expect(phone.bets()).not_to_contain_text("näst på tur")


def test_the_same_people_play_again_for_what_was_left(phone: Phone) -> None:
    close(lost_a_bet(phone), "carry")
    phone.tap("play-again")
    phone.page.locator('[data-key="group-name"]').fill("Torsdagarna")
    phone.tap("join")
    expect(phone.page.locator('[data-key="carry"]')).to_be_checked()
    for member in range(1, 5):
        phone.tap(f"sit-m{member}")
    phone.tap("open")
    phone.see_table()
    expect(phone.bets()).to_contain_text("10 kr")


def test_the_way_back_from_the_settlement_leads_past_the_closing(phone: Phone) -> None:
    lost_a_bet(phone).tap("table")
    phone.see_table()
    phone.visit("close")
    phone.tap("close")
    ends(phone, "settlement")
    phone.page.go_back()
    phone.see_table()


def test_a_closing_is_taken_back_while_nobody_has_paid(phone: Phone) -> None:
    close(lost_a_bet(phone), "refund_bets")
    phone.visit("")
    phone.tap("reopen")
    phone.see_table()
    expect(phone.page.locator("#status")).to_have_text("Kvällen fortsätter.")
    expect(phone.bets()).to_have_count(1)
    phone.play(2, "", "")
    close(phone, "refund_bets")
    expect(phone.page.locator('[data-key="reopen"]')).to_be_visible()
    phone.page.locator('[data-key^="paid-"]').first.tap()
    expect(phone.page.locator(".confirmation")).to_be_visible()
    expect(phone.page.locator('[data-key="reopen"]')).to_have_count(0)
    assert phone.read("/audit")["clean"]


def test_a_closing_of_a_game_for_points_is_taken_back(phone: Phone) -> None:
    phone.begin(game="spader").visit("close")
    expect(phone.page.locator("#main")).not_to_contain_text("betalat")
    phone.tap("close")
    phone.see_table()
    expect(phone.page.locator(".reopening")).not_to_contain_text("betalat")
    phone.tap("reopen")
    expect(phone.page.locator('[data-key="record"]')).to_be_visible()
    expect(phone.page.locator("#status")).to_have_text("Kvällen fortsätter.")


def test_the_result_stays_when_everybody_has_paid(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_SENT_TEXT)
    close(lost_a_bet(phone), "refund_bets")
    expect(phone.page.locator(".transfer")).to_have_count(1)
    phone.page.locator('[data-key^="paid-"]').tap()
    expect(phone.page.locator(".all-settled")).to_be_visible()
    results(phone, -10, 0, 10, 0)
    expect(phone.page.locator(".figures [data-left]")).to_have_text(["kvitt"] * 4)
    sent = send_result(phone)
    assert sent[1:5] == ["Ada −10 kr", "Bo 0 kr", "Cilla +10 kr", "Disa 0 kr"]
    assert sent[6:] == ["Ingen är skyldig någon något."]
    phone.visit("")
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in (-10, 0, 10, 0)])
    expect(phone.page.locator(".figures [data-left]")).to_have_text(["kvitt"] * 4)
    phone.visit("board")
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in (-10, 0, 10, 0)])
    expect(phone.page.locator('[data-key="reopen"]')).to_have_count(0)


def test_settling_up_and_closing_lead_to_each_other(phone: Phone) -> None:
    lost_a_bet(phone).visit("settlement")
    phone.tap("to-close")
    ends(phone, "close")
    phone.tap("pay-now")
    ends(phone, "settlement")
    close(phone, "refund_bets")
    expect(phone.page.locator('[data-key="to-close"]')).to_have_count(0)
    phone.visit("close")
    ends(phone, "settlement")


def test_a_session_cannot_be_closed_before_its_result_is_shown(phone: Phone) -> None:
    lost_a_bet(phone)
    phone.page.route("**/settlement?*", lambda route: route.abort("internetdisconnected"))
    phone.visit("close")
    expect(phone.page.locator(".banner")).to_contain_text("Ingen kontakt")
    expect(phone.page.locator('[data-key="close"]')).to_have_count(0)
    phone.page.unroute("**/settlement?*")
    phone.visit("")
    phone.visit("close")
    expect(phone.page.locator('[data-key="close"]')).to_be_visible()


def test_a_refused_closing_shows_the_payments_that_are_left(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    record_transfer(recorder, "p1", "p3", 5_000)
    open_as_host(phone, recorder).visit("close")
    expect(payments(phone)).to_have_count(1)
    read_nothing_until(phone, lambda answer: answer.url.endswith("/closure"))
    record_transfer(recorder, "p3", "p1", 5_000)
    phone.tap("close")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    expect(phone.page.locator('[data-key="close"]')).to_be_visible()
    expect(payments(phone)).to_have_count(0)
    phone.tap("close")
    ends(phone, "settlement")


def test_a_half_recorded_deal_is_named_before_the_session_is_closed(phone: Phone) -> None:
    lost_a_bet(phone)
    phone.tap("table").tap("record").seat("AB")
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_visible()
    phone.visit("close")
    expect(phone.page.locator(".banner")).to_contain_text("Giv 2 är bara halvt inskriven")
    phone.tap("go-on").seat("AAA").tap("finish")
    phone.see_result(2)
    phone.visit("close")
    expect(phone.page.locator('[data-key="close"]')).to_be_visible()
    expect(phone.page.locator('[data-key="go-on"]')).to_have_count(0)


def test_an_open_deal_is_finished_before_the_session_is_closed(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    recorder.act({"type": "open_deal"})
    open_as_host(phone, recorder).visit("close")
    expect(phone.page.locator(".banner")).to_contain_text("En giv pågår")
    phone.tap("go-on").tap("all-pass")
    phone.see_result(1)


@pytest.mark.parametrize("game", ["polskt_pass", "polskpas"])
def test_the_recorder_of_a_closed_session_leads_to_the_table(phone: Phone, game: str) -> None:
    phone.begin(game=game)
    phone.visit("close")
    phone.tap("close")
    ends(phone, "settlement")
    phone.visit("record")
    phone.see_table()
    expect(phone.page.locator('[data-key="settle"]')).to_be_visible()


def test_a_closed_evening_without_deals_asks_for_none(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder)
    expect(phone.page.locator("main")).to_contain_text("Ingen giv än")
    assert recorder.write("/closure", {}, version=recorder.state()["version"]).status == 201
    expect(phone.page.locator("main")).to_contain_text("Kvällen är slut")
    expect(phone.page.locator("main")).not_to_contain_text("Ingen giv än")


def test_a_game_without_bets_mentions_none_when_it_ends(phone: Phone) -> None:
    phone.begin(game="polskpas")
    phone.play(1, "")
    phone.visit("close")
    bets = re.compile(r"\bbetar\b", re.IGNORECASE)
    main = phone.page.locator("#main")
    expect(main).to_contain_text("delas lika mellan dem som satt med sist")
    expect(main).not_to_contain_text(bets)
    phone.tap("carry")
    expect(phone.page.locator(".transfer .no-player")).to_have_text("Pott")
    phone.tap("close")
    expect(phone.page.locator(".banner")).to_contain_text("ligger kvar till nästa gång")
    expect(phone.page.locator(".transfer .no-player")).to_have_text("Pott")
    expect(main).not_to_contain_text(bets)
