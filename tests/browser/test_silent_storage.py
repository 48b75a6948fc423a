"""An IndexedDB that does not answer, as in Safari and Chrome after a crash, stops no form."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser import connection
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import record_spader_deal
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host, record_elsewhere
from tests.support.browser.storage_faults import BLOCKED, DRAFTS, FULL, SILENT, WARNING


def restart_silently(phone: Phone) -> None:
    """Load the page again, with a storage that does not answer yet."""
    phone.page.add_init_script(SILENT)
    phone.page.reload()


def restart_with_waiting_deal(phone: Phone) -> None:
    """Record deal 1 without a network, and load the page again with a silent storage."""
    phone.begin()
    phone.page.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    restart_silently(phone)
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)


def restart_without_storage(phone: Phone, game: str = "polskt_pass") -> RemoteSession:
    """Load the page without IndexedDB, and record deal 1 without a network; the session can be read
    afterwards, and the deal not be sent. Return another phone in the session."""
    recorder = record_elsewhere(phone, game=game, options={})
    open_as_host(phone, recorder)
    phone.page.add_init_script(BLOCKED)
    phone.page.reload()
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)
    phone.page.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    connection.unplug(phone)
    expect(phone.page.locator(".sync.failed")).to_be_visible()
    if game == "spader":
        record_spader_deal(phone, 1, ("7", "5"), (4, 3, 4))
    else:
        phone.play(1, "B", "CCDCB")
    connection.plug_in(phone)
    return recorder


def new_tab(phone: Phone) -> Page:
    """Return another tab at the same address, whose storage answers."""
    tab = phone.page.context.new_page()
    tab.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    tab.goto(phone.page.url)
    return tab


@pytest.mark.parametrize("script", [SILENT, BLOCKED], ids=["silent", "blocked"])
def test_a_form_without_storage_starts_and_says_what_it_means(phone: Phone, script: str) -> None:
    phone.begin()
    phone.page.add_init_script(script)
    phone.page.reload()
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator("#notice")).to_be_empty()
    assert len(connection.read_deals(phone)) == 1


@pytest.mark.parametrize("game", ["polskt_pass", "spader"])
def test_a_deal_that_is_not_stored_outlives_a_reload(phone: Phone, game: str) -> None:
    restart_without_storage(phone, game)
    phone.tap("table")
    phone.page.reload()
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Fortsätt giv 1")
    phone.page.unroute(connection.ACTIONS)
    phone.tap("record")
    if game == "polskt_pass":  # its last tap can be corrected before it is sent
        phone.tap("send")
    phone.see_result(1)
    assert len(connection.read_deals(phone)) == 1
    assert phone.page.evaluate(DRAFTS) == []


def test_a_deal_that_is_sent_without_storage_leaves_no_draft(phone: Phone) -> None:
    restart_without_storage(phone)
    phone.tap("table").tap("record").seat("C")
    phone.page.unroute(connection.ACTIONS)
    connection.see_all_sent(phone)
    expect(phone.page.locator(".question")).to_contain_text("stick 1")
    assert phone.page.evaluate(DRAFTS) == ["2"]


def test_a_deal_that_is_given_up_without_storage_leaves_no_draft(phone: Phone) -> None:
    recorder = restart_without_storage(phone)
    recorder.act(*ALL_PASS)
    phone.page.unroute(connection.ACTIONS)
    phone.tap("give-up")
    connection.see_all_sent(phone)
    assert phone.page.evaluate(DRAFTS) == []


def test_what_was_stored_before_is_sent_once_the_storage_answers(phone: Phone) -> None:
    restart_with_waiting_deal(phone)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 1")
    phone.page.evaluate("answer()")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    expect(phone.page.locator("#notice")).to_be_empty()
    phone.page.unroute(connection.ACTIONS)
    connection.see_all_sent(phone)
    assert len(connection.read_deals(phone)) == 1


def test_what_was_recorded_meanwhile_is_stored_once_it_answers(phone: Phone) -> None:
    phone.begin()
    restart_silently(phone)
    expect(phone.page.locator("#notice")).to_contain_text(WARNING)
    phone.page.route(connection.ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.play(1, "B", "CCDCB")
    phone.tap("waiting")
    expect(phone.page.locator("dialog")).to_contain_text("Stäng inte sidan")
    expect(phone.page.locator("dialog")).not_to_contain_text("Sparat")
    phone.close_dialog()
    phone.page.evaluate("answer()")
    phone.tap("table").tap("waiting")
    expect(phone.page.locator("dialog")).to_contain_text("Sparat i telefonen")
    expect(new_tab(phone).locator(".sync")).to_contain_text("1 väntar")


def test_a_full_storage_is_not_said_to_keep_a_deal(phone: Phone) -> None:
    phone.page.add_init_script(FULL)
    phone.begin()
    connection.unplug(phone)
    phone.play(1, "B", "CCDCB")
    phone.tap("waiting")
    expect(phone.page.locator("dialog")).to_contain_text("Stäng inte sidan")


def test_deals_before_and_after_the_answer_are_both_kept(phone: Phone) -> None:
    """Deal 1 waits in the storage, and is recorded otherwise while that does not answer."""
    restart_with_waiting_deal(phone)
    phone.play(1, "C", "AABAC")
    phone.page.evaluate("answer()")
    expect(phone.page.locator(".sync")).to_contain_text("2 väntar")
    phone.page.unroute(connection.ACTIONS)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Giv 1 är redan inskriven")
    expect(question).to_contain_text("Ada")
    phone.tap("as-next")
    connection.see_all_sent(phone)
    assert len(connection.read_deals(phone)) == 2


def test_a_session_opens_without_a_network_once_it_answers(phone: Phone) -> None:
    phone.begin()
    connection.unplug(phone)
    restart_silently(phone)
    expect(phone.page.locator('[data-key="again"]')).to_be_visible()
    phone.page.evaluate("answer()")
    phone.see_table()
