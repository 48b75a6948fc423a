"""`python -m tests.verification.bench.web_page`: how large and how quick the page is, how many
taps a deal takes.

A phone is emulated in Chromium: 390 × 844, a processor four times slower than this machine's, and a
network as named in each line. Every figure stands beside the one aimed at.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from tests.support.browser import server_and_phones as house
from tests.support.browser.connection import scoring
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import E1, E5, E7, E8, knektpass, spader

SLOWER = 4
"""As Lighthouse has it, to stand for a phone in the middle of the range."""


@dataclass(frozen=True)
class Network:
    name: str
    round_trip: int  # ms
    download_speed: int  # kilobits a second; 0: as fast as it goes


NETWORKS = (Network("the table's own network", 0, 0), Network("slow 4G", 150, 1_638))
PAINT_OBSERVER = """() => new Promise((done) => {
  let [largest, shifted] = [0, 0];
  const each = (type, look) => new PerformanceObserver((list) => list.getEntries().forEach(look))
    .observe({type, buffered: true});
  each('largest-contentful-paint', (one) => { largest = one.startTime; });
  each('layout-shift', (one) => { if (!one.hadRecentInput) shifted += one.value; });
  setTimeout(() => done([largest, shifted]), 500);
})"""


@dataclass
class Load:
    bytes: int
    files: int
    largest: float  # ms until the largest part was painted
    shifted: float


class Bench:
    """What is measured, so many times each, in this house."""

    def __init__(self, at: house.House, repetitions: int) -> None:
        self.house, self.url, self.repetitions = at, at.url, repetitions

    @contextmanager
    def context(self, *, installed: bool = False) -> Iterator[BrowserContext]:
        context = self.house.context(installed=installed)
        try:
            yield context
        finally:
            context.close()

    def load(self, page: Page, network: Network) -> Load:
        """One visit of the front page on an emulated phone."""
        inside = page.context.new_cdp_session(page)
        sizes = list[int]()
        inside.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        inside.send("Network.enable")
        slowly(inside, network)
        page.goto(self.url + "/")
        expect(page.locator('[data-key="new"]')).to_be_visible()
        largest, shifted = page.evaluate(PAINT_OBSERVER)
        inside.detach()
        return Load(int(sum(sizes)), len(sizes), largest, shifted)

    def first_visits(self, network: Network) -> list[Load]:
        loads = list[Load]()
        for _ in range(self.repetitions):
            with self.context() as context:
                loads.append(self.load(context.new_page(), network))
        return loads

    def repeat_visits(self, network: Network) -> list[Load]:
        """The form is on the phone already."""
        with self.context(installed=True) as context:
            page = context.new_page()
            page.goto(self.url + "/")
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            page.close()
            return [self.load(context.new_page(), network) for _ in range(self.repetitions)]

    def taps(self) -> dict[str, list[int]]:
        """From the table to what a deal came to, for the usual deals of docs/rules.md §8."""
        counted = dict[str, list[int]]()
        with self.context() as context:
            phone = Phone(context.new_page(), self.url)
            phone.begin()
            counted["Polskt pass"] = [phone.play(n, d, t) for n, (d, t, _) in enumerate(E1, 1)]
            phone.begin_by_tapping(game="polskpas", options={"stake": "500"})
            counted["Polskpas"] = [phone.play(n, d, t) for n, (d, t, _) in enumerate(E5, 1)]
            phone.begin(game="spader")
            counted["Spader"] = [spader(phone, n, bids, t) for n, (bids, t, _) in enumerate(E7, 1)]
            phone.begin(game="knektpass")
            counted["Knektpass"] = []
            for number, (declared, exchanged, tricks, _) in enumerate(E8, 1):
                tap_count = knektpass(phone, number, declared, exchanged, tricks, counted=True)
                counted["Knektpass"].append(tap_count)
                if number < len(E8):
                    phone.see_result(number)
        return counted

    def seen_elsewhere(self) -> list[float]:
        """Milliseconds from the tap that ends a deal until another phone's table says so."""
        waits = list[float]()
        with self.context() as writer_context, self.context() as two:
            writer, reader = (
                Phone(writer_context.new_page(), self.url),
                Phone(two.new_page(), self.url),
            )
            scoring(writer, reader)
            for number in range(1, 4 * self.repetitions + 1):
                writer.tap("record").seat("BCCDC")
                started_at = time.monotonic()
                writer.seat("B")
                expect(reader.page.locator(".last .over")).to_contain_text(str(number))
                waits.append((time.monotonic() - started_at) * 1000)
                writer.see_result(number)
        return waits


def slowly(inside: CDPSession, network: Network) -> None:
    inside.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    speed = network.download_speed * 1000 / 8 if network.download_speed else -1
    conditions = {"offline": False, "latency": network.round_trip}
    conditions |= {"downloadThroughput": speed, "uploadThroughput": speed}
    inside.send("Network.emulateNetworkConditions", conditions)


def figures(bench: Bench) -> Iterator[str]:
    """The table, a line at a time."""
    for network in NETWORKS:
        for visit, loads in (
            ("first", bench.first_visits(network)),
            ("again", bench.repeat_visits(network)),
        ):
            largest = [load.largest for load in loads]
            name = f"{visit} visit, {network.name}"
            if visit == "first" and network is NETWORKS[0]:
                size = max(load.bytes for load in loads)
                yield line("U5 first load", f"{size:,} bytes in {loads[0].files} files", "≤ 60,000")
            yield line(f"U5 LCP, {name}", f"{spread(largest)} ms", "≤ 1,000")
            yield line(f"U5 CLS, {name}", f"{max(load.shifted for load in loads):.3f}", "0")
    for game, taps in bench.taps().items():
        usual = f"{statistics.median(taps):.0f}, at most {max(taps)}"
        yield line(f"U1 taps a deal, {game}", f"{usual} ({' '.join(map(str, taps))})", "≤ 8")
    waits = sorted(bench.seen_elsewhere())
    late = waits[int(len(waits) * 0.95)]
    middle = statistics.median(waits)
    yield line("U3 seen on another phone", f"p50 {middle:.0f} ms, p95 {late:.0f} ms", "≤ 1,000")


def spread(figures: Sequence[float]) -> str:
    return f"{statistics.median(figures):.0f} ({min(figures):.0f}–{max(figures):.0f})"


def line(title: str, figure: str, target: str) -> str:
    return f"{title:<48}{figure:<42}{target}"


def main() -> int:
    ask = argparse.ArgumentParser(
        prog="python -m tests.verification.bench.web_page", description=__doc__
    )
    ask.add_argument("--repetitions", type=int, default=5)
    arguments = ask.parse_args()
    with house.opened("web") as at:
        load = os.getloadavg()[0]
        print(
            f"Chromium {at.browser.version}, {os.cpu_count()} cores, load {load:.1f} before; a "
            f"phone {SLOWER} times slower; {arguments.repetitions} repetitions, median (range)"
        )
        print(line("", "", "wanted"))
        for row in figures(Bench(at, arguments.repetitions)):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
