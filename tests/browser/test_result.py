"""The result of a deal, in the order in which people ask for it; and the menu, in groups."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.games.game import Game
from engine.games.registry import GAMES
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere

Lend = Callable[..., Phone]


def tops(phone: Phone, *selectors: str) -> list[float]:
    """Return the top of each selector's first element, all at once: a response may redraw the
    page."""
    for selector in selectors:
        expect(phone.page.locator(selector).first).to_be_visible()
    top = "(all) => all.map((one) => document.querySelector(one).getBoundingClientRect().top)"
    result: list[float] = phone.page.evaluate(top, list(selectors))
    return result


def test_a_result_shows_verdict_then_standings_then_reasons(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    order = tops(phone, ".verdict", "[data-balance]", ".postings", ".outcome-facts")
    assert len(order) == 4
    assert order == sorted(order)


def test_the_number_of_a_rule_leads_to_that_rule(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    rule = phone.page.locator(".postings .rule-link", has_text="§1.6").first
    rule.tap()
    expect(phone.page).to_have_url(re.compile(r"/rules/1\.6$"))
    expect(phone.page.locator("details[open] > summary").first).to_be_focused()
    expect(phone.page.locator("details[open] > summary")).to_contain_text(["§1.6", "§1.6"])
    expect(phone.page.locator("details[open] .prose").last).to_contain_text("sätter en bet")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_game_knows_which_topic_explains_a_rule_that_it_cites(
    phone: Phone, game: Game[Any, Any]
) -> None:
    references = game.rule_references(game.options_type()).values()
    phone.begin(("Ada", "Bo", "Cilla", "Disa"), game.key)
    for section in sorted({text[1:] for text in references if text.startswith("§")}):
        phone.visit(f"rules/{section}")
        expect(phone.page.locator("details[open] > summary").first).to_contain_text(f"§{section}")


def test_the_list_of_deals_shows_who_won_and_what(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("deals")
    row = phone.page.locator(".row", has=phone.page.locator('[data-key="deal-1"]'))
    expect(row.locator(".trick-takers")).to_have_text("C+10 kr")


def test_a_deal_that_nobody_won_shows_no_badge(phone: Phone) -> None:
    open_as_host(phone, record_elsewhere(phone, ALL_PASS)).visit("deals")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    expect(phone.page.locator(".trick-takers")).to_have_count(0)


def test_a_settled_la_vola_is_folded_beneath_the_bets(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.play(2, "C", "AA!*")
    phone.tap("table")
    booked = phone.page.locator('[data-key="booked"]')
    expect(booked).to_have_text("La vola: bokfört")
    expect(phone.page.locator(".tag.settled").first).not_to_be_visible()
    bets = phone.page.locator("h2", has_text="Betar").bounding_box()
    fold = booked.bounding_box()
    assert bets
    assert fold
    assert bets["y"] < fold["y"]
    booked.tap()
    expect(phone.page.locator(".tag.settled")).to_have_count(3)


GROUPS = ["Kvällen", "Pengarna", "Bordet", "Reglerna", "Inställningar"]


def test_the_menu_is_in_groups_with_one_way_to_settle_up_and_close(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table").tap("menu")
    expect(phone.page.locator("dialog h3")).to_have_text(GROUPS)
    expect(phone.page.locator('dialog a[href$="/settlement"]')).to_have_count(0)
    ending = phone.page.locator('dialog a[href$="/close"]')
    expect(ending).to_have_text("Gör upp och avsluta")
    ending.tap()
    phone.tap("close")
    expect(phone.page).to_have_url(f"{phone.table_url()}/settlement")
    phone.visit("")
    phone.tap("menu")
    expect(phone.page.locator('dialog a[href$="/settlement"]')).to_have_text("Gör upp")
    expect(phone.page.locator('dialog a[href$="/close"]')).to_have_count(0)


def test_a_game_for_points_alone_is_only_closed(phone: Phone) -> None:
    phone.begin(("Ada", "Bo"), "knektpass")
    phone.tap("menu")
    expect(phone.page.locator('dialog a[href$="/close"]')).to_have_text("Avsluta kvällen")
    expect(phone.page.locator('dialog a[href$="/players"]')).to_have_count(0)


def test_a_scorer_is_led_to_the_payments(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    recorder.token = recorder.tokens["scorer"]
    open_as_host(phone, recorder).tap("menu")
    expect(phone.page.locator('dialog a[href$="/settlement"]')).to_have_text("Gör upp")
    expect(phone.page.locator('dialog a[href$="/close"]')).to_have_count(0)


@pytest.mark.parametrize("language", ["sv-SE", "de-DE"])
def test_the_menu_and_a_result_fit_on_the_smallest_phone(lend: Lend, language: str) -> None:
    phone = lend(width=320, height=568, language=language)
    phone.begin(("Wilhelmina-Charlotta", "Bo", "Cilla", "Disa"))
    phone.play(1, "B", "CCDCB")
    for screen in ("deal/1", "deals", "rules/1.6", ""):
        phone.visit(screen)
        wait_until_drawn(phone)
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 320, screen
    phone.tap("menu")
    expect(phone.page.locator("dialog h3")).to_have_count(5)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_new_language_leaves_no_announcement_in_the_old_one(phone: Phone) -> None:
    phone.begin().play(1, "B", "CCDCB")
    expect(phone.page.locator("#status")).to_contain_text("Cilla vann")
    phone.page.evaluate("location.hash = location.hash.split('/').slice(0, 3).join('/')")
    phone.tap("menu").page.locator('[data-key="language"]').select_option("de")
    expect(phone.page.locator("html")).to_have_attribute("lang", "de")
    expect(phone.page.locator("body")).not_to_contain_text("Cilla vann")
