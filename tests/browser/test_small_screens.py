"""Every screen on a small phone, with large text, with a hostile name, in four languages."""

from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import expect

from engine.games.registry import GAMES
from tests.support.browser.appearance import EVERY_LOOK
from tests.support.browser.late_answers import go_to_front_page
from tests.support.browser.layout_checks import (
    COVERED_POT,
    LINES,
    LONG_NAME,
    SMALL_TARGETS,
    TOO_WIDE,
    ScreenChecks,
    find_broken_words,
    find_misfits,
    wait_until_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import E7, record_spader_deal
from tests.support.browser.recorded_sessions import ALL_PASS, record_and_open
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES

SCREENS = [
    "",
    "record",
    "deals",
    "pictures",
    "board",
    "deal/1",
    "statement",
    "settlement",
    "share",
    "players",
    "close",
    "rules",
    "costs",
    "paper",
    "late",
]
CARDS_BELOW_BAR = """() => {
  const { top, height } = document.querySelector('#bar').getBoundingClientRect();
  const end = height > 0 ? top : innerHeight;
  return [...document.querySelectorAll('[data-key^="card-"]')]
    .filter((card) => card.getBoundingClientRect().bottom > end + 1)
    .map((card) => card.dataset.key);
}"""
HOSTILE = ["<img src=x onerror=alert(1)>", "'; DROP TABLE--", "👩‍👩‍👧 Östen"]
TEN_NAMES = (*FIVE_NAMES, "Fia", "Göran", "Hedvig", "Ivar", "Jo")
LANGUAGES = {"sv": "Ny kväll", "en": "New evening", "da": "Ny aften", "de": "Neuer Abend"}

WALKS = [
    ("polskpas", "record p2 depth-result vola vola-lost table"),
    ("spader", "record bid-7 bid-5 pad-8 send table record redeal"),
    ("spader", "record depth-cards bid-7 bid-5 p1 hand"),
    ("knektpass", "record with-p2-0 with-p3-1 with-p4-0 together pad-2 pad-3 send table"),
    ("knektpass", "record depth-cards card-7H swap-turn-up stay stay rest-pass exchanged card-9H"),
    ("polskt_pass", "record depth-cards card-JC card-9H unseen unseen card-AC hand"),
]

COVERED = """() => [...document.querySelectorAll('.seat-button, #bar .button, .slot')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}))
  .filter((e) => {
    const box = e.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.bottom - 6);
    return box.bottom > innerHeight || !(e.contains(top) || top === e);
  })
  .map((e) => e.textContent)"""
SPILLED_SUMS = """() => [
  ...document.querySelectorAll('.seat :is(.sum, .score-change)')
].filter((sum) => {
  const range = document.createRange();
  range.selectNodeContents(sum);
  const text = range.getBoundingClientRect(), seat = sum.closest('.seat').getBoundingClientRect();
  return text.left < seat.left || text.right > seat.right;
}).map((sum) => sum.textContent)"""
CUT_NAMES = """() => [...document.querySelectorAll('.plate .name')]
  .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)"""
ROOM_BELOW_SEATS = """(call) => call.getBoundingClientRect().top - Math.max(
  ...[...document.querySelectorAll('.seat')].map((seat) => seat.getBoundingClientRect().bottom))"""
ROOM_ABOVE_BAR = """(part) => document.querySelector('#bar').getBoundingClientRect().top
  - part.getBoundingClientRect().bottom"""
ROOM_ABOVE_SEATS = """(words) => Math.min(
  ...[...document.querySelectorAll('.seat')].map((seat) => seat.getBoundingClientRect().top))
  - words.getBoundingClientRect().bottom"""
BUTTONS_BY_ROW = """(buttons) => [...Map.groupBy(
  buttons, (button) => button.getBoundingClientRect().top).values()].map((row) => row.length)"""
LINE_WIDTHS = """(label) => {
  const range = new Range();
  range.selectNodeContents(label);
  return [...range.getClientRects()].map(({ width }) => width);
}"""
IS_HELP_BELOW_TEXT = """(question) => {
  const range = new Range();
  range.selectNodeContents(question.firstChild);
  const { top, height } = question.querySelector('.help-button').getBoundingClientRect();
  return top + height / 2 > [...range.getClientRects()].at(-1).bottom;
}"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({type: 'layout-shift', buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_nothing_scrolls_sideways_at_320_px(lend: Callable[..., Phone], text: str) -> None:
    phone = lend(width=320, height=640)
    phone.begin((LONG_NAME, "Bo", "Cilla", "Disa", "Emil"))
    phone.play(1, "AE", "BBCBA")
    wide = []
    for screen in [*SCREENS, "/", "/new", "/join"]:
        if screen.startswith("/"):
            phone.page.goto(f"{phone.url}/#{screen}")
        else:
            phone.visit(screen)
        wait_until_drawn(phone)
        phone.page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
        if phone.page.evaluate(TOO_WIDE) > 0:
            wide.append(screen)
        if screen == "/":
            phone.page.go_back()
    assert wide == [], text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_number_of_a_deal_stays_beside_its_word(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = record_and_open(lend(width=320, height=640, language=language), *[ALL_PASS] * 11)
    phone.tap("record").seat("A")
    phone.see_saved()
    expect(phone.page.locator('[data-key="misdeal"]')).to_be_visible()
    title = phone.page.locator("h1")
    expect(title).to_contain_text("12")
    assert title.evaluate(LINES) == 1
    assert phone.page.locator("#head").evaluate("(head) => head.clientHeight") == 64


@pytest.mark.parametrize("text", ["100%", "200%"] if EVERY_LOOK else ["200%"])
@pytest.mark.parametrize(("game", "steps"), WALKS)
def test_the_other_games_fit_a_small_phone_and_a_thumb(
    lend: Callable[..., Phone], game: str, steps: str, text: str
) -> None:
    phone = lend(width=320, height=640)
    names = (LONG_NAME, "Bo", "Cilla", "Disa", "Emil", "Frida", "Gun", "Hugo", "Ida", "Johan")
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game(game)

    def check(phone: Phone) -> list[str]:
        expect(phone.page.locator(".busy")).to_have_count(0)
        return find_misfits(phone, text)

    screens = ScreenChecks(check)
    phone.page.locator("summary").tap()
    screens.look(phone, "opening")
    phone.begin(names[:10] if game == "knektpass" else names[:4], game=game)
    screens.look(phone, "table")
    for step in steps.split():
        if step.startswith("p") and step[1:].isdigit():
            phone.page.locator(f'[data-seat="{step}"]').tap()
        else:
            phone.tap(step)
        screens.look(phone, step)
    assert screens.faults == {}


def test_everything_pressed_is_as_large_as_a_thumb(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    small = {}
    for screen in [*SCREENS, "/new", "/join"]:
        if screen.startswith("/"):
            phone.page.goto(f"{phone.url}/#{screen}")
        else:
            phone.visit(screen)
        wait_until_drawn(phone)
        small[screen] = phone.page.evaluate(SMALL_TARGETS)
    assert {screen: targets for screen, targets in small.items() if targets} == {}


def test_sums_of_millions_stay_within_the_seats_of_a_small_phone(
    lend: Callable[..., Phone],
) -> None:
    phone = lend(width=320, height=640)
    phone.begin_by_tapping(FIVE_NAMES, options={"stake": "free"}, stake="9999999,50")
    phone.play(1, "A", "BBCDE")
    phone.visit("")
    expect(phone.page.locator(".seat .plus")).to_contain_text("9\xa0999\xa0999,50")
    assert phone.page.evaluate(SPILLED_SUMS) == []


def assert_pot_is_not_covered(phone: Phone, pot: str) -> None:
    """Assert it in the recorder, and at the table after all have passed."""
    phone.tap("record")
    expect(phone.page.locator(".pot")).to_have_text(pot)
    assert phone.page.evaluate(COVERED_POT) == []
    phone.tap("all-pass")
    phone.see_result(1)
    phone.tap("table")
    expect(phone.page.locator(".pot")).to_have_text(pot)
    assert phone.page.evaluate(COVERED_POT) == []


@pytest.mark.parametrize("stake", ["99.999,50", "12.500,50"])
def test_no_seat_of_a_small_phone_covers_a_large_pot(
    lend: Callable[..., Phone], stake: str
) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    options = {"currency": "SEK", "stake": "free"}
    phone.begin_by_tapping(FIVE_NAMES, options=options, stake=stake.replace(".", ""))
    assert_pot_is_not_covered(phone, f"{stake}\xa0kr")


def test_changes_in_chips_stay_within_the_seats_of_a_small_board(
    lend: Callable[..., Phone],
) -> None:
    phone = lend(width=320, height=568)
    phone.begin_by_tapping(options={"currency": "chips", "stake": "free"}, stake="1250")
    phone.play(1, "B", "BB!BBB")
    phone.visit("board")
    expect(phone.page.locator(".score-change")).to_have_count(4)
    assert phone.page.evaluate(SPILLED_SUMS) == []


@pytest.mark.parametrize("width", [320, 340, 360])
def test_no_seat_of_a_small_phone_covers_a_pot_in_chips(
    lend: Callable[..., Phone], width: int
) -> None:
    phone = lend(width=width, height=568)
    phone.begin_by_tapping(options={"currency": "chips"})
    assert_pot_is_not_covered(phone, "10\xa0marker")


def test_no_game_stands_alone_on_a_tablet(lend: Callable[..., Phone]) -> None:
    phone = lend(width=768)
    phone.page.goto(f"{phone.url}/#/new")
    games = phone.page.locator(".game")
    expect(games).to_have_count(4)
    assert games.evaluate_all(BUTTONS_BY_ROW) == [4]


def test_the_field_for_the_next_member_stays_above_the_bar(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=568)
    phone.page.goto(f"{phone.url}/#/c")
    field = phone.page.locator('[data-key="member"]')
    for name in FIVE_NAMES:
        field.fill(name)
        field.press("Enter")
        expect(phone.page.locator(".name-chips")).to_contain_text(name)
        assert field.evaluate(ROOM_ABOVE_BAR) >= 0, name


@pytest.mark.parametrize("height", [568, 640, 844])
def test_no_call_touches_a_seat_of_the_table(lend: Callable[..., Phone], height: int) -> None:
    phone = lend(width=320, height=height)
    phone.begin(FIVE_NAMES)
    phone.tap("record")
    call = phone.page.locator('[data-key="all-pass"]')
    expect(call).to_be_visible()
    assert call.evaluate(ROOM_BELOW_SEATS) >= 6


@pytest.mark.parametrize(
    ("width", "height"), [(320, 568), (320, 640), (390, 664), (412, 732), (1024, 768)]
)
def test_the_bar_covers_neither_call_nor_trick(
    lend: Callable[..., Phone], width: int, height: int
) -> None:
    """Also where the browser's own bars take a part of the screen."""
    phone = lend(width=width, height=height)
    phone.begin(FIVE_NAMES)
    phone.tap("record")
    call = phone.page.locator('[data-key="all-pass"]')
    expect(call).to_be_visible()
    assert call.evaluate(ROOM_ABOVE_BAR) >= 0
    phone.seat("A")
    tricks = phone.page.locator(".slots")
    expect(tricks).to_be_visible()
    assert tricks.evaluate(ROOM_ABOVE_BAR) >= 0


@pytest.mark.parametrize(("width", "height"), [(320, 568), (320, 640), (390, 664), (412, 732)])
def test_the_bar_covers_no_trump(lend: Callable[..., Phone], width: int, height: int) -> None:
    phone = lend(width=width, height=height)
    phone.begin(FIVE_NAMES)
    phone.tap("record").seat("A")
    trumps = phone.page.locator(".trumps")
    expect(trumps).to_be_visible()
    assert trumps.evaluate(ROOM_ABOVE_BAR) >= 0


@pytest.mark.parametrize(("width", "height"), [(320, 568), (360, 640)])
def test_no_seat_covers_a_line_below_the_question(
    lend: Callable[..., Phone], width: int, height: int
) -> None:
    phone = lend(width=width, height=height)
    phone.begin()
    phone.tap("record").seat("BCC")
    words = phone.page.locator(".prompt .subtext")
    expect(words).to_have_text("Cilla har tagit de två första och får säga la vola.")
    assert words.evaluate(ROOM_ABOVE_SEATS) >= -2  # the seat may touch the line, not its letters


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_bar_covers_no_part_of_the_form_for_a_line(
    lend: Callable[..., Phone], game: str, language: str
) -> None:
    phone = lend(width=320, height=568, language=language)
    phone.begin(game=game)
    phone.visit("late")
    button = phone.page.locator('[data-key="enter-line"]')
    expect(button).to_be_visible()
    assert button.evaluate(ROOM_ABOVE_BAR) >= 0


@pytest.mark.parametrize(
    ("width", "names", "rows"),
    [(360, FOUR_NAMES, [4, 3]), (360, TEN_NAMES, [6]), (320, TEN_NAMES, [4, 2])],
)
def test_no_number_of_exchanged_cards_stands_alone(
    lend: Callable[..., Phone], width: int, names: Sequence[str], rows: list[int]
) -> None:
    """Ten players leave no cards for a 6+."""
    phone = lend(width=width, height=740)
    phone.begin(names, "knektpass")
    phone.tap("record")
    numbers = phone.page.locator('.exchange [data-key^="with-p2-"]')
    expect(numbers).to_have_count(sum(rows))
    assert numbers.evaluate_all(BUTTONS_BY_ROW) == rows


@pytest.mark.parametrize(
    ("steps", "keys", "rows"),
    [
        ("with-p2-1 with-p4-0 together", "pad-", [6]),
        ("with-p2-1 with-p4-0 together depth-cards", "exchange-p2-", [5]),
    ],
    ids=["tricks", "cards"],
)
def test_no_number_of_a_small_phone_stands_alone(
    lend: Callable[..., Phone], steps: str, keys: str, rows: list[int]
) -> None:
    phone = lend(width=320, height=740)
    phone.begin(game="knektpass")
    phone.tap("record")
    for step in steps.split():
        phone.tap(step)
    numbers = phone.page.locator(f'[data-key^="{keys}"]')
    expect(numbers).to_have_count(sum(rows))
    assert numbers.evaluate_all(BUTTONS_BY_ROW) == rows


def test_the_two_lines_of_a_button_are_about_as_long(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320)
    phone.begin()
    phone.visit("share")
    label = phone.page.get_by_role("button", name="Säg vems den här telefonen är").locator("span")
    first, second = label.evaluate(LINE_WIDTHS)
    assert second > first / 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_help_button_stands_alone_below_its_question(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = lend(width=320, height=640, language=language)
    phone.begin(("Cilla", "Ada", "Bo", "Disa"), "knektpass")
    phone.tap("record").tap("depth-cards")
    question = phone.page.locator(".question")
    expect(question).to_contain_text("Cilla")
    assert question.evaluate(IS_HELP_BELOW_TEXT) is False


def test_a_phone_on_its_side_shows_every_card_above_the_bar(lend: Callable[..., Phone]) -> None:
    phone = lend(width=667, height=375)
    phone.begin()
    phone.tap("record").tap("depth-cards")
    for card in ("9C", "AS", None, "9D", "9S", "KD"):
        phone.tap(f"card-{card}" if card else "take")
        if card != "AS":
            expect(phone.page.locator(".deck")).to_be_visible()
            wait_until_drawn(phone)
            phone.page.evaluate("scrollTo(0, 0)")
            assert phone.page.evaluate(CARDS_BELOW_BAR) == []


def test_a_phone_on_its_side_shows_the_whole_table(lend: Callable[..., Phone]) -> None:
    phone = lend(width=844, height=390)
    phone.begin(FIVE_NAMES)
    phone.tap("record")
    for step in ("", "C", "BB"):
        phone.seat(step)
        assert phone.page.evaluate(COVERED) == [], step


def test_nothing_moves_while_the_page_loads(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    for screen in ("", "deal/1", "record"):
        phone.visit(screen)
        phone.page.reload()
        wait_until_drawn(phone)
        assert phone.page.evaluate(SHIFTS) == 0, screen


def test_a_hostile_name_is_only_a_name(phone: Phone) -> None:
    dialogs: list[str] = []
    phone.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    phone.begin(HOSTILE)
    phone.play(1, "A", "BBCBA")
    for screen in SCREENS:
        phone.visit(screen)
        wait_until_drawn(phone)
        assert phone.page.locator("img[src=x]").count() == 0
    phone.visit("")
    expect(phone.page.locator(".seat .name")).to_have_text(HOSTILE)
    assert dialogs == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_speaks_the_language_that_was_chosen(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = lend(language="fi-FI")  # not one of the four: begins in Swedish
    phone.page.goto(phone.url + "/")
    start = phone.page.locator('[data-key="new"]')
    expect(start).to_have_text("Ny kväll")
    phone.page.locator("select[name=language]").select_option(language)
    expect(start).to_have_text(LANGUAGES[language])
    phone.page.reload()
    expect(start).to_have_text(LANGUAGES[language])
    expect(phone.page.locator("html")).to_have_attribute("lang", language)


def test_the_servers_sentences_follow_the_language(lend: Callable[..., Phone]) -> None:
    phone = lend(language="en-GB")
    phone.begin()
    phone.play(1, "B", "CCDCB")
    english = phone.page.locator(".verdict").inner_text()
    phone.visit("")
    phone.tap("menu")
    phone.page.locator("select[name=language]").select_option("sv")
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    expect(phone.page.locator(".last-deal .sentence")).not_to_have_text(english)


def test_a_deal_can_be_recorded_from_the_keyboard(phone: Phone) -> None:
    phone.begin()

    def press(key: str) -> None:
        phone.page.locator(f'[data-key="{key}"]').press("Enter")

    press("record")
    expect(phone.page.locator("h1")).to_be_focused()
    press("seat-p2")
    expect(phone.page.locator(".question")).to_contain_text("stick 1")
    for player in (3, 3):
        press(f"seat-p{player}")
        expect(phone.page.locator(f'[data-key="seat-p{player}"]')).to_be_focused()
    expect(phone.page.locator("#status")).to_have_text("Stick 2: Cilla")
    for trick, player in enumerate((4, 3, 2), start=3):
        expect(phone.page.locator(".question")).to_contain_text(f"stick {trick}")
        press(f"seat-p{player}")
    phone.see_result(1)
    expect(phone.page.locator("h1")).to_be_focused()


def test_too_few_names_are_said_beside_the_names(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/new")
    phone.page.locator(".lineup input").first.fill(FOUR_NAMES[0])
    phone.tap("open")
    expect(phone.page.locator(".wrong")).to_have_text("Det behövs minst 3 vid bordet.")


def test_another_refusal_does_not_say_that_the_evening_is_gone(phone: Phone) -> None:
    phone.begin()
    table = phone.table_url()
    refusal = {"code": "role_too_low", "detail": "Det får bara värden göra."}
    phone.page.route("**/v1/sessions/*", lambda route: route.fulfill(status=403, json=refusal))
    go_to_front_page(phone)
    phone.page.goto(table)
    expect(phone.page.locator("h1")).to_have_text("Det får bara värden göra.")
    expect(phone.page.locator("main")).to_be_empty()


@pytest.mark.parametrize(
    "link", ["7d0f3c3e-6f0a-4a53-9a55-6f3f6b1f0a11/host0.nonsense", "%E0%A4%A", "100%25"]
)
def test_a_link_that_is_no_good_says_so(phone: Phone, link: str) -> None:
    phone.page.goto(f"{phone.url}/#/s/{link}")
    expect(phone.page.locator("h1")).to_have_text("Här finns ingen kväll")
    expect(phone.page.locator("main p")).to_have_text(
        ["Kvällen finns inte, eller så gäller inte länken längre. Be den som bjöd in dig om en ny."]
    )


def test_no_token_is_kept_where_a_script_could_read_it(phone: Phone) -> None:
    with phone.page.expect_response(
        lambda answer: answer.url.endswith("/v1/sessions") and answer.status == 201
    ) as opened:
        phone.begin_by_tapping()
    tokens = list(opened.value.json()["tokens"].values())
    stored = phone.page.evaluate("JSON.stringify({...localStorage}) + document.cookie + location")
    assert len(tokens) == 3
    assert not any(token in stored for token in tokens)


def test_the_list_of_deals_is_read_in_whole_words(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    phone.begin()
    phone.play(1, "A", "CC!*")
    phone.play(2, "DC", "BBABD")
    phone.visit("deals")
    assert find_broken_words(phone, ".rows .row-name", "160%") == []


def test_names_beside_tricks_and_points_stand_in_whole_words(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    phone.begin(("Ada", "Björn", "Cecilia", "Disa"), game="knektpass")
    phone.tap("record").tap("with-p2-0").tap("with-p3-0").tap("together")
    assert find_broken_words(phone, ".counter", "160%") == []
    phone.tap("pad-3").tap("send")
    phone.see_result(1)
    assert find_broken_words(phone, ".scores", "160%") == []


@pytest.mark.parametrize("language", ["sv-SE", "da-DK", "de-DE"])
@pytest.mark.parametrize("game", ["polskt_pass", "knektpass"])
def test_the_depths_of_recording_stand_in_whole_words(
    lend: Callable[..., Phone], game: str, language: str
) -> None:
    phone = lend(width=320, height=640, language=language)
    phone.begin(game=game)
    phone.tap("record")
    assert find_broken_words(phone, ".segmented-control", "200%") == []
    assert find_misfits(phone, "200%") == []


def test_long_names_of_five_players_are_read_whole(phone: Phone) -> None:
    phone.begin((LONG_NAME, "Bartholomaeusfriedri", *FOUR_NAMES[1:]), game="knektpass")
    phone.tap("record").tap("depth-tricks")
    expect(phone.page.locator(".plate")).to_have_count(5)
    assert phone.page.evaluate(CUT_NAMES) == []
    assert find_misfits(phone, "100%") == []


def test_a_long_name_stays_within_the_button_that_has_it(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    phone.begin(("Maximilianewilhelmin", *FOUR_NAMES[1:]), game="knektpass")
    phone.tap("record").tap("depth-tricks")
    button = phone.page.locator('[data-key="swap-turn-up"]')
    expect(button).to_be_visible()
    phone.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert button.evaluate("(button) => button.scrollWidth - button.clientWidth") == 0


@pytest.mark.parametrize("screen", ["costs", "close", "players", "statement"])
def test_a_title_stays_whole_beside_the_state_of_sending(
    lend: Callable[..., Phone], screen: str
) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    phone.begin()
    phone.visit(screen)
    wait_until_drawn(phone)
    phone.see_saved()
    assert find_broken_words(phone, "h1") == []


@pytest.mark.parametrize("language", ["sv-SE", "da-DK", "de-DE"])
def test_the_menu_stands_beside_the_next_step(lend: Callable[..., Phone], language: str) -> None:
    phone = lend(language=language)
    phone.begin(game="spader")
    record_spader_deal(phone, 1, *E7[0][:2])
    phone.tap("table")
    phone.see_table()
    for width in (320, 360, 390, 430, 480, 560):
        phone.page.set_viewport_size({"width": width, "height": 844})
        undo, step, menu = (
            phone.page.locator(f'[data-key="{key}"]').evaluate("(it) => it.getBoundingClientRect()")
            for key in ("undo", "record", "menu")
        )
        assert menu["y"] == step["y"], width
        assert step["height"] < 66, width  # two lines at most
        assert undo["bottom"] < step["y"] or undo["y"] == step["y"], width


LONG_NAMES = (
    "Konstantin Alexander Bergström-Lindqvist",
    "Bartholomeus Fredrik Lindencrona-Wrede",
    "Charlotta Wilhelmina Oxenstierna Bergst",
    "Disa",
)


def test_names_of_forty_characters_are_broken_between_words(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    phone.begin(LONG_NAMES, game="knektpass")
    assert find_broken_words(phone, ".scores", "100%") == []
    phone.tap("record")
    assert find_broken_words(phone, ".exchanges", "100%") == []
    phone.begin(LONG_NAMES, game="spader")
    phone.tap("record")
    assert find_broken_words(phone, ".facing", "100%") == []


def test_no_separator_ends_a_line_between_links(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640)
    phone.begin()
    phone.visit("players")
    links = phone.page.locator("#main").locator('[data-key="names"], [data-key="forget"]')
    expect(links).to_have_count(2)
    expect(phone.page.locator("#main")).not_to_contain_text("·")
