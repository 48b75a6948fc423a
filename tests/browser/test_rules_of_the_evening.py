"""The screen of rules also explains what does not depend on the game: shared costs, and paper."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.support.browser.appearance import languages
from tests.support.browser.layout_checks import find_broken_words
from tests.support.browser.phone import Phone

WORDS = {
    "sv-SE": ("Gemensamma utgifter", "På papper"),
    "en-GB": ("Shared costs", "On paper"),
    "da-DK": ("Fælles udgifter", "På papir"),
    "de-DE": ("Gemeinsame Ausgaben", "Auf Papier"),
}


def topic(phone: Phone, title: str) -> Locator:
    return phone.page.locator("details", has=phone.page.locator("summary", has_text=title))


@languages(WORDS)
def test_the_rules_say_where_costs_and_paper_are(lend: Callable[..., Phone], language: str) -> None:
    phone = lend(language=language)
    phone.page.goto(phone.url + "/rules")
    for title in WORDS[language]:
        fold = topic(phone, title)
        fold.locator("summary").tap()
        expect(fold.locator(".prose")).to_contain_text(title)


def test_a_cost_s_rule_leads_to_the_topic_of_costs(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.visit("rules/10.2")
    expect(phone.page.locator("details[open] > summary")).to_contain_text("§10.2")


@languages(WORDS)
def test_topics_stay_whole_beside_their_rules(lend: Callable[..., Phone], language: str) -> None:
    phone = lend(width=320, height=640, language=language)
    phone.page.goto(phone.url + "/#/rules")
    assert find_broken_words(phone, "summary") == []
