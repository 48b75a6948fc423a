"""The list of recorded payments on the settlement."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.connection import plug_in, recording_phones, unplug
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    open_as_host,
    record_and_open,
    record_elsewhere,
    record_transfer,
)

READ_EARLIER_TWICE = f"""async () => {{
  const {{ transferHistory }} = await {imported_module("features/settling/transfers.js")};
  const data = {{ payer: 'p1', payee: 'p2', amount: 500 }};
  const event = {{ version: 1, type: 'transfer_recorded', at: '2026-01-05T20:00:00Z', data }};
  window.fetch = async () => new Response(JSON.stringify({{ events: [event] }}));
  const history = transferHistory('evening');
  await history.readUpTo(301); // one more than it reads at first
  await Promise.all([history.readEarlier(), history.readEarlier()]);
  return history.list().length;
}}"""

CONFIRMED_VERSION = f"""async () =>
  (await {imported_module()}).sessionState().confirmed.version"""


def test_two_quick_taps_list_an_earlier_payment_once(phone: Phone) -> None:
    record_and_open(phone)
    assert phone.page.evaluate(READ_EARLIER_TWICE) == 1


def test_a_long_list_of_payments_begins_with_the_latest(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    for amount in range(100, 1300, 100):
        record_transfer(recorder, "p1", "p3", amount)
    open_as_host(phone, recorder).visit("settlement")
    payments = phone.page.locator('[data-key^="transfer-"]')
    expect(payments).to_have_count(10)
    expect(payments.first).to_contain_text("12")
    phone.tap("earlier")
    expect(payments).to_have_count(12)
    expect(phone.page.locator('[data-key="earlier"]')).to_have_count(0)


def test_a_payment_recorded_once_more_stands(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    for payer, payee in (("p1", "p3"), ("p3", "p1"), ("p1", "p3")):
        record_transfer(recorder, payer, payee, 500)
    open_as_host(phone, recorder).visit("settlement")
    payments = phone.page.locator('[data-key^="transfer-"]')
    expect(payments).to_have_count(3)
    expect(payments.first.get_by_role("button")).to_be_enabled()
    expect(payments.locator(".tag")).to_have_count(2)


def test_a_deal_that_waits_is_not_called_a_payment(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    unplug(second)
    second.play(1, "C", "CCDCB")
    first.play(1, "B", "CCDCB")
    first.see_saved()
    plug_in(second)
    second.close_dialog()
    for screen in ("settlement", "settlement/p1-p3"):
        second.visit(screen)
        banner = second.page.locator("main .banner").last
        expect(banner).to_contain_text("när allt som väntar i telefonen är skickat")


@pytest.mark.parametrize("key", ["paid-p3-p1", "back-"], ids=["planned", "opposite"])
def test_a_payment_of_another_phone_is_not_recorded_again(phone: Phone, key: str) -> None:
    """The phone has the newest state of the session, but could not read the plan and the list."""
    recorder = record_elsewhere(phone)
    record_transfer(recorder, "p1", "p3", 500)
    open_as_host(phone, recorder).visit("settlement")
    button = phone.page.locator(f'[data-key^="{key}"]')
    expect(button).to_be_enabled()
    phone.page.route(re.compile(r"/(settlement|events)(\?.*)?$"), lambda route: route.abort())
    record_transfer(recorder, "p3", "p1", 500)
    version = recorder.state()["version"]
    phone.wait_until(lambda: phone.page.evaluate(CONFIRMED_VERSION) == version)
    with phone.page.expect_response(re.compile("/transfers$")) as response:
        button.click()
    assert response.value.status == 412
    assert recorder.state()["version"] == version
