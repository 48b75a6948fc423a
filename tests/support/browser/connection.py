"""Phones without a network, two phones in one session, and waits for what they send."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Response, Route, expect

from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone

ACTIONS = "**/v1/sessions/*/actions"


def join_as_scorer(first: Phone, second: Phone, game: str = "polskt_pass") -> None:
    """Let the second phone record in the first one's session, with both at the table."""
    first.begin(game=game)
    first.visit("share")
    link = first.page.locator(".share-code", has_text="Skriva in").locator("input").input_value()
    second.page.goto(link)
    second.see_table()
    first.visit("")


def recording_phones(lend: Callable[..., Phone], game: str = "polskt_pass") -> tuple[Phone, Phone]:
    """Return two phones at the table of one session; both may record."""
    first, second = lend(), lend()
    join_as_scorer(first, second, game)
    return first, second


API_URLS = "**/v1/**"
INSTALL_TIMEOUT_MS = 120_000  # more than two hundred files


def load_offline_form(phone: Phone) -> None:
    """Load the form, and wait until the phone has stored all of it for use without a network."""
    phone.page.goto(phone.url + "/")
    wait_until(
        phone.page,
        "() => navigator.serviceWorker.controller?.state === 'activated'",
        timeout_ms=INSTALL_TIMEOUT_MS,
    )


def set_flight_mode(phone: Phone, enabled: bool = True) -> None:
    phone.page.context.set_offline(enabled)


def read_deals(phone: Phone) -> list[dict[str, object]]:
    deals = phone.read("/deals")["deals"]
    assert isinstance(deals, list)
    return deals


def see_all_sent(phone: Phone) -> None:
    expect(phone.page.locator(".sync")).to_contain_text("Sparat")


def unplug(phone: Phone) -> None:
    phone.page.route(API_URLS, lambda route: route.abort("internetdisconnected"))


def plug_in(phone: Phone) -> None:
    """Undo `unplug`."""
    phone.page.unroute(API_URLS)


def play_two_deals_unplugged(phone: Phone) -> None:
    """Leave deal 1, won by Cilla, and deal 2, won by Ada, waiting on this phone."""
    unplug(phone)
    phone.play(1, "C", "CCDCB")
    phone.tap("table").play(2, "B", "AABAC")


def read_nothing_until(phone: Phone, is_awaited: Callable[[Response], bool]) -> None:
    """Let the phone read no session until the response to a request of its own has come."""
    has_come = [False]

    def filter_reads(route: Route) -> None:
        if has_come[0]:
            route.continue_()
        else:
            route.abort()

    def note(answer: Response) -> None:
        has_come[0] = is_awaited(answer) or has_come[0]

    phone.page.on("response", note)
    phone.page.route(re.compile(r"/v1/sessions/[^/]+$"), filter_reads)


def lose_answer(route: Route) -> None:
    """Let the server handle a request, but the phone get no answer."""
    route.fetch()
    route.abort("connectionreset")
