"""A group's screens, and the one that opens a session, at 320 px and with text twice as large: what
is written there can be read, in German and Danish too, whose words are the longest."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from engine.games.registry import GAMES
from tests.support.browser.appearance import languages
from tests.support.browser.group_screens import found_group, record_group_deal
from tests.support.browser.layout_checks import find_broken_words, find_misfits, wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

Lend = Callable[..., Phone]

NAMES = ("Christoffer", "Maximiliane", "Jens-Christian", "Wilhelmine")
DEAL = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "la_vola": {"player": "p2", "won": True}},
]
LARGE = "document.documentElement.style.fontSize = '200%'"
CUT_INPUTS = """() => [...document.querySelectorAll('input[type=text]')]
  .filter((input) => input.scrollWidth > input.clientWidth).map((input) => input.value)"""
CUT_TEXTS = """(field) => {
  const style = getComputedStyle(field), canvas = document.createElement('canvas').getContext('2d');
  canvas.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const texts = field.options ? [...field.options].map(({ text }) => text) : [field.placeholder];
  return texts.filter((text) => canvas.measureText(text).width > room);
}"""


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_names_and_sums_of_the_lines_are_read_whole(lend: Lend, text: str) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    group = found_group(phone, NAMES)
    members = [f"m{n}" for n in range(1, 5)]
    record_group_deal(
        phone, group, DEAL, members=members, game="polskt_pass", options={"stake": 123_456}
    )
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    assert find_broken_words(phone, "section :is(.axis-label, .dates, .legend)", text) == []
    expect(phone.page.locator(".legend .name:visible")).to_have_count(len(NAMES))
    expect(phone.page.locator('[data-key="line-m2"]')).to_have_accessible_name(re.compile(NAMES[1]))
    assert find_misfits(phone, text) == []


@pytest.mark.parametrize("screen", ["members", "tonight"])
def test_a_field_for_a_new_name_has_room_for_one(lend: Lend, screen: str) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    group = found_group(phone, NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/{screen}")
    wait_until_drawn(phone)
    field = phone.page.locator(".copy-field input")
    assert field.evaluate(CUT_TEXTS) == []
    phone.page.evaluate(LARGE)
    field.fill(NAMES[1])
    assert phone.page.evaluate(CUT_INPUTS) == []
    assert find_misfits(phone, "200%") == []


def test_members_to_seat_stand_in_whole_words(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    group = found_group(phone, NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    assert find_broken_words(phone, ".plates .name", "100%") == []


def test_names_of_those_who_sit_down_are_read_whole(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    phone.page.goto(phone.url + "/#/new")
    wait_until_drawn(phone)
    phone.page.evaluate(LARGE)
    for place, name in enumerate(("Christoffer", "Maximiliane", "Wilhelmine")):
        phone.page.locator(".lineup input").nth(place).fill(name)
    assert phone.page.evaluate(CUT_INPUTS) == []
    assert find_misfits(phone, "200%") == []


def test_the_games_stand_side_by_side_only_where_they_fit(lend: Lend) -> None:
    phone = lend(width=640, height=400, language="de-DE")
    phone.page.goto(phone.url + "/#/new")
    wait_until_drawn(phone)
    tops = phone.page.locator(".game").evaluate_all(TOPS)
    assert len(set(tops)) == 1
    assert find_misfits(phone, "200%") == []


@languages()
def test_each_choice_of_an_evening_fits_its_field(lend: Lend, language: str) -> None:
    phone = lend(width=320, height=640, language=language)
    phone.page.goto(phone.url + "/#/new")
    cut = {}
    for game in GAMES:
        phone.choose_game(game)
        expect(phone.page.locator("#main select").first).to_be_attached()
        phone.page.locator("#main details").evaluate_all(
            "(all) => all.forEach((details) => { details.open = true; })"
        )
        for field in phone.page.locator("#main select").all():
            if texts := field.evaluate(CUT_TEXTS):
                cut[game, field.get_attribute("name")] = texts
    assert cut == {}


def test_a_long_choice_takes_several_lines_of_its_field(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    phone.page.goto(phone.url + "/#/new")
    wait_until_drawn(phone)
    phone.page.evaluate(LARGE)
    phone.page.locator("summary").first.tap()
    field = phone.page.locator('select[name="leftover_policy"]')
    height = field.evaluate("(select) => select.getBoundingClientRect().height")
    assert height > 4 * 32, height  # three lines and the space around them
    field.select_option("play_on")
    expect(field).to_have_value("play_on")
    assert find_misfits(phone, "200%") == []


def test_the_language_is_read_whole_beside_its_name(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    phone.page.goto(phone.url + "/#/")
    wait_until_drawn(phone)
    phone.page.evaluate(LARGE)
    room = phone.page.locator("select[name=language]").evaluate("(select) => select.clientWidth")
    assert room > 6 * 32


@pytest.mark.parametrize(
    ("screen", "words"),
    [("players", ".row .name"), ("late", ".late-sum .name"), ("record", ".trumps .overline")],
)
def test_short_words_beside_fields_and_buttons_are_not_broken(
    lend: Lend, screen: str, words: str
) -> None:
    phone = lend(width=320, height=640, language="de-DE").begin()
    phone.visit(screen)
    wait_until_drawn(phone)
    if screen == "record":
        phone.seat("B")
    assert find_broken_words(phone, words, "200%") == []
    assert find_misfits(phone, "200%") == []


COVERED_SUMS = """() => [...document.querySelectorAll('.seat')].filter((seat) => {
  const dealer = seat.querySelector('.dealer'), range = new Range();
  if (!dealer) return false;
  range.selectNodeContents(seat.querySelector('.sum'));
  return range.getBoundingClientRect().right > dealer.getBoundingClientRect().left;
}).map((seat) => seat.textContent)"""


def test_the_dealer_button_of_the_board_covers_no_balance(lend: Lend) -> None:
    phone = lend(width=320, height=640, language="de-DE").begin()
    phone.play(1, "B", "BBBAA")
    phone.visit("board")
    expect(phone.page.locator(".seat .score-change").first).to_be_visible()
    phone.page.evaluate(LARGE)
    assert phone.page.evaluate(COVERED_SUMS) == []


TOPS = "(all) => all.map((element) => element.getBoundingClientRect().top)"


def test_buttons_of_a_seat_stay_beside_each_other(lend: Lend) -> None:
    phone = lend(width=360, height=740, language="da-DK").begin()
    phone.visit("players")
    wait_until_drawn(phone)
    phone.page.evaluate(LARGE)
    row = phone.page.locator(".rows .row").first
    tops = row.locator("button").evaluate_all(TOPS)
    assert len(tops) == 2
    assert len(set(tops)) == 1


def test_fields_for_the_sums_on_paper_stand_in_one_column(phone: Phone) -> None:
    phone.begin(("Christoffer", *FOUR_NAMES[1:]))
    phone.visit("late")
    assert find_broken_words(phone, ".late-sum .name", "100%") == []
    fields = phone.page.locator(".late-sum input")
    expect(fields).to_have_count(4)
    places = fields.evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect()).map(({ x, width }) => [x, width])"
    )
    assert places == [places[0]] * 4


BAR_SHARE = """() =>
  (innerHeight - document.querySelector('#bar').getBoundingClientRect().top) / innerHeight"""


@pytest.mark.parametrize(("width", "height"), [(341, 170), (320, 256)])
def test_a_window_zoomed_to_400_percent_shows_names_and_content(
    lend: Lend, width: int, height: int
) -> None:
    """A laptop's window of 1366 x 680 or 1280 x 1024 is as small when it is zoomed."""
    phone = lend(width=width, height=height).begin()
    assert phone.page.evaluate(BAR_SHARE) <= 0
    phone.tap("record")
    names = phone.page.locator(".seat-button .name")
    expect(names).to_have_count(4)
    assert names.evaluate_all("(all) => all.filter((name) => name.clientWidth < 16).length") == 0
    assert phone.page.evaluate(BAR_SHARE) <= 0
