"""A deal half recorded on one phone is recorded on another: no question where the two agree,
differences shown trick by trick, and no delay of the next deal."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.connection import (
    play_two_deals_unplugged,
    read_deals,
    recording_phones,
    see_all_sent,
    unplug,
)
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import record_exchange_and_pass, see_correction

DRAFT = (
    "JSON.stringify(Object.entries(localStorage).filter(([key]) => /draft|overtaken/.test(key)))"
)


def expect_no_drafts(phone: Phone) -> None:
    """Wait until this phone keeps no half-recorded deal."""
    phone.wait_until(lambda: phone.page.evaluate(DRAFT) == "[]")


def expect_no_draft_of_deal_1(phone: Phone) -> None:
    phone.wait_until(lambda: '"number":1' not in phone.page.evaluate(DRAFT).replace("\\", ""))


def phone_with_two_deals_late(lend: Callable[..., Phone], declarer: str, tricks: str) -> Phone:
    """Return a phone that sends two deals late, after another phone has recorded deal 1."""
    other_phone, phone = recording_phones(lend)
    play_two_deals_unplugged(phone)
    other_phone.play(1, declarer, tricks)
    other_phone.see_saved()
    phone.page.unroute("**/v1/**")
    return phone


def phone_with_another_third_trick(lend: Callable[..., Phone]) -> Phone:
    """Return a phone whose draft of deal 1 differs from what another phone has recorded."""
    first, second = recording_phones(lend)
    second.tap("record").seat("BCCAC")
    first.play(1, "B", "CCDCB")
    return second


def test_a_draft_that_agrees_disappears_when_the_deal_is_recorded(
    lend: Callable[..., Phone],
) -> None:
    first, second = recording_phones(lend)
    second.tap("record").seat("BCC")
    first.play(1, "B", "CCDCB")
    second.see_result(1)
    expect(second.page.locator("dialog")).to_have_count(0)
    expect_no_drafts(second)
    second.tap("record").seat("B")
    expect(second.page.locator("h1")).to_have_text("Giv 2")


def test_a_whole_deal_that_agrees_is_not_recorded_twice(lend: Callable[..., Phone]) -> None:
    """Two phones recorded the same deal, and one of them was first."""
    first, second = recording_phones(lend)
    unplug(second)
    second.tap("record").seat("BCCDCB")
    first.play(1, "B", "CCDCB")
    first.see_saved()
    second.page.unroute("**/v1/**")
    see_all_sent(second)
    second.see_result(1)
    expect(second.page.locator("dialog")).to_have_count(0)
    expect_no_drafts(second)
    assert len(read_deals(second)) == 1


def test_a_draft_that_agrees_does_not_stand_before_the_next_deal(
    lend: Callable[..., Phone],
) -> None:
    first, second = recording_phones(lend)
    second.tap("record").seat("BCC").tap("back")
    second.see_table()
    first.play(1, "B", "CCDCB")
    expect(second.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    second.tap("record").seat("D")
    expect(second.page.locator(".prompt")).to_contain_text("stick 1")
    expect(second.page.locator("dialog")).to_have_count(0)
    expect_no_draft_of_deal_1(second)


def test_an_undecided_draft_never_keeps_the_next_deal_waiting(lend: Callable[..., Phone]) -> None:
    """The form asks about the draft; the answer can wait, and the draft outlives the next deal."""
    first, second = recording_phones(lend)
    second.tap("record").seat("BDD").tap("back")
    second.see_table()
    first.play(1, "B", "CCDCB")
    expect(second.page.locator('[data-key="record"]')).to_have_text("Skriv in giv 2")
    second.tap("record")
    question = second.page.locator("dialog")
    expect(question).to_contain_text("Stick: Disa, Disa")
    second.page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    second.seat("DAADAB")
    second.see_result(2)
    second.tap("record")
    expect(question).to_contain_text("Giv 1 är redan inskriven")
    second.tap("give-up")
    second.seat("A")
    expect(second.page.locator("h1")).to_have_text("Giv 3")
    expect(second.page.locator(".prompt")).to_contain_text("stick 1")
    expect_no_draft_of_deal_1(second)


def test_both_versions_are_shown_as_tricks_with_the_difference_marked(
    lend: Callable[..., Phone],
) -> None:
    second = phone_with_another_third_trick(lend)
    halves = second.page.locator("dialog .version")
    expect(halves).to_have_count(2)
    expect(halves.nth(0).locator(".slot .player-token")).to_have_count(5)
    expect(halves.nth(1).locator(".slot .player-token")).to_have_count(4)
    for half in (halves.nth(0), halves.nth(1)):
        marked = half.locator(".slot.differs")
        expect(marked).to_have_count(1)
        expect(half.locator(".slot").nth(2)).to_contain_class("differs")
    expect(halves.nth(1).locator(".slot.differs")).to_contain_text("Stick 3: Ada")
    outlines = halves.locator(".slot.differs").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).outlineStyle)"
    )
    assert outlines == ["solid", "solid"]  # visible without colours
    expect(second.page.locator("dialog")).to_contain_text("Det som skiljer sig är markerat")


def test_a_recorded_deal_is_corrected_with_the_draft_of_this_phone(
    lend: Callable[..., Phone],
) -> None:
    second = phone_with_another_third_trick(lend)
    right = second.page.locator('[data-key="mine-right"]')
    expect(right).to_have_text("Min är rätt: rätta giv 1")
    second.tap("mine-right")
    expect(second.page.locator("h1")).to_have_text("Rätta giv 1")
    rows = second.page.locator(".action-row .sentence")
    expect(rows).to_have_text([
        "Spelförare: Bo", "Stick 1: Cilla", "Stick 2: Cilla", "Stick 3: Ada", "Stick 4: Cilla",
        "Stick 5: Bo",
    ])  # fmt: skip
    second.tap("correct").tap("correct-sure")
    see_correction(second, 1)
    (deal,) = read_deals(second)
    assert deal["outcome"]["tricks"] == ["p3", "p3", "p1", "p3", "p2"]  # type: ignore[index]
    expect_no_drafts(second)


def test_who_may_only_look_on_is_not_offered_a_correction(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    second.tap("record").seat("BDD")
    second.page.evaluate(
        "localStorage.setItem(`vola.role.${location.hash.split('/')[2]}`, '\"viewer\"')"
    )
    first.play(1, "B", "CCDCB")
    expect(second.page.locator('[data-key="give-up"]')).to_be_visible()
    expect(second.page.locator('[data-key="mine-right"]')).to_have_count(0)


def test_a_correction_begins_after_the_waiting_deals_have_arrived(
    lend: Callable[..., Phone],
) -> None:
    """The correction begins when the deals that wait behind it have arrived."""
    phone = phone_with_two_deals_late(lend, "A", "DDDBC")
    question = phone.page.locator("dialog")
    expect(question.locator(".slot.differs")).not_to_have_count(0)
    phone.tap("mine-right")
    expect(phone.page.locator("h1")).to_have_text("Rätta giv 1")
    expect(phone.page.locator(".action-row .sentence").nth(1)).to_have_text("Stick 1: Cilla")
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    first, second = sorted(read_deals(phone), key=lambda deal: int(str(deal["number"])))
    assert first["outcome"]["winner"] == "p3"  # type: ignore[index]
    assert second["outcome"]["winner"] == "p1"  # type: ignore[index]


def test_a_deal_recorded_twice_alike_does_not_block_what_waits(lend: Callable[..., Phone]) -> None:
    phone = phone_with_two_deals_late(lend, "C", "CCDCB")
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    assert [deal["outcome"]["winner"] for deal in read_deals(phone)] == ["p3", "p1"]  # type: ignore[index]


def phones_with_a_deal_of_knektpass(lend: Callable[..., Phone]) -> tuple[Phone, Phone]:
    """Return two phones of one session, the second without a network and with a deal recorded."""
    other_phone, phone = recording_phones(lend, "knektpass")
    unplug(phone)
    phone.tap("record").tap("with-p2-1").tap("with-p4-0").tap("together")
    phone.tap("pad-3").tap("send")
    phone.see_result(1)
    return other_phone, phone


def test_a_question_put_off_twice_leaves_the_focus_on_the_page(lend: Callable[..., Phone]) -> None:
    phone = phone_with_two_deals_late(lend, "A", "ABCDA")
    phone.close_dialog()
    phone.page.locator('[data-key="ask-again"]').press("Enter")
    phone.close_dialog()
    expect(phone.page.locator('[data-key="ask-again"]')).to_be_visible()
    expect(phone.page.locator("h1")).to_be_focused()


def test_a_game_without_slots_shows_both_versions_as_sentences(lend: Callable[..., Phone]) -> None:
    other_phone, phone = phones_with_a_deal_of_knektpass(lend)
    other_phone.tap("record").tap("with-p2-2").tap("with-p4-0").tap("together")
    other_phone.tap("pad-4").tap("send")
    other_phone.see_result(1)
    other_phone.see_saved()
    phone.tap("table").tap("record")
    phone.tap("all-pass")
    phone.page.unroute("**/v1/**")
    halves = phone.page.locator("dialog .version")
    expect(halves).to_have_count(2)
    expect(halves.nth(1).locator("li.changed")).to_have_count(2)
    expect(halves.nth(1).locator("li.changed").first).to_contain_text("Bo")


def test_a_deal_with_another_dealer_is_kept_as_the_next_one(lend: Callable[..., Phone]) -> None:
    """The calls and the exchanges follow the seats from the new dealer on."""
    other_phone, phone = phones_with_a_deal_of_knektpass(lend)
    phone.tap("table").tap("record")
    phone.tap("with-p1-0").tap("with-p2-1").tap("together").tap("pad-2").tap("send")
    phone.see_result(2)
    other_phone.tap("record").tap("all-pass")
    other_phone.see_result(1)
    other_phone.see_saved()
    phone.page.unroute("**/v1/**")
    phone.tap("as-next")
    see_all_sent(phone)
    expect(phone.page.locator("dialog")).to_have_count(0)
    deals = sorted(read_deals(phone), key=lambda deal: int(str(deal["number"])))
    assert [deal["dealer"] for deal in deals] == ["p1", "p2", "p3"]
    stayers = [
        [action["player"] for action in deal["actions"] if action["type"] == "stay"]  # type: ignore[attr-defined]
        for deal in deals
    ]
    assert stayers == [[], ["p4", "p2"], ["p1", "p2"]]


def test_an_exchange_of_the_dealer_is_not_kept_in_the_deal_of_another(
    lend: Callable[..., Phone],
) -> None:
    """Ada took the turn-up as the dealer of deal 1; the dealer of deal 2 is Bo."""
    other_phone, phone = recording_phones(lend, "knektpass")
    unplug(phone)
    record_exchange_and_pass(phone, 1)
    other_phone.tap("record").tap("all-pass")
    other_phone.see_result(1)
    other_phone.see_saved()
    phone.page.unroute("**/v1/**")
    question = phone.page.locator("dialog")
    expect(question).to_contain_text("Det här kan inte vara giv 2: där ger Bo")
    expect(phone.page.locator('[data-key="as-next"]')).to_have_count(0)
    phone.tap("give-up")
    see_all_sent(phone)
    assert [deal["dealer"] for deal in read_deals(phone)] == ["p1", "p2"]
