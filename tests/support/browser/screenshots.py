"""`python -m tests.support.browser.screenshots`: pictures of every screen, for docs/screens.md.

It plays an evening of Polskt pass by taps, then the other games, a group and an evening without a
network: on dark phones for the night, on light ones for the day after, on a tablet, and on a small
phone. The browser itself packs the pictures as WebP.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support import worked_evenings
from tests.support.browser import group_screens, join_requests, late_entry
from tests.support.browser.connection import join_as_scorer, load_offline_form, set_flight_mode
from tests.support.browser.group_money_screenshots import photograph_group_money
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import E1, E7, record_spader_deal
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere
from tests.support.browser.server_and_phones import run_browser_setup
from tests.support.player_names import FOUR_NAMES

FOLDER = Path(__file__).parents[3] / "docs" / "screenshots"
PACK_AS_WEBP = """async (png) => {
  const drawn = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(drawn.width, drawn.height);
  canvas.getContext('2d').drawImage(drawn, 0, 0);
  const packed = await canvas.convertToBlob({type: 'image/webp', quality: 0.8});
  return btoa(String.fromCharCode(...new Uint8Array(await packed.arrayBuffer())));
}"""


def show_e1(phone: Phone, title: str, deals: int = 7) -> Phone:
    """Open a session in which another phone has recorded `deals` deals of docs/rules.md §8 E1, and
    show its table."""
    lines = list(worked_evenings.lines(worked_evenings.E1))[:deals]
    return open_as_host(
        phone, record_elsewhere(phone, *(line.actions() for line in lines), title=title)
    )


@dataclass(frozen=True)
class Camera:
    """`packing_page`: an empty page that packs the pictures; `packed_folder`: the folder for them
    until all are taken; `png_folder`: a folder for the pictures as PNG, or None."""

    packing_page: Page
    packed_folder: Path
    png_folder: Path | None

    def __call__(self, phone: Phone, name: str) -> None:
        expect(phone.page.locator(".question-area.busy")).to_have_count(0)
        png = phone.page.screenshot()
        if self.png_folder is not None:
            (self.png_folder / f"{name}.png").write_bytes(png)
        packed: str = self.packing_page.evaluate(PACK_AS_WEBP, base64.b64encode(png).decode())
        (self.packed_folder / f"{name}.webp").write_bytes(base64.b64decode(packed))


def take_opening(phone: Phone, camera: Camera) -> None:
    phone.page.goto(phone.url + "/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    camera(phone, "welcome")
    phone.tap("new")
    expect(phone.page.locator(".lineup input").first).to_be_visible()
    camera(phone, "new")


def take_evening(phone: Phone, camera: Camera) -> None:
    phone.begin()
    for number, (declarers, tricks, _) in enumerate(E1[:4], start=1):
        phone.play(number, declarers, tricks)
    camera(phone, "result")
    phone.tap("table")
    phone.see_table()
    camera(phone, "table")
    phone.tap("menu")
    expect(phone.page.locator("dialog.sheet nav").first).to_be_visible()
    camera(phone, "menu")
    phone.visit("close")
    wait_until_drawn(phone)
    camera(phone, "close")
    phone.visit("")
    phone.see_table()
    phone.tap("record")
    camera(phone, "declarer")
    phone.seat("ACC")
    camera(phone, "record")
    phone.tap("hint-winner")
    camera(phone, "help")
    phone.page.keyboard.press("Escape")
    phone.tap("vola").tap("all-five")
    phone.see_result(5)
    camera(phone, "la-vola")
    for number, (declarers, tricks, _) in enumerate(E1[5:], start=6):
        phone.play(number, declarers, tricks)


def take_joining_and_rules(phone: Phone, camera: Camera) -> None:
    for screen in ("share", "players", "rules"):
        phone.visit(screen)
        wait_until_drawn(phone)
        camera(phone, screen)
    join_requests.create_join_code(phone)
    phone.page.locator(".spoken-code").scroll_into_view_if_needed()
    camera(phone, "join-code")


def take_reading_screens(phone: Phone, camera: Camera) -> None:
    """Take the screens that people read after E1, played to its end."""
    show_e1(phone, "Fredag")
    for screen in ("deals", "pictures", "deal/5", "correct/2", "statement", "settlement"):
        phone.visit(screen)
        wait_until_drawn(phone)
        camera(phone, screen.partition("/")[0])
    phone.visit("correct/2")
    for key in ("row-1-p2", "row-2-p1", "row-3-p2", "row-5-p4", "correct"):
        phone.tap(key)
    expect(phone.page.locator('[data-key="correct-sure"]')).to_be_visible()
    camera(phone, "effect")
    phone.page.keyboard.press("Escape")
    phone.visit("deals")
    phone.page.locator('[data-key="slider"]').fill("46")
    expect(phone.page.locator(".past-state .felt")).to_be_visible()
    camera(phone, "timeline")
    phone.visit("settlement/p4-p3")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill("070 123 45 67")
    phone.tap("code-show")
    expect(phone.page.locator(".payment-code")).to_be_visible()
    camera(phone, "payment")
    phone.visit("settlement")
    phone.tap("pass-on")
    camera(phone, "pass-on")


def take_costs_and_paper(phone: Phone, camera: Camera) -> None:
    """Take the screens of shared costs, of a sheet to print, and of three deals typed from
    paper."""
    recorder = record_elsewhere(phone, title="Fredag")
    for payer, amount, purpose in (("p4", 43_000, "Pizza"), ("p1", 12_000, "Taxi")):
        body = {"payer": payer, "amount": amount, "purpose": purpose}
        assert recorder.write("/costs", body).status == 201
    open_as_host(phone, recorder).visit("costs")
    wait_until_drawn(phone)
    camera(phone, "costs")
    phone.visit("paper")
    wait_until_drawn(phone)
    camera(phone, "paper")
    phone.tap("late")
    expect(phone.page.locator('[data-key="line"]')).to_be_focused()
    expect(phone.page.locator("html:not([data-spared])")).to_have_count(1)  # Enter counts now
    late_entry.type_lines(phone, ("B CCDCB", "D AABDD", "!"))
    expect(late_entry.typed_lines(phone)).to_have_count(3)
    phone.see_saved()
    phone.page.keyboard.type("C CC+CCC")
    expect(phone.page.locator(".late-changes span").first).to_be_visible()
    phone.page.evaluate("scrollTo(0, 0)")
    camera(phone, "late-entry")


def take_other_games(phone: Phone, camera: Camera) -> None:
    phone.begin(game="polskpas")
    phone.tap("record").seat("BB")
    camera(phone, "polskpas")
    phone.begin(game="spader")
    for number, (bids, tricks, _) in enumerate(E7[:2], start=1):
        record_spader_deal(phone, number, bids, tricks)
    camera(phone, "points")
    phone.tap("record").tap("bid-6")
    expect(phone.page.locator(".question")).to_be_visible()
    camera(phone, "spader")
    phone.begin(game="knektpass")
    phone.tap("record").tap("with-p2-2").tap("with-p4-0")
    camera(phone, "knektpass")
    phone.tap("together").tap("pad-3")
    camera(phone, "tricks")
    phone.begin()
    phone.tap("record").tap("depth-cards")
    expect(phone.page.locator(".question")).to_be_visible()
    camera(phone, "cards")


def take_group(phone: Phone, camera: Camera) -> None:
    group_id = group_screens.found_group(phone, FOUR_NAMES)
    group_screens.open_group_session(phone, group_id, "ABCD")
    group_screens.play_two_deals(phone)
    for screen in ("", "season", "members"):
        phone.page.goto(f"{phone.url}/#/c/{group_id}/{screen}".rstrip("/"))
        wait_until_drawn(phone)
        camera(phone, f"group-{screen or 'sessions'}")
    show_e1(phone, "Fredag")
    group_screens.open_group_session(phone, group_id, "ABCD")
    phone.play(1, "B", "CCDCB")
    phone.page.goto(f"{phone.url}/#/")
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()
    wait_until_drawn(phone)
    camera(phone, "front")


def take_offline(other_phone: Phone, phone: Phone, camera: Camera) -> None:
    load_offline_form(phone)
    join_as_scorer(other_phone, phone)
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    camera(phone, "forecast")
    phone.play(2, "B", "AABAC")
    phone.tap("waiting")
    camera(phone, "waiting")
    phone.page.keyboard.press("Escape")
    other_phone.play(1, "A", "DDDBC")
    set_flight_mode(phone, enabled=False)
    expect(phone.page.locator('[data-key="as-next"]')).to_be_visible()
    camera(phone, "conflict")


def take_other_languages(lend: Callable[..., Phone], camera: Camera) -> None:
    """Take some screens in the other languages and colours, and on a small phone."""
    english, danish, german = lend("light", "en-GB"), lend("dark", "da-DK"), lend("light", "de-DE")
    show_e1(english, "Friday").tap("record").seat("B")
    camera(english, "record-english")
    show_e1(danish, "Fredag", 4).visit("")
    danish.see_table()
    camera(danish, "table-danish")
    show_e1(german, "Freitag", 4).visit("deal/4")
    wait_until_drawn(german)
    camera(german, "result-german")
    small = lend("dark", "de-DE", width=320, height=640)
    show_e1(small, "Freitag", 4).tap("record").seat("B")
    camera(small, "record-small")
    small.visit("")
    small.see_table()
    small.page.evaluate("document.documentElement.style.fontSize = '200%'")
    camera(small, "table-large-text")


def take_tablets(lend: Callable[..., Phone], camera: Camera) -> None:
    night = lend("dark", width=1280, height=800)
    show_e1(night, "Fredag", 4).visit("board")
    wait_until_drawn(night)
    camera(night, "board")
    day = lend("light", "en-GB", width=1024, height=768)
    bids = [{"type": "side_bid", "side": side, "tricks": 6} for side in ("p2+p4", "p1+p3")]
    count = {"type": "tricks", "taken": {"p1": 4, "p2": 4, "p3": 3, "p4": 2}}
    recorder = record_elsewhere(
        day, [{"type": "open_deal"}, *bids, count], title="Friday", game="spader", options={}
    )
    open_as_host(day, recorder).visit("board")
    wait_until_drawn(day)
    camera(day, "board-points")


def main() -> int:
    ask = argparse.ArgumentParser(prog="python -m tests.support.browser.screenshots")
    ask.add_argument("--png", type=Path, help="a folder for the same pictures, not packed")
    arguments = ask.parse_args()
    if arguments.png is not None:
        arguments.png.mkdir(parents=True, exist_ok=True)
    with run_browser_setup("screens") as setup, tempfile.TemporaryDirectory() as packed_folder:
        camera = Camera(setup.browser.new_page(), Path(packed_folder), arguments.png)
        night = setup.lend()
        take_opening(night, camera)
        take_evening(night, camera)
        take_joining_and_rules(night, camera)
        take_reading_screens(setup.lend("light"), camera)
        take_costs_and_paper(setup.lend("light"), camera)
        take_other_games(setup.lend(), camera)
        take_group(setup.lend(), camera)
        photograph_group_money(setup.lend("light"), camera)
        take_offline(setup.lend(), setup.lend(installed=True), camera)
        take_other_languages(setup.lend, camera)
        take_tablets(setup.lend, camera)
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(packed_folder, FOLDER)
    pictures = list(FOLDER.glob("*.webp"))
    size = sum(picture.stat().st_size for picture in pictures)
    print(f"{len(pictures)} pictures in {FOLDER}, {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
