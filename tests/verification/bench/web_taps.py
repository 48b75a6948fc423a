"""How long the form takes from a tap to the next painted frame, on the screens of an evening."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice

from playwright.sync_api import Locator, Page

from tests.support.browser.phone import SEATS, Phone, deal_steps
from tests.support.browser.played_evenings import E1

WATCH_TAP = """() => { window.tapToPaint = new Promise((resolve) => {
  addEventListener('click', ({timeStamp}) => {
    const {port1: frame, port2: painted} = new MessageChannel();
    painted.onmessage = () => resolve(performance.now() - timeStamp);
    new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => frame.postMessage(null));
    }).observe(document.querySelector('#main'),
      {subtree: true, childList: true, attributes: true, characterData: true});
  }, {once: true, capture: true});
}); }"""
"""Arms one measurement. A message sent in an animation frame arrives once that frame is painted.
The frame is the first after a change of the main part, so a tap that changes nothing is not quick.
"""


@dataclass
class Taps:
    """Milliseconds from each tap to the next painted frame, by the screen that was tapped."""

    waits: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, screen: str, page: Page, tap: Callable[[], object]) -> None:
        page.evaluate(WATCH_TAP)
        tap()
        self.waits.setdefault(screen, []).append(page.evaluate("tapToPaint"))


def measure_taps(phone: Phone, deals: int) -> dict[str, list[float]]:
    """Record this many deals of polskt pass, then mark payments as paid and take each back."""
    taps = Taps()
    phone.begin()
    for number, (declarers, tricks, _) in enumerate(islice(cycle(E1), deals), 1):
        taps.measure("the table", phone.page, phone.page.locator('[data-key="record"]').tap)
        for button in deal_buttons(phone, declarers, tricks):
            taps.measure("the recorder", phone.page, button.tap)
        phone.see_result(number)
        phone.tap("table").see_table()
    phone.visit("settlement")
    for _ in range(deals):
        for key in ("paid-", "back-"):
            button = phone.page.locator(f'[data-key^="{key}"]:enabled').first
            taps.measure("the settlement", phone.page, button.tap)
    return taps.waits


def deal_buttons(phone: Phone, declarers: str, tricks: str) -> Iterator[Locator]:
    """Yield each button that records this deal, in order."""
    for key, seat in deal_steps(declarers, tricks):
        letter = f'[data-seat="p{SEATS.index(seat) + 1}"]' if seat else f'[data-key="{key}"]'
        yield phone.page.locator(letter)


def percentiles(waits: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(waits)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
