"""How long the form takes from a tap to the next painted frame, on the screens of an evening.

The time runs from the moment the finger leaves the glass, which is the click's own time stamp, to
the end of the first frame painted after a change of the main part. The finger rests on the glass
for `PRESS_SECONDS`, as a person's does, so the frame that shows the pressed button is painted
before it lifts.

Two figures stand beside it. "Event Timing" is what the browser itself reports for the same taps:
until the first frame at all, be it unchanged, is on the screen, rounded to 8 ms. "Driver" is
measured like the first figure, with Playwright's own tap: its finger lifts at once, so the frame
of the pressed button and Playwright's listeners in the page come first.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice

from playwright.sync_api import CDPSession, Locator, Page

from tests.support.browser.phone import SEATS, Phone, deal_steps
from tests.support.browser.played_evenings import E1

PRESS_SECONDS = 0.08
WATCH_TAP = """() => { window.tapToPaint = new Promise((resolve) => {
  const reported = new Promise((report) => {
    new PerformanceObserver((list, observer) => list.getEntriesByName('click').forEach((entry) => {
      observer.disconnect();
      report(entry.duration);
    })).observe({type: 'event', durationThreshold: 16});
    setTimeout(() => report(16), 2000);
  });
  addEventListener('click', ({timeStamp}) => {
    const {port1: frame, port2: painted} = new MessageChannel();
    painted.onmessage = () => {
      const wait = performance.now() - timeStamp;
      reported.then((duration) => resolve([wait, duration]));
    };
    new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => frame.postMessage(null));
    }).observe(document.querySelector('#main'),
      {subtree: true, childList: true, attributes: true, characterData: true});
  }, {once: true, capture: true});
}); }"""
"""Arms one measurement. A message sent in an animation frame arrives once that frame is painted.
The frame is the first after a change of the main part, so a tap that changes nothing is not quick.
The browser reports no event that took less than 16 ms.
"""


def rest_finger(page: Page, touch: CDPSession) -> Callable[[Locator], None]:
    """Return a tap by a finger that rests on the glass before it lifts."""

    def tap(button: Locator) -> None:
        button.tap(trial=True)  # until it can be tapped
        box = button.bounding_box()
        assert box is not None
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        page.evaluate(WATCH_TAP)
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle]})
        page.wait_for_timeout(PRESS_SECONDS * 1000)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    return tap


def tap_by_driver(page: Page) -> Callable[[Locator], None]:
    """Return Playwright's tap."""

    def tap(button: Locator) -> None:
        page.evaluate(WATCH_TAP)
        button.tap()

    return tap


@dataclass
class Taps:
    """Milliseconds from each tap to the next painted frame, by the screen that was tapped."""

    tap: Callable[[Locator], None]
    waits: dict[str, list[float]] = field(default_factory=dict)
    reported: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, screen: str, button: Locator) -> None:
        self.tap(button)
        wait, duration = button.page.evaluate("tapToPaint")
        self.waits.setdefault(screen, []).append(wait)
        self.reported.setdefault(screen, []).append(duration)


def measure_taps(phone: Phone, tap: Callable[[Locator], None], deals: int) -> Taps:
    """Record this many deals of polskt pass, then mark payments as paid and take each back."""
    taps = Taps(tap)
    phone.begin()
    for number, (declarers, tricks, _) in enumerate(islice(cycle(E1), deals), 1):
        taps.measure("the table", phone.page.locator('[data-key="record"]'))
        for button in deal_buttons(phone, declarers, tricks):
            taps.measure("the recorder", button)
        phone.see_result(number)
        phone.tap("table").see_table()
    phone.visit("settlement")
    for _ in range(deals):
        for key in ("paid-", "back-"):
            button = phone.page.locator(f'[data-key^="{key}"]:enabled').first
            taps.measure("the settlement", button)
    return taps


def deal_buttons(phone: Phone, declarers: str, tricks: str) -> Iterator[Locator]:
    """Yield each button that records this deal, in order."""
    for key, seat in deal_steps(declarers, tricks):
        letter = f'[data-seat="p{SEATS.index(seat) + 1}"]' if seat else f'[data-key="{key}"]'
        yield phone.page.locator(letter)


def percentiles(waits: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(waits)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
