"""The form on an unreliable network: lost responses, reloads, concurrent writers."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser.connection import ACTIONS, recording_phones
from tests.support.browser.layout_checks import TOO_WIDE
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere

JSON = "application/json"
NO_ANSWER = "() => { window.fetch = () => new Promise(() => {}); }"


def test_an_answer_that_was_cut_off_leaves_exactly_one_deal(phone: Phone) -> None:
    phone.begin()
    keys: list[str] = []

    def cut(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()  # the server has it …
            route.abort("connectionreset")  # … the phone gets no response
        else:
            route.continue_()

    phone.page.route(ACTIONS, cut)
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator(".sync")).to_contain_text("Sparat")
    phone.see_balances((-10, -10, 10, 0))
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert len(phone.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_a_reload_in_mid_deal_keeps_the_taps(phone: Phone) -> None:
    phone.begin()
    phone.tap("record").seat("BCC")
    phone.page.reload()
    expect(phone.page.locator(".slot .player-token")).to_have_count(2)
    expect(phone.page.locator(".prompt")).to_contain_text("stick 3")
    phone.seat("DCB")
    phone.see_result(1)
    phone.see_balances((-10, -10, 10, 0))


def test_a_late_answer_keeps_the_taps_of_the_next_deal(phone: Phone) -> None:
    phone.begin()
    held: list[Route] = []
    phone.page.route(ACTIONS, lambda route: held.append(route), times=1)
    phone.tap("record").seat("BCCDCB")
    phone.wait_until(lambda: len(held) == 1)
    phone.tap("back").tap("record").seat("BCC")
    held[0].continue_()
    phone.see_saved()
    phone.page.reload()
    expect(phone.page.locator("h1")).to_have_text("Giv 2")
    expect(phone.page.locator(".slot .player-token")).to_have_count(2)


def test_a_deal_waits_out_a_dead_network_and_a_reload(phone: Phone) -> None:
    phone.begin()
    phone.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.tap("record").seat("BCCDCB")
    phone.see_result(1)
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.page.reload()
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.tap("table")
    expect(phone.page.locator(".banner")).to_contain_text("sparad")
    phone.page.unroute(ACTIONS)
    expect(phone.page.locator(".last-deal")).to_contain_text("Cilla")
    expect(phone.page.locator(".sync")).to_contain_text("Sparat")
    assert len(phone.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_a_bid_waits_out_a_dead_network_and_a_reload(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.tap("record").tap("bid-7")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    phone.page.reload()
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    phone.page.unroute(ACTIONS)
    expect(phone.page.locator(".sync")).to_contain_text("Sparat")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    phone.tap("bid-5")
    expect(phone.page.locator(".question")).to_contain_text("Hur många")
    assert len(phone.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_two_phones_bid_in_the_same_deal(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend, "spader")
    second.tap("record")
    first.tap("record").tap("bid-7")
    expect(second.page.locator(".question")).to_contain_text("Ada och Cilla")
    second.tap("bid-5")
    expect(first.page.locator(".question")).to_contain_text("Hur många")
    first.tap("pad-8").tap("send")
    first.see_result(1)
    second.see_table()
    expect(second.page.locator(".sum")).to_have_text(["53", "−20", "53", "−20"])


def test_a_tap_outside_the_conflict_dialog_decides_nothing(lend: Callable[..., Phone]) -> None:
    """Two phones recorded the same deal; Esc, or a tap beside the sheet, is no answer."""
    first, second = recording_phones(lend)
    second.tap("record").seat("B").seat("AA")
    first.play(1, "B", "CCDCB")
    question = second.page.locator("dialog")
    expect(question).to_contain_text("redan inskriven")
    second.page.keyboard.press("Escape")
    second.see_table()
    second.tap("record")
    expect(question).to_contain_text("Stick: Ada, Ada")
    second.tap("give-up")
    expect(question).to_have_count(0)
    second.seat("D")  # the tap was meant for the next deal
    expect(second.page.locator(".prompt")).to_contain_text("stick 1")


def test_a_busy_server_is_asked_again(phone: Phone) -> None:
    phone.begin()
    turns = iter([503, 500])

    def busy(route: Route) -> None:
        status = next(turns, None)
        if status is None:
            route.continue_()
        else:
            route.fulfill(status=status, body="{}", content_type="application/problem+json")

    phone.page.route(ACTIONS, busy)
    phone.play(1, "B", "CCDCB")
    phone.see_balances((-10, -10, 10, 0))


def test_a_deal_recorded_on_two_phones_is_shown_to_a_person(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    second.tap("record").seat("BDD")
    first.play(1, "B", "CCDCB")
    question = second.page.locator("dialog")
    expect(question).to_contain_text("redan inskriven")
    expect(question).to_contain_text("Stick: Disa, Disa")
    second.tap("give-up")
    second.see_table()
    expect(second.page.locator(".last-deal")).to_contain_text("Cilla")
    assert len(second.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_taps_kept_as_the_next_deal_are_not_lost(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    second.tap("record").seat("DAA")
    first.play(1, "B", "CCDCB")
    second.tap("as-next")
    expect(second.page.locator("h1")).to_have_text("Giv 2")
    second.seat("BDD")
    second.see_result(2)
    second.see_balances((10, -20, 10, -20))


def test_a_conflict_found_after_a_reload_is_shown_to_a_person(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    second.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    second.tap("record").seat("BDDBDD")
    expect(second.page.locator(".sync")).to_contain_text("1 väntar")
    first.play(1, "B", "CCDCB")
    first.see_saved()
    second.page.reload()
    expect(second.page.locator(".sync")).to_contain_text("1 väntar")
    second.page.unroute(ACTIONS)
    expect(second.page.locator("dialog")).to_contain_text("Stick: Disa, Disa, Bo, Disa, Disa")
    second.tap("give-up")
    second.see_table()
    assert len(second.read("/deals")["deals"]) == 1  # type: ignore[arg-type]


def test_the_rest_of_a_deal_refused_after_a_reload_keeps_its_beginning(phone: Phone) -> None:
    """The declarer was recorded elsewhere, and then the tricks, too."""
    evening = record_elsewhere(phone)
    evening.act({"type": "open_deal"}, {"type": "declare", "players": ["p3"]})
    open_as_host(phone, evening).tap("record").seat("DDDB")
    phone.page.evaluate(NO_ANSWER)
    phone.seat("B")
    expect(phone.page.locator(".sync")).to_contain_text("Skickar")
    evening.act(*({"type": "trick", "winner": winner} for winner in ("p3", "p3", "p4", "p3", "p2")))
    phone.visit("")
    phone.page.reload()
    expect(phone.page.locator("[role=alert]")).to_contain_text(
        "Giv 1: inskrivningen togs inte emot"
    )
    phone.tap("record")
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Spelförare: Cilla · Stick: Disa, Disa, Disa, Bo, Bo")


def test_the_phone_waits_as_long_as_a_busy_server_says_and_shows_it(phone: Phone) -> None:
    """If the server says twenty seconds, the phone retries after 20 to 30 seconds."""
    paused(phone)
    requests: list[str] = []

    def busy(route: Route) -> None:
        requests.append(route.request.headers["idempotency-key"])
        if len(requests) > 1:
            route.continue_()
            return
        route.fulfill(status=503, headers={"Retry-After": "20"}, json={"code": "overloaded"})

    phone.page.route(ACTIONS, busy)
    phone.tap("record").seat("BCCDCB")
    phone.page.clock.run_for(100)  # the last tap is painted before the deal is sent
    expect(phone.page.locator(".sync")).to_have_text("Upptaget, 1 väntar")
    phone.page.clock.run_for(10_000)
    phone.page.evaluate("dispatchEvent(new Event('online'))")  # is no reason to retry sooner
    phone.page.clock.run_for(9_900)
    assert len(requests) == 1
    phone.page.clock.run_for(10_200)
    phone.see_result(1)
    assert len(requests) == 2
    assert len(set(requests)) == 1
    phone.page.clock.run_for(1_000)
    expect(phone.page.locator(".sync")).to_have_text("Sparat")


@pytest.mark.parametrize(("luck", "wait"), [(0, 10_000), (0.9, 14_500)])
def test_viewers_wait_for_a_busy_server_each_for_another_time(
    phone: Phone, luck: float, wait: int
) -> None:
    """Phones that get the same answer together do not all ask again at the same moment."""
    phone.page.add_init_script(f"Math.random = () => {luck}")
    phone.page.route("**/stream", lambda route: route.abort())  # without the stream the phone polls
    paused(phone)
    requests: list[str] = []

    def busy(route: Route) -> None:
        requests.append(route.request.url)
        route.fulfill(status=429, headers={"Retry-After": "10"}, json={})

    phone.page.route(re.compile(r"/v1/sessions/[^/]+$"), busy)
    while not requests:
        phone.page.clock.run_for(100)
    expect(phone.page.locator(".sync")).to_have_text("Upptaget")
    phone.page.clock.run_for(wait - 1_500)
    assert len(requests) == 1
    with phone.page.expect_request(requests[0]):
        phone.page.clock.run_for(2_500)  # it looks again within a second


def test_an_answer_without_a_time_to_retry_is_no_lost_connection(phone: Phone) -> None:
    phone.begin()
    phone.page.route(ACTIONS, lambda route: route.fulfill(status=502, body="Bad gateway"))
    phone.tap("record").seat("BCCDCB")
    expect(phone.page.locator(".sync")).to_have_text("Upptaget, 1 väntar")
    phone.page.unroute(ACTIONS)
    phone.page.route(ACTIONS, lambda route: route.abort())
    expect(phone.page.locator(".sync")).to_have_text("1 väntar")


def test_an_evening_that_a_busy_server_cannot_show_comes_by_itself(phone: Phone) -> None:
    evening = record_elsewhere(phone)
    busy = re.compile(r"/v1/sessions/[^/]+$")
    phone.page.route(busy, lambda route: route.fulfill(status=503, json={}))
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}")
    expect(phone.page.locator("h1")).to_have_text("Vola är upptaget")
    expect(phone.page.locator("main")).to_contain_text("försöker igen av sig själv")
    phone.page.unroute(busy)
    phone.see_table()


@pytest.mark.parametrize("headers", [{"Retry-After": "10"}, {}])
@pytest.mark.parametrize(
    ("screen", "path", "typed", "button"),
    [
        ("c", "groups", {"group-name": "Vi"}, "found"),
        (
            "join",
            "join-requests",
            {"join-code-input": "K7F3QX", "device-name": "Bo"},
            "request-join",
        ),
    ],
)
def test_a_busy_server_is_not_said_to_be_out_of_reach(
    phone: Phone,
    screen: str,
    path: str,
    typed: dict[str, str],
    button: str,
    headers: dict[str, str],
) -> None:
    """A new group and a join request, which no queue sends again."""
    phone.page.route(
        f"**/v1/{path}",
        lambda route: route.fulfill(status=429, headers=headers, json={}),
    )
    phone.page.goto(f"{phone.url}/#/{screen}")
    for field, text in typed.items():
        phone.page.locator(f'[data-key="{field}"]').fill(text)
    phone.tap(button)
    expect(phone.page.locator("#notice")).to_contain_text("Vola kan inte svara just nu")


CUT = {
    "lost": lambda route: route.abort(),
    "cut in the middle": lambda route: route.fulfill(body='{"id": "', content_type=JSON),
    "refused for now": lambda route: route.fulfill(status=503, json={}),
}


@pytest.mark.parametrize("cut", CUT)
def test_a_failed_fetch_of_an_announced_change_is_repeated_soon(
    lend: Callable[..., Phone], cut: str
) -> None:
    """The server does not announce it again."""
    first, second = recording_phones(lend)
    lost: list[str] = []

    def lose_answer(route: Route) -> None:
        lost.append(route.request.url)
        CUT[cut](route)

    second.page.route(re.compile(r"/v1/sessions/[^/]+$"), lose_answer, times=1)
    first.play(1, "B", "CCDCB")
    expect(second.page.locator(".last-deal .overline")).to_contain_text("1")
    assert lost


def test_that_a_server_is_busy_fits_a_small_phone(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    phone.begin()
    phone.page.route(
        ACTIONS, lambda route: route.fulfill(status=503, headers={"Retry-After": "30"}, json={})
    )
    phone.tap("record").seat("BCCDCB")
    expect(phone.page.locator(".sync")).to_have_text("Ausgelastet, 1 wartet")
    phone.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert phone.page.evaluate(TOO_WIDE) <= 0


def paused(phone: Phone) -> None:
    """Begin an evening on a phone whose clock moves only when the test moves it."""
    phone.page.clock.install()
    phone.begin()
    phone.page.clock.pause_at("2030-01-01")
