"""What a phone measures of the form: visits, taps, another phone's wait, and checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from engine.games.registry import GAMES
from tests.support.browser import server_and_phones
from tests.support.browser.connection import join_as_scorer
from tests.support.browser.group_screens import record_season
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import EVENINGS, record_deal
from tests.verification.bench.web.web_taps import (
    DriverFinger,
    RestingFinger,
    Taps,
    measure_one_button,
    measure_taps,
)

SLOWER = 4
"""The factor with which Lighthouse emulates a mid-range phone."""

SAVE_DATA = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
"""Makes the phone prefetch nothing, so that a visit counts only what its first screen needs."""


@dataclass(frozen=True)
class Network:
    name: str
    round_trip: int  # ms
    download_speed: int  # kilobits per second; 0: unlimited


NETWORKS = (Network("the table's own network", 0, 0), Network("slow 4G", 150, 1_638))


@dataclass(frozen=True)
class WebSizes:
    repetitions: int
    timed_deals: int  # of polskt pass, whose taps are timed
    counted_deals: int | None = None  # of each game, whose taps are counted; None: all
    deals_seen: int = 20  # on another phone
    checked_deals: int = 40  # of an evening that the phone checks
    checked_evenings: int = 50  # of a season that it checks
    networks: Sequence[Network] = NETWORKS
    driver: bool = True  # whether Playwright's own taps are timed as well
    calm: bool = False  # no tap comes too soon, so none has to wait


FULL = WebSizes(repetitions=5, timed_deals=21)
SMOKE = WebSizes(
    repetitions=1,
    timed_deals=1,
    counted_deals=1,
    deals_seen=1,
    checked_deals=2,
    checked_evenings=2,
    networks=NETWORKS[1:],
    driver=False,
    calm=True,
)
PAINT_OBSERVER = """() => new Promise((done) => {
  let [largest, shifted] = [0, 0];
  const each = (type, look) => new PerformanceObserver((list) => list.getEntries().forEach(look))
    .observe({type, buffered: true});
  each('largest-contentful-paint', (one) => { largest = one.startTime; });
  each('layout-shift', (one) => { if (!one.hadRecentInput) shifted += one.value; });
  setTimeout(() => done([largest, shifted]), 500);
})"""

LONGEST_CHECK_MS = 120_000
CHECK_AGAIN = """async () => {
  const started = performance.now();
  document.querySelector('[data-key=again]').click();
  do await new Promise(requestAnimationFrame); while (!document.querySelector('progress'));
  while (document.querySelector('progress')) await new Promise(requestAnimationFrame);
  return (performance.now() - started) / 1000;
}"""


@dataclass
class Load:
    bytes: int  # compressed, from the network
    requests: int
    largest: float  # ms until the largest part was painted
    shifted: float


NOTE_TAPS = "() => addEventListener('click', () => { window.tappedAt = Date.now(); }, true)"
NOTE_DEAL = """(number) => {
  const isDrawn = () =>
    document.querySelector('.last-deal .overline')?.textContent.includes(number);
  window.shownAt = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!isDrawn()) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}"""
"""Scripts that note when a phone was tapped, and when another one shows a deal. Asking the page
again and again would find out up to a second later."""


class WebBench:
    """The measurements, each repeated as `sizes` says, on one server and browser."""

    def __init__(self, setup: server_and_phones.BrowserSetup, sizes: WebSizes) -> None:
        self.setup, self.url, self.sizes = setup, setup.url, sizes

    @contextmanager
    def context(self, *, installed: bool = False) -> Iterator[BrowserContext]:
        context = self.setup.context(installed=installed)
        if self.sizes.calm:
            context.add_init_script(server_and_phones.ACCEPT_EVERY_TAP)
        try:
            yield context
        finally:
            context.close()

    def load(self, page: Page, network: Network) -> Load:
        """Visit the front page on an emulated phone. Return what was loaded and painted."""
        cdp_session = page.context.new_cdp_session(page)
        sizes: dict[str, int] = {}
        from_cache: set[str] = set()

        def note_response(event: dict[str, Any]) -> None:
            if event["response"]["fromDiskCache"] or event["response"]["fromServiceWorker"]:
                from_cache.add(event["requestId"])

        def note_size(event: dict[str, Any]) -> None:
            sizes[event["requestId"]] = int(event["encodedDataLength"])

        cdp_session.on("Network.responseReceived", note_response)
        cdp_session.on(
            "Network.requestServedFromCache", lambda event: from_cache.add(event["requestId"])
        )
        cdp_session.on("Network.loadingFinished", note_size)
        cdp_session.send("Network.enable")
        slow_down(cdp_session, network)
        page.add_init_script(SAVE_DATA)
        page.goto(self.url + "/")
        expect(page.locator('[data-key="new"]')).to_be_visible()
        largest, shifted = page.evaluate(PAINT_OBSERVER)
        cdp_session.detach()
        fetched = [size for request, size in sizes.items() if request not in from_cache]
        return Load(sum(fetched), len(fetched), largest, shifted)

    def first_visits(self, network: Network) -> list[Load]:
        loads: list[Load] = []
        for _ in range(self.sizes.repetitions):
            with self.context() as context:
                loads.append(self.load(context.new_page(), network))
        return loads

    def second_visits(self, network: Network) -> list[Load]:
        """Measure visits over plain HTTP, where only the browser's cache keeps the form."""
        loads: list[Load] = []
        for _ in range(self.sizes.repetitions):
            with self.context() as context:
                page = context.new_page()
                self.load(page, network)
                page.close()
                loads.append(self.load(context.new_page(), network))
        return loads

    def installed_visits(self, network: Network) -> list[Load]:
        """Measure visits of a phone on which the form is installed."""
        with self.context(installed=True) as context:
            page = context.new_page()
            page.goto(self.url + "/")
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            page.close()
            return [self.load(context.new_page(), network) for _ in range(self.sizes.repetitions)]

    def taps(self, *, by_driver: bool = False) -> Taps:
        """Measure an evening's taps; `by_driver`: with Playwright's, whose finger lifts at once."""
        with self.context() as context:
            phone = Phone(context.new_page(), self.url)
            cdp_session = context.new_cdp_session(phone.page)
            phone.begin()
            slow_down(cdp_session, NETWORKS[0])
            finger = (
                DriverFinger(phone.page) if by_driver else RestingFinger(phone.page, cdp_session)
            )
            return measure_taps(phone.page, finger, self.sizes.timed_deals)

    def taps_on_one_button(self) -> Taps:
        with self.context() as context:
            page = context.new_page()
            page.goto(self.url + "/rules")
            cdp_session = context.new_cdp_session(page)
            slow_down(cdp_session, NETWORKS[0])
            finger = RestingFinger(page, cdp_session)
            return measure_one_button(page, finger, self.sizes.timed_deals)

    def taps_by_deal(self) -> dict[str, list[int]]:
        """Count taps from the table to a deal's result, for the usual deals of docs/rules.md §8."""
        counted: dict[str, list[int]] = {}
        with self.context() as context:
            phone = Phone(context.new_page(), self.url)
            for game, evening in EVENINGS.items():
                stake = {"stake": "500"} if game == "polskpas" else {}
                phone.begin_by_tapping(game=game, options=stake)
                deals = range(1, len(evening[: self.sizes.counted_deals]) + 1)
                counted[GAMES[game].name] = [record_deal(phone, game, number) for number in deals]
        return counted

    def waits_on_other_phone(self) -> list[float]:
        """Return the milliseconds from a deal's last tap until another phone's table shows it."""
        waits: list[float] = []
        with self.context() as writer_context, self.context() as reader_context:
            writer, reader = (
                Phone(writer_context.new_page(), self.url),
                Phone(reader_context.new_page(), self.url),
            )
            join_as_scorer(writer, reader)
            writer.page.evaluate(NOTE_TAPS)
            for number in range(1, self.sizes.deals_seen + 1):
                writer.tap("record").seat("BCCDC")
                reader.page.evaluate(NOTE_DEAL, str(number))
                writer.seat("B")
                shown_at = reader.page.evaluate("() => shownAt")
                waits.append(shown_at - writer.page.evaluate("() => tappedAt"))
                writer.see_result(number)
        return waits

    def checks(self) -> tuple[list[float], float]:
        """Return the seconds of a phone's checks: one evening, repeatedly, and one season."""
        with self.context() as context:
            phone = Phone(context.new_page(), self.url)
            group_id = record_season(phone, self.sizes.checked_evenings, self.sizes.checked_deals)
            first_evening = phone.page.locator('[data-key^="evening-"]').first
            phone.page.goto(f"{self.url}/#/c/{group_id}/check")
            expect(phone.page.locator("[data-outcome]")).to_be_visible(timeout=LONGEST_CHECK_MS)
            slow_down(context.new_cdp_session(phone.page), NETWORKS[0])
            season = phone.page.evaluate(CHECK_AGAIN)
            phone.page.goto(f"{self.url}/#/c/{group_id}")
            first_evening.tap()
            phone.see_table()
            phone.visit("check")
            expect(phone.page.locator("[data-outcome]")).to_be_visible(timeout=LONGEST_CHECK_MS)
            evenings = [phone.page.evaluate(CHECK_AGAIN) for _ in range(self.sizes.repetitions)]
        return evenings, season


def slow_down(cdp_session: CDPSession, network: Network) -> None:
    cdp_session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    speed = network.download_speed * 1000 / 8 if network.download_speed else -1
    conditions = {"offline": False, "latency": network.round_trip}
    conditions |= {"downloadThroughput": speed, "uploadThroughput": speed}
    cdp_session.send("Network.emulateNetworkConditions", conditions)
