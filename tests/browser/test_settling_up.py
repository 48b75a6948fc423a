"""Payments on the phone, in part or through one person, until nobody owes anything."""

import re
from typing import cast

from playwright.sync_api import Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.connection import read_nothing_until
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    open_as_host,
    open_e1,
    record_and_open,
    record_elsewhere,
    record_transfer,
)
from tests.support.browser.settlement_screen import KEEP_SENT_TEXT, see_plan, send_result

PAYING = [("Ada", 50), ("Bo", 40), ("Disa", 60)]


def pay(phone: Phone, line: str, kronor: str | None = None) -> None:
    """Open this line, enter how much of it is paid, and record the payment."""
    phone.tap(f"open-{line}")
    if kronor is not None:
        phone.page.locator('[data-key="amount"]').fill(kronor)
    phone.tap("receipt")
    expect(phone.page.locator(".confirmation")).to_be_visible()


def assert_all_even(phone: Phone) -> None:
    expect(phone.page.locator(".all-settled")).to_have_text("Ingen är skyldig någon något.")
    assert set(cast(dict[str, int], phone.read("")["balances"]).values()) == {0}
    assert phone.read("/audit")["clean"]


def test_e1_is_settled_with_a_part_first(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    see_plan(phone, "p1-p3 50 kr", "p2-p3 40 kr", "p4-p3 60 kr")
    pay(phone, "p4-p3", "25,50")
    expect(phone.page.locator(".confirmation")).to_have_text(
        re.compile(r"Inskrivet: Disa har betalat 25,50.kr till Cilla\.")
    )
    see_plan(phone, "p1-p3 50,00 kr", "p2-p3 40,00 kr", "p4-p3 34,50 kr")
    pay(phone, "p4-p3")
    phone.tap("paid-p1-p3").tap("paid-p2-p3")
    assert_all_even(phone)
    expect(phone.page.locator(".transfer")).to_have_count(
        4
    )  # everything that was paid, and only that


def test_the_result_of_an_evening_can_be_sent_as_text(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_SENT_TEXT)
    open_e1(phone).visit("settlement")
    sent = send_result(phone)
    assert re.match(r"Kväll · Polskt pass · \d+ \w+", sent[0])
    assert sent[1:5] == ["Ada −50 kr", "Bo −40 kr", "Cilla +150 kr", "Disa −60 kr"]
    assert sent[6:] == [f"{payer} betalar Cilla {kronor} kr" for payer, kronor in PAYING]
    summary = phone.page.locator('[data-key="pass-copy-text"]')
    assert summary.input_value().split("\n")[0] == sent[0]
    phone.tap("pass-copy")
    expect(phone.page.locator("#status")).to_have_text(re.compile("Kopierad|Markerad"))


def test_e1_is_settled_through_the_treasurer(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    phone.mark("way", "through").mark("treasurer", "p2")
    see_plan(phone, "p1-p2 50 kr", "p4-p2 60 kr", "p2-p3 150 kr")
    expect(phone.page.locator(".lead")).to_have_text("3 betalningar, alla genom Bo.")
    phone.tap("open-p1-p2")
    expect(phone.page.locator(".sentence")).to_contain_text("Bo, som håller i kassan")
    phone.page.reload()
    expect(phone.page.locator(".sentence")).to_contain_text("Bo, som håller i kassan")
    phone.visit("settlement")
    for line in ("p1-p2", "p4-p2", "p2-p3"):
        pay(phone, line)
    assert_all_even(phone)


def test_the_way_of_paying_is_remembered_for_this_evening_alone(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    phone.mark("way", "through").mark("treasurer", "p1")
    see_plan(phone, "p2-p1 40 kr", "p4-p1 60 kr", "p1-p3 150 kr")
    phone.visit("settlement")
    see_plan(phone, "p2-p1 40 kr", "p4-p1 60 kr", "p1-p3 150 kr")
    phone.mark("way", "fewest")
    see_plan(phone, "p1-p3 50 kr", "p2-p3 40 kr", "p4-p3 60 kr")


def test_no_more_is_receipted_than_is_owed(phone: Phone) -> None:
    open_e1(phone).visit("settlement/p1-p3")
    amount, receipt = (phone.page.locator(f'[data-key="{key}"]') for key in ("amount", "receipt"))
    for wrong in ("50,01", "0", "abc", "", "-5"):
        amount.fill(wrong)
        expect(receipt).to_be_disabled()
        expect(amount).to_have_attribute("aria-invalid", "true")
    amount.fill("12,5")
    expect(receipt).to_have_text(re.compile("Betalt: 12,50.kr"))


def test_a_wrong_payment_is_put_right_by_one_the_other_way(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    phone.tap("paid-p1-p3")
    see_plan(phone, "p2-p3 40 kr", "p4-p3 60 kr")
    phone.page.locator('[data-key^="back-"]').tap()
    see_plan(phone, "p1-p3 50 kr", "p2-p3 40 kr", "p4-p3 60 kr")
    expect(phone.page.locator(".paid")).to_have_count(2)
    expect(phone.page.locator('[data-key^="back-"]')).to_have_count(0)


def test_leftovers_on_the_table_are_paid_to_nobody_and_explained(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS).visit("settlement")
    expect(phone.page.locator(".banner")).to_contain_text("Avsluta kvällen först")
    line = phone.page.locator(".transfer")
    expect(line).to_contain_text("Pott och betar")
    expect(line.locator(".why")).to_have_text(re.compile("på bordet ligger 10.kr"))
    see_plan(phone)
    expect(phone.page.locator('[data-key^="paid-"]')).to_have_count(0)


def test_payments_on_their_way_are_said_before_the_plan(phone: Phone) -> None:
    open_e1(phone)

    def two_due(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "payments_due": 2})

    phone.page.route("**/settlement", two_due)
    phone.visit("settlement")
    expect(phone.page.locator(".banner")).to_contain_text("2 betalningar är på väg")


def test_a_failed_settlement_is_shown_and_retried_by_a_tap(phone: Phone) -> None:
    open_e1(phone)
    failures = [{"since": "2026-11-21T19:00:00.000000Z", "attempts": 4}]
    retries = []

    def late(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "payments_due": len(failures) * 3})

    def sticking(route: Route) -> None:
        answer = route.fetch()
        failure = {"failure": failures[0]} if failures else {}
        route.fulfill(response=answer, json={**answer.json(), **failure})

    def retry(route: Route) -> None:
        retries.append(route.request.method)
        failures.clear()
        route.continue_()

    phone.page.route(re.compile(r"/v1/.*/settlement(\?.*)?$"), late)
    phone.page.route("**/payments", sticking)
    phone.page.route("**/payments/retries", retry)
    phone.visit("settlement")
    expect(phone.page.locator(".banner")).to_contain_text("3 betalningar har inte")
    phone.tap("try-again")
    expect(phone.page.locator(".banner")).to_have_count(0)
    assert retries == ["POST"]


def receipt_on_a_deaf_phone(phone: Phone) -> RemoteSession:
    """Open Cilla's payment to Ada on a phone that reads nothing new. Return the recorder."""
    recorder = record_elsewhere(phone)
    record_transfer(recorder, "p1", "p3", 5_000)
    open_as_host(phone, recorder).visit("settlement/p3-p1")
    expect(phone.page.locator('[data-key="receipt"]')).to_be_enabled()
    read_nothing_until(phone, lambda answer: answer.url.endswith("/transfers"))
    return recorder


def test_a_receipt_that_came_too_late_is_not_written_twice(phone: Phone) -> None:
    recorder = receipt_on_a_deaf_phone(phone)
    record_transfer(recorder, "p3", "p1", 5_000)
    phone.tap("receipt")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    expect(phone.page.locator(".empty")).to_contain_text("står inte i planen längre")
    assert set(recorder.state()["balances"].values()) == {0}


def test_a_receipt_goes_through_when_only_the_play_went_on(phone: Phone) -> None:
    recorder = receipt_on_a_deaf_phone(phone)
    recorder.act({"type": "reseat", "players": ["p2", "p3", "p4", "p1"]})
    phone.tap("receipt")
    expect(phone.page.locator(".all-settled")).to_be_visible()
    assert set(recorder.state()["balances"].values()) == {0}


def test_a_receipt_that_no_plan_could_confirm_is_given_again(phone: Phone) -> None:
    recorder = receipt_on_a_deaf_phone(phone)
    recorder.act({"type": "reseat", "players": ["p2", "p3", "p4", "p1"]})
    plans = re.compile(r"/settlement(\?|$)")
    phone.page.route(plans, lambda route: route.abort())
    phone.tap("receipt")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.page.unroute(plans)
    phone.tap("receipt")
    expect(phone.page.locator(".all-settled")).to_be_visible()
    assert set(recorder.state()["balances"].values()) == {0}


def test_a_receipt_answered_late_is_written_in_no_other_evening(phone: Phone) -> None:
    other = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, other)
    version = other.state()["version"]
    recorder = receipt_on_a_deaf_phone(phone)
    recorder.act({"type": "reseat", "players": ["p2", "p3", "p4", "p1"]})
    held: list[Route] = []
    phone.page.route(re.compile(r"/settlement$"), lambda route: held.append(route), times=1)
    phone.tap("receipt")
    phone.wait_until(lambda: len(held) == 1)
    phone.page.goto(f"{phone.url}/#/s/{other.id}")
    phone.see_table()
    with phone.page.expect_request(re.compile(r"/(transfers|settlement)$")) as request:
        held[0].continue_()
    assert request.value.method == "GET"
    assert other.state()["version"] == version


def test_a_receipt_without_a_network_is_kept_and_sent_once(phone: Phone) -> None:
    open_e1(phone).visit("settlement/p1-p3")
    expect(phone.page.locator('[data-key="receipt"]')).to_be_enabled()
    phone.page.context.set_offline(True)
    phone.tap("receipt")
    expect(phone.page.locator(".banner")).to_contain_text("Sparat i telefonen")
    expect(phone.page.locator('[data-key="receipt"]')).to_be_disabled()
    phone.page.context.set_offline(False)
    expect(phone.page.locator(".confirmation")).to_contain_text("Ada har betalat")
    see_plan(phone, "p2-p3 40 kr", "p4-p3 60 kr")


def test_a_viewer_sees_the_plan_and_receipts_nothing(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    record_transfer(recorder, "p1", "p3", 5_000)
    recorder.token = recorder.tokens["viewer"]
    open_as_host(phone, recorder).visit("settlement")
    see_plan(phone, "p3-p1 50 kr")
    expect(phone.page.locator('[data-key^="paid-"], [data-key^="back-"]')).to_have_count(0)
    phone.tap("open-p3-p1")
    expect(phone.page.locator('[data-key="amount"]')).to_be_visible()
    expect(phone.page.locator('[data-key="receipt"]')).to_have_count(0)


def test_a_payment_can_be_receipted_from_the_keyboard(phone: Phone) -> None:
    open_e1(phone).visit("settlement")
    keys = phone.page.keyboard
    phone.page.locator('[data-key="open-p1-p3"]').focus()
    keys.press("Enter")
    expect(phone.page.locator("h1")).to_be_focused()
    phone.page.locator('[data-key="amount"]').focus()
    keys.press("Control+A")
    keys.type("20")
    keys.press("Tab")
    keys.press("Space")
    expect(phone.page.locator('input[value="cash"]')).to_be_checked()
    phone.page.locator('[data-key="receipt"]').focus()
    keys.press("Enter")
    expect(phone.page.locator("#status")).to_have_text(
        re.compile("Ada har betalat 20.kr till Cilla")
    )
    expect(phone.page.locator("h1")).to_be_focused()
    see_plan(phone, "p1-p3 30 kr", "p2-p3 40 kr", "p4-p3 60 kr")
