"""`python -m tests.browser.screenshots`: every screen of the form, as docs/screens.md shows them.

An evening of Polskt pass is played by tapping, then the other games, a circle and an evening
without a network; the host's phone is dark, the statement and what is for afterwards are light.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

import migrations
from ledger import servers
from tests.browser import chromium, test_circles, test_door
from tests.browser.phone import FOUR, Phone
from tests.browser.test_evening import E1
from tests.browser.test_games import E7, spader
from tests.browser.test_network import scoring
from tests.browser.test_offline import flight_mode, kept_whole
from tests.browser.test_screens import ready
from tests.conftest import copied, serving

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
Look = Callable[[Phone, str], None]


def lent(browser: Browser, url: str, scheme: str, *, installed: bool = False) -> Phone:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
        locale="sv-SE",
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        service_workers="allow" if installed else "block",
    )
    return Phone(context.new_page(), url)


def taken(phone: Phone, name: str) -> None:
    expect(phone.page.locator(".busy")).to_have_count(0)
    phone.page.screenshot(path=FOLDER / f"{name}.png")


def polskt_pass(night: Phone, day: Phone) -> None:
    night.page.goto(night.url + "/")
    taken(night, "start")
    night.tap("new")
    expect(night.page.locator(".lineup input").first).to_be_visible()
    taken(night, "new")
    night.begin()
    for number, (declarers, tricks, _) in enumerate(E1[:4], start=1):
        night.play(number, declarers, tricks)
    taken(night, "result")
    night.tap("table")
    night.see_table()
    taken(night, "table")
    night.tap("record")
    taken(night, "declarer")
    night.seat("ACC")
    taken(night, "record")
    night.tap("vola").tap("all-five")
    night.see_result(5)
    taken(night, "la-vola")
    for number, (declarers, tricks, _) in enumerate(E1[5:], start=6):
        night.play(number, declarers, tricks)
    for screen in ("share", "rules", "players"):
        night.visit(screen)
        ready(night)
        taken(night, screen)
    scoring_link = test_door.link(night)
    day.page.goto(scoring_link)
    for screen in ("deals", "deal/4", "correct/4", "statement", "settlement"):
        day.page.goto(night.home() + "/" + screen)
        ready(day)
        taken(day, screen.replace("/4", ""))


def other_games(night: Phone) -> None:
    night.begin(game="polskpas")
    night.tap("record").seat("BB")
    taken(night, "polskpas")
    night.begin(game="spader")
    for number, (bids, tricks, _) in enumerate(E7[:2], start=1):
        spader(night, number, bids, tricks)
    taken(night, "points")
    night.tap("record").tap("bid-6")
    expect(night.page.locator(".question")).to_be_visible()
    taken(night, "spader")
    night.begin(game="knektpass")
    night.tap("record").tap("with-p2-2").tap("with-p4-0")
    taken(night, "knektpass")
    night.tap("together").tap("pad-3")
    taken(night, "tricks")
    night.begin(game="polskt_pass")
    night.tap("record").tap("depth-cards")
    expect(night.page.locator(".question")).to_be_visible()
    taken(night, "cards")


def circle(night: Phone) -> None:
    found = test_circles.found(night, FOUR)
    test_circles.gather(night, found, "ABCD")
    test_circles.play(night)
    for screen in ("", "season", "members"):
        night.page.goto(f"{night.url}/#/c/{found}/{screen}".rstrip("/"))
        ready(night)
        taken(night, f"circle-{screen or 'evenings'}")


def several(browser: Browser, url: str) -> None:
    other, phone = lent(browser, url, "dark"), lent(browser, url, "dark", installed=True)
    kept_whole(phone)
    scoring(other, phone)
    flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    taken(phone, "reckoned")
    phone.play(2, "B", "AABAC")
    phone.tap("waiting")
    taken(phone, "waiting")
    phone.page.keyboard.press("Escape")
    other.play(1, "A", "DDDBC")
    flight_mode(phone, on=False)
    expect(phone.page.locator('[data-key="as-next"]')).to_be_visible()
    taken(phone, "taken")


def main() -> int:
    found = chromium.path()
    if found is None:
        print(chromium.MISSING, file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vola-screens-")))
        cluster = stack.enter_context(servers.postgres(folder))
        bell = stack.enter_context(servers.valkey(folder))
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        urls = copied(cluster, "screens")
        environment = {
            "DATABASE_URL": urls.app,
            "DATABASE_OWNER_URL": urls.owner,
            "DATABASE_AUDIT_URL": urls.audit,
            "REDIS_URL": bell.url,
            "VOLA_DATA": str(folder),
        }
        server = stack.enter_context(serving(environment, folder / "server.log"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=found, args=list(chromium.ARGUMENTS))
        night, day = lent(browser, server.url, "dark"), lent(browser, server.url, "light")
        polskt_pass(night, day)
        other_games(night)
        circle(night)
        several(browser, server.url)
        browser.close()
    print(f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
