"""The board on a tablet that stands upright."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.layout_checks import COVERED_POT
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import deal_actions, open_e1, record_and_open

Lend = Callable[..., Phone]

OFF_CENTER = """(seats) => seats.flatMap((seat) => {
  const box = seat.getBoundingClientRect(), range = new Range();
  return [...seat.querySelectorAll('.sum, .score-change')].filter((text) => {
    range.selectNodeContents(text);
    const { left, right } = range.getBoundingClientRect();
    return Math.abs((left - box.left) - (box.right - right)) > 2;
  }).map((text) => text.textContent);
})"""


@pytest.mark.parametrize(("width", "height"), [(667, 1000), (768, 1024), (820, 1180)])
def test_sums_stand_in_the_middle_of_their_seats(lend: Lend, width: int, height: int) -> None:
    phone = open_e1(lend(width=width, height=height, language="da-DK"))
    phone.visit("board")
    seats = phone.page.locator(".seat")
    expect(seats.locator(".score-change").first).to_be_visible()
    assert seats.evaluate_all(OFF_CENTER) == []


def test_no_seat_covers_a_large_pot(lend: Lend) -> None:
    phone = lend(width=768, height=1024)
    all_pass = deal_actions({"type": "all_pass"})
    record_and_open(phone, all_pass, players=5, options={"stake": 125_000_050}).visit("board")
    pot = phone.page.locator(".pot")
    expect(pot).to_have_text("1\xa0250\xa0000,50\xa0kr")
    expect(phone.page.locator(".score-change")).to_have_count(1)
    assert phone.page.evaluate(COVERED_POT) == []
