"""What axe-core finds wrong on any screen, in either colour scheme: nothing.

axe-core is kept beside this file (MPL-2.0, see vendor/), so that nothing is fetched.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.phone import Phone

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (rules) => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations']});
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) =>
    `${id}: ${node.html.slice(0, 120)} ${node.failureSummary.split('\\n').slice(1, 3).join(' ')}`));
}"""
SCREENS = ["", "deals", "deal/1", "statement", "settlement", "share", "players", "close", "rules"]


@pytest.mark.parametrize(("scheme", "language"), [("dark", "sv-SE"), ("light", "de-DE")])
def test_axe_finds_nothing(lend: Callable[..., Phone], scheme: str, language: str) -> None:
    phone = lend(scheme=scheme, language=language)
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if not phone.page.evaluate("'axe' in window"):
            phone.page.evaluate(AXE.read_text("utf-8"))
        found[name] = phone.page.evaluate(RUN, RULES)

    phone.page.goto(phone.url + "/")
    phone.begin()
    phone.play(1, "AD", "BBCBA")
    look("result with a choice")
    for screen in SCREENS:
        phone.page.evaluate(
            f"location.hash = location.hash.split('/').slice(0, 3).join('/') + '/{screen}'"
        )
        place = phone.page.evaluate("location.hash")
        expect(phone.page.locator("body")).to_have_attribute("data-at", place)
        look(screen or "table")
    phone.visit("")
    phone.see_table()
    phone.tap("menu")
    look("menu")
    phone.page.keyboard.press("Escape")
    phone.tap("record")
    look("who declares")
    phone.seat("BCC")
    look("recording")
    for address in ("/#/new", "/#/"):
        phone.page.goto(phone.url + address)
        expect(phone.page.locator("body")).to_have_attribute("data-at", address[1:])
        look(address)
    phone.page.goto(phone.url + "/#/new")
    phone.page.locator(".lineup input").first.fill("Ada")
    for rest in phone.page.locator(".lineup input").all()[1:]:
        rest.fill("")
    phone.tap("open")
    expect(phone.page.locator(".wrong")).to_be_visible()
    look("a complaint")
    assert {screen: wrong for screen, wrong in found.items() if wrong} == {}
