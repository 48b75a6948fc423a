"""A whole evening without a network: recorded, shown, and afterwards stored exactly once."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from api.web.assets import form_assets, public_paths
from tests.support.api.http_client import RemoteSession
from tests.support.browser.appearance import looks
from tests.support.browser.connection import (
    ACTIONS,
    API_URLS,
    join_as_scorer,
    load_offline_form,
    plug_in,
    read_deals,
    recording_phones,
    see_all_sent,
    set_flight_mode,
    unplug,
)
from tests.support.browser.layout_checks import ScreenChecks, find_violations
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.played_evenings import (
    E1,
    E5,
    E7,
    E8,
    record_knektpass_deal,
    record_spader_deal,
)
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere, record_transfer

CILLA_WINS = [{"type": "trick", "winner": winner} for winner in ("p3", "p3", "p4", "p3", "p2")]
NO_CACHE = """() => { CacheStorage.prototype.open =
  () => Promise.reject(new DOMException('', 'UnknownError')); }"""


def count_offline_tricks(phone: Phone) -> None:
    """Record 8 and 5 tricks for bids of 7 and 5, then connect and wait until all has arrived."""
    phone.tap("pad-8")  # the other side has the five that are left
    phone.tap("send")
    phone.see_result(1)
    phone.see_points({"p1+p3": 53, "p2+p4": -20})
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)


def phone_with_a_taken_deal(lend: Callable[..., Phone]) -> Phone:
    """Return a phone that recorded deals 1 and 2 in flight mode, while another recorded deal 1."""
    other_phone, phone = lend(), lend(installed=True)
    load_offline_form(phone)
    join_as_scorer(other_phone, phone)
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.play(2, "B", "AABAC")
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    set_flight_mode(phone, enabled=False)
    return phone


def winner_of_the_only_deal(phone: Phone) -> str:
    """Wait until everything has arrived, then read who won the deal on the server."""
    see_all_sent(phone)
    (deal,) = read_deals(phone)
    return str(deal["outcome"]["winner"])  # type: ignore[index]


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    return lend(installed=True)


def crashed(phone: Phone) -> None:
    """Close the tab, which loses everything that is not on disk, and open its address again."""
    address, context = phone.page.url, phone.page.context
    phone.page.close()
    phone.page = context.new_page()
    phone.page.goto(address)


def test_a_link_opened_without_a_network_works_when_it_is_back(phone: Phone) -> None:
    """This phone has never opened the evening; the link stays in the address until it is used."""
    load_offline_form(phone)
    evening = record_elsewhere(phone)
    set_flight_mode(phone)
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}")
    expect(phone.page.locator("h1")).to_have_text("Ingen kontakt")
    expect(phone.page.locator('[data-key="again"]')).to_be_visible()
    set_flight_mode(phone, enabled=False)
    phone.see_table()
    assert evening.token not in phone.page.url


def test_a_whole_evening_in_flight_mode(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    for number, (declarers, tricks, balances) in enumerate(E1, start=1):
        phone.play(number, declarers, tricks)
        phone.see_balances(balances)
        expect(phone.page.locator(".banner")).to_contain_text("Räknat på telefonen")
        if number == 3:
            phone.page.reload()
            phone.see_result(3)
        if number == 5:
            crashed(phone)
            phone.see_result(5)
    phone.tap("table")
    phone.see_table()
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[-1][2]])
    expect(phone.page.locator(".sync")).to_contain_text("7 väntar")
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[-1][2]])
    assert [deal["number"] for deal in read_deals(phone)] == [*range(1, 8)]


def test_a_whole_evening_of_polskpas_in_flight_mode(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin_by_tapping(game="polskpas", options={"stake": "500"})
    set_flight_mode(phone)
    for number, (soloist, tricks, balances) in enumerate(E5, start=1):
        phone.play(number, soloist, tricks)
        phone.see_balances(balances)
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    phone.see_balances(E5[-1][2])
    assert [deal["number"] for deal in read_deals(phone)] == [*range(1, 7)]


@pytest.mark.parametrize("game", ["polskt_pass", "polskpas"])
def test_a_forecast_la_vola_shows_its_payments(phone: Phone, game: str) -> None:
    """Each of the others pays 10 kr, and Ada has laid the stake as well."""
    phone.begin(game=game)
    unplug(phone)
    phone.play(1, "C", "CC!*")
    kronor = (-20, -10, 40, -10)
    phone.see_balances(kronor)
    changes = phone.page.locator(".score-change")
    expect(changes).to_have_text([format_kronor(amount) for amount in kronor])
    forecast = postings_without_rules(phone)
    assert len(forecast) == 5
    phone.visit("deals")
    expect(phone.page.locator(".deal-link .amount")).to_have_text("+40 kr")
    plug_in(phone)
    phone.visit("deal/1")
    phone.see_saved()
    expect(phone.page.locator(".postings .rule-link").last).to_be_visible()
    expect(phone.page.locator(".postings li")).to_have_count(5)
    assert postings_without_rules(phone) == forecast


def postings_without_rules(phone: Phone) -> list[str]:
    rows = phone.page.locator(".postings li").all_inner_texts()
    return [re.sub(r"\s*\([^()]*\)$", "", row).replace("\xa0", " ") for row in rows]


def test_spader_in_flight_mode(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin(game="spader")
    set_flight_mode(phone)
    for number, (bids, tricks, (north, east)) in enumerate(E7, start=1):
        record_spader_deal(phone, number, bids, tricks)
        phone.see_points({"p1+p3": north, "p2+p4": east})
        if number == 2:
            crashed(phone)
            phone.see_result(2)
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    phone.see_points({"p1+p3": 216, "p2+p4": 40})
    assert [deal["number"] for deal in read_deals(phone)] == [1, 2, 3]


def test_knektpass_in_flight_mode_to_its_winner(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin(game="knektpass")
    set_flight_mode(phone)
    for number, (declarations, exchanged, tricks, scores) in enumerate(E8, start=1):
        record_knektpass_deal(phone, number, declarations, exchanged, tricks, counted=True)
        if number < len(E8):
            phone.see_result(number)
            phone.see_points({f"p{place}": score for place, score in enumerate(scores, start=1)})
    set_flight_mode(phone, enabled=False)
    phone.visit("")
    see_all_sent(phone)
    assert phone.read("")["winner"] == ["p3"]


def test_a_wrong_clock_does_not_change_the_order_of_deals(phone: Phone) -> None:
    """The clock was a day ahead while deal 1 was recorded; then the page was reloaded."""
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    phone.page.clock.set_fixed_time("2032-03-02")
    phone.play(1, "B", "CCDCB")
    phone.page.clock.set_fixed_time("2032-03-01")
    phone.page.reload()
    phone.see_result(1)
    phone.play(2, "D", "AABDB")
    phone.page.reload()
    phone.see_result(2)
    phone.see_balances(E1[1][2])
    phone.tap("waiting")
    listed = phone.page.locator("dialog [data-waits] b")
    expect(listed).to_have_text(["Giv 1", "Giv 2"])
    phone.page.keyboard.press("Escape")
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert [deal["number"] for deal in read_deals(phone)] == [1, 2]


def test_a_deal_of_bids_begun_online_goes_on_without_a_network(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin(game="spader")
    phone.tap("record").tap("bid-7")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    set_flight_mode(phone)
    count_offline_tricks(phone.tap("bid-5"))
    assert phone.read("")["scores"] == {"p1+p3": 53, "p2+p4": -20}


def test_a_screen_reader_learns_when_the_network_goes_and_comes(phone: Phone) -> None:
    phone.begin()
    phone.see_saved()
    set_flight_mode(phone)
    expect(phone.page.locator("#status")).to_have_text("Ingen kontakt")
    set_flight_mode(phone, enabled=False)
    expect(phone.page.locator("#status")).to_have_text("Sparat")


def test_a_deal_that_was_seen_only_elsewhere_is_not_called_the_first(phone: Phone) -> None:
    """After a reload the phone has no record of deal 1, but knows that there was one."""
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    set_flight_mode(phone)
    phone.page.reload()
    phone.see_table()
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    expect(phone.page.locator("main")).not_to_contain_text("Ingen giv än")


def test_unsent_actions_are_taken_back_in_one_tap(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    phone.play(2, "D", "AABDB")
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    phone.seat("D")
    phone.see_result(2)
    phone.see_balances(E1[1][2])
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    phone.see_balances(E1[1][2])
    assert len(read_deals(phone)) == 2


@pytest.mark.parametrize("delivered", [True, False], ids=["heard", "not heard"])
def test_an_action_that_may_have_arrived_is_undone_after_it(
    lend: Callable[..., Phone], delivered: bool
) -> None:
    """The deal was sent and no response came: the phone cannot know whether the server has it."""
    phone = lend()
    phone.begin()
    phone.tap("record").seat("DAADD")
    sent: list[str] = []

    def cut(route: Route) -> None:
        if delivered and route.request.method == "POST" and not sent:
            sent.append(route.request.url)
            route.fetch()
        route.abort("internetdisconnected")

    phone.page.route(API_URLS, cut)
    phone.seat("D")
    phone.see_result(1)
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.see_balances((-10, 0, 0, 10))
    phone.tap("undo")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    phone.page.reload()
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]").nth(1)).to_contain_text("Giv 1Ångra stick 5")
    phone.page.keyboard.press("Escape")
    phone.seat("A")
    phone.see_result(1)
    phone.see_balances((0, 0, 0, -10))
    expect(phone.page.locator(".sync")).to_contain_text("3 väntar")
    plug_in(phone)
    see_all_sent(phone)
    phone.see_balances((0, 0, 0, -10))
    (deal,) = read_deals(phone)
    assert deal["outcome"]["tricks"] == ["p1", "p1", "p4", "p4", "p1"]  # type: ignore[index]
    assert phone.read("/audit")["clean"]


def test_a_deal_given_up_takes_its_undo_along(lend: Callable[..., Phone]) -> None:
    """The phone must not undo another phone's deal instead."""
    other_phone, phone = recording_phones(lend)
    phone.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.play(1, "D", "AADDD")
    phone.tap("undo").seat("A")
    phone.see_result(1)
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    phone.page.unroute(ACTIONS)
    phone.tap("give-up")
    assert winner_of_the_only_deal(phone) == "p4"


def test_new_cards_are_asked_for_without_a_network(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin(game="spader")
    set_flight_mode(phone)
    phone.tap("record").tap("redeal").tap("redeal-p3-no_spade")
    count_offline_tricks(phone.tap("bid-7").tap("bid-5"))
    (deal,) = read_deals(phone)
    assert deal["actions"][1] == {"type": "redeal", "player": "p3", "reason": "no_spade"}  # type: ignore[index]


def test_a_number_that_was_used_up_is_not_given_again_without_a_network(phone: Phone) -> None:
    """Deal 2 was a misdeal, then deal 1 was opened again: after that comes deal 3."""
    load_offline_form(phone)
    bids: list[dict[str, Any]] = [{"type": "side_bid", "side": "p2+p4", "tricks": 5}]
    bids += [{"type": "side_bid", "side": "p1+p3", "tricks": 7}]
    tricks_taken = {"type": "tricks", "taken": {"p1": 4, "p2": 3, "p3": 4, "p4": 2}}
    played = [{"type": "open_deal"}, *bids, tricks_taken]
    recorder = record_elsewhere(phone, played, game="spader", options={})
    recorder.act({"type": "open_deal"}, {"type": "side_bid", "side": "p1+p3", "tricks": 4})
    version = recorder.state()["version"]
    assert recorder.write("/deals/2", None, method="DELETE", version=version).status == 200
    open_as_host(phone, recorder)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 3")
    phone.tap("undo")
    expect(phone.page.locator("h1")).to_have_text("Giv 1")
    expect(phone.page.locator(".question")).to_contain_text("Ada")
    set_flight_mode(phone)
    phone.tap("pad-8")  # the other side has the five that are left
    phone.tap("send")
    phone.see_result(1)
    phone.tap("table")
    record_spader_deal(phone, 3, ("6", "7"), (5, 2, 4))
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert [deal["number"] for deal in read_deals(phone) if deal["status"] == "closed"] == [1, 3]


def test_what_waits_is_listed_until_it_has_gone(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    phone.play(2, "")
    phone.tap("waiting")
    listed = phone.page.locator("dialog [data-waits]")
    expect(listed).to_have_count(2)
    expect(listed.nth(0)).to_contain_text("Stick: Cilla, Cilla, Disa, Cilla, Bo")
    expect(phone.page.locator('dialog [data-key="hurry"]')).to_be_visible()
    set_flight_mode(phone, enabled=False)
    expect(listed).to_have_count(0)
    assert len(read_deals(phone)) == 2


def test_the_phone_says_why_no_more_deals_can_be_recorded(phone: Phone) -> None:
    """The phone cannot forecast an undo of a deal that another phone recorded."""
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    phone.see_table()
    set_flight_mode(phone)
    phone.tap("undo").tap("waiting")
    listed = phone.page.locator("dialog")
    expect(listed.locator("[data-waits]")).to_have_text(re.compile("^Ångra"))
    expect(listed).to_contain_text("Fler givar kan skrivas in först när detta är framme")
    phone.tap("take-back").tap("record").seat("D")
    expect(phone.page.locator(".prompt")).to_contain_text("stick 1")


@pytest.mark.parametrize(
    ("answer", "expected"), [("give-up", ["p4", "p1"]), ("as-next", ["p4", "p3", "p1"])]
)
def test_a_deal_number_used_meanwhile_raises_a_question(
    lend: Callable[..., Phone], answer: str, expected: list[str]
) -> None:
    """Two deals were recorded in flight mode while another phone recorded the first of them."""
    phone = phone_with_a_taken_deal(lend)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("redan inskriven")
    expect(question).to_contain_text("Stick: Cilla, Cilla, Disa, Cilla, Bo")
    expect(question).to_contain_text("Disa")
    phone.tap(answer)
    see_all_sent(phone)
    assert [deal["outcome"]["winner"] for deal in read_deals(phone)] == expected  # type: ignore[index]


def unplugged_after_the_declaration(phone: Phone) -> RemoteSession:
    """Open a deal that another phone has begun, and turn flight mode on."""
    load_offline_form(phone)
    evening = record_elsewhere(phone)
    evening.act({"type": "open_deal"}, {"type": "declare", "players": ["p3"]})
    open_as_host(phone, evening).tap("record")
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_visible()
    set_flight_mode(phone)
    return evening


def test_the_rest_of_a_deal_can_be_retried_on_the_new_state(phone: Phone) -> None:
    """It was begun on another phone, and a payment was recorded before the rest arrived."""
    evening = unplugged_after_the_declaration(phone)
    phone.seat("CCDCB")
    phone.see_result(1)
    record_transfer(evening, "p1", "p2", 500)
    set_flight_mode(phone, enabled=False)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Kvällen har hunnit ändras")
    expect(question).to_contain_text("Stick: Cilla, Cilla, Disa, Cilla, Bo")
    phone.tap("try-again")
    assert winner_of_the_only_deal(phone) == "p3"


def phone_with_the_rest_of_a_deal(phone: Phone, tricks: str) -> None:
    """Record tricks in flight mode; elsewhere Cilla was the declarer, and then wins the deal."""
    evening = unplugged_after_the_declaration(phone)
    phone.seat(tricks)
    phone.see_result(1)
    evening.act(*CILLA_WINS)


def test_the_rest_of_a_deal_is_compared_with_its_beginning(phone: Phone) -> None:
    """The same declarer is no difference, and this phone's version can become the correction."""
    phone_with_the_rest_of_a_deal(phone, "DDDBB")
    set_flight_mode(phone, enabled=False)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Spelförare: Cilla · Stick: Disa, Disa, Disa, Bo, Bo")
    expect(question.locator(".changed")).to_have_count(0)
    phone.tap("mine-right").tap("correct").tap("correct-sure")
    phone.wait_until(lambda: winner_of_the_only_deal(phone) == "p4")


def test_the_rest_of_a_deal_that_was_recorded_alike_raises_no_question(phone: Phone) -> None:
    phone_with_the_rest_of_a_deal(phone, "CCDCB")
    set_flight_mode(phone, enabled=False)
    assert winner_of_the_only_deal(phone) == "p3"
    expect(phone.page.locator("dialog")).to_have_count(0)


def test_the_front_page_shows_waiting_deals_and_protects_them(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    forget = phone.page.locator(".rows .icon-button")
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.page.goto(phone.url + "/#/")
    expect(phone.page.locator(".rows .tag")).to_have_text("1 väntar")
    expect(forget).to_have_count(0)
    set_flight_mode(phone, enabled=False)
    expect(phone.page.locator(".rows .tag")).to_have_count(0)
    expect(forget).to_have_count(1)


def test_a_half_deal_is_not_lost_when_the_one_before_is_to_be_undone(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.tap("table").tap("record").seat("BAA")
    phone.tap("back")
    phone.see_table()
    phone.tap("undo")
    expect(phone.page.locator("[role=alert]")).to_contain_text("Giv 2 är påbörjad")
    phone.tap("record")
    for _ in range(3):
        phone.tap("undo-tap")
    phone.tap("back").tap("undo")
    expect(phone.page.locator("h1")).to_contain_text("1")


def test_a_refused_deal_waits_for_its_answer_through_a_crash(lend: Callable[..., Phone]) -> None:
    phone = phone_with_a_taken_deal(lend)
    expect(phone.page.locator("dialog")).to_contain_text("redan inskriven")
    crashed(phone)
    expect(phone.page.locator("dialog")).to_contain_text("redan inskriven")
    phone.tap("give-up")
    see_all_sent(phone)
    assert len(read_deals(phone)) == 2


def test_a_deal_that_needs_an_answer_is_not_called_on_its_way(lend: Callable[..., Phone]) -> None:
    phone = phone_with_a_taken_deal(lend)
    phone.close_dialog()
    phone.visit("")
    phone.close_dialog()
    expect(phone.page.locator(".sync")).to_have_text("Behöver ert svar")
    expect(phone.page.locator(".banner")).to_have_text("2 inskrivningar väntar på ert svar.")
    phone.tap("waiting").tap("answer").tap("as-next")
    see_all_sent(phone)
    expect(phone.page.locator(".banner")).to_have_count(0)


def test_the_form_opens_where_the_browser_opens_no_cache(phone: Phone) -> None:
    load_offline_form(phone)
    (worker,) = phone.page.context.service_workers
    worker.evaluate(NO_CACHE)  # as on damaged storage
    phone.page.reload()
    expect(phone.page.locator('[data-key="new"]')).to_be_visible()


def test_the_cache_of_the_form_holds_nothing_of_an_evening(phone: Phone) -> None:
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    names = phone.page.evaluate(
        "caches.keys().then((all) => Promise.all(all.map((name) => caches.open(name)"
        ".then((one) => one.keys()))))"
        ".then((all) => all.flat().map(({url}) => new URL(url).pathname))"
    )
    assert sorted(names) == sorted(["/", *map(form_assets().url, public_paths())])
    assert [name for name in names if not name.startswith("/form/")] == ["/"]


COUNT_EVENINGS = """new Promise((done) => {
  indexedDB.open('vola').onsuccess = ({target}) => {
    const {result} = target;
    result.transaction('evenings').objectStore('evenings').count().onsuccess = (event) => {
      result.close();
      done(event.target.result);
    };
  };
})"""


def test_a_phone_that_is_shut_out_deletes_the_evening(lend: Callable[..., Phone]) -> None:
    other_phone, phone = lend(), lend(installed=True)
    load_offline_form(phone)
    join_as_scorer(other_phone, phone)
    phone.wait_until(lambda: phone.page.evaluate(COUNT_EVENINGS) == 1)
    phone.page.context.clear_cookies()
    expect(phone.page.locator("body.table")).to_have_count(0)
    phone.wait_until(lambda: phone.page.evaluate(COUNT_EVENINGS) == 0)


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_without_a_network(
    lend: Callable[..., Phone], scheme: str, language: str
) -> None:
    other_phone, phone = lend(), lend(installed=True, scheme=scheme, language=language, width=320)
    screens = ScreenChecks(find_violations)
    load_offline_form(phone)
    join_as_scorer(other_phone, phone)
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.play(2, "B", "AABAC")
    screens.look(phone, "reckoned ahead")
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]")).to_have_count(2)
    screens.look(phone, "what waits")
    phone.page.keyboard.press("Escape")
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    set_flight_mode(phone, enabled=False)
    screens.look(phone, "a slot that was taken", '[data-key="as-next"]')
    assert screens.faults == {}
