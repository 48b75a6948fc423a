"""The page itself holds the first sentences, so that a slow network shows something to read."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from api.i18n.catalog import LANGUAGES
from api.web.assets import WEB_FOLDER
from tests.support.browser.appearance import PHONE
from tests.support.browser.phone import Phone

MOTTO = {
    "sv-SE": "Korten ligger på bordet. Vola sköter pengarna.",
    "en-GB": "The cards are on the table. Vola minds the money.",
    "da-DK": "Kortene ligger på bordet. Vola passer pengene.",
    "de-DE": "Die Karten liegen auf dem Tisch. Vola hütet das Geld.",
    "fi-FI": "Korten ligger på bordet. Vola sköter pengarna.",
}
READ_FIRST = (".fan", ".headline", ".prose p:first-child")


@pytest.mark.parametrize("language", MOTTO)
def test_the_front_page_without_scripts_is_in_the_readers_language(
    browser: Browser, server_url: str, language: str
) -> None:
    with browser.new_context(java_script_enabled=False, locale=language, viewport=PHONE) as context:
        page = context.new_page()
        page.goto(server_url)
        expect(page.locator(".headline")).to_have_text(MOTTO[language])
        expect(page.locator(".prose p")).to_be_visible()
        tongue = language[:2] if language != "fi-FI" else "sv"
        expect(page.locator("html")).to_have_attribute("lang", tongue)


def places(page: Page) -> list[dict[str, float] | None]:
    return [page.locator(selector).bounding_box() for selector in READ_FIRST]


@pytest.mark.parametrize("language", ["sv-SE", "de-DE"])
def test_a_first_visit_moves_nothing_while_the_page_loads(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = lend(language=language)
    before: list[list[dict[str, float] | None]] = []

    def late(route: Route) -> None:
        before.append(places(phone.page))
        route.continue_()

    phone.page.route("**/translations/*.json", late)
    phone.page.goto(phone.url)
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    expect(phone.page.locator(".fan rect").first).to_be_visible()
    assert before[0] == places(phone.page)


def test_sessions_stand_above_the_introduction(phone: Phone) -> None:
    phone.begin()
    phone.page.goto(phone.url)
    expect(phone.page.locator(".row-link").first).to_be_visible()
    evenings = phone.page.locator("h2").first.bounding_box()
    box = phone.page.locator(".prose p").first.bounding_box()
    assert evenings is not None
    assert box is not None
    assert evenings["y"] < box["y"]


def test_the_first_page_has_every_language_of_the_form() -> None:
    catalogs = {path.stem for path in (WEB_FOLDER / "translations").glob("??.json")}
    assert set(LANGUAGES) == catalogs == {Path(name).name[:2] for name in MOTTO} - {"fi"}
