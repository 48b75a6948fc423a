"""Writes that the server refuses because the evening went on without this phone: the form asks a
person, and the answer affects only the deal that it was meant for."""

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.support.browser.connection import (
    API_URLS,
    play_two_deals_unplugged,
    plug_in,
    read_deals,
    recording_phones,
    see_all_sent,
    unplug,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    deal_actions,
    open_as_host,
    record_elsewhere,
)

DECLARED = deal_actions({"type": "declare", "players": ["p2"]})
SORRY = "Giv 1 togs inte emot"
QUESTION_MODULE = "**/features/conflicts/waiting_writes.js"


def overtaken_phone(lend: Callable[..., Phone]) -> Phone:
    """Return a phone at the table, unplugged, whose first deal another phone has recorded."""
    other_phone, phone = recording_phones(lend)
    play_two_deals_unplugged(phone)
    phone.tap("table")
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    return phone


def test_a_declaration_for_a_closed_deal_is_not_made_in_the_next(phone: Phone) -> None:
    """A phone without a network records that Disa stays in deal 1; meanwhile deal 2 has begun."""
    evening = record_elsewhere(phone, game="knektpass", options={})
    declarations = [
        {"type": word, "player": f"p{number}"} for word, number in (("stay", 2), ("stay", 3))
    ]
    evening.act({"type": "open_deal"}, *declarations)
    open_as_host(phone, evening).tap("record").tap("depth-tricks")
    unplug(phone)
    phone.tap("stay")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    last = [{"type": "pass", "player": "p4"}, {"type": "pass", "player": "p1"}]
    evening.act(*last, {"type": "tricks", "taken": {"p2": 3, "p3": 2}})
    evening.act({"type": "open_deal"}, {"type": "stay", "player": "p3"})
    before = evening.state()["version"]
    plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text(SORRY)
    expect(question.locator(".sentence").first).to_contain_text("Cilla")
    expect(phone.page.locator('[data-key="try-again"]')).to_have_count(0)
    phone.tap("give-up")
    see_all_sent(phone)
    assert evening.state()["version"] == before


def test_a_deal_number_without_a_deal_is_left_for_the_next(phone: Phone) -> None:
    """Two deals were recorded without a network; elsewhere deal 2 was a misdeal, and deal 1 was
    undone after it."""
    evening = record_elsewhere(phone)
    open_as_host(phone, evening)
    unplug(phone)
    phone.play(1, "C", "CCDCB")
    phone.play(2, "B", "AABAC")
    evening.act({"type": "open_deal"}, {"type": "all_pass"})
    evening.act({"type": "open_deal"})
    version = evening.state()["version"]
    assert evening.write("/deals/2", None, method="DELETE", version=version).status == 200
    evening.act({"type": "undo"}, {"type": "undo"})
    plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text(SORRY)
    expect(phone.page.locator('[data-key="try-again"]')).to_have_count(0)
    phone.tap("as-next")
    see_all_sent(phone)
    outcomes = [(deal["number"], deal["outcome"].get("winner")) for deal in read_deals(phone)]  # type: ignore[attr-defined]
    assert outcomes == [(2, None), (3, "p3"), (4, "p1")]


def test_an_undo_takes_back_nobody_elses_deal(lend: Callable[..., Phone]) -> None:
    """The response to deal 1 was lost, and it was undone here; another phone recorded deal 2."""
    other_phone, phone = recording_phones(lend)
    sent: list[str] = []

    def cut(route: Route) -> None:
        if route.request.method == "POST" and not sent:
            sent.append(route.request.url)
            route.fetch()
        route.abort("internetdisconnected")

    phone.page.route(API_URLS, cut)
    phone.play(1, "D", "AADDD")
    expect(phone.page.locator(".sync")).to_contain_text("1 väntar")
    phone.tap("undo")
    expect(other_phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    other_phone.play(2, "A", "DDDBC")
    other_phone.see_saved()
    plug_in(phone)
    expect(phone.page.locator("dialog")).to_contain_text(SORRY)
    expect(phone.page.locator('[data-key="try-again"]')).to_have_count(0)
    phone.tap("give-up")
    see_all_sent(phone)
    assert [deal["status"] for deal in read_deals(phone)] == ["closed", "closed"]


def test_a_half_deal_outlives_the_undoing_of_the_one_before(lend: Callable[..., Phone]) -> None:
    """Only this phone has deal 2, half recorded; it waits until deal 1 is recorded again."""
    other_phone, phone = recording_phones(lend)
    other_phone.play(1, "B", "CCDCB")
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    phone.tap("record").seat("DA")
    other_phone.tap("undo")
    phone.see_table()
    expect(phone.page.locator("dialog")).to_have_count(0)
    other_phone.seat("C")
    other_phone.see_result(1)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Fortsätt giv 2")
    phone.tap("record")
    expect(phone.page.locator(".slot .player-token")).to_have_count(1)


def test_conflict_questions_come_one_after_the_other(lend: Callable[..., Phone]) -> None:
    """Deal 1 waits here and deal 2 is half recorded; another phone has recorded both."""
    other_phone, phone = recording_phones(lend)
    unplug(phone)
    phone.play(1, "C", "CCDCB")
    phone.tap("table").tap("record").seat("CAA")
    other_phone.play(1, "A", "DDDBC")
    other_phone.tap("table").play(2, "B", "AABAC")
    other_phone.see_saved()
    plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Giv 1 är redan inskriven")
    phone.tap("give-up")
    phone.see_table()
    expect(question).to_have_count(0)
    phone.tap("record")
    expect(question).to_contain_text("Giv 2 är redan inskriven")
    expect(question).to_contain_text("Stick: Ada, Ada")


def test_a_half_deal_goes_along_when_the_ones_before_it_move(lend: Callable[..., Phone]) -> None:
    """Deals 1 and 2 become 2 and 3, and the half-recorded deal 3 becomes deal 4."""
    other_phone, phone = recording_phones(lend)
    play_two_deals_unplugged(phone)
    phone.tap("table").tap("record").seat("DAB")
    phone.tap("back")
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    plug_in(phone)
    phone.tap("as-next")
    see_all_sent(phone)
    expect(phone.page.locator('[data-key="record"]')).to_have_text("Fortsätt giv 4")
    phone.tap("record")
    expect(phone.page.locator(".slot .player-token")).to_have_count(2)


def test_all_actions_of_a_refused_deal_are_shown(lend: Callable[..., Phone]) -> None:
    """A trick was recorded, taken back, and replaced by another one."""
    other_phone, phone = recording_phones(lend)
    sent: list[str] = []

    def cut(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.url)
        route.abort("internetdisconnected")

    phone.page.route(API_URLS, cut)
    phone.play(1, "D", "AADDD")
    phone.tap("undo").seat("A")
    phone.see_result(1)
    assert sent
    other_phone.play(1, "A", "DDDBC")
    other_phone.see_saved()
    plug_in(phone)
    expect(phone.page.locator("dialog")).to_contain_text("Stick: Ada, Ada, Disa, Disa, Ada")


def test_a_question_that_was_closed_is_still_open(lend: Callable[..., Phone]) -> None:
    phone = overtaken_phone(lend)
    plug_in(phone)
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("redan inskriven")
    phone.page.keyboard.press("Escape")
    expect(phone.page.locator("#notice")).to_contain_text(SORRY)
    phone.tap("ask-again")
    expect(question).to_contain_text("redan inskriven")
    phone.tap("give-up")
    see_all_sent(phone)
    expect(phone.page.locator("#notice")).to_be_empty()


def test_a_question_that_cannot_be_loaded_is_announced(lend: Callable[..., Phone]) -> None:
    """A phone that has not stored the form loses its network again."""
    phone = overtaken_phone(lend)
    phone.page.route(QUESTION_MODULE, lambda route: route.abort("internetdisconnected"))
    plug_in(phone)
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt med Vola")


def test_a_list_that_cannot_be_loaded_is_announced(phone: Phone) -> None:
    phone.begin()
    play_two_deals_unplugged(phone)
    phone.page.route(QUESTION_MODULE, lambda route: route.abort("internetdisconnected"))
    phone.tap("waiting")
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt med Vola")


def test_a_misdeal_that_came_too_late_is_asked_about(phone: Phone) -> None:
    """It waits, with a shared cost behind it, while another phone records a trick of the deal."""
    recorder = record_elsewhere(phone, DECLARED)
    open_as_host(phone, recorder).tap("record")
    unplug(phone)
    phone.tap("misdeal").tap("sure")
    phone.see_table()
    expect(phone.page.locator(".sync.failed")).to_be_visible()
    phone.visit("costs")
    phone.mark("payer", "p4").page.locator('[data-key="cost-amount"]').fill("400")
    phone.tap("record-cost")
    recorder.act({"type": "trick", "winner": "p1"})
    plug_in(phone)
    phone.tap("give-up")
    see_all_sent(phone)
    assert [deal["status"] for deal in read_deals(phone)] == ["open"]
    costs = phone.read("/costs")["costs"]
    assert [cost["amount"] for cost in costs] == [40_000]  # type: ignore[attr-defined]


def test_a_deal_takes_the_number_of_one_taken_back(phone: Phone) -> None:
    """Another phone takes back deal 2, which was recorded twice, while deals 3 and 4 wait."""
    recorder = record_elsewhere(phone, ALL_PASS, ALL_PASS)
    open_as_host(phone, recorder)
    unplug(phone)
    phone.play(3, "C", "CCDCB")
    phone.tap("table").play(4, "A", "AABAC")
    recorder.act({"type": "undo"}, {"type": "undo"})
    plug_in(phone)
    phone.tap("as-next")
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    assert [(deal["number"], deal["status"]) for deal in read_deals(phone)] == [
        (1, "closed"),
        (2, "closed"),
        (3, "closed"),
    ]
