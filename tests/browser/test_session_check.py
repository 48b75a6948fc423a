"""The screen "Check this evening" checks the whole proof and says the result in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.support import worked_evenings
from tests.support.browser.appearance import looks
from tests.support.browser.connection import load_offline_form, set_flight_mode
from tests.support.browser.group_screens import (
    create_season,
    open_group_session,
    read_group,
    record_season,
)
from tests.support.browser.kept_proofs import (
    rewrite_shown_session,
    see_proven,
    served_urls,
    start_receipt_watch,
)
from tests.support.browser.layout_checks import find_misfits, find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import E7, record_spader_deal
from tests.support.browser.recorded_sessions import open_as_host, record_and_open, record_elsewhere
from tests.support.postgresql.cluster import Postgres
from tests.support.session_forger import move_back, open_forger

pytestmark = pytest.mark.short_waits
EXPORT = "**/v1/sessions/*/export"
STATEMENT = "**/v1/sessions/*/statement*"


def verdict(phone: Phone) -> Any:
    return phone.page.locator("[data-outcome]")


def check(phone: Phone) -> Phone:
    """Open the screen from the menu of the table, and wait for its sentence."""
    phone.visit("")
    phone.see_table()
    phone.tap("menu").tap("check")
    expect(verdict(phone)).to_be_visible()
    return phone


def steps(phone: Phone) -> list[str]:
    """Return the lines behind the fold."""
    phone.page.locator("details summary").tap()
    return phone.page.locator("details .row .row-note").all_inner_texts()


def test_an_untouched_evening_is_said_to_hold(phone: Phone) -> None:
    phone.begin()
    start_receipt_watch(phone)
    phone.play(1, "B", "CCDCB")
    see_proven(phone)
    check(phone)
    expect(verdict(phone)).to_contain_text("Kvällen håller")
    expect(verdict(phone)).to_have_attribute("data-outcome", "holds")
    assert len(phone.page.locator("main > p").all()) == 1, "one sentence"
    lines = steps(phone)
    assert len(lines) == 5
    assert "Allt som den här telefonen har sett och skrivit finns kvar." in lines
    phone.tap("again")
    expect(verdict(phone)).to_contain_text("Kvällen håller")


def test_the_key_of_the_book_is_shown_in_words(phone: Phone) -> None:
    phone.begin()
    start_receipt_watch(phone)
    phone.play(1, "B", "CCDCB")
    see_proven(phone)
    words = phone.page.request.get(f"{phone.url}/v1/key").json()["words"]
    phone.visit("")
    phone.see_table()
    phone.tap("menu")
    expect(phone.page.locator("dialog [data-key=book-key] b")).to_have_text(words)
    phone.tap("check")
    expect(phone.page.locator("main [data-key=book-key] b")).to_have_text(words)


def test_an_evening_without_a_deal_holds(phone: Phone) -> None:
    phone.begin()
    check(phone)
    expect(verdict(phone)).to_contain_text("dess enda händelse")
    assert "Den här telefonen har inte sparat något om kvällen än." in steps(phone)


def test_points_a_carried_evening_and_corrections_hold(phone: Phone) -> None:
    group = create_season(phone)
    open_group_session(phone, group, "CDA")
    phone.play(1, "A", "AACCA")
    check(phone)
    expect(verdict(phone)).to_contain_text("Kvällen håller")
    record_and_open(
        phone, *(line.actions() for line in list(worked_evenings.lines(worked_evenings.E1))[:3])
    )
    phone.visit("correct/1")
    phone.tap("never").tap("never-sure")
    expect(phone.page.locator(".compare")).to_be_visible()
    check(phone)
    expect(verdict(phone)).to_contain_text("Kvällen håller")
    phone.begin(game="spader")
    for number, (bids, tricks, _) in enumerate(E7[:2], start=1):
        record_spader_deal(phone, number, bids, tricks)
    check(phone)
    expect(verdict(phone)).to_contain_text("Kvällen håller")


def altered(route: Route, change: Callable[[dict[str, Any]], None]) -> None:
    """Pass the server's answer on with one thing changed."""
    answer = route.fetch()
    if answer.status != 200:
        route.fulfill(response=answer)
        return
    document = answer.json()
    change(document)
    route.fulfill(json=document)


def change_event(document: dict[str, Any]) -> None:
    document["events"][2]["data"] += " "


def change_line(document: dict[str, Any]) -> None:
    document["lines"][0]["amount"] += 100


def add_unknown_event(document: dict[str, Any]) -> None:
    document["format"] = "vola session 2"


@pytest.mark.parametrize(
    ("path", "change", "outcome", "sentence"),
    [
        (EXPORT, change_event, "fault", "är ändrad, eller saknas"),
        (EXPORT, lambda doc: doc["events"].pop(), "fault", "inte de som boken har skrivit under"),
        (EXPORT, lambda doc: doc.update(key="00" * 32), "fault", "inte bokens"),
        (STATEMENT, change_line, "fault", "kontoutdraget"),
        (STATEMENT, lambda doc: doc.pop("signature"), "holds", "Kvällen håller"),
        (EXPORT, add_unknown_event, "unchecked", "för nytt"),
    ],
)
def test_a_reply_changed_on_the_way_is_detected(
    phone: Phone,
    path: str,
    change: Callable[[dict[str, Any]], None],
    outcome: str,
    sentence: str,
) -> None:
    record_and_open(
        phone, *(line.actions() for line in list(worked_evenings.lines(worked_evenings.E1))[:1])
    )
    phone.page.route(path, lambda route: altered(route, change))
    check(phone)
    expect(verdict(phone)).to_contain_text(sentence)
    expect(verdict(phone)).to_have_attribute("data-outcome", outcome)


def test_balances_that_differ_from_the_events_are_detected(phone: Phone) -> None:
    def enrich(state: dict[str, Any]) -> None:
        state["balances"]["p1"] += 100
        state["balances"]["p2"] -= 100

    evening = record_elsewhere(
        phone, *(line.actions() for line in list(worked_evenings.lines(worked_evenings.E1))[:1])
    )
    phone.page.route(f"**/v1/sessions/{evening.id}", lambda route: altered(route, enrich))
    open_as_host(phone, evening)
    check(phone)
    expect(verdict(phone)).to_contain_text("ställningen på den här telefonen")


def test_a_rewritten_evening_is_detected_by_what_the_phone_kept(
    phone: Phone, cluster: Postgres
) -> None:
    phone.begin()
    start_receipt_watch(phone)
    phone.play(1, "B", "CCDCB")
    see_proven(phone)
    rewrite_shown_session(cluster, phone, move_back)
    check(phone)
    expect(verdict(phone)).to_contain_text("såg den annorlunda ut")


def test_without_a_network_it_says_that_it_needs_one(lend: Callable[..., Phone]) -> None:
    phone = lend(installed=True)
    load_offline_form(phone)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.see_saved()
    set_flight_mode(phone)
    check(phone)
    expect(verdict(phone)).to_contain_text("behövs kontakt med servern")
    set_flight_mode(phone, enabled=False)
    phone.tap("again")
    expect(verdict(phone)).to_contain_text("Kvällen håller")


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_and_it_fits(styled_phone: Phone) -> None:
    phone = styled_phone
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("check")
    expect(verdict(phone)).to_have_attribute("data-outcome", "holds")
    phone.page.locator("details summary").tap()
    assert find_violations(phone) == []
    assert find_misfits(phone, "100%") == []
    phone.page.set_viewport_size({"width": 320, "height": 640})
    assert find_misfits(phone, "200%") == []


def see_group_verdict(phone: Phone, group: str) -> Any:
    phone.page.goto(f"{phone.url}/#/c/{group}")
    phone.tap("check")
    expect(verdict(phone)).to_be_visible(timeout=120_000)
    return verdict(phone)


def test_every_evening_of_a_group_is_checked(phone: Phone, cluster: Postgres) -> None:
    group = record_season(phone, 3, 2)
    expect(see_group_verdict(phone, group)).to_have_text("Sällskapets alla 3 kvällar håller.")
    assert len(steps(phone)) == 6, "a day and a sentence for each"
    assert find_violations(phone) == []
    assert find_misfits(phone, "100%") == []

    second = read_group(phone, group)["sessions"][1]["session"]
    with open_forger(served_urls(cluster), second) as attack:
        events = attack.history()
        events[1].data += " "
        attack.replace_events(events)  # without its hash
    expect(see_group_verdict(phone, group)).to_have_text("En av kvällarna håller inte.")
    lines = steps(phone)
    assert [n for n, line in enumerate(lines) if "händelse 2 är ändrad" in line] == [3]

    phone.page.route(EXPORT, lambda route: route.abort())
    phone.tap("again")
    expect(verdict(phone)).to_contain_text("3 av kvällarna kunde inte kontrolleras nu")


def test_the_check_of_a_group_shows_progress_and_stops_when_left(phone: Phone) -> None:
    group = record_season(phone, 2, 1)
    held_routes: list[Route] = []
    phone.page.route(EXPORT, lambda route: held_routes.append(route))
    phone.page.goto(f"{phone.url}/#/c/{group}/check")
    expect(phone.page.locator(".check-progress")).to_have_text("Kväll 1 av 2")
    expect(phone.page.get_by_role("progressbar", name="Kväll 1 av 2")).to_be_visible()
    phone.wait_until(lambda: bool(held_routes))
    phone.tap("back")
    expect(phone.page.locator(".member-list")).to_be_visible()
    held_routes[0].continue_()
    phone.page.wait_for_timeout(500)  # no event to wait for
    expect(phone.page.locator(".member-list")).to_be_visible()
    assert len(held_routes) == 1
