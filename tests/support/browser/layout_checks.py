"""The layout of a screen: what is too wide, too small for a thumb, or found by axe-core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import expect

from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone

LONG_NAME = "Maximiliana-Wilhelmina af Korsholm Vasa"
COVERED_POT = """() => [...document.querySelectorAll('.pot, .subtext')].flatMap((line) => {
  const range = new Range();
  range.selectNodeContents(line);
  const text = range.getBoundingClientRect();
  return [...document.querySelectorAll('.seat')].filter((seat) => {
    const { left, right, top, bottom } = seat.getBoundingClientRect();
    return left < text.right && text.left < right && top < text.bottom && text.top < bottom;
  }).map((seat) => `${line.textContent} ${seat.textContent}`);
})"""
"""The sums and notes of the table that a seat covers."""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL_TARGETS = """() => [
    ...document.querySelectorAll('a, button, select, summary, input[type=text]')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled)
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([, box]) => box.width < 47.5 || box.height < 47.5)
  .map(([e, box]) => `${e.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`)"""


def find_misfits(phone: Phone, text: str) -> list[str]:
    """Set the text to this size, and return what does not fit: the screen, if it is too wide for
    the phone, and at 100% what is too small for a thumb."""
    phone.page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
    wide = phone.page.evaluate(TOO_WIDE)
    small: list[str] = phone.page.evaluate(SMALL_TARGETS) if text == "100%" else []
    return [f"{wide} px too wide", *small] if wide > 0 else small


LINES = """(element) => {
  const range = new Range();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}"""
"""On how many lines the text of an element stands."""

BROKEN_WORDS = """(selector) => [...document.querySelectorAll(selector)].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = new Range();
  const broken = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  return broken;
})"""


def find_broken_words(phone: Phone, selector: str, text: str = "130%") -> list[str]:
    """Set the text to this size and return the words in these elements that do not stand on one
    line."""
    expect(phone.page.locator(selector).first).to_be_visible()
    phone.page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
    broken: list[str] = phone.page.evaluate(BROKEN_WORDS, selector)
    return broken


def wait_until_drawn(phone: Phone) -> None:
    """Wait until the screen that the address names is drawn."""
    place = phone.page.evaluate("location.hash")
    expect(phone.page.locator("body")).to_have_attribute("data-at", place)


AXE = Path(__file__).parent / "vendor" / "axe.min.js"
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = """async (rules) => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ['violations']});
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) =>
    `${id}: ${node.html.slice(0, 120)} ${node.failureSummary.split('\\n').slice(1, 3).join(' ')}`));
}"""


def find_violations(phone: Phone) -> list[str]:
    """Return what axe-core finds, on a page at its full length, so that the bar at the bottom
    covers nothing."""
    if not phone.page.evaluate("'axe' in window"):
        phone.page.evaluate(AXE.read_text("utf-8"))
    small = phone.page.viewport_size
    assert small is not None
    length = phone.page.evaluate("document.documentElement.scrollHeight")
    phone.page.set_viewport_size({"width": small["width"], "height": max(small["height"], length)})
    result: list[str] = phone.page.evaluate(RUN_AXE, AXE_RULES)
    phone.page.set_viewport_size(small)
    return result


def find_violations_when_drawn(phone: Phone) -> list[str]:
    """Return `find_violations` once the tapped screen is drawn and no request is under way."""
    wait_until(phone.page, "() => document.body.dataset.at === location.hash")
    expect(phone.page.locator(".busy")).to_have_count(0)
    return find_violations(phone)


@dataclass(frozen=True)
class ScreenChecks:
    """One check, made on every screen that a test opens; `faults` holds its findings by screen."""

    check: Callable[[Phone], list[str]]
    faults: dict[str, list[str]] = field(default_factory=dict)

    def look(self, phone: Phone, screen: str, visible: str = "") -> None:
        """Check the screen once the element of the selector `visible` is visible."""
        if visible:
            expect(phone.page.locator(visible)).to_be_visible()
        if found := self.check(phone):
            self.faults[screen] = found
