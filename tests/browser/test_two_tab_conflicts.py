"""Refused deals on a phone with two tabs: an answer counts once, and for every deal that waits."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser import connection
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import deal_actions, open_as_host, record_elsewhere
from tests.support.browser.two_tabs import bring_to_front, open_second_tab, wait_until_withdrawn

TwoTabs = tuple[Phone, Phone, RemoteSession]
"""A phone's two tabs, and another phone that records in the same session."""


@pytest.fixture
def asking_tabs(lend: Callable[..., Phone]) -> tuple[Phone, Page]:
    """Return a phone with two tabs that both ask about deal 1: it waits there, as deal 2 does, and
    another phone has recorded a deal 1 of its own."""
    phone = lend(installed=True)
    connection.load_offline_form(phone)
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder)
    connection.set_flight_mode(phone)
    phone.play(1, "C", "CCDCB")
    phone.tap("table").play(2, "B", "AABAC")
    phone.tap("table")
    other_tab = open_second_tab(phone, waiting=2)
    recorder.act(*deal_actions({"type": "all_pass"}))
    connection.set_flight_mode(phone, enabled=False)
    for tab in (phone.page, other_tab):
        expect(tab.locator("dialog")).to_contain_text("Giv 1 är redan inskriven")
    return phone, other_tab


@pytest.fixture
def two_tabs(lend: Callable[..., Phone]) -> TwoTabs:
    """Return a phone's two tabs, both at the table, and another phone that records there too."""
    phone = lend()
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder)
    other_tab = Phone(phone.page.context.new_page(), phone.url)
    other_tab.page.goto(phone.page.url)
    other_tab.see_table()
    return phone, other_tab, recorder


@pytest.fixture
def waiting_deal(two_tabs: TwoTabs) -> TwoTabs:
    """Return the two tabs once deal 1, which Cilla won, waits in the first for the network."""
    connection.unplug(two_tabs[0])
    two_tabs[0].play(1, "C", "CCDCB")
    return two_tabs


def lose_answer(route: Route) -> None:
    """Deliver the request, and tell the page that there is no network."""
    route.fetch()
    route.abort("internetdisconnected")


def send_as_next_deal(phone: Phone) -> None:
    """Let the phone reach the server, and record its refused deal as the next one."""
    connection.plug_in(phone)
    phone.tap("as-next")
    connection.see_all_sent(phone)


def recorded_winners(phone: Phone) -> list[str | None]:
    """Return who won each deal that the server has, in order."""
    deals = sorted(connection.read_deals(phone), key=lambda deal: int(str(deal["number"])))
    return [deal["outcome"].get("winner") for deal in deals]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answer", "other_answer", "winners"),
    [("give-up", "as-next", [None, "p1"]), ("as-next", "give-up", [None, "p3", "p1"])],
)
def test_an_answer_in_one_tab_counts_and_one_in_the_other_does_not(
    asking_tabs: tuple[Phone, Page], answer: str, other_answer: str, winners: list[str | None]
) -> None:
    phone, other_tab = asking_tabs
    phone.tap(answer)
    connection.see_all_sent(phone)
    other_tab.locator(f'[data-key="{other_answer}"]').tap()
    expect(other_tab.locator("#notice")).to_contain_text("redan besvarad i en annan flik")
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    assert recorded_winners(phone) == winners


def test_a_question_answered_in_one_tab_closes_in_the_other(
    asking_tabs: tuple[Phone, Page],
) -> None:
    phone, other_tab = asking_tabs
    phone.tap("give-up")
    connection.see_all_sent(phone)
    bring_to_front(other_tab)
    expect(other_tab.locator("dialog")).to_have_count(0)
    expect(other_tab.locator("#notice")).to_contain_text("redan besvarad i en annan flik")
    expect(other_tab.locator(".sync")).to_contain_text("Sparat")
    assert recorded_winners(phone) == [None, "p1"]


def test_a_deal_taken_back_elsewhere_leaves_the_question_open(
    asking_tabs: tuple[Phone, Page],
) -> None:
    phone, other_tab = asking_tabs
    other_tab.keyboard.press("Escape")
    other_tab.locator('[data-key="undo"]').tap()
    expect(other_tab.locator("body")).to_have_attribute("data-at", re.compile("/record$"))
    phone.tap("give-up")
    connection.see_all_sent(phone)
    expect(phone.page.locator("#notice")).to_be_empty()
    assert recorded_winners(phone) == [None]


def test_what_one_tab_decided_without_a_network_waits_in_the_other(
    asking_tabs: tuple[Phone, Page],
) -> None:
    phone, other_tab = asking_tabs
    connection.set_flight_mode(phone)
    phone.tap("as-next")
    expect(phone.page.locator(".sync")).to_contain_text("2 väntar")
    wait_until_withdrawn(phone)
    bring_to_front(other_tab)
    expect(other_tab.locator("dialog")).to_have_count(0)
    expect(other_tab.locator(".sync")).to_contain_text("2 väntar")
    phone.page.close()
    phone.page = other_tab
    connection.set_flight_mode(phone, enabled=False)
    connection.see_all_sent(phone)
    assert recorded_winners(phone) == [None, "p3", "p1"]


def test_an_answer_moves_what_another_tab_has_recorded_since(waiting_deal: TwoTabs) -> None:
    phone, other_tab, recorder = waiting_deal
    connection.unplug(other_tab)
    other_tab.page.reload()
    other_tab.play(2, "B", "AABAC")
    recorder.act(*deal_actions({"type": "all_pass"}))
    send_as_next_deal(phone)
    connection.plug_in(other_tab)
    connection.see_all_sent(other_tab)
    assert recorded_winners(phone) == [None, "p3", "p1"]


def test_a_deal_that_another_tab_has_sent_keeps_its_number(waiting_deal: TwoTabs) -> None:
    """Another phone has recorded deal 1, as this one has; the answer to deal 2 was lost."""
    phone, other_tab, recorder = waiting_deal
    recorder.act(*deal_actions({"type": "all_pass"}))
    expect(other_tab.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    connection.unplug(other_tab)
    other_tab.page.route(connection.ACTIONS, lose_answer)
    other_tab.play(2, "B", "AABAC")
    phone.wait_until(lambda: recorder.state()["deal"]["number"] == 3)
    phone.page.reload()
    send_as_next_deal(phone)
    assert recorded_winners(phone) == [None, "p1", "p3"]


def test_each_of_two_deals_under_one_number_is_asked_about(two_tabs: TwoTabs) -> None:
    phone, other_tab, recorder = two_tabs
    for tab in (phone, other_tab):
        connection.unplug(tab)
    phone.play(1, "C", "CCDCB")
    other_tab.play(1, "B", "AABAC")
    other_tab.page.close()
    recorder.act(*deal_actions({"type": "all_pass"}))
    phone.page.reload()
    connection.plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Stick: Cilla, Cilla, Disa, Cilla, Bo")
    expect(question).not_to_contain_text("Ada")
    phone.tap("give-up")
    expect(question).to_contain_text("Stick: Ada, Ada, Bo, Ada, Cilla")
    phone.tap("as-next")
    connection.see_all_sent(phone)
    assert recorded_winners(phone) == [None, "p1"]


def test_a_question_outlives_the_tab_in_which_the_deal_was_recorded(two_tabs: TwoTabs) -> None:
    """The other tab has loaded the deal while its own was still waiting for the answer."""
    phone, other_tab, recorder = two_tabs
    held: list[Route] = []
    phone.page.route(connection.ACTIONS, lambda route: held.append(route))
    phone.tap("record").seat("BCCDCB")
    phone.wait_until(lambda: len(held) == 1)
    other_tab.page.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    other_tab.page.reload()
    expect(other_tab.page.locator(".sync")).to_contain_text("1 väntar")
    connection.unplug(phone)
    held[0].abort("internetdisconnected")
    phone.see_result(1)
    phone.page.close()
    recorder.act(*deal_actions({"type": "all_pass"}))
    other_tab.page.unroute(connection.ACTIONS)
    question = other_tab.page.locator("dialog")
    expect(question).to_contain_text("Giv 1 är redan inskriven")
    other_tab.page.reload()
    expect(question).to_contain_text("Giv 1 är redan inskriven")
