"""The seats are changed on one phone while another phone is changing them."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere
from tests.support.player_names import FOUR_NAMES


def test_a_change_of_seats_is_not_written_over(phone: Phone) -> None:
    evening = record_elsewhere(phone, players=5)
    open_as_host(phone, evening).visit("players")
    expect(phone.page.locator('[data-key="away-p5"]')).to_be_visible()
    evening.act({"type": "reseat", "players": ["p1", "p2", "p3", "p4"]})
    expect(phone.page.locator("#notice")).to_contain_text("Någon annan har ändrat vilka som sitter")
    expect(phone.page.locator('[data-key="in-p5"]')).to_be_visible()
    phone.tap("away-p4").tap("sit")
    phone.see_table()
    assert evening.state()["seats"] == ["p1", "p2", "p3"]


def test_a_name_left_in_the_field_sits_down_with_the_others(phone: Phone) -> None:
    open_as_host(phone, record_elsewhere(phone)).visit("players")
    phone.page.locator('[data-key="newcomer"]').fill("Emil")
    phone.tap("sit")
    phone.see_table()
    expect(phone.page.locator(".seat .name")).to_have_text([*FOUR_NAMES, "Emil"])


def test_seats_cannot_be_changed_in_a_game_for_points(lend: Callable[..., Phone]) -> None:
    phone = lend().begin(FOUR_NAMES, "spader")
    phone.visit("players")
    expect(phone.page).to_have_url(phone.table_url())
    phone.see_table()


def test_a_half_deal_starts_over_when_the_seats_change(phone: Phone) -> None:
    evening = record_elsewhere(phone, players=5)
    open_as_host(phone, evening).tap("record").seat("DA")
    evening.act({"type": "reseat", "players": ["p1", "p2", "p3", "p5"]})
    expect(phone.page.locator("#notice")).to_contain_text("Någon annan har ändrat vilka som sitter")
    expect(phone.page.locator(".slot .player-token")).to_have_count(0)
    expect(phone.page.locator('[data-seat="p4"]')).to_have_count(0)
    phone.seat("CAC")
    evening.act({"type": "reseat", "players": ["p1", "p2", "p4", "p5"]})
    expect(phone.page.locator('[data-seat="p4"]')).to_be_visible()
    expect(phone.page.locator(".slot .player-token")).to_have_count(0)


def test_taps_from_before_a_change_of_seats_are_dropped(phone: Phone) -> None:
    evening = record_elsewhere(phone, players=5)
    open_as_host(phone, evening).tap("record").seat("DA").tap("back")
    phone.see_table()
    evening.act({"type": "reseat", "players": ["p1", "p2", "p3", "p5"]})
    expect(phone.page.locator(".absent-players")).to_contain_text("Disa")
    phone.tap("record")
    expect(phone.page.locator('[data-seat="p5"]')).to_be_visible()
    expect(phone.page.locator(".slot .player-token")).to_have_count(0)


def test_no_deal_can_be_recorded_in_a_closed_evening(phone: Phone) -> None:
    evening = record_elsewhere(phone)
    open_as_host(phone, evening).tap("record").seat("DA")
    closed = evening.write("/closure", {}, version=evening.state()["version"])
    assert closed.status in {200, 201}, closed.raw
    phone.see_table()
    expect(phone.page.locator(".banner")).to_contain_text("slut")
