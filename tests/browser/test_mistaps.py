"""Accidental taps: too soon after something new, where another button was, under the bar. Also, the
selected choice is visible without colours. The tests compare the boxes of elements."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.phone import Phone
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES

FROZEN_AT = "2030-01-01"
"""The time at which a page's clock stops, so that presses are quick on a busy machine as well."""


def rested(page: Page) -> None:
    """Wait until the page accepts taps, because its content was there long enough to be read."""
    expect(page.locator("html:not([data-spared])")).to_have_count(1)


def middle(page: Page, key: str) -> tuple[float, float]:
    area = box(page.locator(f'[data-key="{key}"]'))
    return area["x"] + area["width"] / 2, area["y"] + area["height"] / 2


def overlap(first: dict[str, float], second: dict[str, float]) -> bool:
    """Return whether two boxes share more than an edge."""
    return (
        min(first["x"] + first["width"], second["x"] + second["width"])
        - max(first["x"], second["x"])
        > 1
        and min(first["y"] + first["height"], second["y"] + second["height"])
        - max(first["y"], second["y"])
        > 1
    )


def box(locator: Locator) -> dict[str, float]:
    expect(locator).to_be_visible()
    # a response may redraw the page between finding and measuring: then measure once more
    while (measured := locator.bounding_box()) is None:
        expect(locator).to_be_visible()
    return dict(measured)  # type: ignore[call-overload, no-any-return]


def ask_for_trick_1(phone: Phone) -> None:
    phone.begin()
    phone.tap("record").seat("B")
    expect(phone.page.locator(".question")).to_contain_text("stick 1")


def tricks(phone: Phone) -> Locator:
    return phone.page.locator(".slot .player-token")


def test_the_second_of_two_quick_taps_takes_no_second_trick(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    phone.page.clock.install()
    ask_for_trick_1(phone)
    seat = middle(phone.page, "seat-p1")
    rested(phone.page)
    phone.page.clock.pause_at(FROZEN_AT)
    for _ in range(2):
        phone.page.touchscreen.tap(*seat)
    expect(tricks(phone)).to_have_count(1)
    phone.page.clock.resume()
    rested(phone.page)
    phone.page.touchscreen.tap(*seat)  # a deliberate tap
    expect(tricks(phone)).to_have_count(2)


def test_a_double_tap_on_a_choice_does_not_take_it_back(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    phone.page.clock.install()
    phone.begin(game="knektpass")
    phone.tap("record")
    phone.tap("with-p3-1")  # this one brings the bar
    choice, other = (middle(phone.page, key) for key in ("with-p2-2", "with-p4-0"))
    chosen = phone.page.locator('.exchange [aria-pressed="true"]')
    rested(phone.page)
    phone.page.clock.pause_at(FROZEN_AT)
    for spot in (choice, choice, other):
        phone.page.touchscreen.tap(*spot)
    expect(chosen).to_have_count(3)
    phone.page.clock.resume()
    rested(phone.page)
    phone.page.touchscreen.tap(*choice)  # a deliberate tap
    expect(chosen).to_have_count(2)


@pytest.mark.parametrize(
    ("game", "walk", "key"),
    [
        pytest.param("polskt_pass", "record", "seat-p1", id="a new screen"),
        pytest.param("polskt_pass", "record depth-result seat-p2", "seat-p1", id="by the result"),
        pytest.param("spader", "record", "bid-7", id="a bid"),
        pytest.param("spader", "record bid-7 bid-5", "pad-4", id="a count"),
        pytest.param("knektpass", "record depth-tricks", "stay", id="a word"),
        pytest.param("polskt_pass", "record depth-cards", "card-9H", id="a card"),
        pytest.param("polskt_pass", "record depth-cards card-JC", "card-9H", id="the next card"),
        pytest.param("polskt_pass", "menu", "back", id="beside a sheet"),
    ],
)
def test_no_question_counts_a_tap_that_comes_with_it(
    lend: Callable[..., Phone], game: str, walk: str, key: str
) -> None:
    """In every recorder, the page ignores a press at the moment when something new appears, also on
    a phone that needs longer to draw it than the page waits."""
    phone = lend(hasty=True)
    phone.begin(game=game)
    *before, last = walk.split()
    for step in before:
        phone.tap(step)
    watched = """([last, key]) => new Promise((done) => {
      setTimeout(() => done(['never', 0, 0]), 25000);
      const spared = () => 'spared' in document.documentElement.dataset;
      new MutationObserver((_, observer) => {
        const there = document.querySelector(`[data-key="${key}"]`);
        if (!there || !spared()) return;
        observer.disconnect();
        const {x, y, width, height} = there.getBoundingClientRect();
        const reached = there.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        const drawn = performance.now() + 400;
        while (performance.now() < drawn);
        const since = performance.now();
        let looks = 0;
        const look = () => (spared() ? (looks += 1, setTimeout(look, 5))
          : done([reached, performance.now() - since, looks * 5]));
        look();
      }).observe(document, {subtree: true, childList: true, attributes: true});
      document.querySelector(`[data-key="${last}"]`).click();
    })"""
    expect(phone.page.locator(f'[data-key="{last}"]')).to_be_visible()
    rested(phone.page)
    reached, lasted, awake = phone.page.evaluate(watched, [last, key])
    assert reached is False
    assert lasted > 200
    assert awake < 1_500  # pauses of a busy machine are not counted


def test_a_held_key_answers_one_question_only(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    ask_for_trick_1(phone)
    rested(phone.page)
    phone.page.locator('[data-key="seat-p1"]').focus()
    for _ in range(6):
        phone.page.keyboard.down("Enter")  # repeats, until it is let go
        phone.page.wait_for_timeout(100)
    phone.page.keyboard.up("Enter")
    expect(tricks(phone)).to_have_count(1)


def test_a_key_just_after_a_new_question_does_not_count(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    phone.page.clock.install()
    ask_for_trick_1(phone)
    rested(phone.page)
    phone.page.clock.pause_at(FROZEN_AT)
    phone.page.locator('[data-key="seat-p1"]').focus()
    phone.page.keyboard.press("Enter")
    phone.page.keyboard.press("Enter")
    phone.page.keyboard.press(" ")
    expect(tricks(phone)).to_have_count(1)
    expect(phone.page.locator('[data-key="seat-p1"]')).to_be_focused()


def test_a_counter_is_stepped_as_fast_as_a_thumb_can(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    phone.begin(game="spader")
    phone.tap("record").mark("nil", "nil p2")
    phone.tap("bid-4").tap("bid-5")
    step_up = phone.page.locator('[data-key="more-p2"]')
    expect(step_up).to_be_visible()
    rested(phone.page)
    point = middle(phone.page, "more-p2")
    for _ in range(4):
        phone.page.touchscreen.tap(*point)
    expect(phone.page.locator('[data-tally="p2"]')).to_have_text("4")


@pytest.mark.parametrize(
    ("game", "main"),
    [("polskt_pass", "table"), ("polskpas", "table"), ("polskpas", "result")],
)
@pytest.mark.parametrize("size", [(390, 844), (320, 640)])
def test_costly_buttons_never_appear_under_the_main_button(
    lend: Callable[..., Phone], game: str, main: str, size: tuple[int, int]
) -> None:
    """The buttons for all-pass and for la vola are not where the button that led to them was."""
    phone = lend(width=size[0], height=size[1])
    phone.begin(game=game)
    if main == "result":
        phone.play(1, "B", "CCDCB")
    before = box(phone.page.locator("#bar .primary"))
    phone.tap("record")
    passed = phone.page.locator('[data-key="all-pass"]')
    expect(passed).to_be_visible()
    assert not overlap(before, box(passed))
    phone.seat("BBB")
    vola = phone.page.locator('[data-key="vola"]')
    expect(vola).to_be_visible()
    expect(vola).not_to_contain_class("primary")
    assert not overlap(before, box(vola))
    expect(phone.page.locator("#bar [data-key=vola]")).to_have_count(0)
    vola_box = box(vola)
    phone.tap("vola")
    all_five = phone.page.locator('[data-key="all-five"]')
    expect(all_five).not_to_contain_class("primary")
    assert not overlap(vola_box, box(all_five))


def test_card_by_card_no_costly_button_appears_under_the_main_one(phone: Phone) -> None:
    phone.begin(game="knektpass")
    before = box(phone.page.locator("#bar .primary"))
    phone.tap("record").tap("depth-cards")
    expect(phone.page.locator(".deck")).to_be_visible()
    assert not overlap(before, box(phone.page.locator('[data-key="all-pass"]')))


@pytest.mark.parametrize("height", [568, 640, 844])
def test_the_choice_of_detail_is_never_covered_by_the_bar(
    lend: Callable[..., Phone], height: int
) -> None:
    phone = lend(width=320, height=height, language="de-DE")
    phone.begin(FIVE_NAMES)
    phone.tap("record")
    for step in ("five tricks", "a declarer", "Knektpass"):
        if step == "a declarer":
            phone.seat("B")
        elif step == "Knektpass":
            phone.begin(FIVE_NAMES, game="knektpass")
            phone.tap("record")
            expect(phone.page.locator("body.by-action .exchanges")).to_be_visible()
        choices = phone.page.locator(".segmented-control button")
        expect(choices).to_have_count(3)
        for choice in choices.all():
            reached = choice.evaluate(
                "(one) => { const {x, y, width, height} = one.getBoundingClientRect();"
                " return [[.1, .1], [.9, .1], [.1, .9], [.9, .9]].every(([across, down]) =>"
                " one.contains("
                "document.elementFromPoint(x + across * width, y + down * height))); }"
            )
            assert reached, (height, step)


def test_the_table_stays_where_it_is_from_question_to_question(phone: Phone) -> None:
    phone.begin()
    phone.tap("record")
    seats = [box(phone.page.locator('[data-key="seat-p3"]'))]
    for seat in "BAACD":
        phone.seat(seat)
        if seat != "D":
            seats.append(box(phone.page.locator('[data-key="seat-p3"]')))
    assert all(abs(seat_box["y"] - seats[0]["y"]) < 2 for seat_box in seats), seats


def test_enter_after_the_last_name_starts_nothing(lend: Callable[..., Phone]) -> None:
    phone = lend(hasty=True)
    phone.page.goto(phone.url + "/#/new")
    first = phone.page.locator(".lineup input").first
    first.focus()
    for name in FOUR_NAMES:
        phone.page.keyboard.type(name)
        phone.page.keyboard.press("Enter")
    expect(phone.page.locator("[name=dealer]:checked")).to_be_focused()  # what is asked next
    for _ in range(5):
        phone.page.keyboard.press("Enter")
    phone.page.locator("summary").first.tap()
    phone.page.locator("[name=title]").press("Enter")
    phone.page.locator(".lineup input").last.focus()
    for _ in range(5):
        phone.page.keyboard.down("Enter")
    phone.page.keyboard.up("Enter")
    assert phone.page.evaluate("location.hash") == "#/new"
    assert phone.page.evaluate("localStorage.getItem('vola.evenings')") is None


CHOSEN = """() => {
  const all = (where) => [...document.querySelectorAll(where)]
    .filter((one) => one.checkVisibility({visibilityProperty: true}));
  const radio = '.pill input, .game input';
  const seen = (one) => {
    const drawn = one.matches(radio) ? one.nextElementSibling : one;
    const {borderTopWidth, borderTopStyle, borderLeftWidth, outlineStyle, backgroundColor} =
      getComputedStyle(drawn);
    return [borderTopWidth, borderTopStyle, borderLeftWidth, outlineStyle, backgroundColor].join();
  };
  const kinds = ['.chip', '.number-key', '.card-button', '.plate', '.seat', '.pill input',
    '.segmented-control button', '.trumps button', '.game input'];
  const chosen = '[aria-pressed=true], .declarer, :checked';
  return kinds.flatMap((kind) => {
    const others = all(kind).filter((one) => !one.matches(chosen) && !one.disabled).map(seen);
    return all(kind).filter((one) => one.matches(chosen) && others.includes(seen(one)))
      .map((one) => one.outerHTML.slice(0, 90));
  });
}"""


def test_the_choice_is_visible_without_colours(lend: Callable[..., Phone]) -> None:
    phone = lend()
    alike_by_screen: dict[str, list[str]] = {}

    def look(screen: str) -> None:
        assert phone.page.evaluate("matchMedia('(forced-colors: active)').matches")
        alike_by_screen[screen] = phone.page.evaluate(CHOSEN)

    phone.page.emulate_media(forced_colors="active")
    phone.page.goto(phone.url + "/#/new")
    expect(phone.page.locator(".game input").first).to_be_attached()
    look("a new evening")
    phone.begin()
    phone.tap("record")
    look("how closely")
    phone.seat("B").tap("trump-H")
    look("the declarer, and the trumps")
    phone.seat("CCDCB")
    phone.see_result(1)
    phone.visit("correct/1")
    expect(phone.page.locator(".action-row")).to_have_count(6)
    look("a correction")
    phone.begin(game="knektpass")
    phone.tap("record").tap("with-p2-2").tap("with-p3-0")
    look("who stays, and with how many")
    phone.begin(game="spader")
    phone.tap("record").mark("nil", "nil p2")
    look("a nil")
    assert {screen: wrong for screen, wrong in alike_by_screen.items() if wrong} == {}


def test_without_colours_the_next_trick_and_whose_turn_it_is_are_seen(phone: Phone) -> None:
    phone.page.emulate_media(forced_colors="active")
    phone.begin()
    phone.tap("record").seat("BA")
    expect(tricks(phone)).to_have_count(1)
    borders = phone.page.locator(".slot").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).borderTopWidth)"
    )
    assert borders[1] not in (borders[0], borders[2])
    fills = phone.page.locator(".slot .player-token, .seat .player-token").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).fill)"
    )
    assert len(set(fills)) == 4  # a token keeps its colour beside its shape and letter


def test_the_button_to_correct_a_deal_stays_small(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "", "")
    button = phone.page.locator('[data-key="correct"]')
    expect(button).to_be_visible()
    assert box(button)["height"] <= 64
    phone.tap("correct")
    expect(phone.page.locator(".action-row")).to_have_count(1)
    for key in ("anew", "never"):
        assert box(phone.page.locator(f'[data-key="{key}"]'))["height"] <= 64


@pytest.mark.parametrize("language", ["sv-SE", "da-DK"])
def test_the_help_beside_the_pot_is_on_no_plate(lend: Callable[..., Phone], language: str) -> None:
    """With three players two plates are beside it."""
    phone = lend(width=320, language=language)
    phone.begin(FOUR_NAMES[:3])
    help_button = box(phone.page.locator('[data-key="hint-stake"]'))
    assert not any(overlap(help_button, box(seat)) for seat in phone.page.locator(".seat").all())
