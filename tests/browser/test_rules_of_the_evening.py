"""The screen of rules also explains what does not depend on the game: shared costs, and paper."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable

import pypdf
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


def test_printed_rules_have_the_text_of_every_topic_in_dark_on_white(
    lend: Callable[..., Phone],
) -> None:
    phone = lend(language="en-GB")
    phone.page.emulate_media(color_scheme="dark")
    phone.page.goto(phone.url + "/#/rules")
    expect(phone.page.locator("details").last).to_be_visible()
    expect(phone.page.locator("details[open]")).to_have_count(0)
    texts = phone.page.locator(".prose > :first-child").all_text_contents()
    document = io.BytesIO(phone.page.pdf(format="A4"))
    pages = [page.extract_text() for page in pypdf.PdfReader(document).pages]
    printed = "".join(unicodedata.normalize("NFKC", "".join(pages)).split())
    assert [text for text in texts if "".join(text.split()) not in printed] == []
    phone.page.emulate_media(media="print")
    text_color = phone.page.evaluate("getComputedStyle(document.body).color")
    assert text_color == "rgb(31, 36, 31)"
