"""A button that moves under a finger, because another phone has changed something, takes no tap."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support import worked_evenings
from tests.support.browser import recorded_sessions
from tests.support.browser.phone import Phone

Lend = Callable[..., Phone]


def stop_clock(phone: Phone) -> None:
    """Stop the page's clock once it accepts taps, so that it ignores those after the next
    change."""
    expect(phone.page.locator("html:not([data-spared])")).to_have_count(1)
    phone.page.clock.pause_at("2030-01-01")


def see_taps_ignored(phone: Phone) -> None:
    expect(phone.page.locator("html[data-spared]")).to_have_count(1)


def test_a_payment_that_moves_up_is_not_recorded(lend: Lend) -> None:
    phone = lend(hasty=True)
    phone.page.clock.install()
    deals = [line.actions() for line in worked_evenings.lines(worked_evenings.E1)]
    evening = recorded_sessions.record_elsewhere(phone, *deals)
    recorded_sessions.open_as_host(phone, evening).visit("settlement")
    first, second, *_ = evening.get("/settlement").json["transfers"]
    second_button = phone.page.locator(f'[data-key="paid-{second["from"]}-{second["to"]}"]')
    expect(second_button).to_be_visible()
    stop_clock(phone)
    recorded_sessions.record_transfer(evening, first["from"], first["to"], first["amount"])
    see_taps_ignored(phone)


def test_an_undo_that_comes_in_the_place_of_the_next_deal_undoes_nothing(lend: Lend) -> None:
    phone = lend(hasty=True)
    phone.page.clock.install()
    evening = recorded_sessions.record_elsewhere(phone)
    recorded_sessions.open_as_host(phone, evening)
    stop_clock(phone)
    evening.act(*next(worked_evenings.lines(worked_evenings.E1)).actions())
    see_taps_ignored(phone)
    expect(phone.page.locator('[data-key="undo"]')).to_be_visible()
