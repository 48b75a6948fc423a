"""The form's time from a tap to the next painted frame, on the screens of an evening.

The time runs from the moment the finger leaves the glass, which is the click's own time stamp, to
the end of the first frame painted after a change of the main part. The finger rests on the glass
for `PRESS_SECONDS`, as a person's does, so the frame that shows the pressed button is painted
before it lifts.

There are two more figures. "Event Timing" is what the browser itself reports for the same taps: the
time until any next frame, even an unchanged one, is on the screen, rounded to 8 ms. "Driver" is
measured like the first figure, with Playwright's own tap: its finger lifts at once, so the frame
of the pressed button comes first, and Playwright's touch listeners stay in the page.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.support.browser.phone import SEATS, deal_steps
from tests.support.browser.played_evenings import E1

PRESS_SECONDS = 0.08
WATCH_TAP = """() => { window.tapToPaint = new Promise((resolve, reject) => {
  setTimeout(() => reject(Error('The tap changed nothing within 10 s')), 10_000);
  let clickedAt, report;
  const reported = new Promise((resolveReport) => { report = resolveReport; });
  const observeReport = () => {
    new PerformanceObserver((list, observer) => list.getEntriesByName('click').forEach((entry) => {
      observer.disconnect();
      report(entry.duration);
    })).observe({type: 'event', durationThreshold: 16});
    setTimeout(() => report(16), 2000);
  };
  const isPress = ({attributeName}) => attributeName === 'data-pressed';
  const {port1: frame, port2: painted} = new MessageChannel();
  painted.onmessage = () => {
    const wait = performance.now() - clickedAt;
    reported.then((duration) => resolve([wait, duration]));
  };
  const changes = new MutationObserver((records) => {
    if (clickedAt === undefined || records.every(isPress)) return;
    changes.disconnect();
    requestAnimationFrame(() => {
      observeReport();
      frame.postMessage(null);
    });
  });
  changes.observe(document.querySelector('#main'),
    {subtree: true, childList: true, attributes: true, characterData: true});
  addEventListener('click', ({timeStamp}) => { clickedAt = timeStamp; },
    {once: true, capture: true});
}); }"""
"""Arms one measurement. A message sent in an animation frame arrives once that frame is painted.
The frame is the first after a change of the main part, so a tap that changes nothing is not quick.
After such a tap, the measurement fails instead of waiting without end.

The browser reports an event once its frame is on the screen, and none that took less than 16 ms.
The report is asked for in that frame: earlier, the browser would also report the pressing finger,
in the middle of the tap.
"""


PLACE = """(selector) => new Promise((resolve, reject) => {
  const lookUntil = performance.now() + 10_000;
  const look = () => {
    const button = document.querySelector(selector);
    button?.scrollIntoViewIfNeeded();
    const {x, y, width, height} = button?.getBoundingClientRect() ?? {};
    const middle = {x: x + width / 2, y: y + height / 2};
    const hit = button && !button.disabled && document.elementFromPoint(middle.x, middle.y);
    if (hit && button.contains(hit)) resolve(middle);
    else if (performance.now() < lookUntil) setTimeout(look, 20);
    else reject(Error(`${selector} could not be tapped within 10 s`));
  };
  look();
})"""
"""Waits until the button can be tapped, and returns its middle."""


class RestingFinger:
    """A finger that rests on the glass before it lifts.

    Playwright's own locators are not used: the first one leaves touch listeners in the page until a
    reload, and a browser delivers touches later to a page that listens.
    """

    def __init__(self, page: Page, touch: CDPSession) -> None:
        self.page, self.touch = page, touch
        page.reload()  # removes the listeners that earlier locators left

    def __call__(self, selector: str, *, timed: bool = True) -> None:
        middle = self.page.evaluate(PLACE, selector)
        if timed:
            self.page.evaluate(WATCH_TAP)
        points: list[Any] = [middle]
        self.touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
        self.page.wait_for_timeout(PRESS_SECONDS * 1000)
        self.touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


class DriverFinger:
    """A finger that taps as Playwright does: it lifts at once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __call__(self, selector: str, *, timed: bool = True) -> None:
        if timed:
            self.page.evaluate(WATCH_TAP)
        self.page.locator(selector).first.tap()


@dataclass
class Taps:
    """Milliseconds from each tap to the next painted frame, by the screen that was tapped."""

    page: Page
    tap: RestingFinger | DriverFinger
    waits: dict[str, list[float]] = field(default_factory=dict)
    reported: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, screen: str, selector: str) -> None:
        self.tap(selector)
        wait, duration = self.page.evaluate("tapToPaint")
        self.waits.setdefault(screen, []).append(wait)
        self.reported.setdefault(screen, []).append(duration)


ONE_BUTTON = """() => {
  const main = document.createElement('main');
  main.id = 'main';
  const button = document.createElement('button');
  button.dataset.key = 'count';
  button.style.padding = '2rem';
  button.textContent = '0';
  button.addEventListener('click', () => { button.textContent = Number(button.textContent) + 1; });
  main.append(button);
  document.head.replaceChildren();
  document.body.replaceChildren(main);
}"""
"""Replaces the page by one button without a stylesheet, which counts its taps."""


def measure_one_button(page: Page, tap: RestingFinger, count: int) -> Taps:
    """Tap a page with one button, the least that any page takes on this machine."""
    taps = Taps(page, tap)
    page.evaluate(ONE_BUTTON)
    for _ in range(count):
        taps.measure("a page with one button", '[data-key="count"]')
    return taps


def measure_taps(page: Page, tap: RestingFinger | DriverFinger, deals: int) -> Taps:
    """Record this many deals of polskt pass at the table that is open, then mark payments as paid
    and take each back."""
    taps = Taps(page, tap)
    for declarers, tricks, _ in islice(cycle(E1), deals):
        # The result has such a button as well; a tap on it while the table comes is too early.
        taps.measure("the table", '.table [data-key="record"]')
        for selector in deal_buttons(declarers, tricks):
            taps.measure("the recorder", selector)
        tap('[data-key="table"]', timed=False)
    page.evaluate("location.hash = location.hash.split('/', 3).join('/') + '/settlement'")
    for _ in range(deals):
        for key in ("paid-", "back-"):
            taps.measure("the settlement", f'[data-key^="{key}"]:enabled')
    return taps


def deal_buttons(declarers: str, tricks: str) -> Iterator[str]:
    """Yield the selector of each button that records this deal, in order."""
    for key, seat in deal_steps(declarers, tricks):
        yield f'[data-seat="p{SEATS.index(seat) + 1}"]' if seat else f'[data-key="{key}"]'


def percentiles(waits: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(waits)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
