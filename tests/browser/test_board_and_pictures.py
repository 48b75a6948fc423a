"""The board on a tablet in the middle of the table, and the charts of the evening."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support import worked_evenings
from tests.support.browser import join_requests, recorded_sessions
from tests.support.browser.appearance import looks
from tests.support.browser.layout_checks import (
    LINES,
    LONG_NAME,
    TOO_WIDE,
    find_broken_words,
    find_violations,
    wait_until_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import E7, record_spader_deal
from tests.support.player_names import FIVE_NAMES

ATTEMPTS = 10  # on a busy machine the first ones may take longer
TOO_LONG = "document.documentElement.scrollHeight - document.documentElement.clientHeight"
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('.seat, .table-center > *, .board-side > *')]
    .filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], place) => boxes.slice(place + 1).filter(([other, b]) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${one.textContent} / ${other.textContent}`));
}"""
CUT = """() => [
  ...document.querySelectorAll('.board :is(.sum, .pot, .sentence, .next-dealer span)')
].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
OUTSIDE = """() => [...document.querySelectorAll('.seat')].filter((seat) => {
  const { top, bottom } = seat.getBoundingClientRect();
  return top < 0 || bottom > innerHeight;
}).map((seat) => seat.textContent)"""
SPILLED = """() => [
  ...document.querySelectorAll('.seat :is(.sum, .score-change)')
].filter((one) => {
  const range = new Range();
  range.selectNodeContents(one);
  const text = range.getBoundingClientRect(), seat = one.closest('.seat').getBoundingClientRect();
  return text.left < seat.left || text.right > seat.right || text.bottom > seat.bottom;
}).map((one) => one.textContent)"""
PRESSED = "[...document.querySelectorAll('a, button, input, select')].filter((one) => "
PRESSED += "one.checkVisibility()).map((one) => one.dataset.key)"

SPADER: list[dict[str, Any]] = [
    {"type": "open_deal"},
    {"type": "side_bid", "side": "p2+p4", "tricks": 5},
    {"type": "side_bid", "side": "p1+p3", "tricks": 7},
    {"type": "tricks", "taken": {"p1": 4, "p2": 3, "p3": 4, "p4": 2}},
]


def test_a_deal_is_on_the_tablet_within_a_second(lend: Callable[..., Phone]) -> None:
    phone, tablet = lend(), lend(width=1280, height=800)
    phone.begin()
    tablet.page.goto(join_requests.read_link(phone, "viewer"))
    tablet.see_table()
    tablet.tap("menu").page.locator('dialog a[href$="/board"]').tap()
    expect(tablet.page.locator(".next-dealer")).to_have_text("AAda ger")
    phone.visit("")
    waits = []
    for number, (player, tricks) in enumerate((("B", "CCDC"), ("D", "AABD")), start=1):
        phone.tap("record").seat(player + tricks)
        expect(phone.page.locator(".slot.next")).to_contain_text("5")
        started_at = time.monotonic()
        phone.seat("B")
        expect(tablet.page.locator(".text-panel .overline")).to_have_text(f"Giv {number}")
        waits.append(time.monotonic() - started_at)
        phone.see_result(number)
    expect(tablet.page.locator(".text-panel .sentence")).to_contain_text("Ada vann 20 kr")
    expect(tablet.page.locator(".sum")).to_have_text(["+10 kr", "−20 kr", "+10 kr", "−20 kr"])
    expect(tablet.page.locator(".score-change")).to_have_text(["+20 kr", "−10 kr", "−20 kr"])
    expect(tablet.page.locator(".next-dealer")).to_have_text("CCilla ger")
    while min(waits) >= 1 and len(waits) < ATTEMPTS:
        phone.tap("record")
        started_at = time.monotonic()
        phone.tap("all-pass")
        expect(tablet.page.locator(".text-panel .overline")).to_have_text(f"Giv {len(waits) + 1}")
        waits.append(time.monotonic() - started_at)
        phone.see_result(len(waits))
    assert min(waits) < 1, waits
    assert tablet.page.evaluate(PRESSED) == ["back"]


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_the_board_fits_every_tablet_and_axe_finds_nothing(
    lend: Callable[..., Phone], scheme: str, language: str
) -> None:
    tablet = lend(width=1024, height=768, scheme=scheme, language=language)
    wrong: dict[str, object] = {}

    def look(name: str) -> None:
        tablet.visit("board")
        wait_until_drawn(tablet)
        for width, height in ((1024, 768), (1280, 800), (768, 1024)):
            tablet.page.set_viewport_size({"width": width, "height": height})
            faults = [tablet.page.evaluate(OVERLAPS), tablet.page.evaluate(CUT)]
            if width > height:
                faults.append(max(0, tablet.page.evaluate(TOO_LONG)))
            faults.append(max(0, tablet.page.evaluate(TOO_WIDE)))
            if any(faults):
                wrong[f"{name} {width} x {height}"] = faults
        wrong.update({f"{name}: axe": faults for faults in [find_violations(tablet)] if faults})

    e3 = [line.actions() for line in worked_evenings.lines(worked_evenings.E3)]
    high_stake = {"options": {"stake": 1_234_500}}
    recorded_sessions.open_as_host(
        tablet, recorded_sessions.record_elsewhere(tablet, *e3[:4], players=5, **high_stake)
    )
    look("five and much money")
    recorded_sessions.record_and_open(tablet, SPADER, game="spader", options={})
    look("spader")
    tablet.begin((LONG_NAME, *"BCDEFGHIJ"), game="knektpass")
    look("ten at a table")
    assert wrong == {}


def open_board_after_la_vola(phone: Phone) -> Phone:
    """Play la vola in the first deal, and open the board."""
    phone.begin().play(1, "B", "BB!BBB")
    phone.visit("board")
    expect(phone.page.locator(".score-change")).to_have_count(4)
    return phone


@pytest.mark.parametrize("language", ["sv-SE", "de-DE"])
def test_the_board_shows_the_whole_table_after_a_la_vola(
    lend: Callable[..., Phone], language: str
) -> None:
    tablet = open_board_after_la_vola(lend(width=1024, height=768, language=language))
    expect(tablet.page.locator(".standings .flow")).to_have_count(3)
    faults = {}
    for width, height in ((1024, 768), (1280, 800), (1180, 820)):
        tablet.page.set_viewport_size({"width": width, "height": height})
        found = [tablet.page.evaluate(OUTSIDE), find_broken_words(tablet, ".board .name", "")]
        faults[width, height] = [*found, max(0, tablet.page.evaluate(TOO_LONG))]
    assert faults == {size: [[], [], 0] for size in faults}


@pytest.mark.parametrize("stake", ["10", "99999,50"])
def test_the_nearest_seat_of_a_board_in_portrait_covers_no_line(
    lend: Callable[..., Phone], stake: str
) -> None:
    tablet = lend(width=768, height=1024)
    tablet.begin_by_tapping(FIVE_NAMES, options={"stake": "free"}, stake=stake)
    tablet.play(1, "D", "EE!*")
    tablet.visit("board")
    expect(tablet.page.locator(".score-change")).to_have_count(5)
    faults = {}
    for width, height in ((768, 1024), (1024, 1366), (600, 960), (390, 844)):
        tablet.page.set_viewport_size({"width": width, "height": height})
        faults[width, height] = tablet.page.evaluate(OVERLAPS)
    assert faults == {size: [] for size in faults}


def test_sums_and_changes_stay_within_the_seats_of_the_board(lend: Callable[..., Phone]) -> None:
    phone = open_board_after_la_vola(lend(width=667, height=375, language="de-DE"))
    spilled = {}
    for width, height in ((667, 375), (844, 390), (768, 1024)):
        phone.page.set_viewport_size({"width": width, "height": height})
        spilled[width, height] = phone.page.evaluate(SPILLED)
    assert spilled == {size: [] for size in spilled}


def test_large_text_on_a_phone_in_landscape_stays_within_the_seats(
    lend: Callable[..., Phone],
) -> None:
    phone = open_board_after_la_vola(lend(width=844, height=390, language="de-DE"))
    for text in ("130%", "200%"):
        assert find_broken_words(phone, ".seat .name", text) == []
        assert phone.page.evaluate(SPILLED) == [], text


def test_the_pictures_of_e1_show_how_it_was_played(phone: Phone) -> None:
    recorded_sessions.open_e1(phone).visit("")
    phone.see_table()
    phone.tap("menu").page.locator('dialog a[href$="/pictures"]').tap()
    wait_until_drawn(phone)
    heading = phone.page.locator("h2", has_text="Giv för giv")
    expect(heading).to_have_text("Giv för giv · SEK")
    expect(phone.page.locator("tfoot td")).to_have_text(["−50", "−40", "+150", "−60"])
    expect(phone.page.locator("tbody tr")).to_have_count(7)
    expect(phone.page.locator("tbody tr").nth(4).locator("td")).to_have_text(
        ["−60", "−50", "+200", "−50"]
    )
    label = "Så har det gått: Ada −50.kr, Bo −40.kr, Cilla [+]150.kr, Disa −60.kr"
    expect(phone.page.locator(".plot svg")).to_have_attribute("aria-label", re.compile(label))
    declared = phone.page.locator("section", has_text="Vunna som spelförare").locator(".bar-value")
    expect(declared).to_have_text(["0 av 1", "0 av 2", "0 av 1", "1 av 3"])
    won = phone.page.locator("section", has_text="Vunna givar").locator(".bar-value")
    expect(won).to_have_text(["1", "1", "2", "1"])
    phone.tap("line-p3")
    expect(phone.page.locator(".curve-group.chosen")).to_have_attribute("data-line", "p3")


def test_the_amounts_of_a_chart_have_equally_many_decimals(phone: Phone) -> None:
    dealt = [
        recorded_sessions.ALL_PASS
    ] * 5  # Ada, who deals first and last, has paid 1,50 kr twice
    recorded_sessions.record_and_open(phone, *dealt, options={"stake": 150})
    phone.visit("pictures")
    cells = phone.page.locator("table td", has_text=re.compile("[1-9]"))
    expect(cells.first).to_be_visible()
    assert [text for text in cells.all_inner_texts() if not re.search(r",\d\d$", text)] == []


def test_names_without_a_space_stay_within_the_pictures(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=568).begin([letter * 40 for letter in "WMÖÄ"])
    phone.play(1, "")
    phone.visit("pictures")
    expect(phone.page.locator(".legend .name").first).to_be_visible()
    assert phone.page.evaluate(TOO_WIDE) == 0


def test_a_large_sum_and_its_currency_stay_on_one_line(lend: Callable[..., Phone]) -> None:
    dealt = recorded_sessions.deal_actions(
        {"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p3"}
    )
    phone = recorded_sessions.record_and_open(lend(width=375), dealt, options={"stake": 123_450})
    phone.visit("pictures")
    sum_at_curve = phone.page.locator(".curve-name b", has_text="+1\xa0234,50")
    expect(sum_at_curve).to_be_visible()
    assert sum_at_curve.evaluate(LINES) == 1
    assert phone.page.evaluate(TOO_WIDE) == 0


@pytest.mark.parametrize("options", [{}, {"point_value": 100}], ids=["points", "money"])
def test_points_are_drawn_from_their_start_value(phone: Phone, options: dict[str, int]) -> None:
    recorded_sessions.record_and_open(phone, SPADER, game="spader", options=options)
    phone.visit("pictures")
    expect(phone.page.locator("thead th")).to_have_text(["Giv", "Ada och Cilla", "Bo och Disa"])
    expect(phone.page.locator("tfoot td")).to_have_text(["71", "50"])
    tricks = phone.page.locator("section", has_text="Tagna stick").locator(".bar-value")
    expect(tricks).to_have_text(["4", "3", "4", "2"])
    tricks_taken = {"type": "tricks", "taken": {"p2": 3, "p3": 2}}
    declarations: list[dict[str, Any]] = [
        {"type": "stay" if p in "23" else "pass", "player": f"p{p}"} for p in "2341"
    ]
    deal = [{"type": "open_deal"}, *declarations, tricks_taken]
    recorded_sessions.record_and_open(phone, deal, game="knektpass", options=options)
    phone.visit("pictures")
    expect(phone.page.locator("tfoot td")).to_have_text(["12", "9", "10", "12"])
    # fewer points are better
    expect(phone.page.locator("tbody td")).to_have_class(["", "plus", "plus", ""])
    assert phone.read("")["scores"] == {"p1": 12, "p2": 9, "p3": 10, "p4": 12}


def test_tricks_counted_by_side_are_drawn_by_side(phone: Phone) -> None:
    phone.begin(game="spader")
    for number, (bids, tricks, _) in enumerate(E7[:2], start=1):  # only the second has a nil
        record_spader_deal(phone, number, bids, tricks)
    phone.visit("pictures")
    tricks_taken = phone.page.locator("section", has_text="Tagna stick").locator(".bar-value")
    expect(tricks_taken).to_have_text(["13", "13"])  # 8 + 5 and 5 + 8


def test_a_corrected_deal_is_drawn_as_it_was_really_played(phone: Phone) -> None:
    recorder = recorded_sessions.record_elsewhere(
        phone, *(line.actions() for line in worked_evenings.lines(worked_evenings.E1))
    )
    recorded_sessions.open_as_host(phone, recorder).visit("pictures")
    expect(phone.page.locator("tfoot td").first).to_have_text("−50")
    winners = ["p2", "p1", "p2", "p4", "p4"]
    actions = [{"type": "declare", "players": ["p4"]}]
    actions += [{"type": "trick", "winner": winner} for winner in winners]
    reply = recorder.write(
        "/deals/2", {"actions": actions}, method="PUT", version=recorder.get().json["version"]
    )
    assert reply.status == 200, reply.raw
    expect(phone.page.locator("tfoot td")).to_have_text(
        [f"{k:+}".replace("-", "−") for k in recorded_sessions.E1_CORRECTED]
    )


def test_the_pictures_end_with_the_result_once_leftovers_are_shared(phone: Phone) -> None:
    phone.begin(game="polskpas")
    phone.play(1, "")
    phone.play(2, "C", "CC!*")
    phone.play(3, "")
    phone.visit("close")
    phone.tap("split_equal").tap("close")
    phone.visit("pictures")
    totals = phone.page.locator("tfoot tr")
    expect(totals).to_have_count(2)
    expect(totals.first.locator("td")).to_have_text(["−30,00", "−30,00", "+70,00", "−20,00"])
    expect(totals.last.locator("th")).to_have_text("Kvällens resultat")
    expect(totals.last.locator("td")).to_have_text(["−27,50", "−27,50", "+72,50", "−17,50"])
    expect(phone.page.locator("h2", has_text="vol")).to_have_text("Vole")  # there is no la vola


def test_without_leftovers_the_pictures_have_one_row_of_totals(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "BBACB")
    phone.visit("close")
    phone.tap("close")
    phone.visit("pictures")
    expect(phone.page.locator("tfoot tr")).to_have_count(1)
