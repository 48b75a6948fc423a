"""A deal that the phone cannot fetch: the recorder stays as it is until the network is back."""

from playwright.sync_api import expect

from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere

DEAL = "**/v1/sessions/*/deals/1"
OFFLINE = "Ingen kontakt"


def test_a_recorder_goes_on_with_a_deal_once_it_can_be_fetched(phone: Phone) -> None:
    recorder = record_elsewhere(phone)
    open_as_host(phone, recorder).tap("record")
    expect(phone.page.locator(".question")).to_be_visible()
    phone.page.route(DEAL, lambda route: route.abort("internetdisconnected"))
    recorder.act({"type": "open_deal"}, {"type": "declare", "players": ["p2"]})
    expect(phone.page.locator(".sync")).to_have_text(OFFLINE)
    expect(phone.page.locator(".prompt")).not_to_contain_text("stick 1")
    phone.page.unroute(DEAL)
    expect(phone.page.locator(".prompt")).to_contain_text("stick 1")
    expect(phone.page.locator(".sync")).to_have_text("Sparat")


def test_an_undo_of_a_deal_that_cannot_be_fetched_changes_nothing(phone: Phone) -> None:
    recorder = record_elsewhere(phone, game="spader", options={})
    open_as_host(phone, recorder).tap("record")
    recorder.act({"type": "open_deal"}, {"type": "side_bid", "side": "p2+p4", "tricks": 7})
    question = phone.page.locator(".question")
    expect(question).to_contain_text("Ada och Cilla")
    phone.page.route(DEAL, lambda route: route.abort("internetdisconnected"))
    phone.tap("undo-tap")
    expect(phone.page.locator("#notice")).to_contain_text(OFFLINE)
    expect(question).to_contain_text("Ada och Cilla")
    assert len(recorder.get("/deals/1").json["actions"]) > 1
    phone.page.unroute(DEAL)
    phone.tap("undo-tap")
    expect(question).to_contain_text("Bo och Disa")
