"""Measure how large and how fast the page is, and how many taps a deal takes.

`python -m tests.verification.bench.web.web_page [ROW …]` emulates a phone in Chromium: 390 × 844, a
processor four times slower than this machine's, and a network as named in each line. It prints each
figure beside its target. Rows are load, tap, deal, seen and check; without any, all of them.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.support.browser import server_and_phones
from tests.verification.bench.web.web_measurements import FULL, SLOWER, SMOKE, WebBench
from tests.verification.bench.web.web_taps import percentiles
from tests.verification.command_parser import command_parser


def load_figures(bench: WebBench) -> Iterator[str]:
    for network in bench.sizes.networks:
        for visit, wanted, loads in (
            ("first visit", "≤ 60,000 in ≤ 20", bench.first_visits(network)),
            ("second visit", "≤ 3 requests", bench.second_visits(network)),
            ("installed", "", bench.installed_visits(network)),
        ):
            name = f"{visit}, {network.name}"
            size, requests = max((load.bytes, load.requests) for load in loads)
            yield format_line(f"U5 size, {name}", f"{size:,} bytes in {requests} requests", wanted)
            yield format_line(
                f"U5 LCP, {name}",
                f"{format_spread([load.largest for load in loads])} ms",
                "≤ 1,000",
            )
            yield format_line(f"U5 CLS, {name}", f"{max(load.shifted for load in loads):.3f}", "0")


def tap_figures(bench: WebBench) -> Iterator[str]:
    for screen, waits in bench.taps_on_one_button().waits.items():
        yield format_line(f"   a tap on {screen}", tap_figure(waits), "")
    taps = bench.taps()
    all_waits = [wait for waits in taps.waits.values() for wait in waits]
    yield format_line("   a tap, all of an evening", tap_figure(all_waits), "")
    for screen, waits in taps.waits.items():
        yield format_line(f"U5 a tap on {screen}", tap_figure(waits), "p95 ≤ 50")
        yield format_line("   Event Timing, the same taps", tap_figure(taps.reported[screen]), "")
    if bench.sizes.driver:
        for screen, waits in bench.taps(by_driver=True).waits.items():
            yield format_line(f"   driver, a tap on {screen}", tap_figure(waits), "")


def tap_figure(waits: list[float]) -> str:
    median, p95 = percentiles(waits)
    return f"p50 {median:.0f} ms, p95 {p95:.0f} ms ({len(waits)} taps)"


def deal_figures(bench: WebBench) -> Iterator[str]:
    for game, taps in bench.taps_by_deal().items():
        usual = f"{statistics.median(taps):.0f}, at most {max(taps)}"
        yield format_line(f"U1 taps a deal, {game}", f"{usual} ({' '.join(map(str, taps))})", "≤ 8")


def seen_figures(bench: WebBench) -> Iterator[str]:
    median, p95 = percentiles(bench.waits_on_other_phone())
    figure = f"p50 {median:.0f} ms, p95 {p95:.0f} ms"
    yield format_line("U3 seen on another phone", figure, "≤ 1,000")


def check_figures(bench: WebBench) -> Iterator[str]:
    evenings, season = bench.checks()
    deals, count = bench.sizes.checked_deals, bench.sizes.checked_evenings
    figure = f"{statistics.median(evenings):.2f} ({min(evenings):.2f}–{max(evenings):.2f}) s"
    yield format_line(f"check of an evening of {deals} deals", figure, "≤ 1" if deals == 40 else "")
    wanted = "≤ 20" if count == 50 else ""
    yield format_line(f"check of a season of {count} evenings", f"{season:.1f} s", wanted)


ROWS: dict[str, Callable[[WebBench], Iterator[str]]] = {
    "load": load_figures,
    "tap": tap_figures,
    "deal": deal_figures,
    "seen": seen_figures,
    "check": check_figures,
}


def format_spread(figures: Sequence[float]) -> str:
    return f"{statistics.median(figures):.0f} ({min(figures):.0f}–{max(figures):.0f})"


def format_line(title: str, figure: str, target: str) -> str:
    return f"{title:<52}{figure:<42}{target}"


def main() -> int:
    parser = command_parser("bench.web.web_page", __doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--smoke", action="store_true", help="that it runs: far too little to time")
    arguments = parser.parse_args()
    if unknown := [row for row in arguments.rows if row not in ROWS]:
        parser.error(f"no such row: {', '.join(unknown)}")
    sizes = SMOKE if arguments.smoke else FULL
    with server_and_phones.run_browser_setup("web") as setup:
        load = os.getloadavg()[0]
        print(
            f"Chromium {setup.browser.version}, {os.cpu_count()} cores, load {load:.1f} before; a "
            f"phone {SLOWER} times slower; {sizes.repetitions} repetitions, median (range)"
        )
        print(format_line("", "", "wanted"))
        for row in arguments.rows or ROWS:
            for figure in ROWS[row](WebBench(setup, sizes)):
                print(figure, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
