"""Joining by taps: a code for the join request, a host who answers it, a name for every phone."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Request, Route, expect

from tests.support.browser.appearance import sizes
from tests.support.browser.connection import ACTIONS
from tests.support.browser.join_requests import (
    HOLD_COOKIE_RESPONSE,
    answer_join_request,
    create_join_code,
    host_and_requester,
    join_by_code,
    read_link,
    send_join_request,
    unfold_link,
    unfold_other_ways,
)
from tests.support.browser.layout_checks import LONG_NAME, ScreenChecks, find_misfits
from tests.support.browser.phone import Phone

Lend = Callable[..., Phone]
pytestmark = pytest.mark.short_waits


WITHOUT_TOKEN = re.compile(r"#/s/[^/]+$")


TAPPED_JUST_THEN = """async () => {
  while (!window.answered) await new Promise(requestAnimationFrame);
  location.hash = location.hash.replace(/[^/]+$/, 'record');
  window.answered();
}"""


def authors(phone: Phone, *, after: int = 1) -> set[str]:
    """Return the authors of the events after this version."""
    events: Any = phone.read(f"/events?after={after}&limit=1000")["events"]
    return {event["by"] for event in events}


def test_letting_in_is_the_main_answer(lend: Lend) -> None:
    host, _ = host_and_requester(lend)
    expect(host.page.locator('[data-key^="let-in-"]')).to_contain_class("primary")
    expect(host.page.locator('[data-key^="refuse-"]')).not_to_contain_class("primary")


def test_an_admitted_phone_records_deals_under_its_name(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    code = create_join_code(host)
    bo.page.goto(bo.url + "/")
    bo.tap("code")
    bo.page.locator('[data-key="join-code-input"]').press_sequentially(
        f"{code[:3].lower()}-{code[3:]} "
    )
    expect(bo.page.locator('[data-key="join-code-input"]')).to_have_value(code)
    bo.page.locator('[data-key="device-name"]').fill("Bos telefon")
    bo.tap("request-join")
    expect(bo.page.locator("#status")).to_have_text("Vänta, värden släpper in dig")
    expect(host.page.locator(".join-request")).to_contain_text("Bos telefon vill vara med")
    expect(host.page.locator("#status")).to_have_text("Bos telefon vill vara med")
    answer_join_request(host)
    expect(host.page.locator("#status")).to_have_text("Bos telefon är inne.")
    bo.see_table()
    expect(bo.page.locator("#status")).to_have_text("Du är inne.")
    expect(bo.page.locator("h1")).to_be_focused()
    bo.play(1, "B", "CCDCB")
    expect(bo.page.get_by_text("Skrivet av: Bos telefon")).to_be_visible()
    host.visit("")
    expect(host.page.locator(".last-deal")).to_contain_text("Cilla")
    host.play(2, "D", "AABDD")
    bo.visit("deals")
    credits = bo.page.locator(".row .row-note")
    expect(credits).to_contain_text(["Skrivet av: värdens telefon", "Skrivet av: Bos telefon"])
    assert authors(bo) == {"phone1", "host.0"}


def test_a_join_request_shows_on_the_hosts_table_and_is_answered(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    code = create_join_code(host)
    host.visit("")
    host.see_table()
    send_join_request(bo, code)
    expect(host.page.locator(".join-requests-link")).to_have_text("Bos telefon vill vara med")
    expect(host.page.locator("#status")).to_have_text("Bos telefon vill vara med")
    host.tap("join-requests")
    answer_join_request(host)
    bo.see_table()


def test_without_a_join_code_no_phone_polls_for_requests(phone: Phone) -> None:
    paths: list[str] = []
    phone.page.on("request", lambda request: paths.append(request.url.rpartition("/")[2]))
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    expect(phone.page.locator(".last-deal")).to_contain_text("Cilla")
    assert paths.count("join-code") == 1
    assert paths.count("join-requests") == 0


def test_a_refused_phone_is_told_and_may_ask_again(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    answer_join_request(host, "refuse")
    expect(bo.page.locator("h1")).to_have_text("Det blev nej")
    expect(bo.page.locator("h1")).to_be_focused()
    bo.tap("request-again").tap("request-join")
    answer_join_request(host)
    bo.see_table()


@pytest.mark.parametrize("screen", ["record", "players", "late"])
def test_a_viewer_at_the_address_of_a_form_sees_the_table(lend: Lend, screen: str) -> None:
    host, bo = host_and_requester(lend)
    answer_join_request(host, "look-on")
    bo.see_table()
    bo.visit(screen)
    bo.see_table()
    assert bo.page.url == bo.table_url()


def test_a_viewer_gets_no_button_that_writes(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    answer_join_request(host, "look-on")
    bo.see_table()
    expect(bo.page.locator('[data-key="record"]')).to_have_count(0)


WRONG_REQUESTS = {
    ("K7F", "Bos telefon"): "Koden har 6 tecken.",
    ("K7F3QX", ""): "Skriv något som de andra känner igen.",
    ("K7F3QX", "Bos telefon"): "Ingen kväll har den koden just nu. Be värden visa den igen.",
    ("K7F3QX", "\u202eBo"): "Styrtecken är inte tillåtna.",
}
"""The sentence beside a request's code or its phone's name."""


@pytest.mark.parametrize("sent", WRONG_REQUESTS)
def test_what_is_wrong_is_said_beside_the_field(phone: Phone, sent: tuple[str, str]) -> None:
    code, label = sent
    phone.page.goto(phone.url + "/#/join")
    phone.page.locator('[data-key="join-code-input"]').fill(code)
    phone.page.locator('[data-key="device-name"]').fill(label)
    phone.tap("request-join")
    expect(phone.page.locator(".wrong")).to_have_text(WRONG_REQUESTS[sent])
    expect(phone.page.locator("[aria-invalid]")).to_be_focused()


def test_a_request_sent_by_two_taps_waits_once(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    code = create_join_code(host)
    bo.page.goto(bo.url + "/#/join")
    bo.page.locator('[data-key="join-code-input"]').fill(code)
    bo.page.locator('[data-key="device-name"]').fill("Bos telefon")
    sent: list[str] = []
    bo.page.on("request", lambda request: sent.append(request.method + request.url))
    bo.page.locator("form.stacked-form").evaluate(
        "(form) => { form.requestSubmit(); form.requestSubmit(); }"
    )
    expect(bo.page.locator(".waiting-for-host")).to_be_visible()
    assert len([request for request in sent if request.startswith("POST")]) == 1


def test_a_join_request_answered_by_two_taps_is_answered_once(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    expect(host.page.locator(".join-request")).to_have_count(1)
    host.page.locator('[data-key^="let-in-"]').evaluate(
        "(button) => { button.click(); button.click(); }"
    )
    bo.see_table()
    expect(host.page.locator(".join-request")).to_have_count(0)
    expect(host.page.locator("#notice .warning")).to_have_count(0)


def test_a_warning_goes_with_the_next_answer(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    refusal = {"code": "join_request_answered", "detail": "Den som ville in har redan fått svar."}
    host.page.route("**/approval", lambda route: route.fulfill(status=409, json=refusal), times=1)
    host.page.locator('[data-key^="let-in-"]').tap()
    expect(host.page.locator("#notice .warning")).to_contain_text("har redan fått svar")
    answer_join_request(host)
    bo.see_table()
    expect(host.page.locator("#notice .warning")).to_have_count(0)


def test_an_ended_join_code_is_not_shown_any_more(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    code = create_join_code(host)
    host.tap("join-code")
    expect(host.page.locator(".spoken-code")).to_have_count(0)
    expect(host.page.locator('[data-key="join-code"]')).to_be_focused()
    bo.page.goto(bo.url + "/#/join")
    bo.page.locator('[data-key="join-code-input"]').fill(code)
    bo.page.locator('[data-key="device-name"]').fill("Bos telefon")
    bo.tap("request-join")
    expect(bo.page.locator(".wrong")).to_contain_text("Ingen kväll har den koden")


def test_a_join_request_survives_a_reload_and_may_be_withdrawn(lend: Lend) -> None:
    host, bo = host_and_requester(lend)
    bo.page.reload()
    expect(bo.page.locator(".waiting-for-host")).to_contain_text("Vänta, värden släpper in dig")
    expect(host.page.locator(".join-request")).to_have_count(1)
    stored = bo.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage}) + location")
    assert "join1." not in stored
    bo.tap("give-up")
    expect(bo.page.locator('[data-key="request-join"]')).to_be_visible()
    bo.page.reload()
    expect(bo.page.locator('[data-key="request-join"]')).to_be_visible()


def test_a_join_request_survives_a_lost_network_which_is_shown(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    bo.page.route("**/join-request", lambda route: route.abort("internetdisconnected"))
    send_join_request(bo, create_join_code(host))
    expect(bo.page.locator(".waiting-for-host")).to_contain_text("Ingen kontakt")
    answer_join_request(host)
    bo.page.unroute("**/join-request")
    bo.see_table()


def test_no_token_is_kept_where_a_script_could_read_it(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    tokens: list[str] = []

    def keep_token(request: Request) -> None:
        header = request.headers.get("authorization")
        if header is not None:
            tokens.append(header.partition(" ")[2])

    bo.page.on("request", keep_token)
    join_by_code(host, bo)
    stored = bo.page.evaluate(
        "JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie + location"
    )
    assert {token.split(".")[0] for token in tokens} == {"join1", "phone1"}
    assert not any(token.partition(".")[2] in stored for token in tokens)


def test_a_phone_that_is_shut_out_is_told_and_keeps_what_it_has_not_sent(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    join_by_code(host, bo)
    bo.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    bo.tap("record").seat("BCCDCB")
    expect(bo.page.locator(".sync")).to_contain_text("1 väntar")
    host.tap("out-phone1")
    expect(host.page.locator("dialog")).to_contain_text("Det den har skrivit står kvar")
    host.tap("sure-no")
    host.tap("out-phone1").tap("sure")
    expect(host.page.locator("[data-phone]")).to_have_count(0)
    outside = bo.page.locator("main")
    expect(outside).to_contain_text("Värden har stängt ute den här telefonen")
    expect(outside).to_contain_text("En inskrivning finns kvar i telefonen")
    unsent = "Giv 1: Spelförare: Bo · Stick: Cilla, Cilla, Disa, Cilla, Bo"
    expect(bo.page.locator('[data-key="unsent-text"]')).to_have_value(unsent)
    with bo.page.expect_response(lambda answer: answer.url.endswith("/actions")) as refused:
        bo.page.unroute(ACTIONS)
    assert refused.value.status == 404
    bo.page.reload()
    expect(outside).to_contain_text("En inskrivning finns kvar i telefonen")
    expect(bo.page.locator('[data-key="unsent-text"]')).to_have_value(unsent)
    code = host.page.locator(".spoken-code").get_attribute("data-code")
    bo.tap("code")
    bo.page.locator('[data-key="join-code-input"]').fill(code or "")
    bo.page.locator('[data-key="device-name"]').fill("Bos telefon")
    bo.tap("request-join")
    answer_join_request(host)
    expect(bo.page.locator(".last-deal")).to_contain_text("Cilla")
    assert authors(bo) == {"phone2"}
    bo.play(2, "D", "AABDD")
    bo.see_balances((10, -20, 10, -20))


def test_a_deal_that_was_being_sent_from_outside_is_shown_once(lend: Lend) -> None:
    """It is a draft as well until its answer comes."""
    host, bo = lend(), lend()
    host.begin()
    join_by_code(host, bo)
    requests: list[Route] = []
    bo.page.route(ACTIONS, lambda route: requests.append(route))
    bo.tap("record").seat("BCCDCB")
    bo.wait_until(lambda: len(requests) == 1)
    host.tap("out-phone1").tap("sure")
    unsent = "Giv 1: Spelförare: Bo · Stick: Cilla, Cilla, Disa, Cilla, Bo"
    expect(bo.page.locator('[data-key="unsent-text"]')).to_have_value(unsent)


def test_a_link_ends_and_phones_with_a_name_stay(lend: Lend) -> None:
    host, bo, cilla = lend(), lend(), lend()
    host.begin()
    old = read_link(host)
    bo.page.goto(old)
    bo.tap("whose-p2")
    expect(bo.page.locator(".player-buttons")).to_have_count(0)
    cilla.page.goto(old)
    cilla.see_table()
    unfold_link(host, "scorer").tap("end-scorer").tap("sure")
    expect(host.page.locator("#status")).to_contain_text("Här är den nya koden")
    new = host.page.locator('.share-code[data-role="scorer"] input').input_value()
    assert new != old
    expect(cilla.page.locator("main")).to_contain_text("gäller inte längre")
    cilla.page.goto(old)
    expect(cilla.page.locator("h1")).to_have_text("Du är inte inne längre")
    bo.play(1, "B", "CCDCB")
    cilla.page.goto(new)
    cilla.see_table()
    expect(cilla.page.locator(".last-deal")).to_contain_text("Cilla")
    assert authors(cilla) == {"phone1"}


def test_the_hosts_own_link_is_ended_from_a_phone_with_a_name(phone: Phone) -> None:
    phone.begin()
    fold = unfold_link(phone, "host").page.locator('.share-code[data-role="host"]')
    expect(fold).to_contain_text("kom själv in med länken")
    expect(phone.page.locator('[data-key="end-host"]')).to_have_count(0)
    phone.tap("mine").tap("whose-p1")
    expect(phone.page.locator('[data-phone="phone1"]')).to_contain_text("den här")
    old = fold.locator("input").input_value()
    phone.tap("end-host").tap("sure")
    expect(fold.locator("input")).not_to_have_value(old)
    expect(fold).to_have_attribute("open", "")
    phone.visit("")
    phone.play(1, "B", "CCDCB")
    assert authors(phone) == {"phone1"}


def test_the_owner_of_a_phone_is_asked_once_without_blocking_it(lend: Lend) -> None:
    host, bo, cilla = lend(), lend(), lend()
    host.begin()
    way_in = read_link(host)
    bo.page.goto(way_in)
    offer = bo.page.locator(".player-buttons")
    expect(offer).to_be_visible()
    bo.play(1, "B", "CCDCB")  # the question does not stop it
    bo.tap("table")
    bo.tap("whose-skip")
    expect(offer).to_have_count(0)
    bo.page.reload()
    bo.see_table()
    cilla.page.goto(way_in)
    cilla.tap("whose-p3")
    expect(cilla.page.locator("#status")).to_have_text("Den här telefonen heter Cillas telefon.")
    expect(cilla.page.locator("h1")).to_be_focused()
    cilla.page.reload()
    cilla.see_table()
    cilla.play(2, "D", "AABDD")
    for phone in (bo, cilla):
        expect(phone.page.locator(".player-buttons")).to_have_count(0)
    assert authors(cilla) == {"scorer.0", "phone1"}
    cilla.visit("deals")
    credits = cilla.page.locator(".row .row-note")
    expect(credits).to_contain_text(
        ["Skrivet av: Cillas telefon", "Skrivet av: en telefon med länken"]
    )


def test_a_link_takes_no_name_away_from_a_phone_that_has_one(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    join_by_code(host, bo)
    bo.page.goto(read_link(host))
    expect(bo.page).to_have_url(WITHOUT_TOKEN)  # this phone could already see the table before
    bo.see_table()
    expect(bo.page.locator(".player-buttons")).to_have_count(0)
    bo.play(1, "B", "CCDCB")
    assert authors(bo) == {"phone1"}


def test_a_tap_while_a_link_is_exchanged_is_not_lost(lend: Lend) -> None:
    """Somebody follows a link that gives more rights and opens the recorder: the tap changes the
    address, and the response arrives before the page handles that change."""
    host, cilla = lend(), lend()
    host.begin()
    address = read_link(host)
    cilla.page.goto(read_link(host, "viewer"))
    cilla.see_table()
    cilla.page.evaluate(HOLD_COOKIE_RESPONSE)
    cilla.page.goto(address)
    cilla.page.evaluate(TAPPED_JUST_THEN)
    expect(cilla.page.locator("[data-seat]").first).to_be_visible()


def test_an_erased_name_is_gone_from_the_authors_of_deals(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    join_by_code(host, bo)
    bo.play(1, "B", "CCDCB")
    host.page.locator('[data-key="forgetting"] summary').tap()
    host.tap("forget-p2").tap("sure")
    host.see_table()
    host.visit("deals")
    expect(host.page.locator(".row .row-note")).to_contain_text("Skrivet av: Spelare 2s telefon")
    host.visit("share")
    expect(host.page.locator("[data-phone] bdi")).to_have_text("Spelare 2s telefon")
    bo.visit("deal/1")
    expect(bo.page.get_by_text("Skrivet av")).to_be_visible()
    expect(bo.page.locator("body")).not_to_contain_text("Bos")


def test_a_correction_says_who_made_it(lend: Lend) -> None:
    host, bo = lend(), lend()
    host.begin()
    join_by_code(host, bo)
    bo.play(1, "B", "CCDCB")
    bo.tap("record").tap("all-pass")
    bo.see_result(2)
    host.visit("correct/1")
    host.tap("row-1-p1").tap("correct").tap("correct-sure")
    expect(host.page.locator(".compare .version")).to_have_count(2)
    credit = "Skrivet av: Bos telefon · Rättat av: värdens telefon"
    expect(host.page.get_by_text(credit)).to_be_visible()
    host.visit("deals")
    credits = host.page.locator(".row .row-note")
    expect(credits).to_contain_text(["Skrivet av: Bos telefon", credit])


def test_joining_works_from_the_keyboard(lend: Lend) -> None:
    host, bo = lend(), lend()
    unfold_other_ways(host.begin())

    def press(phone: Phone, key: str) -> None:
        phone.page.locator(f'[data-key^="{key}"]').press("Enter")

    press(host, "join-code")
    expect(host.page.locator('[data-key="join-code"]')).to_be_focused()
    code = host.page.locator(".spoken-code").get_attribute("data-code") or ""
    bo.page.goto(bo.url + "/#/join")
    bo.page.locator('[data-key="join-code-input"]').focus()
    bo.page.keyboard.type(code.lower())
    bo.page.keyboard.press("Enter")
    expect(bo.page.locator('[data-key="device-name"]')).to_be_focused()
    bo.page.keyboard.type("Bos telefon")
    bo.page.keyboard.press("Enter")
    expect(bo.page.locator("h1")).to_be_focused()
    press(host, "let-in")
    bo.see_table()
    expect(host.page.locator("h1")).to_be_focused()
    press(host, "out-phone1")
    expect(host.page.locator("dialog")).to_be_visible()
    host.page.keyboard.press("Escape")
    expect(host.page.locator('[data-key="out-phone1"]')).to_be_focused()


@sizes()
def test_it_fits_a_small_phone_and_a_thumb(lend: Lend, language: str, text: str) -> None:
    host, bo, cilla = (lend(width=320, height=640, language=language) for _ in range(3))
    screens = ScreenChecks(lambda phone: find_misfits(phone, text))
    host.begin((LONG_NAME, "Bo", "Cilla", "Disa"))
    code = create_join_code(host)
    screens.look(host, "a code")
    host.visit("")
    send_join_request(bo, code, LONG_NAME)
    screens.look(bo, "waiting")
    screens.look(host, "a knock at the table", ".join-requests-link")
    host.tap("join-requests")
    screens.look(host, "a knock", ".join-request")
    answer_join_request(host)
    screens.look(host, "a phone")
    host.tap("mine")
    screens.look(host, "whose", "dialog[open]")
    host.close_dialog()
    cilla.page.goto(read_link(host))
    screens.look(cilla, "asked whose", ".player-buttons")
    cilla.tap("whose-p1")
    expect(cilla.page.locator(".player-buttons")).to_have_count(0)
    expect(host.page.locator("[data-phone]")).to_have_count(2)
    host.tap("out-phone1")
    screens.look(host, "asked once more", '[data-key="sure"]')
    host.tap("sure")
    screens.look(bo, "outside", '[data-key="again"]')
    unfold_link(host, "scorer").tap("end-scorer")
    screens.look(host, "the end of a link", "dialog[open]")
    assert screens.faults == {}


def test_a_host_is_sent_up_to_say_whose_phone_it_is(phone: Phone) -> None:
    phone.begin()
    note = unfold_link(phone, "host").page.get_by_text("Säg vems den är, längre upp")
    expect(note).to_be_visible()
    button = phone.page.locator('[data-key="mine"]')
    assert top(button) < top(note)


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]
