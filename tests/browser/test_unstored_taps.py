"""Taps of a deal that the phone cannot store: its localStorage is full, or IndexedDB is missing."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import connection
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere
from tests.support.browser.storage_faults import BLOCKED, DRAFTS, FULL_FOR_DRAFTS, WARNING

IN_FLIGHT_MODE = "Object.defineProperty(navigator, 'onLine', { value: false })"


@pytest.mark.parametrize("game", ["polskt_pass", "spader"])
def test_taps_that_cannot_be_stored_are_said_to_be_lost_once(phone: Phone, game: str) -> None:
    phone.page.add_init_script(FULL_FOR_DRAFTS)
    phone.begin(game=game)
    connection.unplug(phone)
    expect(phone.page.locator(".sync.failed")).to_be_visible()
    first_tap, second_tap = ("seat-p2", "seat-p3") if game == "polskt_pass" else ("bid-7", "bid-5")
    phone.tap("record").tap(first_tap)
    notice = phone.page.locator("#notice")
    expect(notice).to_contain_text("Telefonens lagring är full eller avstängd")
    notice.locator("button").tap()
    phone.tap(second_tap)
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_visible()
    expect(notice).to_be_empty()


def test_a_count_that_cannot_be_stored_is_said_to_be_lost(phone: Phone) -> None:
    phone.page.add_init_script(FULL_FOR_DRAFTS)
    phone.begin(game="knektpass")
    phone.tap("record").tap("with-p2-1")
    expect(phone.page.locator("#notice")).to_contain_text(
        "Telefonens lagring är full eller avstängd"
    )


def test_taps_that_cannot_be_stored_outlive_another_screen(phone: Phone) -> None:
    phone.page.add_init_script(FULL_FOR_DRAFTS)
    phone.begin()
    phone.tap("record").seat("BC").tap("back")
    phone.see_table()
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Fortsätt giv 1")
    phone.tap("record")
    expect(phone.page.locator(".slot .player-token")).to_have_count(1)


def test_an_older_draft_that_cannot_be_stored_is_asked_about(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    phone.page.add_init_script(FULL_FOR_DRAFTS)
    open_as_host(phone, recorder)
    phone.tap("record").seat("BC").tap("back")
    phone.see_table()
    recorder.act(*ALL_PASS)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    phone.tap("record")
    expect(phone.page.locator("dialog")).to_contain_text("Stick: Cilla")


def open_without_storage(phone: Phone, game: str) -> None:
    """Open the recorder of deal 1 without IndexedDB, and let the network go."""
    open_as_host(phone, record_elsewhere(phone, game=game, options={}))
    phone.page.add_init_script(BLOCKED)
    phone.page.reload()
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)
    phone.tap("record")
    if game != "spader":
        phone.tap("depth-tricks" if game == "knektpass" else "depth-cards")
    expect(phone.page.locator(".question")).to_be_visible()
    phone.page.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    connection.unplug(phone)


def reload_at_question(phone: Phone, asked: str) -> None:
    """Reload the page, which the network now reaches, but no action; see the same question."""
    expect(phone.page.locator(".question")).to_contain_text(asked)
    connection.plug_in(phone)
    phone.page.reload()
    expect(phone.page.locator(".question")).to_contain_text(asked)


def see_only_deal_1(phone: Phone) -> None:
    """Check that deal 1 was recorded once, and that no draft of it is left."""
    phone.see_result(1)
    assert len(connection.read_deals(phone)) == 1
    assert phone.page.evaluate(DRAFTS) == []


FIRST_ACTIONS = [("spader", "bid-7", "Ada och Cilla"), ("knektpass", "stay", "Cilla")]


@pytest.mark.parametrize(("game", "tap", "asked"), FIRST_ACTIONS)
def test_a_first_action_that_is_not_stored_outlives_a_reload(
    phone: Phone, game: str, tap: str, asked: str
) -> None:
    open_without_storage(phone, game)
    phone.tap(tap)
    reload_at_question(phone, asked)
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_visible()
    phone.page.unroute(connection.ACTIONS)
    if game == "spader":
        phone.tap("bid-5").tap("pad-8").tap("send")
    else:
        phone.tap("rest-pass")
    see_only_deal_1(phone)


def test_a_first_card_that_is_not_stored_outlives_a_reload(phone: Phone) -> None:
    open_without_storage(phone, "polskpas")
    phone.tap("card-QH")
    reload_at_question(phone, "Korten finns kvar")
    phone.page.unroute(connection.ACTIONS)
    expect(phone.page.locator(".question")).to_contain_text("Spelar Bo")
    connection.see_all_sent(phone)
    assert phone.page.evaluate(DRAFTS) == []


def test_an_action_after_one_that_is_not_stored_outlives_a_reload(phone: Phone) -> None:
    open_without_storage(phone, "knektpass")
    phone.tap("stay")
    expect(phone.page.locator(".question")).to_contain_text("Cilla")
    phone.tap("pass")
    reload_at_question(phone, "Disa")


def test_a_first_action_that_is_sent_leaves_no_draft(phone: Phone) -> None:
    open_without_storage(phone, "knektpass")
    phone.tap("stay")
    expect(phone.page.locator(".question")).to_contain_text("Cilla")
    connection.plug_in(phone)
    phone.page.unroute(connection.ACTIONS)
    connection.see_all_sent(phone)
    phone.tap("rest-pass")
    see_only_deal_1(phone)


def test_a_first_action_taken_back_without_storage_is_gone(phone: Phone) -> None:
    open_without_storage(phone, "spader")
    phone.page.evaluate(IN_FLIGHT_MODE)  # so that the server has certainly not received it
    phone.tap("bid-7")
    expect(phone.page.locator(".question")).to_contain_text("Ada och Cilla")
    phone.tap("back").tap("undo")
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 1")
    assert phone.page.evaluate(DRAFTS) == []
