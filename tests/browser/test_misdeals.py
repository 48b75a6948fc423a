"""A misdeal recorded in the middle of a deal: a sheet says what it changes, the deal does not
count, and the rules of the evening decide who deals next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.support.browser.appearance import looks
from tests.support.browser.connection import (
    load_offline_form,
    plug_in,
    read_deals,
    see_all_sent,
    set_flight_mode,
    unplug,
)
from tests.support.browser.keyboard import Keys
from tests.support.browser.layout_checks import TOO_WIDE, find_misfits, find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    deal_actions,
    open_as_host,
    record_and_open,
    record_elsewhere,
)
from tests.support.browser.storage_faults import DRAFTS

DECLARED = deal_actions({"type": "declare", "players": ["p2"]})
ANTE = {"options": {"stake": 1_000}}
BEGUN_DEALS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], str]] = {
    "polskt_pass": (ANTE, DECLARED, "Giv 1 räknas inte, och insatsen går tillbaka."),
    "polskpas": (ANTE, DECLARED, "Giv 1 räknas inte, och insatsen går tillbaka."),
    "spader": (
        {"options": {}},
        deal_actions({"type": "side_bid", "side": "p2+p4", "tricks": 4}),
        "Giv 1 räknas inte.",
    ),
    "knektpass": (
        {"options": {}},
        deal_actions({"type": "stay", "player": "p2"}),
        "Giv 1 räknas inte.",
    ),
}
NEXT_DEALER = {"game": "spader", "options": {"misdeal_policy": "next_dealer"}}
UNSENT = "Inget av giv 1 är skickat. Det som är inskrivet här tas bara bort, och Ada ger om."


def sheet(phone: Phone) -> Locator:
    return phone.page.locator("dialog[open] p")


def ask(phone: Phone, *sentences: str) -> None:
    """Tap the button, and check what the sheet says."""
    phone.tap("misdeal")
    expect(sheet(phone)).to_have_text(list(sentences))


def misdeal_button(phone: Phone) -> Locator:
    return phone.page.locator('[data-key="misdeal"]')


def next_button(phone: Phone) -> Locator:
    return phone.page.locator('[data-key="record"]')


def deals(phone: Phone) -> list[tuple[object, object]]:
    return [(deal["number"], deal["status"]) for deal in read_deals(phone)]


def next_deal(phone: Phone) -> tuple[object, object]:
    deal: Any = phone.read("")["deal"]
    return deal["number"], deal["dealer"]


@pytest.mark.parametrize("game", BEGUN_DEALS)
def test_a_misdeal_ends_the_open_deal_in_every_game(phone: Phone, game: str) -> None:
    opening, begun, what = BEGUN_DEALS[game]
    record_and_open(phone, begun, game=game, **opening).tap("record")
    ask(
        phone,
        what,
        "Enligt kvällens regler ger Ada om. Det blir giv 2.",
        "Det går inte att ångra.",
    )
    phone.tap("sure")
    phone.see_table()
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    expect(phone.page.locator("#status")).to_have_text("Giv 1 räknas inte.")
    assert deals(phone) == [(1, "voided")]
    assert next_deal(phone) == (2, "p1")
    if "stake" in opening["options"]:
        assert phone.read("")["balances"] == dict.fromkeys(("p1", "p2", "p3", "p4"), 0)


def test_play_goes_on_unless_the_misdeal_is_confirmed(phone: Phone) -> None:
    record_and_open(phone, DECLARED).tap("record")
    phone.tap("misdeal").tap("sure-no")
    expect(phone.page.locator("dialog")).to_have_count(0)
    phone.seat("CCDCB")
    phone.see_result(1)
    assert deals(phone) == [(1, "closed")]


def test_the_next_player_deals_where_the_turn_passes_on(phone: Phone) -> None:
    _, begun, what = BEGUN_DEALS["spader"]
    record_and_open(phone, begun, **NEXT_DEALER).tap("record")
    turn = "Enligt kvällens regler går turen vidare: Bo ger giv 2."
    ask(phone, what, turn, "Det går inte att ångra.")
    phone.tap("sure")
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    assert next_deal(phone) == (2, "p2")


@pytest.mark.parametrize("taps", ["", "bid-6"], ids=["nothing recorded", "a bid"])
def test_a_turn_passes_on_whatever_is_recorded(phone: Phone, taps: str) -> None:
    record_and_open(phone, **NEXT_DEALER).tap("record")
    for key in taps.split():
        phone.tap(key)
        expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    phone.tap("misdeal").tap("sure")
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    assert deals(phone) == [(1, "voided")]
    assert next_deal(phone) == (2, "p2")


@pytest.mark.parametrize("is_offline", [False, True], ids=["online", "offline"])
def test_taps_of_a_misdeal_that_nobody_else_has_are_dropped(phone: Phone, is_offline: bool) -> None:
    phone.begin()
    phone.tap("record")
    expect(misdeal_button(phone)).to_have_count(0)  # there is nothing to drop
    phone.seat("BCC")
    if is_offline:
        unplug(phone)
        expect(phone.page.locator(".sync.failed")).to_be_visible()
    ask(phone, UNSENT)
    phone.tap("sure")
    expect(next_button(phone)).to_have_text("Skriv in giv 1")
    assert phone.page.evaluate(DRAFTS) == []
    phone.tap("record")
    expect(phone.page.locator(".question")).to_contain_text("Vem är spelförare")
    plug_in(phone)
    assert deals(phone) == []


def test_a_count_of_a_misdeal_is_dropped(phone: Phone) -> None:
    """What is counted but not complete is not recorded."""
    phone.begin(game="knektpass")
    phone.tap("record").tap("depth-result").tap("with-p2-0")
    ask(phone, UNSENT)
    phone.tap("sure").tap("record")
    expect(phone.page.locator('[data-key="undo-tap"]')).to_have_count(0)
    assert deals(phone) == []


def test_a_misdeal_without_a_network_is_sent_later(lend: Callable[..., Phone]) -> None:
    phone = lend(installed=True)
    load_offline_form(phone)
    _, begun, what = BEGUN_DEALS["spader"]
    record_and_open(phone, begun, game="spader", options={}).tap("record")
    expect(misdeal_button(phone)).to_be_visible()
    set_flight_mode(phone)
    expect(phone.page.locator(".sync.failed")).to_be_visible()
    ask(
        phone,
        what,
        "Enligt kvällens regler ger Ada om. Det blir giv 2.",
        "Felgiven skickas när det finns kontakt. Till dess kan ingen ny giv skrivas in.",
    )
    phone.tap("sure")
    expect(phone.page.locator(".banner")).to_contain_text("En inskrivning är sparad")
    expect(next_button(phone)).to_have_count(0)
    undo = phone.page.locator('[data-key="undo"]')
    expect(undo).to_have_text("Ångra strykningen av giv 1")
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    assert deals(phone) == [(1, "voided")]


def test_a_misdeal_waits_for_what_is_not_sent_yet(phone: Phone) -> None:
    """The first bid was sent as the network went, so it may have been received."""
    record_and_open(phone, game="spader", options={}).tap("record")
    unplug(phone)
    phone.tap("bid-6")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    ask(phone, "Det här går först när allt som väntar i telefonen är skickat.")
    phone.tap("sure-no")
    plug_in(phone)
    see_all_sent(phone)
    phone.tap("misdeal").tap("sure")
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    assert deals(phone) == [(1, "voided")]


def test_a_turn_passes_on_only_with_the_server(phone: Phone) -> None:
    record_and_open(phone, **NEXT_DEALER).tap("record")
    expect(misdeal_button(phone)).to_be_visible()
    unplug(phone)
    expect(phone.page.locator(".sync.failed")).to_be_visible()
    ask(phone, "Ingen kontakt med Vola just nu. Försök igen om en stund.")


def test_a_misdeal_spares_what_another_phone_has_just_recorded(phone: Phone) -> None:
    """The sheet was about a deal with one bid; with another one it is not the same any more."""
    recorder = record_elsewhere(phone, BEGUN_DEALS["spader"][1], game="spader", options={})
    open_as_host(phone, recorder).tap("record").tap("misdeal")
    expect(sheet(phone)).to_have_count(3)
    hold_reads(phone)
    recorder.act({"type": "side_bid", "side": "p1+p3", "tricks": 6})
    phone.tap("sure")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.page.unroute("**/v1/sessions/**")
    assert deals(phone) == [(1, "open")]


def test_a_refused_misdeal_leaves_what_was_tapped_since(phone: Phone) -> None:
    held: list[Route] = []
    record_and_open(phone, options={"misdeal_policy": "next_dealer"}).tap("record").seat("BCC")
    phone.page.route("**/actions", lambda route: held.append(route))
    phone.tap("misdeal").tap("sure")
    phone.wait_until(lambda: len(held) == 1)
    phone.visit("record")
    phone.seat("D")
    expect(phone.page.locator(".question")).to_contain_text("stick 1")
    refused = '{"code": "session_is_closed", "detail": "Det går inte nu.", "status": 409}'
    held[0].fulfill(status=409, body=refused, content_type="application/problem+json")
    expect(phone.page.locator("#notice .warning")).to_contain_text("Det går inte nu.")
    phone.page.reload()
    expect(phone.page.locator("main")).to_contain_text("Spelförare: Disa")
    expect(phone.page.locator(".question")).to_contain_text("stick 1")


def hold_reads(phone: Phone) -> None:
    """Let the phone learn of no change."""
    phone.page.route(
        "**/v1/sessions/**",
        lambda route: route.abort() if route.request.method == "GET" else route.continue_(),
    )


def test_taps_behind_an_open_deal_go_with_the_misdeal(phone: Phone) -> None:
    """No question about them meets the next deal."""
    record_and_open(phone, DECLARED).tap("record").seat("CC")
    phone.tap("misdeal").tap("sure")
    expect(next_button(phone)).to_have_text("Skriv in giv 2")
    assert phone.page.evaluate(DRAFTS) == []
    phone.play(2, "B", "CCDCB")
    assert deals(phone) == [(1, "voided"), (2, "closed")]


def test_a_correction_has_no_misdeal(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("correct/1/anew")
    phone.seat("BC")
    expect(phone.page.locator(".question")).to_contain_text("stick 2")
    expect(misdeal_button(phone)).to_have_count(0)


@pytest.mark.parametrize("game", ["polskt_pass", "knektpass"])
def test_a_misdeal_from_the_keyboard(phone: Phone, game: str) -> None:
    opening, begun, _ = BEGUN_DEALS[game]
    record_and_open(phone, begun, game=game, **opening)
    keys = Keys(phone).press("record").see_screen("/record").press("misdeal")
    phone.close_dialog()
    expect(misdeal_button(phone)).to_be_focused()
    keys.press("misdeal", "sure").see_screen(r"#/s/[^/]+")
    expect(next_button(phone)).to_have_text("Skriv in giv 2")


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_about_a_misdeal(styled_phone: Phone) -> None:
    phone = record_and_open(styled_phone, DECLARED).tap("record")
    expect(misdeal_button(phone)).to_be_visible()
    assert find_violations(phone) == []
    phone.tap("misdeal")
    expect(sheet(phone)).to_have_count(3)
    assert find_violations(phone) == []


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_the_misdeal_button_fits_a_small_phone(lend: Callable[..., Phone], text: str) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    record_and_open(phone, DECLARED).tap("record")
    expect(misdeal_button(phone)).to_have_text("Falsch gegeben")
    assert find_misfits(phone, text) == []
    phone.tap("misdeal")
    expect(sheet(phone)).to_have_count(3)
    assert phone.page.evaluate(TOO_WIDE) <= 0
