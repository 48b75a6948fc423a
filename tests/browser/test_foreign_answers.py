"""Answers that are not Vola's: of a network that asks for a login, of a proxy, of a cache."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.connection import API_URLS, read_deals, see_all_sent
from tests.support.browser.group_screens import found_group, read_links, see_group
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_e1, record_elsewhere

LOGIN_PAGE = "<!doctype html><title>WiFi</title><p>Log in"
FOREIGN = {
    "an empty object": {"json": {}},
    "a list": {"json": []},
    "another object": {"json": {"error": "login"}},
    "no content": {"status": 204},
    "not modified": {"status": 304},
}


def answer_every_request(phone: Phone, urls: str, **answer: object) -> None:
    phone.page.route(urls, lambda route: route.fulfill(**answer))  # type: ignore[arg-type]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_foreign_answer_counts_as_none(phone: Phone, foreign: str) -> None:
    phone.begin()
    answer_every_request(phone, API_URLS, **FOREIGN[foreign])
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.page.reload()
    phone.see_result(1)
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.page.unroute(API_URLS)
    see_all_sent(phone)
    assert len(read_deals(phone)) == 1


@pytest.mark.parametrize("foreign", FOREIGN)
def test_an_invite_link_survives_foreign_answers(phone: Phone, foreign: str) -> None:
    evening = record_elsewhere(phone)
    answer_every_request(phone, API_URLS, **FOREIGN[foreign])
    phone.page.goto(f"{phone.url}/#/s/{evening.id}/{evening.token}")
    expect(phone.page.locator("h1")).to_have_text("Ingen kontakt")
    phone.page.unroute(API_URLS)
    phone.tap("again")
    phone.see_table()
    assert evening.token not in phone.page.url


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_link_to_a_group_survives_foreign_answers(
    lend: Callable[..., Phone], foreign: str
) -> None:
    host, guest = lend(), lend()
    link = read_links(host, found_group(host))["scorer"]
    answer_every_request(guest, API_URLS, **FOREIGN[foreign])
    guest.page.goto(guest.url + link)
    expect(guest.page.locator("h1")).to_have_text("Ingen kontakt")
    guest.page.unroute(API_URLS)
    guest.tap("again")
    see_group(guest)


@pytest.mark.parametrize("body", [LOGIN_PAGE, ""])
def test_a_login_page_is_not_saved_as_a_statement(phone: Phone, body: str) -> None:
    open_e1(phone, 1).visit("statement")
    saved: list[object] = []
    phone.page.on("download", lambda file: saved.append(file))
    answer_every_request(
        phone, API_URLS, body=body, content_type=f"text/{'html' if body else 'plain'}"
    )
    phone.tap("take-export")
    sentence = "Ingen kontakt" if body else "Filen kom inte fram hel"
    expect(phone.page.locator("#notice")).to_contain_text(sentence)
    assert saved == []


def test_help_that_is_a_login_page_is_fetched_again(phone: Phone) -> None:
    open_e1(phone, 1)
    urls = "**/translations/*.more.json"
    answer_every_request(phone, urls, body=LOGIN_PAGE, content_type="text/html")
    phone.tap("record").tap("hint-declarer")
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt")
    phone.visit("share")
    expect(phone.page.locator("h1")).to_have_text("Ingen kontakt")
    phone.page.unroute(urls)
    expect(phone.page.locator("h1")).to_have_text("Fler telefoner")


def test_a_proxy_that_takes_no_large_body_is_said_so(phone: Phone) -> None:
    """As nginx does, with a page of its own, for a file of more than a megabyte."""
    open_e1(phone, 1).visit("correct/1")
    phone.tap("never")
    answer_every_request(phone, API_URLS, status=413, body=LOGIN_PAGE, content_type="text/html")
    phone.tap("never-sure")
    expect(phone.page.locator("#notice")).to_contain_text("för mycket på en gång")
