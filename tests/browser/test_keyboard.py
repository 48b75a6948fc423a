"""An evening without touching the screen: Tab, Enter, the space bar and the arrows, nothing else.

At every step the focus is somewhere, can be seen, and lies under nothing; and the way from one
thing to another is only as long as the page between them.
"""

import re
from collections.abc import Sequence
from typing import Any, Self

from playwright.sync_api import Route, expect

from tests.browser.phone import FOUR, SEATS, Phone, written
from tests.browser.test_evening import E1

FAR = 60  # steps; no two things of one screen lie farther from each other

STANDS = """(wanted) => {
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
    back: Boolean(way & Node.DOCUMENT_POSITION_PRECEDING),
    name: here.dataset.key ?? here.outerHTML.slice(0, 80),
    quiet: here.matches('h1, .question'), // to read on from: nothing is pressed there
    ringed: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    covered: !near && `it lies under ${over?.outerHTML.slice(0, 80)}`,
    jumped: document.querySelectorAll('[tabindex]:not([tabindex="0"], [tabindex="-1"])').length,
  };
}"""


class Keys:
    """Goes to things as somebody does who cannot point at them."""

    def __init__(self, phone: Phone) -> None:
        self.phone, self.page, self.keys = phone, phone.page, phone.page.keyboard

    def stands(self, wanted: str) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(STANDS, wanted)
        assert not found["lost"], f"the focus is lost on the way to {wanted}"
        assert found["quiet"] or found["ringed"], f"nobody sees the focus on {found['name']}"
        assert found["quiet"] or not found["covered"], f"{found['name']}: {found['covered']}"
        assert found["jumped"] == 0
        return found

    def to(self, wanted: str) -> Self:
        """Along the page with Tab, or back with Shift, until the focus is on this."""
        for _ in range(FAR):
            self.page.wait_for_selector(f":is({wanted}):not(:disabled, [inert] *)")
            found = self.stands(wanted)
            if found["arrived"]:
                return self
            self.keys.press("Shift+Tab" if found["back"] else "Tab")
        raise AssertionError(f"{wanted} lies too far away")

    def press(self, *keys: str, key: str = "Enter") -> Self:
        """On each of these things."""
        for one in keys:
            self.to(f'[data-key="{one}"]').keys.press(key)
            self.stands("h1")
        return self

    def arrow(self, radio: str, value: str) -> Self:
        """From the chosen one of a group to another, with the arrows."""
        self.to(f"{radio}:checked")
        for _ in range(FAR):
            if self.page.evaluate("document.activeElement.value") == value:
                return self
            self.keys.press("ArrowRight")
            self.stands("h1")
        raise AssertionError(f"no arrow leads to {value}")

    def arrived(self, hash_end: str) -> Self:
        """A new screen: whoever came is put at its heading."""
        expect(self.page.locator("body")).to_have_attribute(
            "data-at",
            re.compile(rf"{hash_end}$"),
        )
        expect(self.page.locator("h1")).to_be_focused()
        return self

    def begin(self, game: str = "polskt_pass", names: Sequence[str] = FOUR) -> Self:
        self.page.goto(self.phone.url + "/#/")
        self.press("new").arrived("#/new")
        self.arrow(".game input", game)
        for place, name in enumerate(names, start=1):
            self.to(f".lineup li:nth-child({place}) input")
            self.keys.press("Control+a")
            self.keys.type(name)
        self.press("open")
        self.phone.see_table()
        return self.arrived(r"#/s/[^/]+")

    def play(self, number: int, declarers: str, tricks: str) -> None:
        """As `Phone.play`, without a thumb."""
        self.press("record").arrived("/record")
        if not declarers:
            self.press("all-pass")
        elif len(declarers) == 2:
            self.press("both")
        else:
            self.seat(declarers)
        for sign in tricks:
            special = {"!": "vola", "*": "all-five"}.get(sign)
            self.press(special) if special else self.seat(sign)
        self.seen(number)

    def seat(self, letters: str) -> Self:
        return self.press(*(f"seat-p{SEATS.index(letter) + 1}" for letter in letters))

    def seen(self, number: int) -> Self:
        self.phone.see_result(number)
        return self.arrived(rf"/deal/{number}")


def test_an_evening_of_polskt_pass_from_the_keyboard(phone: Phone) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator("h1")).to_be_focused()
    keys = Keys(phone).begin()
    for number, (declarers, tricks, balances) in enumerate(E1, start=1):
        keys.play(number, declarers, tricks)
        phone.balances(balances)
    keys.press("undo").arrived("/record")
    keys.seat("C").seen(7)  # the fifth trick is said again
    phone.balances(E1[-1][2])
    keys.press("table")
    expect(phone.page.locator(".sum")).to_have_text([written(k) for k in E1[-1][2]])

    for screen in ("pictures", "rules", "share", "players", "circle", "board"):
        keys.press("menu").to(f'dialog a[href$="/{screen}"]').keys.press("Enter")
        keys.arrived(f"/{screen}").press("back").arrived(r"#/s/[^/]+")
    keys.press("hint-stake").keys.press("Escape")
    assert keys.stands("h1")["name"] == "hint-stake"

    keys.press("menu").to('dialog a[href$="/deals"]').keys.press("Enter")
    keys.arrived("/deals").to('[data-key="slider"]').keys.press("ArrowLeft")
    expect(phone.page.locator(".stood .felt")).to_be_visible()
    keys.press("later")
    assert keys.stands("h1")["name"] == "slider"  # there is nothing later
    keys.press("correct-2").arrived("/correct/2")
    keys.press("row-1-p2", "row-2-p1", "row-3-p2", "row-5-p4", "reason-2", "correct")
    expect(phone.page.locator(".compare .half")).to_have_count(2)
    phone.balances((-70, -20, 150, -60))

    keys.press("table", "menu").to('dialog a[href$="/close"]').keys.press("Enter")
    keys.arrived("/close").press("close").arrived("/settlement")
    keys.arrow("[name=way]", "through").arrow("[name=way]", "fewest")
    keys.press("pass-on").keys.press("Escape")
    keys.press("paid-p1-p3", "paid-p2-p3", "open-p4-p3").arrived("/p4-p3")
    keys.press("receipt").arrived("/settlement")
    expect(phone.page.locator(".calm")).to_be_visible()
    keys.press("statement").arrived("/statement")
    keys.to("[name=whose]:checked, .pill input:checked")


def test_a_deal_of_every_other_game_from_the_keyboard(phone: Phone) -> None:
    keys = Keys(phone).begin("polskpas")
    keys.play(1, "B", "CBCAC")
    phone.balances((-10, -10, 0, 0))

    keys.begin("spader").press("record").arrived("/record")
    keys.arrow("[name=nil]", "nil p2").press("bid-4", "bid-8")
    for count in (5, 4, 0):
        keys.press(f"pad-{count}")
    keys.press("send").seen(1)
    phone.points({"p1+p3": 81, "p2+p4": 90})

    keys.begin("knektpass").press("record").arrived("/record")
    keys.press("with-p2-0", "with-p4-3", "with-p1-2", "together")
    keys.press("pad-1", "pad-2", "send").seen(1)
    assert phone.read("")["deal"]["number"] == 2  # type: ignore[index]


def test_while_a_bid_is_on_its_way_the_focus_waits_at_the_question(phone: Phone) -> None:
    keys = Keys(phone).begin("spader").press("record").arrived("/record")
    waited: list[bool] = []

    def slow(route: Route) -> None:
        expect(phone.page.locator(".question")).to_be_focused()
        waited.append(phone.page.locator("[inert] [data-key=bid-8]").is_visible())
        route.continue_()

    phone.page.route("**/actions", slow)
    keys.press("bid-4")
    expect(phone.page.locator('[data-key="bid-4"]')).to_be_focused()
    keys.press("bid-8").to('[data-key="pad-5"]')
    assert waited == [True, True]
