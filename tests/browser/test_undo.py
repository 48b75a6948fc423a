"""Undo names what it takes back: on the button before the tap, and spoken after it."""

from collections.abc import Callable

from playwright.sync_api import Locator, Route, expect

from tests.support.browser.appearance import languages
from tests.support.browser.connection import (
    ACTIONS,
    load_offline_form,
    see_all_sent,
    set_flight_mode,
)
from tests.support.browser.layout_checks import TOO_WIDE
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    deal_actions,
    open_as_host,
    record_elsewhere,
)

LANGUAGES = {
    "sv": ("Ångra stick 5", "Ångra rättelsen av giv 2", "Rättelsen av giv 2 är ångrad"),
    "en": ("Undo trick 5", "Undo the correction of deal 2", "The correction of deal 2 is undone"),
    "da": ("Fortryd stik 5", "Fortryd rettelsen af giv 2", "Rettelsen af giv 2 er fortrudt"),
    "de": (
        *("Stich 5 zurücknehmen", "Berichtigung von Spiel 2 zurücknehmen"),
        "Die Berichtigung von Spiel 2 ist zurückgenommen",
    ),
}

DRAFT = """() => JSON.parse(localStorage.getItem(
  Object.keys(localStorage).find((key) => key.startsWith('vola.draft.'))))"""


EARLIER_DEAL = {
    "sv": "Ångra stick 5 i giv 1",
    "en": "Undo trick 5 in deal 1",
    "da": "Fortryd stik 5 i giv 1",
    "de": "Spiel 1: Stich 5 zurücknehmen",
}


def undo(phone: Phone, key: str = "undo") -> Locator:
    return phone.page.locator(f'[data-key="{key}"]')


def announcement(phone: Phone) -> Locator:
    return phone.page.locator("#status")


@languages(LANGUAGES)
def test_undo_after_a_correction_says_that_it_takes_the_correction_back(
    phone: Phone, language: str
) -> None:
    trick, correction, undone = LANGUAGES[language]
    phone.page.add_init_script(f"localStorage.setItem('vola.language', '\"{language}\"')")
    recorder = record_elsewhere(phone, ALL_PASS, ALL_PASS)
    played = [{"type": "trick", "winner": p} for p in ("p3", "p3", "p4", "p3", "p2")]
    recorder.act(*deal_actions({"type": "declare", "players": ["p2"]}, *played))
    open_as_host(phone, recorder)
    expect(undo(phone)).to_have_accessible_name(trick)
    winner = [{"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p1"}]
    version = recorder.state()["version"]
    recorder.write("/deals/2", {"actions": winner}, version=version, method="PUT")
    expect(undo(phone)).to_have_accessible_name(correction)
    phone.page.set_viewport_size({"width": 320, "height": 640})
    assert phone.page.evaluate(TOO_WIDE) <= 0
    phone.tap("undo")
    expect(announcement(phone)).to_have_text(undone)
    expect(undo(phone)).to_have_accessible_name(trick)
    phone.see_table()
    phone.visit("deal/2")
    expect(phone.page.locator(".compare")).to_have_count(0)
    assert phone.read("/audit")["clean"]


@languages(EARLIER_DEAL)
def test_undo_after_a_misdeal_names_the_deal_before_it(phone: Phone, language: str) -> None:
    """A misdeal cannot be undone, so the last action is one of deal 1."""
    phone.page.add_init_script(f"localStorage.setItem('vola.language', '\"{language}\"')")
    recorder = record_elsewhere(phone)
    played = [{"type": "trick", "winner": p} for p in ("p3", "p3", "p4", "p3", "p2")]
    recorder.act(*deal_actions({"type": "declare", "players": ["p2"]}, *played))
    recorder.act(*deal_actions({"type": "declare", "players": ["p3"]}))
    version = recorder.state()["version"]
    assert recorder.write("/deals/2", None, version=version, method="DELETE").status == 200
    open_as_host(phone, recorder)
    expect(undo(phone)).to_have_accessible_name(EARLIER_DEAL[language])
    phone.page.set_viewport_size({"width": 320, "height": 640})
    assert phone.page.evaluate(TOO_WIDE) <= 0


def test_an_undo_names_the_tap_that_waits_on_the_phone(phone: Phone) -> None:
    phone.begin()
    phone.tap("record").seat("BC")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra stick 1")
    phone.tap("undo-tap")
    expect(announcement(phone)).to_have_text("Stick 1 i giv 1 är ångrat")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra spelföraren")


def test_an_undo_without_a_network_names_what_waits(lend: Callable[..., Phone]) -> None:
    phone = lend(installed=True)
    load_offline_form(phone)
    phone.begin()
    set_flight_mode(phone)
    phone.play(1, "B", "CCDCB")
    expect(undo(phone)).to_have_text("Ångra stick 5")
    phone.tap("waiting")
    expect(undo(phone, "take-back")).to_have_text("Ångra stick 5")
    phone.page.keyboard.press("Escape")
    phone.tap("undo")
    # nothing waits any more, but there is still no network: the status has nothing new to announce
    expect(announcement(phone)).to_have_text("Stick 5 i giv 1 är ångrat")
    phone.seat("B")
    phone.see_result(1)
    phone.tap("table").play(2, "")
    expect(undo(phone)).to_have_text("Ångra att alla passade")


def test_an_undo_names_the_declaration_that_the_server_has(phone: Phone) -> None:
    phone.begin(game="knektpass")
    phone.tap("record").tap("depth-tricks").tap("stay").tap("pass")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra ”Passar”")
    phone.tap("undo-tap")
    expect(announcement(phone)).to_have_text("”Passar” i giv 1 är ångrat")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra ”Är med”")


def test_a_correction_is_undone_while_a_deal_is_recorded(phone: Phone) -> None:
    """The open deal does not change."""
    recorder = record_elsewhere(phone, game="knektpass", options={})
    recorder.act(*deal_actions({"type": "all_pass"}))
    recorder.act(*deal_actions({"type": "stay", "player": "p3"}))
    open_as_host(phone, recorder)
    phone.visit("record")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra ”Är med”")
    version = recorder.state()["version"]
    reply = recorder.write("/deals/1", None, version=version, method="DELETE")
    assert reply.status == 200, reply.raw
    expect(undo(phone, "undo-tap")).to_have_text("Ångra strykningen av giv 1")
    phone.tap("undo-tap")
    expect(announcement(phone)).to_have_text("Giv 1 räknas igen")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra ”Är med”")
    assert len(phone.read("/deals/2")["actions"]) == 2  # type: ignore[arg-type]


def test_an_undone_deal_keeps_what_others_had_recorded_of_it(lend: Callable[..., Phone]) -> None:
    phone = lend(installed=True)
    load_offline_form(phone)
    recorder = record_elsewhere(phone)
    recorder.act(
        *deal_actions({"type": "declare", "players": ["p2"]}, {"type": "trick", "winner": "p3"})
    )
    open_as_host(phone, recorder)
    phone.visit("record")
    set_flight_mode(phone)
    phone.seat("CDCB")
    expect(undo(phone)).to_have_text("Ångra stick 5")
    phone.tap("undo")
    expect(undo(phone, "undo-tap")).to_have_text("Ångra stick 4")
    draft = phone.page.evaluate(DRAFT)
    assert [action["type"] for action in draft["heard"]] == ["declare", "trick"]
    assert len(draft["taps"]) == 3


def test_the_taps_of_the_next_deal_are_taken_back_first(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table").tap("record").seat("CAA").tap("back").tap("undo")
    expect(phone.page.locator("#notice")).to_contain_text("Giv 2 är påbörjad")
    assert phone.read("/deals/1")["status"] == "closed"
    phone.tap("record")
    expect(phone.page.locator(".slot .player-token")).to_have_text(["A", "A"])


def test_an_undo_answered_late_leads_nobody_back(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    held: list[Route] = []
    phone.page.route(ACTIONS, lambda route: held.append(route), times=1)
    phone.tap("undo")
    phone.wait_until(lambda: len(held) == 1)
    phone.visit("rules")
    held[0].continue_()
    expect(announcement(phone)).to_have_text("Att alla passade i giv 1 är ångrat")
    expect(phone.page).to_have_url(f"{phone.table_url()}/rules")
    phone.visit("")
    expect(phone.page.locator('[data-key="record"]')).to_contain_text("1")


def test_an_undo_that_was_given_up_does_not_block_the_next(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS)
    open_as_host(phone, recorder)
    phone.page.route(ACTIONS, lambda route: route.abort())
    phone.tap("undo")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.visit("costs")
    phone.mark("payer", "p4")
    phone.page.locator('[data-key="cost-amount"]').fill("400")
    phone.tap("record-cost")
    expect(phone.page.locator(".sync")).to_contain_text("2 väntar")
    recorder.act(*ALL_PASS)
    phone.page.unroute(ACTIONS)
    phone.tap("give-up")
    see_all_sent(phone)
    phone.visit("")
    phone.tap("undo")
    expect(announcement(phone)).to_have_text("Att alla passade i giv 2 är ångrat")


def test_a_deal_taken_back_while_it_waits_is_recorded_further(phone: Phone) -> None:
    """It waits behind one that the server has not answered, so its recorder is still on screen."""
    phone.begin()
    held: list[Route] = []
    phone.page.route(ACTIONS, lambda route: held.append(route))
    phone.tap("record").seat("BCCDCB")
    phone.wait_until(lambda: len(held) == 1)
    phone.visit("")
    phone.see_table()
    phone.tap("record").seat("CAABAC").tap("waiting").tap("take-back")
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)
    phone.seat("B")
    phone.page.unroute(ACTIONS)  # which sends what was held
    phone.see_result(2)
    see_all_sent(phone)
