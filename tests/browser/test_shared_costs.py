"""Shared costs on the phone: two taps and a sum, also without a network, in four languages."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from engine.values import MAX_AMOUNT
from ledger.session.cost_division import divide_cost
from tests.support.api.http_client import RemoteSession
from tests.support.browser.appearance import languages, looks, sizes
from tests.support.browser.connection import (
    load_offline_form,
    plug_in,
    see_all_sent,
    set_flight_mode,
    unplug,
)
from tests.support.browser.form_sources import imported_module
from tests.support.browser.layout_checks import (
    find_broken_words,
    find_misfits,
    find_violations_when_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    open_as_host,
    record_and_open,
    record_elsewhere,
    record_transfer,
)

Lend = Callable[..., Phone]

PIZZA = {"payer": "p4", "amount": 43_000, "purpose": "Pizza"}
LANGUAGES = {
    "sv-SE": ("Skriv in 430 kr", "Betald av Disa", "430,01", "430,01 kr", "Räknas inte"),
    "da-DK": ("Skriv 430 kr. ind", "Betalt af Disa", "430,01", "430,01 kr.", "Tæller ikke"),
    "en-GB": ("Record 430 kr", "Paid by Disa", "430.01", "430,01 kr", "Does not count"),
    "de-DE": ("430 kr eintragen", "Bezahlt von Disa", "430,01", "430,01 kr", "Zählt nicht"),
}
DIVIDE = f"""async (text) => {{
  const {{ divideCost }} = await {imported_module("forecast/costs.js")};
  return JSON.stringify(JSON.parse(text).map((terms) => divideCost(...terms)));
}}"""

TAP_TWICE = """(selector) => {
  const button = document.querySelector(selector);
  button.click();
  button.click();
}"""

FORECAST = f"async () => (await {imported_module()}).currentSession().balances"
"""A script that returns the balances that the phone shows while it cannot reach the server."""


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def enter(phone: Phone, payer: str, amount: str, purpose: str = "") -> Phone:
    """Choose the payer with one tap, and enter the amount."""
    phone.mark("payer", payer)
    phone.page.locator('[data-key="cost-amount"]').fill(amount)
    if purpose:
        phone.page.locator('[data-key="cost-purpose"]').fill(purpose)
    return phone


def see_entry(phone: Phone, amount: str, purpose: str) -> None:
    expect(phone.page.locator('[data-key="cost-amount"]')).to_have_value(amount)
    expect(phone.page.locator('[data-key="cost-purpose"]')).to_have_value(purpose)


def open_costs(phone: Phone) -> RemoteSession:
    """Open the screen of a session that may also be recorded elsewhere."""
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder).visit("costs")
    return recorder


def hold_costs(phone: Phone) -> list[Route]:
    """Hold the requests that record a cost, and return the list that they come into."""
    held: list[Route] = []
    phone.page.route(
        "**/costs",
        lambda route: held.append(route) if route.request.method == "POST" else route.continue_(),
    )
    return held


def offline_at_costs(lend: Lend) -> Phone:
    phone = lend(installed=True)
    load_offline_form(phone)
    record_and_open(phone, ALL_PASS)
    set_flight_mode(phone)
    phone.visit("costs")
    return phone


def row(phone: Phone, number: int) -> Any:
    return phone.page.locator(f'[data-cost="{number}"]')


def balances(phone: Phone) -> list[int]:
    found: dict[str, int] = phone.read("")["balances"]  # type: ignore[assignment]
    return list(found.values())


@languages(LANGUAGES)
def test_a_pizza_is_recorded_corrected_and_taken_back(lend: Lend, language: str) -> None:
    button, paid_by, typed, written, voided = LANGUAGES[language]
    phone = open_as_host(phone := lend(language=language), record_elsewhere(phone, ALL_PASS))
    phone.tap("menu").tap("costs")
    enter(phone, "p4", "430", "Pizza")
    record = phone.page.locator('[data-key="record-cost"]')
    assert plain(record.inner_text()) == button
    record.tap()
    expect(row(phone, 1)).to_contain_text("Pizza")
    expect(row(phone, 1)).to_contain_text(paid_by)
    assert balances(phone) == [-11_750, -10_750, -10_750, 32_250], "with Ada's stake"

    phone.tap("correct-cost-1")
    expect(phone.page.locator('[data-key="cost-purpose"]')).to_have_value("Pizza")
    phone.page.locator('[data-key="cost-amount"]').fill(typed)
    phone.tap("for-whom").mark("parts-p3", "2")
    shares = phone.page.locator("[data-share]")
    assert [plain(text) for text in shares.all_inner_texts()][2].startswith("172")
    phone.tap("record-cost")
    expect(row(phone, 1).locator(".amount")).to_have_text(written.replace(" ", "\u00a0"))
    assert balances(phone) == [-9_600, -8_600, -17_201, 34_401]

    phone.tap("void-cost-1")
    expect(row(phone, 1)).to_contain_text(voided)
    assert balances(phone) == [-1_000, 0, 0, 0]
    assert phone.read("/audit")["clean"]


def test_taking_a_cost_back_leaves_what_is_typed(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    enter(phone, "p4", "430")
    phone.tap("record-cost")
    expect(row(phone, 1)).to_be_visible()
    enter(phone, "p2", "12", "Kaffe")
    phone.tap("void-cost-1")
    expect(phone.page.locator('[data-key="record-cost"]')).to_be_enabled()
    expect(phone.page.locator('[data-cost="1"][data-status="voided"]')).to_be_visible()
    see_entry(phone, "12", "Kaffe")


def test_what_is_typed_stays_while_the_screen_is_left(phone: Phone) -> None:
    record_and_open(phone).tap("menu").tap("costs")
    enter(phone, "p4", "430", "Pizza").tap("back")
    phone.see_table()
    phone.tap("menu").tap("costs")
    see_entry(phone, "430", "Pizza")
    phone.tap("record-cost")
    expect(row(phone, 1)).to_contain_text("Betald av Disa")
    phone.tap("back").tap("menu").tap("costs")
    see_entry(phone, "", "")


def test_what_is_typed_stays_over_a_reload(phone: Phone) -> None:
    record_and_open(phone).tap("menu").tap("costs")
    enter(phone, "p4", "430", "Pizza")
    phone.page.reload()
    see_entry(phone, "430", "Pizza")
    phone.tap("record-cost")
    expect(row(phone, 1)).to_contain_text("Betald av Disa")
    phone.page.reload()
    see_entry(phone, "", "")


def test_what_is_typed_stays_while_a_name_is_corrected(phone: Phone) -> None:
    recorder = open_costs(phone)
    enter(phone, "p4", "430", "Pizza")
    name = {"name": "Emil"}
    assert recorder.write("/players/p3/name", name, method="PUT").status == 200
    expect(phone.page.locator("label:has([name=payer])").nth(2)).to_contain_text("Emil")
    see_entry(phone, "430", "Pizza")
    phone.page.reload()
    see_entry(phone, "430", "Pizza")


def test_a_tab_with_nothing_typed_leaves_what_another_has(phone: Phone) -> None:
    recorder = open_costs(phone)
    other_tab = Phone(phone.page.context.new_page(), phone.url)
    other_tab.page.goto(phone.page.url)
    expect(other_tab.page.locator("h1")).to_have_text("Gemensamma utgifter")
    enter(phone, "p4", "430", "Pizza")
    assert recorder.write("/costs", PIZZA).status == 201
    for tab in (phone, other_tab):
        expect(row(tab, 1)).to_be_visible()
    phone.page.reload()
    see_entry(phone, "430", "Pizza")


def hold_a_cost_and_leave(phone: Phone) -> Route:
    """Send a cost whose answer waits, and leave the form. Return the request."""
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    held = hold_costs(phone)
    enter(phone, "p4", "430", "Pizza").tap("record-cost")
    phone.wait_until(lambda: bool(held))
    phone.tap("back").see_table()
    return held[0]


def refuse(request: Route) -> None:
    request.fulfill(status=422, json={"code": "amount_too_large", "detail": "Det är för mycket."})


def test_a_cost_that_is_refused_elsewhere_stands_in_the_form(phone: Phone) -> None:
    held = hold_a_cost_and_leave(phone)
    refuse(held)
    expect(phone.page.locator("#notice .warning")).to_contain_text("Det är för mycket.")
    phone.tap("menu").tap("costs")
    see_entry(phone, "430", "Pizza")


def test_a_cost_refused_late_replaces_nothing_that_is_typed(phone: Phone) -> None:
    held = hold_a_cost_and_leave(phone)
    phone.tap("menu").tap("costs")
    enter(phone, "p2", "12", "Kaffe")
    refuse(held)
    expect(phone.page.locator("#notice .warning")).to_contain_text("Disa, 430 kr: inskrivningen")
    phone.page.reload()
    see_entry(phone, "12", "Kaffe")


def test_a_cost_refused_late_stands_in_the_form_opened_again(phone: Phone) -> None:
    held = hold_a_cost_and_leave(phone)
    phone.tap("menu").tap("costs")
    see_entry(phone, "", "")
    refuse(held)
    see_entry(phone, "430", "Pizza")
    expect(phone.page.locator("#notice .warning")).to_contain_text("Det är för mycket.")


def test_the_next_cost_is_typed_while_one_is_sent(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    held = hold_costs(phone)
    enter(phone, "p4", "430")
    phone.tap("record-cost")
    phone.wait_until(lambda: bool(held))
    enter(phone, "p2", "12", "Kaffe")
    held[0].continue_()
    expect(row(phone, 1)).to_be_visible()
    expect(phone.page.locator('[data-key="record-cost"]')).to_be_enabled()
    see_entry(phone, "12", "Kaffe")


def test_a_refused_cost_stands_in_the_form_again(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    refusal = {"code": "amount_too_large", "detail": "Det är för mycket."}
    phone.page.route(
        "**/costs",
        lambda route: (
            route.fulfill(status=422, json=refusal)
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    enter(phone, "p4", "430", "Pizza").tap("record-cost")
    expect(phone.page.locator("#notice .warning")).to_contain_text("Det är för mycket.")
    expect(phone.page.locator('[data-key="record-cost"]')).to_be_enabled()
    see_entry(phone, "430", "Pizza")


def test_two_quick_taps_take_a_cost_back_once(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    enter(phone, "p4", "430").tap("record-cost")
    sent: list[str] = []
    phone.page.on("request", lambda request: sent.append(request.method))
    expect(phone.page.locator('[data-key="void-cost-1"]')).to_be_visible()
    phone.page.evaluate(TAP_TWICE, '[data-key="void-cost-1"]')
    expect(phone.page.locator('[data-cost="1"][data-status="voided"]')).to_be_visible()
    see_all_sent(phone)
    assert sent.count("DELETE") == 1
    expect(phone.page.locator("#notice .warning")).to_have_count(0)


def test_a_sum_and_two_taps_are_enough(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS)
    phone.visit("costs")
    before = phone.taps
    enter(phone, "p2", "12,50").tap("record-cost")
    expect(row(phone, 1)).to_be_visible()
    assert phone.taps - before == 2


def test_the_button_waits_for_a_sum_and_for_somebody_who_shares(phone: Phone) -> None:
    record_and_open(phone)
    phone.visit("costs")
    record = phone.page.locator('[data-key="record-cost"]')
    expect(record).to_be_disabled()
    enter(phone, "p4", "4,3,0")
    expect(phone.page.locator("small.wrong")).to_be_visible()
    expect(record).to_be_disabled()
    enter(phone, "p4", "43")
    expect(record).to_be_enabled()
    phone.tap("for-whom")
    for player in ("p1", "p2", "p3"):
        phone.mark(f"parts-{player}", "0")
    expect(record).to_be_disabled()
    phone.mark("parts-p2", "1")
    expect(record).to_be_enabled()


def test_a_cost_without_a_network_is_shown_at_once_and_sent_once(lend: Lend) -> None:
    phone = offline_at_costs(lend)
    enter(phone, "p4", "400", "Pizza").tap("record-cost")
    expect(row(phone, 1)).to_be_visible()
    enter(phone, "p1", "0,03").tap("record-cost")
    expect(row(phone, 2)).to_be_visible()
    phone.visit("")
    phone.see_table()
    phone.play(2, "C", "CCDCB")
    forecast = phone.page.evaluate(FORECAST)
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert balances(phone) == list(forecast.values())
    costs: list[Any] = phone.read("/costs")["costs"]  # type: ignore[assignment]
    assert [(cost["amount"], cost["purpose"]) for cost in costs] == [(40_000, "Pizza"), (3, None)]
    assert phone.read("/audit")["clean"]


@pytest.mark.parametrize("change", ["corrected", "taken back"])
def test_play_goes_on_after_a_cost_is_changed_without_a_network(phone: Phone, change: str) -> None:
    open_correction(phone)
    if change == "taken back":
        phone.tap("back")
        expect(row(phone, 1)).to_be_visible()
    unplug(phone)
    if change == "corrected":
        phone.page.locator('[data-key="cost-amount"]').fill("100")
        phone.tap("record-cost")
        expect(row(phone, 1)).to_contain_text("100")
    else:
        phone.tap("void-cost-1")
        expect(row(phone, 1)).to_have_attribute("data-status", "voided")
    phone.tap("back")
    phone.see_table()
    phone.play(1, "C", "CCDCB")
    forecast = phone.page.evaluate(FORECAST)
    plug_in(phone)
    see_all_sent(phone)
    assert balances(phone) == list(forecast.values())
    (cost,) = phone.read("/costs")["costs"]  # type: ignore[misc]
    assert (cost["status"], cost["amount"]) == (
        ("recorded", 10_000) if change == "corrected" else ("voided", 43_000)
    )
    assert phone.read("/audit")["clean"]


def test_an_undo_without_a_network_takes_the_unsent_cost_back(lend: Lend) -> None:
    phone = offline_at_costs(lend)
    enter(phone, "p4", "400").tap("record-cost")
    expect(row(phone, 1)).to_be_visible()
    phone.visit("")
    phone.see_table()
    undo = phone.page.locator('[data-key="undo"]')
    expect(undo).to_contain_text("Disa betalade")
    undo.tap()
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert phone.read("/costs")["costs"] == []


def test_another_phone_sees_the_cost_and_the_settlement_pays_it(lend: Lend) -> None:
    first, second = lend(), lend()
    recorder = record_elsewhere(first)
    for phone in (first, second):
        open_as_host(phone, recorder)
        phone.visit("costs")
    enter(first, "p4", "400").tap("record-cost")
    expect(row(second, 1)).to_be_visible()
    second.visit("settlement")
    expect(second.page.locator('[data-key^="open-"]')).to_have_count(3)
    for body, method in ((PIZZA, "PUT"), (None, "DELETE")):
        version = recorder.state()["version"]
        assert recorder.write("/costs/1", body, method=method, version=version).status == 200
    expect(second.page.locator(".all-settled")).to_be_visible()
    assert recorder.write("/costs", PIZZA).status == 201
    second.visit("check")
    expect(second.page.locator("#status")).to_contain_text("Kvällen håller")


def test_the_timeline_tells_of_costs(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    assert recorder.write("/costs", PIZZA).status == 201
    recorder.act({"type": "open_deal"})
    open_as_host(phone, recorder)
    phone.visit("deals")
    phone.tap("earlier")
    summary = phone.page.locator(".past-outcome")
    expect(summary).to_have_text("Utgift 1: Disa betalade 430,00\u00a0kr, också för andra.")


def test_a_closed_evening_lists_its_costs_and_takes_no_more(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    recorder.write("/costs", PIZZA)
    recorder.write("/closure", {}, version=recorder.state()["version"])
    open_as_host(phone, recorder)
    phone.visit("costs")
    expect(row(phone, 1)).to_be_visible()
    expect(phone.page.locator('[data-key="record-cost"]')).to_have_count(0)
    expect(phone.page.locator('[data-key="void-cost-1"]')).to_have_count(0)
    banner = phone.page.locator(".banner")
    expect(banner).to_contain_text("Om en utgift glömdes kan värden öppna den igen.")
    record_transfer(recorder, "p1", "p4", 10_000)
    expect(banner).to_contain_text("måste betalningarna rättas först")
    assert find_misfits(phone, "100%") == []
    phone.tap("to-settlement")
    expect(phone.page.locator("h1")).to_have_text("Gör upp")


def open_correction(phone: Phone) -> RemoteSession:
    """Open the screen that corrects Disa's pizza, which may also be corrected elsewhere."""
    recorder = record_elsewhere(phone)
    assert recorder.write("/costs", PIZZA).status == 201
    open_as_host(phone, recorder).visit("costs/1")
    see_entry(phone, "430", "Pizza")
    return recorder


@pytest.mark.parametrize("change", ["corrected", "taken back"])
def test_a_cost_changed_elsewhere_is_not_corrected_unseen(phone: Phone, change: str) -> None:
    recorder = open_correction(phone)
    phone.page.locator('[data-key="cost-purpose"]').fill("Pizza och öl")
    version = recorder.state()["version"]
    if change == "corrected":
        dearer = {**PIZZA, "amount": 45_000}
        assert recorder.write("/costs/1", dearer, method="PUT", version=version).status == 200
    else:
        assert recorder.write("/costs/1", None, method="DELETE", version=version).status == 200
    warning = phone.page.locator("#notice .warning")
    if change == "corrected":
        expect(warning).to_contain_text("Utgiften har hunnit ändras. Så här står den nu.")
        see_entry(phone, "450", "Pizza")
    else:
        expect(warning).to_contain_text("Utgift 1 räknas inte längre.")
        see_entry(phone, "430", "Pizza och öl")


def test_a_purpose_corrected_elsewhere_is_not_corrected_unseen(phone: Phone) -> None:
    recorder = open_correction(phone)
    phone.page.locator('[data-key="cost-amount"]').fill("500")
    named, version = {**PIZZA, "purpose": "Sushi"}, recorder.state()["version"]
    assert recorder.write("/costs/1", named, method="PUT", version=version).status == 200
    see_entry(phone, "430", "Sushi")
    expect(phone.page.locator("#notice .warning")).to_contain_text("Utgiften har hunnit ändras")


def test_a_correction_refused_for_a_newer_one_shows_the_newer_one(phone: Phone) -> None:
    recorder = open_correction(phone)
    held: list[Route] = []
    phone.page.route("**/costs/1", lambda route: held.append(route))
    phone.page.locator('[data-key="cost-amount"]').fill("500")
    phone.tap("record-cost")
    phone.wait_until(lambda: bool(held))
    dearer, version = {**PIZZA, "amount": 45_000}, recorder.state()["version"]
    assert recorder.write("/costs/1", dearer, method="PUT", version=version).status == 200
    held[0].continue_()
    expect(phone.page.locator("#notice .warning")).to_contain_text("Kvällen har hunnit ändras")
    see_entry(phone, "450", "Pizza")


def test_a_correction_of_a_cost_outlives_a_deal_recorded_elsewhere(phone: Phone) -> None:
    recorder = open_correction(phone)
    phone.page.locator('[data-key="cost-purpose"]').fill("Pizza och öl")
    recorder.act(*ALL_PASS)
    expect(phone.page.locator('[data-key="record-cost"]')).to_be_enabled()
    see_entry(phone, "430", "Pizza och öl")


def test_a_cost_corrected_without_a_network_keeps_its_purpose(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    assert recorder.write("/costs", PIZZA).status == 201
    open_as_host(phone, recorder)
    unplug(phone)
    phone.visit("costs")
    phone.tap("correct-cost-1")
    expect(phone.page.locator("h1")).not_to_have_text("Gemensamma utgifter")
    plug_in(phone)
    see_entry(phone, "430", "Pizza")


def test_a_game_for_points_alone_has_no_costs(phone: Phone) -> None:
    record_and_open(phone, game="spader", options={})
    phone.tap("menu")
    expect(phone.page.locator('[data-key="rules"]')).to_be_visible()
    expect(phone.page.locator('[data-key="costs"]')).to_have_count(0)


def test_the_phone_divides_a_cost_as_the_ledger_does(phone: Phone) -> None:
    die, cases = Random(26), []
    for number in range(1, 2001):
        count = die.randint(1, 16)
        parts = [(f"p{n}", die.choice((0, 1, 1, 2, 99))) for n in range(1, count)]
        amount = die.choice((die.randint(1, 200), die.randint(1, MAX_AMOUNT)))
        cases.append((amount, [*parts, (f"p{count}", die.randint(1, 3))], number))
    phone.page.goto(f"{phone.url}/")
    divided = json.loads(phone.page.evaluate(DIVIDE, json.dumps(cases)))
    for shares, (amount, parts, number) in zip(divided, cases, strict=True):
        expected = divide_cost(amount, dict(parts), number)
        assert [(s["player"], s["parts"], s["amount"]) for s in shares] == [
            (share.player, share.parts, share.amount) for share in expected
        ], (amount, parts, number)


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing(styled_phone: Phone) -> None:
    recorder = record_elsewhere(styled_phone)
    for body in (PIZZA, {**PIZZA, "purpose": None}):
        recorder.write("/costs", body)
    recorder.write("/costs/2", None, method="DELETE", version=recorder.state()["version"])
    phone = open_as_host(styled_phone, recorder)
    phone.visit("costs")
    enter(phone, "p2", "x").tap("for-whom")
    assert find_violations_when_drawn(phone) == []
    phone.tap("correct-cost-1")
    expect(phone.page.locator('[data-key="cost-purpose"]')).to_have_value("Pizza")
    expect(phone.page.locator("details.disclosure[open]")).to_have_count(0)
    phone.tap("for-whom").mark("parts-p3", "2")
    assert find_violations_when_drawn(phone) == []


@sizes()
def test_it_fits_a_small_phone(lend: Lend, language: str, text: str) -> None:
    phone = lend(width=320, language=language)
    recorder = record_elsewhere(phone)
    recorder.write("/costs", {**PIZZA, "purpose": "Donaudampfschifffahrtsgesellschaft"})
    open_as_host(phone, recorder)
    phone.visit("costs")
    enter(phone, "p2", "1234567,89").tap("for-whom")
    assert find_misfits(phone, text) == []


@pytest.mark.parametrize("text", ["100%", "130%"])
def test_costs_are_read_in_whole_words_on_a_small_phone(lend: Lend, text: str) -> None:
    phone = lend(width=320, height=640)
    recorder = record_elsewhere(phone)
    recorder.write("/costs", {"payer": "p1", "amount": 120_000})
    open_as_host(phone, recorder)
    phone.visit("costs")
    assert find_broken_words(phone, "[data-cost]", text) == []
