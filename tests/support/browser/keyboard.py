"""A form used from the keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Self

from playwright.sync_api import expect

from tests.support.browser.phone import SEATS, Phone, deal_steps
from tests.support.player_names import FOUR_NAMES

MAX_STEPS = 60  # steps; no two elements of a screen are farther apart


FOCUS_STATE = """async (wanted) => {
  const frame = () => new Promise(requestAnimationFrame);
  const readState = () => {
    const here = document.activeElement;
    const there = [...document.querySelectorAll(wanted)].find((one) =>
      one.checkVisibility({visibilityProperty: true}) && !one.matches(':disabled'));
    const shown = here.matches('.pill input, .game input') ? here.nextElementSibling : here;
    const {outlineStyle, outlineWidth} = getComputedStyle(shown);
    const box = here.getBoundingClientRect();
    const middle = Math.min(Math.max(box.x + box.width / 2, 1), innerWidth - 1);
    const over = document.elementFromPoint(middle, box.y + Math.min(box.height / 2, 40));
    const near = [here, shown].some((one) => one.contains(over) || over?.contains(one));
    const way = there && here.compareDocumentPosition(there);
    return {
      lost: here === document.body, arrived: here === there,
      reachable: Boolean(there && !there.closest('[inert]')),
      back: Boolean(way & Node.DOCUMENT_POSITION_PRECEDING),
      name: here.dataset.key ?? here.outerHTML.slice(0, 80),
      quiet: here.matches('h1, .question'), // to read on from: nothing is pressed there
      ringed: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      covered: !near && `it lies under ${over?.outerHTML.slice(0, 80)}`,
      jumped: document.querySelectorAll('[tabindex]:not([tabindex="0"], [tabindex="-1"])').length,
    };
  };
  let state = readState();
  // The browser scrolls to the focus in the next frame; a settled payment moves it once more.
  for (let frames = 0; (state.lost || state.covered) && frames < 30; frames += 1) {
    await frame();
    state = readState();
  }
  return state;
}"""


class Keys:
    """A user who reaches elements with keys, and never points at them."""

    def __init__(self, phone: Phone) -> None:
        self.phone, self.page, self.keys = phone, phone.page, phone.page.keyboard

    def check_focus(self, selector: str, *, reachable: bool = False) -> dict[str, Any]:
        """Check that the focus is visible, and return where it is on the way to this element.
        `reachable`: once the element can be reached."""
        result: dict[str, Any] = self.page.evaluate(FOCUS_STATE, selector)
        if reachable and not result["reachable"]:
            self.page.wait_for_selector(f":is({selector}):not(:disabled, [inert] *)")
            result = self.page.evaluate(FOCUS_STATE, selector)
        assert not result["lost"], f"the focus is lost on the way to {selector}"
        assert result["quiet"] or result["ringed"], f"nobody sees the focus on {result['name']}"
        assert result["quiet"] or not result["covered"], f"{result['name']}: {result['covered']}"
        assert result["jumped"] == 0
        return result

    def go_to(self, selector: str) -> Self:
        """Press Tab, or Shift+Tab to go back, until this element has the focus."""
        for _ in range(MAX_STEPS):
            focus = self.check_focus(selector, reachable=True)
            if focus["arrived"]:
                return self
            self.keys.press("Shift+Tab" if focus["back"] else "Tab")
        raise AssertionError(f"{selector} lies too far away")

    def press(self, *keys: str, key: str = "Enter") -> Self:
        """Press a key on each of these elements."""
        for data_key in keys:
            self.go_to(f'[data-key="{data_key}"]').keys.press(key)
            self.check_focus("h1")
        return self

    def arrow(self, radio: str, value: str) -> Self:
        """Move within a group of radio buttons with the arrows, from the chosen one to this
        value."""
        self.go_to(f"{radio}:checked")
        for _ in range(MAX_STEPS):
            if self.page.evaluate("document.activeElement.value") == value:
                return self
            self.keys.press("ArrowRight")
            self.check_focus("h1")
        raise AssertionError(f"no arrow leads to {value}")

    def see_screen(self, hash_end: str) -> Self:
        """Check that a new screen is open, with the focus on its heading."""
        expect(self.page.locator("body")).to_have_attribute(
            "data-at",
            re.compile(rf"{hash_end}$"),
        )
        expect(self.page.locator("h1")).to_be_focused()
        return self

    def begin(self, game: str = "polskt_pass", names: Sequence[str] = FOUR_NAMES) -> Self:
        self.page.goto(self.phone.url + "/#/")
        self.press("new").see_screen("#/new")
        self.arrow(".game input", game)
        for place, name in enumerate(names, start=1):
            self.go_to(f".lineup li:nth-child({place}) input")
            self.keys.press("Control+a")
            self.keys.type(name)
        self.press("open")
        self.phone.see_table()
        return self.see_screen(r"#/s/[^/]+")

    def play(self, number: int, declarers: str, tricks: str) -> None:
        """Record a deal as `Phone.play` does, from the keyboard."""
        self.press("record").see_screen("/record")
        for key, seat in deal_steps(declarers, tricks):
            self.press(key) if key else self.seat(seat)
        self.see_result(number)

    def seat(self, letters: str) -> Self:
        return self.press(*(f"seat-p{SEATS.index(letter) + 1}" for letter in letters))

    def see_result(self, number: int) -> Self:
        self.phone.see_result(number)
        return self.see_screen(rf"/deal/{number}")
