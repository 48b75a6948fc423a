"""Two tabs of one phone, which keep the same queue of writes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser.connection import (
    ACTIONS,
    load_offline_form,
    read_deals,
    see_all_sent,
    set_flight_mode,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import deal_actions, open_as_host, record_elsewhere


@pytest.fixture
def phone(lend: Callable[..., Phone]) -> Phone:
    """Return a phone at the table, which has stored the form."""
    phone = lend(installed=True)
    load_offline_form(phone)
    phone.begin()
    return phone


def second_tab(phone: Phone, waiting: int = 1) -> Page:
    """Open the phone's address in another tab, and wait until that tab knows the waiting deals."""
    tab = phone.page.context.new_page()
    tab.goto(phone.page.url)
    expect(tab.locator(".sync")).to_contain_text(f"{waiting} väntar")
    return tab


def bring_to_front(tab: Page) -> None:
    """Let the browser tell this tab that somebody looks at it."""
    tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")


@pytest.fixture
def asking_tabs(lend: Callable[..., Phone]) -> tuple[Phone, Page]:
    """Return a phone with two tabs that both ask about deal 1: it waits there, as deal 2 does, and
    another phone has recorded a deal 1 of its own."""
    phone = lend(installed=True)
    load_offline_form(phone)
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder)
    set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.tap("table").play(2, "B", "AABAC")
    phone.tap("table")
    other_tab = second_tab(phone, waiting=2)
    recorder.act(*deal_actions({"type": "all_pass"}))
    set_flight_mode(phone, enabled=False)
    for tab in (phone.page, other_tab):
        expect(tab.locator("dialog")).to_contain_text("Giv 1 är redan inskriven")
    return phone, other_tab


def recorded_winners(phone: Phone) -> list[str | None]:
    """Return who won each deal that the server has, in order."""
    deals = sorted(read_deals(phone), key=lambda deal: int(str(deal["number"])))
    return [deal["outcome"].get("winner") for deal in deals]  # type: ignore[attr-defined]


def say_offline(phone: Phone, offline: bool) -> None:
    """Let the browser tell this tab alone that there is no network."""
    phone.page.evaluate(
        """(offline) => {
          Object.defineProperty(navigator, 'onLine', {value: !offline, configurable: true});
          dispatchEvent(new Event(offline ? 'offline' : 'online'));
        }""",
        offline,
    )


def test_a_deal_taken_back_in_one_tab_is_not_sent_by_the_other(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = second_tab(phone)
    phone.tap("undo")
    expect(phone.page.locator(".slot .marker")).to_have_count(4)
    set_flight_mode(phone, enabled=False)
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    see_all_sent(phone)
    assert read_deals(phone) == []


def test_a_tab_that_is_looked_at_drops_a_deal_taken_back_elsewhere(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = second_tab(phone)
    phone.tap("undo")
    expect(phone.page.locator(".slot .marker")).to_have_count(4)
    bring_to_front(other_tab)
    expect(other_tab.locator(".sync")).to_contain_text("Ingen kontakt")


def test_a_tab_leaves_the_result_of_a_deal_taken_back_elsewhere(phone: Phone) -> None:
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    other_tab = second_tab(phone)
    expect(other_tab.locator(".verdict")).to_contain_text("Cilla")
    phone.tap("undo")
    expect(phone.page.locator(".slot .marker")).to_have_count(4)
    bring_to_front(other_tab)
    expect(other_tab.locator("body.table .felt")).to_be_visible()
    expect(other_tab.locator('[data-key="record"]')).to_have_text("Fortsätt giv 1")


def test_a_deal_that_the_other_tab_is_sending_is_not_taken_back(phone: Phone) -> None:
    say_offline(phone, True)
    phone.play(1, "B", "CCDCB")
    other_tab, held = phone.page.context.new_page(), list[Route]()
    other_tab.route(ACTIONS, lambda route: held.append(route))
    other_tab.goto(phone.page.url)
    phone.wait_until(lambda: len(held) == 1)
    phone.tap("undo")
    phone.tap("waiting")
    expect(phone.page.locator("dialog [data-waits]")).to_contain_text("Skickas")
    held[0].continue_()
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    say_offline(phone, False)
    see_all_sent(phone)
    (deal,) = read_deals(phone)
    assert deal["outcome"]["tricks"] == ["p3", "p3", "p4", "p3", "p2"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("answer", "other_answer", "winners"),
    [("give-up", "as-next", [None, "p1"]), ("as-next", "give-up", [None, "p3", "p1"])],
)
def test_an_answer_in_one_tab_counts_and_one_in_the_other_does_not(
    asking_tabs: tuple[Phone, Page], answer: str, other_answer: str, winners: list[str | None]
) -> None:
    phone, other_tab = asking_tabs
    phone.tap(answer)
    see_all_sent(phone)
    other_tab.locator(f'[data-key="{other_answer}"]').tap()
    expect(other_tab.locator("#notice")).to_contain_text("redan besvarad i en annan flik")
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    assert recorded_winners(phone) == winners


def test_a_question_answered_in_one_tab_closes_in_the_other(
    asking_tabs: tuple[Phone, Page],
) -> None:
    phone, other_tab = asking_tabs
    phone.tap("give-up")
    see_all_sent(phone)
    bring_to_front(other_tab)
    expect(other_tab.locator("dialog")).to_have_count(0)
    expect(other_tab.locator("#notice")).to_contain_text("redan besvarad i en annan flik")
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    assert recorded_winners(phone) == [None, "p1"]


def test_what_one_tab_decided_without_a_network_waits_in_the_other(
    asking_tabs: tuple[Phone, Page],
) -> None:
    phone, other_tab = asking_tabs
    set_flight_mode(phone)
    phone.tap("as-next")
    expect(phone.page.locator(".sync")).to_contain_text("2 väntar")
    bring_to_front(other_tab)
    expect(other_tab.locator("dialog")).to_have_count(0)
    expect(other_tab.locator(".sync")).to_contain_text("2 väntar")
    phone.page.close()
    phone.page = other_tab
    set_flight_mode(phone, enabled=False)
    see_all_sent(phone)
    assert recorded_winners(phone) == [None, "p3", "p1"]
