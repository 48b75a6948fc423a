"""Other phones show within a second who is recording a deal, and only as long as it is true."""

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.support.browser.appearance import EVERY_LOOK, looks
from tests.support.browser.connection import ACTIONS, join_as_scorer
from tests.support.browser.form_sources import imported_module
from tests.support.browser.join_requests import join_by_code, read_link
from tests.support.browser.layout_checks import TOO_WIDE, find_violations
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone
from tests.support.server_process import ServerProcess

Lend = Callable[..., Phone]

RECORDING_HERE = "**/v1/sessions/*/presence/*"
RECORDING = "**/v1/sessions/*/presence{,/*}"
AGE_PRESENCE = (
    "UPDATE vola.presence SET last_seen_at = last_seen_at - interval '31 s' WHERE session_id = %s"
)
SMALLEST = [(320, 640), (740, 360)]
SIZES = [(390, 844), (375, 667), *SMALLEST] if EVERY_LOOK else SMALLEST
SECONDS = 1
"""Seconds within which another phone shows who is recording, once the server knows it."""
ATTEMPTS = 10  # on a busy machine the first may take longer
GONE_WITHIN_MS = 15_000
"""Milliseconds within which a phone shows it no longer. Without a message the server would forget
it after 20 s at the earliest: 30 s after the last report, which the phone sends every 10 s."""


COVERING_SEATS = """() => {
  const range = new Range();
  range.selectNodeContents(document.querySelector('.presence-line'));
  const { bottom } = range.getBoundingClientRect();
  return [...document.querySelectorAll('.seat')]
    .filter((seat) => seat.getBoundingClientRect().top < bottom)
    .map((seat) => seat.textContent);
}"""
"""The seats that reach above the end of the line."""


def line(phone: Phone) -> Locator:
    return phone.page.locator("#head .presence-line")


def shows_nobody(phone: Phone) -> None:
    expect(line(phone)).to_have_count(0, timeout=GONE_WITHIN_MS)


def two(lend: Lend, game: str = "polskt_pass") -> tuple[Phone, Phone]:
    """Return the host's phone and one with a label, both at the table with an open change feed."""
    host, bo = lend(), lend()
    host.begin(game=game)
    join_by_code(host, bo)
    host.visit("")
    host.see_table()
    for phone in (host, bo):
        listening(phone)
    return host, bo


def listening(phone: Phone) -> None:
    """Wait until the module is loaded and the change feed is open."""
    wait_until(
        phone.page,
        f"""async () => await {imported_module("features/presence.js")}
           && (await {imported_module()}).isFeedOpen()""",
    )


def test_others_see_the_recorder_within_a_second_until_the_deal_is_sent(lend: Lend) -> None:
    host, bo = two(lend)
    bo.tap("record")
    shows_nobody(host)  # nothing is written yet
    waits = []
    for attempt in range(ATTEMPTS):
        if attempt:
            bo.tap("undo-tap")
            shows_nobody(host)
        with bo.page.expect_response(RECORDING):
            bo.seat("B")
        started_at = time.monotonic()
        expect(line(host)).to_have_text("Bos telefon skriver in giv 1 …")
        waits.append(time.monotonic() - started_at)
        if waits[-1] < SECONDS:
            break
    assert min(waits) < SECONDS, waits
    expect(host.page.locator("#status")).to_have_text("Bos telefon skriver in giv 1 …")
    shows_nobody(bo)
    bo.seat("CCDCB")
    bo.see_result(1)
    shows_nobody(host)
    expect(host.page.locator(".last-deal")).to_contain_text("Cilla")


def test_opening_a_deal_under_way_shows_its_recorder_and_is_allowed(lend: Lend) -> None:
    host, bo = two(lend)
    bo.tap("record").seat("BC")
    expect(line(host)).to_have_count(1)
    host.tap("record")
    expect(line(host)).to_have_text("Giv 1 skrivs redan in: Bos telefon")
    with host.page.expect_response(RECORDING):
        host.seat("D")
    expect(line(host)).to_have_text("Giv 1 skrivs redan in: Bos telefon")
    expect(line(bo)).to_have_text("Giv 1 skrivs redan in på värdens telefon")
    host.seat("AADAA")
    host.see_result(1)


@pytest.mark.parametrize("size", SIZES)
def test_the_line_of_presence_moves_no_button(lend: Lend, size: tuple[int, int]) -> None:
    host, bo = two(lend)
    host.page.set_viewport_size({"width": size[0], "height": size[1]})
    host.tap("record")
    expect(host.page.locator(".question")).to_be_visible()
    seat = host.page.locator('[data-seat="p1"]')
    box = seat.bounding_box()
    bo.tap("record").seat("B")
    expect(line(host)).to_be_visible()
    assert seat.bounding_box() == box


@pytest.mark.parametrize("language", ["de-DE", "en-GB"])
def test_no_seat_of_a_small_phone_covers_the_line_of_presence(lend: Lend, language: str) -> None:
    host, bo = lend(), lend(width=320, height=568, language=language)
    join_as_scorer(host, bo)
    listening(bo)
    host.tap("record").seat("B")
    expect(line(bo)).to_be_visible()
    assert bo.page.evaluate(COVERING_SEATS) == []


def test_the_board_shows_who_records(lend: Lend) -> None:
    host, bo = two(lend)
    host.visit("board")
    expect(host.page.locator("body.board .felt")).to_be_visible()
    bo.tap("record").seat("B")
    expect(line(host)).to_have_text("Bos telefon skriver in giv 1 …")
    host.visit("deals")
    shows_nobody(host)


@pytest.mark.parametrize("ending", ["taken back", "left", "hidden", "closed"])
def test_presence_disappears_when_the_recording_ends(lend: Lend, ending: str) -> None:
    host, bo = two(lend)
    bo.tap("record").seat("B")
    expect(line(host)).to_have_count(1)
    if ending == "taken back":
        bo.tap("undo-tap")
    elif ending == "left":
        bo.tap("back")
    elif ending == "hidden":
        hide(bo)
    else:
        bo.page.goto("about:blank")
    shows_nobody(host)
    if ending == "hidden":
        hide(bo, visible=True)
        expect(line(host)).to_have_count(1)


def hide(phone: Phone, *, visible: bool = False) -> None:
    """Hide the page, as a phone in a pocket does; a headless browser always shows its page."""
    phone.page.evaluate(
        """(shown) => {
          Object.defineProperty(document, 'hidden', {configurable: true, value: !shown});
          document.dispatchEvent(new Event('visibilitychange'));
        }""",
        visible,
    )


def test_the_presence_of_a_dead_phone_expires(lend: Lend, server: ServerProcess) -> None:
    host, bo = two(lend)
    bo.tap("record").seat("B")
    expect(line(host)).to_have_count(1)
    bo.page.route(RECORDING, lambda route: route.abort())  # the phone reports nothing any more
    session = host.page.evaluate("location.hash.split('/')[2]")
    with psycopg.connect(server.environment["DATABASE_OWNER_URL"]) as db:
        assert db.execute(AGE_PRESENCE, [session]).rowcount == 1
    shows_nobody(host)


def test_presence_is_repeated_while_a_deal_is_recorded(phone: Phone) -> None:
    phone.page.clock.install()
    methods: list[str] = []
    phone.page.on(
        "request", lambda request: "/presence" in request.url and methods.append(request.method)
    )
    phone.begin()
    phone.tap("record")
    phone.page.clock.run_for(30_000)
    announced = [method for method in methods if method != "GET"]
    assert announced == []
    with phone.page.expect_response(RECORDING):
        phone.seat("B")
    for _ in range(3):
        with phone.page.expect_response(RECORDING):
            phone.page.clock.run_for(10_000)
    with phone.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        phone.seat("CCDCB")
    phone.see_result(1)
    phone.page.clock.run_for(60_000)
    assert [method for method in methods if method != "GET"] == ["PUT"] * 4 + ["DELETE"]


def test_two_phones_with_the_same_link_see_each_other(lend: Lend) -> None:
    host, first, second = lend(), lend(), lend()
    host.begin()
    address = read_link(host)
    for phone in (first, second):
        phone.page.goto(address)
        phone.see_table()
        phone.tap("whose-skip")
        listening(phone)
    first.tap("record").seat("B")
    expect(line(second)).to_have_text("En annan telefon skriver in giv 1 …")
    shows_nobody(first)
    second.tap("record").seat("C")
    expect(line(first)).to_have_text("Giv 1 skrivs redan in på en annan telefon")
    first.tap("back")
    shows_nobody(second)
    expect(line(first)).to_have_text("En annan telefon skriver in giv 1 …")


def test_a_second_tab_of_a_phone_is_no_other_recorder(lend: Lend) -> None:
    host, bo = two(lend)
    tab = Phone(host.page.context.new_page(), host.url)
    tab.page.goto(host.page.url)
    tab.see_table()
    listening(tab)
    host.tap("record").seat("B")
    expect(line(bo)).to_have_text("Värdens telefon skriver in giv 1 …")
    with tab.page.expect_response(RECORDING):
        tab.tap("record").seat("C")
    expect(line(tab)).to_have_count(0)
    bo.tap("record").seat("B")
    expect(line(tab)).to_have_text("Giv 1 skrivs redan in: Bos telefon")


def test_the_id_of_a_page_does_not_tell_its_browser(lend: Lend) -> None:
    """Readers of several evenings must not learn that one phone was in all of them."""
    host = lend()
    host.begin()
    tab = Phone(host.page.context.new_page(), host.url)
    tab.page.goto(host.page.url)
    pages = []
    for phone in (host, tab):
        phone.see_table()
        with phone.page.expect_request(RECORDING_HERE) as announced:
            phone.tap("record").seat("B")
        pages.append(announced.value.url.split("/")[-1])
    assert len({page[:6] for page in pages}) == 2


def test_presence_stays_the_same_recorder_after_a_reload(lend: Lend) -> None:
    host, bo = two(lend)
    bo.page.route(RECORDING, lambda route: route.abort() if deletes(route) else route.continue_())
    bo.tap("record").seat("BC")
    expect(line(host)).to_have_count(1)
    bo.page.reload()
    expect(bo.page.locator(".slot .player-token")).to_have_count(1)
    listening(bo)
    shows_nobody(bo)
    expect(line(host)).to_have_text("Bos telefon skriver in giv 1 …")


def deletes(route: Route) -> bool:
    return route.request.method == "DELETE"


@pytest.mark.parametrize("game", ["spader", "knektpass"])
def test_presence_is_announced_where_each_tap_is_sent(lend: Lend, game: str) -> None:
    host, bo = two(lend, game)
    bo.tap("record")
    if game == "spader":
        bo.tap("bid-7")
        expect(bo.page.locator(".question")).to_contain_text("Ada och Cilla")
    else:
        bo.tap("with-p2-2")
    expect(line(host)).to_have_text("Bos telefon skriver in giv 1 …")
    bo.tap("back")
    shows_nobody(host)


def test_presence_is_polled_without_a_change_feed(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.page.route("**/v1/sessions/*/stream", lambda route: route.fulfill(status=503, json={}))
    host.begin()
    join_by_code(host, bo)
    host.visit("")
    host.see_table()
    bo.tap("record").seat("B")
    expect(line(host)).to_have_text("Bos telefon skriver in giv 1 …")
    bo.tap("undo-tap")
    expect(line(host)).to_have_count(0)


def test_without_a_network_no_presence_is_shown_and_no_deal_is_lost(lend: Lend) -> None:
    host, bo = two(lend)
    for pattern in (ACTIONS, RECORDING):
        bo.page.route(pattern, lambda route: route.abort("internetdisconnected"))
    bo.tap("record").seat("BCCDCB")
    bo.see_result(1)
    shows_nobody(host)
    for pattern in (ACTIONS, RECORDING):
        bo.page.unroute(pattern)
    expect(host.page.locator(".last-deal")).to_contain_text("Cilla")


def test_presence_announces_the_recorder_and_nothing_of_the_deal(lend: Lend) -> None:
    host, bo = two(lend)
    with bo.page.expect_request(RECORDING) as announced:
        bo.tap("record").seat("B")
    body: Any = announced.value.post_data_json
    assert body == {"deal": 1}
    (recorder,) = listed_recorders(host)
    assert set(recorder) == {"by", "label", "deal", "started_at", "page"}


def listed_recorders(phone: Phone) -> list[dict[str, Any]]:
    phone.wait_until(lambda: phone.read("/presence")["presence"] != [])
    recorders: Any = phone.read("/presence")["presence"]
    return list(recorders)


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_and_it_fits(lend: Lend, scheme: str, language: str) -> None:
    host, bo = lend(width=320, height=640, scheme=scheme, language=language), lend()
    host.begin()
    bo.page.goto(read_link(host))
    bo.see_table()
    host.visit("")
    host.see_table()
    listening(host)
    bo.tap("record").seat("B")
    for screen in ("", "record"):
        host.visit(screen)
        expect(line(host)).to_be_visible()
        assert find_violations(host) == []
        host.page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert host.page.evaluate(TOO_WIDE) <= 0
        host.page.evaluate("document.documentElement.style.fontSize = ''")
