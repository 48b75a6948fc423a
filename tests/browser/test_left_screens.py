"""What a screen has begun changes nothing on the screens that follow it, and ends without an error,
which the fixture of the phone would report."""

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser import late_answers, recorded_sessions
from tests.support.browser.connection import (
    ACTIONS,
    play_two_deals_unplugged,
    plug_in,
    see_all_sent,
    unplug,
)
from tests.support.browser.form_sources import imported_module
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone
from tests.support.browser.sum_confirmations import card, open_by_link, record_closed_session

UNSENT = f"async (id) => (await {imported_module()}).unsentWrites(id).length === 0"

AFTER_STORED_SNAPSHOTS = f"async () => (await {imported_module()}).readSnapshot('none')"
"""A script that waits until the snapshots before it are read."""

KEEP_WEAKLY = """() => {
  window.card = new WeakRef(document.querySelector('.sums-question').parentElement);
}"""


OPEN_TWO_SHEETS = f"""async () => {{
  const {{ openSheet }} = await {imported_module()};
  openSheet('Ada', []);
  openSheet('Bo', []);
}}"""


SLOW_WAKE_LOCKS = """window.locks = { held: 0, requests: [] };
const request = () => new Promise((resolve) => window.locks.requests.push(() => {
  window.locks.held += 1;
  resolve({ released: false, async release() { window.locks.held -= 1; } });
}));
Object.defineProperty(navigator, 'wakeLock', { value: { request } });"""
SEE_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
GRANT = "() => window.locks.requests.splice(0).forEach((grant) => grant())"


def let_go(phone: Phone, request: Route, pattern: str) -> None:
    """Let the request go on until the page has handled its answer."""
    with phone.page.expect_response(pattern):
        request.continue_()
    phone.page.evaluate(late_answers.NEXT_TASK)


def test_a_payment_recorded_slowly_names_its_own_players(phone: Phone) -> None:
    recorded_sessions.open_e1(phone).visit("settlement")
    request = late_answers.held_request(
        phone, "**/transfers", "POST", lambda: phone.tap("paid-p1-p3")
    )
    late_answers.go_to_front_page(phone)
    request.continue_()
    expect(phone.page.locator("#status")).to_contain_text("Ada")
    expect(phone.page.locator("#status")).to_contain_text("Cilla")


def test_a_player_added_slowly_leaves_the_front_page(phone: Phone) -> None:
    evening = recorded_sessions.record_elsewhere(phone)
    recorded_sessions.open_as_host(phone, evening).visit("players")
    phone.page.locator('[data-key="newcomer"]').fill("Emil")
    request = late_answers.held_request(
        phone, "**/players", "POST", lambda: phone.tap("newcomer-add")
    )
    late_answers.go_to_front_page(phone)
    request.continue_()
    wait_until(phone.page, late_answers.NOTHING_WAITS)
    phone.page.evaluate(late_answers.NEXT_TASK)
    late_answers.see_front_page(phone)
    assert [player["name"] for player in evening.state()["players"]][-1] == "Emil"


def test_an_undo_looked_up_slowly_undoes_nothing_later(phone: Phone) -> None:
    phone.begin(game="spader").tap("record").tap("bid-4")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    see_all_sent(phone)
    request = late_answers.held_request(phone, "**/deals/1", "GET", lambda: phone.tap("undo-tap"))
    phone.tap("back")
    phone.see_table()
    let_go(phone, request, "**/deals/1")
    phone.see_table()
    assert len(phone.read("/deals/1")["actions"]) == 2  # type: ignore[arg-type]


def test_a_deal_refused_slowly_is_not_asked_about_in_another_evening(phone: Phone) -> None:
    """Both evenings have a deal of this number."""
    other = recorded_sessions.record_elsewhere(phone, recorded_sessions.ALL_PASS)
    evening = recorded_sessions.record_elsewhere(phone, game="spader", options={})
    recorded_sessions.open_as_host(phone, evening)
    unplug(phone)
    expect(phone.page.locator(".sync")).to_have_text("Ingen kontakt")
    phone.tap("record").tap("bid-7").tap("bid-5")
    plug_in(phone)
    see_all_sent(phone)
    phone.tap("pad-7")
    request = late_answers.held_request(phone, ACTIONS, "POST", lambda: phone.tap("send"))
    recorded_sessions.open_as_host(phone, other)
    expect(phone.page.locator(".last-deal")).to_contain_text("Giv 1")
    bids = [{"type": "side_bid", "side": side, "tricks": 6} for side in ("p2+p4", "p1+p3")]
    tricks = {"type": "tricks", "taken": {"p1+p3": 6, "p2+p4": 7}}
    evening.act({"type": "open_deal"}, *bids, tricks)
    request.continue_()
    wait_until(phone.page, UNSENT, evening.id)
    phone.page.evaluate(late_answers.NEXT_TASK)
    expect(phone.page.locator("dialog")).to_have_count(0)


def test_a_question_loaded_slowly_is_not_asked_on_the_front_page(phone: Phone) -> None:
    evening = recorded_sessions.record_elsewhere(phone)
    recorded_sessions.open_as_host(phone, evening)
    play_two_deals_unplugged(phone)
    reseat = {"type": "reseat", "players": ["p1", "p2", "p4"]}
    evening.act(reseat)
    file = "**/waiting_writes.js"
    request = late_answers.held_request(phone, file, "GET", lambda: plug_in(phone))
    late_answers.go_to_front_page(phone)
    let_go(phone, request, file)
    phone.page.evaluate(late_answers.NEXT_TASK)
    expect(phone.page.locator("dialog")).to_have_count(0)


def test_whose_phone_it_is_said_slowly_leaves_the_rules(phone: Phone) -> None:
    open_by_link(phone, recorded_sessions.record_elsewhere(phone), "scorer")
    request = late_answers.held_request(phone, "**/devices", "POST", lambda: phone.tap("whose-p2"))
    phone.visit("rules")
    fold = phone.page.locator("details").first
    fold.locator("summary").tap()
    request.continue_()
    expect(phone.page.locator("#status")).to_contain_text("Bo")
    phone.page.evaluate(late_answers.NEXT_TASK)
    expect(fold).to_have_attribute("open", "")


def test_a_check_left_while_the_evening_is_read_stops(phone: Phone) -> None:
    evening = recorded_sessions.record_elsewhere(phone, recorded_sessions.ALL_PASS)
    recorded_sessions.open_as_host(phone, evening)
    address = f"**/v1/sessions/{evening.id}"
    request = late_answers.held_request(phone, address, "GET", lambda: phone.visit("check"))
    late_answers.go_to_front_page(phone)
    let_go(phone, request, address)
    late_answers.see_front_page(phone)


@pytest.mark.parametrize("tap", ["waiting", "menu", "hint-bet"])
def test_what_a_tap_loads_slowly_does_not_open_later(phone: Phone, tap: str) -> None:
    recorded_sessions.open_as_host(phone, recorded_sessions.record_elsewhere(phone))
    if tap == "waiting":
        phone.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
        phone.play(1, "")
    file = {"waiting": "waiting_writes.js", "menu": "menu.js", "hint-bet": "sv.more.json"}[tap]
    if tap == "hint-bet":
        phone.page.reload()
    request = late_answers.held_request(phone, f"**/{file}", "GET", lambda: phone.tap(tap))
    late_answers.go_to_front_page(phone)
    let_go(phone, request, f"**/{file}")
    phone.page.evaluate(late_answers.NEXT_TASK)
    expect(phone.page.locator("dialog")).to_have_count(0)


@pytest.mark.short_waits
@pytest.mark.parametrize(("tap", "file"), [("menu", "menu.js"), ("hint-bet", "sv.more.json")])
def test_a_slow_sheet_shows_progress_and_opens_once(phone: Phone, tap: str, file: str) -> None:
    recorded_sessions.open_as_host(phone, recorded_sessions.record_elsewhere(phone))
    phone.page.reload()
    held: list[Route] = []
    phone.page.route(f"**/{file}", lambda route: held.append(route))
    phone.tap(tap).tap(tap)
    expect(phone.page.locator("progress")).to_be_visible()
    for route in held:
        let_go(phone, route, f"**/{file}")
    expect(phone.page.locator("dialog")).to_have_count(1)
    expect(phone.page.locator("progress")).to_have_count(0)


def test_a_code_that_cannot_be_fetched_warns_on_no_other_screen(phone: Phone) -> None:
    recorded_sessions.open_e1(phone).visit("settlement/p1-p3")
    phone.mark("method", "swish")
    phone.page.locator('[data-key="code-number"]').fill("070-123 45 67")
    request = late_answers.held_request(phone, "**/qr?*", "GET", lambda: phone.tap("code-show"))
    late_answers.go_to_front_page(phone)
    late_answers.fail_unseen(phone, request)


def test_a_plan_that_cannot_be_fetched_warns_on_no_other_screen(phone: Phone) -> None:
    recorded_sessions.open_e1(phone).visit("settlement")
    request = late_answers.held_request(
        phone, "**/settlement?*", "GET", lambda: phone.mark("way", "through")
    )
    late_answers.go_to_front_page(phone)
    late_answers.fail_unseen(phone, request)


@pytest.mark.short_waits
def test_a_closed_evening_that_was_left_is_forgotten(phone: Phone) -> None:
    open_by_link(phone, record_closed_session(phone))
    expect(card(phone)).to_be_visible()
    phone.page.evaluate(KEEP_WEAKLY)
    late_answers.go_to_front_page(phone)
    collector = phone.page.context.new_cdp_session(phone.page)

    def is_forgotten() -> bool:
        collector.send("HeapProfiler.collectGarbage")
        return bool(phone.page.evaluate("() => window.card.deref() === undefined"))

    phone.wait_until(is_forgotten)


def test_a_sheet_above_another_has_a_name_of_its_own(phone: Phone) -> None:
    late_answers.go_to_front_page(phone)
    wait_until_drawn(phone)  # the router closes every sheet before it draws
    phone.page.evaluate(OPEN_TWO_SHEETS)
    expect(phone.page.get_by_role("dialog", name="Bo", exact=True)).to_be_visible()


def test_a_screen_kept_on_slowly_goes_off_again(phone: Phone) -> None:
    phone.page.add_init_script(SLOW_WAKE_LOCKS)
    recorded_sessions.open_as_host(phone, recorded_sessions.record_elsewhere(phone))
    wait_until(phone.page, "() => window.locks.requests.length > 0")
    phone.page.evaluate(SEE_AGAIN)
    phone.page.evaluate(GRANT)
    assert phone.page.evaluate("window.locks.held") == 1
    late_answers.go_to_front_page(phone)
    wait_until(phone.page, "() => window.locks.held === 0")


def test_a_late_answer_about_a_lost_session_leaves_the_next_one_shown(
    phone: Phone,
) -> None:
    """Its players are kept for the text of what waits."""
    phone.begin()
    unplug(phone)
    phone.play(1, "B", "CCDCB")
    lost = phone.table_url()
    phone.page.context.clear_cookies()
    plug_in(phone)
    expect(phone.page.locator('[data-key="unsent-text"]')).to_be_visible()
    phone.begin(("Emil", "Disa", "Cilla", "Bo"))
    other = phone.table_url()
    late_answers.go_to_front_page(phone)
    requests = [
        late_answers.held_request(
            phone,
            table.replace("#/s", "v1/sessions"),
            "GET",
            lambda table=table: phone.page.goto(table),
        )
        for table in (lost, other)
    ]
    let_go(phone, requests[0], requests[0].request.url)
    phone.page.evaluate(AFTER_STORED_SNAPSHOTS)
    let_go(phone, requests[1], requests[1].request.url)
    expect(phone.page.locator("main")).to_contain_text("Emil")
