"""Score sheets as a host finds and prints them, in each language."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.api.printed_page import (
    drawn_modules,
    expected_modules,
    page_text,
    printed_pages,
)
from tests.support.browser.appearance import languages
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

WORDS = {
    "sv-SE": ("Protokoll, A5", "Spelförare"),
    "en-GB": ("Score sheet, A5", "Declarer"),
    "da-DK": ("Regnskabsark, A5", "Spilfører"),
    "de-DE": ("Spielzettel, A5", "Spielmacher"),
}


@languages(WORDS)
def test_a_sheet_of_the_evening_is_printed_from_the_menu(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = lend(language=language)
    phone.begin()
    phone.tap("menu").tap("paper")
    link, column = WORDS[language]
    sheet = phone.page.locator('[data-key="sheet-a5"]')
    expect(sheet).to_contain_text(link)
    with phone.page.expect_event("popup") as opened:
        phone.tap("sheet-a5")
    opened.value.close()
    answer = phone.page.request.get(phone.url + str(sheet.get_attribute("href")))
    (page,) = printed_pages(answer.body())
    text = page_text(page)
    assert all(name in text for name in FOUR_NAMES)
    assert column in text.replace("-", "")
    links = phone.read("/links")["links"]
    assert isinstance(links, list)
    viewer_url = next(link["url"] for link in links if link["role"] == "viewer")
    assert drawn_modules(page) == expected_modules(viewer_url)
