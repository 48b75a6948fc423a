"""A wrongly recorded deal, or one that never counted, is corrected on a phone later on."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Response, expect

from tests.support.browser.appearance import looks, sizes
from tests.support.browser.connection import plug_in, read_nothing_until, unplug
from tests.support.browser.form_sources import imported_module
from tests.support.browser.layout_checks import (
    ScreenChecks,
    find_misfits,
    find_violations,
    wait_until_drawn,
)
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.recorded_sessions import (
    ALL_PASS,
    E1_CORRECTED,
    deal_actions,
    open_as_host,
    open_e1,
    record_and_open,
    record_elsewhere,
    see_correction,
)

V1 = "**/v1/**"


def test_e1_with_deal_2_corrected_after_deal_7_row_by_row(phone: Phone) -> None:
    open_e1(phone)
    phone.visit("deals")
    phone.tap("correct-2")
    expect(phone.page.locator('[data-key="correct"]')).to_be_disabled()
    taps = phone.taps
    for row, player in ((1, "p2"), (2, "p1"), (3, "p2"), (4, "p4"), (5, "p4")):
        chip = phone.page.locator(f'[data-key="row-{row}-{player}"]')
        if chip.get_attribute("aria-pressed") == "false":
            phone.tap(f"row-{row}-{player}")
    phone.page.locator('[data-key="reason"]').fill("Bo tog det första sticket")
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 2)
    assert phone.taps - taps <= 5
    phone.see_balances(E1_CORRECTED)
    halves = phone.page.locator(".compare .version")
    expect(halves.nth(0)).to_contain_text("Stick 1: Ada")
    expect(halves.nth(1)).to_contain_text("Stick 1: Bo")
    expect(phone.page.locator(".compare")).to_contain_text("Bo tog det första sticket")
    assert phone.read("/audit")["clean"]


def test_a_deal_is_recorded_anew_with_the_screens_it_was_recorded_with(phone: Phone) -> None:
    open_e1(phone)
    phone.visit("deal/2")
    phone.tap("correct").tap("anew")
    expect(phone.page.locator("h1")).to_have_text("Giv 2 på nytt")
    expect(phone.page.locator(".felt .pot")).to_have_text("20 kr")  # as in deal 2
    phone.seat("D").seat("BABDD")
    expect(phone.page.locator(".action-rows > li")).to_have_count(6)
    phone.tap("reason-2")
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 2)
    phone.see_balances(E1_CORRECTED)
    expect(phone.page.locator(".compare")).to_contain_text("Vi mindes fel")


def test_a_rescored_deal_names_the_correction_that_caused_it(phone: Phone) -> None:
    won = deal_actions({"type": "declare", "players": ["p2"]}, {"type": "result", "winner": "p1"})
    record_and_open(phone, ALL_PASS, won).visit("correct/1/anew")
    phone.seat("B").seat("BBB").tap("finish").tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    phone.visit("deal/2")
    changed = phone.page.locator(".compare")
    expect(changed).to_contain_text("för att giv 1 rättades")
    expect(changed.locator(".version").nth(0)).to_contain_text("Ada vann 20 kr")
    expect(changed.locator(".version").nth(1)).to_contain_text("Ada vann 10 kr")
    phone.visit("deals")
    tags = phone.page.locator(".rows .tag")
    expect(tags).to_have_text(["omräknad", "rättad"])


def test_back_in_time_shows_its_words_at_once(phone: Phone) -> None:
    """They are in the second catalog, which the table's screen does not load."""
    open_e1(phone, 1)
    phone.visit("deals")
    expect(phone.page.locator(".timeline h2")).to_have_text("Tillbaka i tiden")


def test_a_waiting_correction_is_named(phone: Phone) -> None:
    open_e1(phone, 2)
    phone.visit("correct/1")
    expect(phone.page.locator('[data-key="never"]')).to_be_visible()
    phone.page.route(V1, lambda route: route.abort("internetdisconnected"))
    phone.tap("never").tap("never-sure").tap("waiting")
    waits = phone.page.locator("dialog [data-waits]")
    expect(waits).to_have_text(re.compile("^Rätta giv 1"))


def test_a_deal_recorded_anew_survives_a_reload(phone: Phone) -> None:
    open_e1(phone, 2)
    phone.visit("correct/1/anew")
    phone.seat("B").seat("BBB").tap("finish")
    expect(phone.page.locator(".action-rows > li")).to_have_count(5)
    phone.page.reload()
    expect(phone.page.locator(".action-rows > li")).to_have_count(5)
    phone.tap("as-it-was")
    expect(phone.page.locator(".action-rows > li")).to_have_count(6)


def changes(phone: Phone) -> list[str]:
    rows = phone.page.locator("dialog .effect .amount")
    expect(rows.first).to_be_visible()
    return [text.replace("\xa0", " ") for text in rows.all_text_contents()]


def test_the_effect_of_a_correction_is_shown_before_it_is_made(phone: Phone) -> None:
    """Bo, not Ada, took the bet of deal 2; Disa's bet of that deal does not change."""
    open_e1(phone, 2)
    phone.visit("correct/2")
    phone.tap("row-1-p2").tap("row-2-p1").tap("row-3-p2").tap("row-5-p4").tap("correct")
    assert changes(phone) == ["−20 kr", "+20 kr", "0 kr", "0 kr"]
    expect(phone.page.locator("dialog")).to_contain_text("Betarna på bordet ändras inte.")
    phone.tap("correct-back")
    assert phone.read("/deals/2")["before"] == []
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 2)
    phone.see_balances((-10, 0, 10, -20))


def test_the_effect_of_voiding_a_deal_is_shown_before_it_is_done(phone: Phone) -> None:
    open_e1(phone, 2)
    phone.visit("correct/1")
    phone.tap("never")
    announced = changes(phone)
    balances_before = list(phone.read("/balances")["balances"].values())  # type: ignore[attr-defined]
    halves = phone.page.locator("dialog .version")
    expect(halves.nth(0)).to_contain_text("Bet på 20 kr: Disa")
    expect(halves.nth(1)).to_contain_text("Bet på 10 kr: Disa")
    expect(phone.page.locator("dialog")).to_contain_text("Giv 2 räknas om.")
    phone.tap("never-sure")
    expect(phone.page.locator(".compare").first).to_be_visible()
    balances_after = list(phone.read("/balances")["balances"].values())  # type: ignore[attr-defined]
    moved = [after - before for after, before in zip(balances_after, balances_before, strict=True)]
    assert announced == [f"{m // 100:+} kr".replace("-", "−") if m else "0 kr" for m in moved]


def test_the_effect_names_bets_only_in_games_that_have_them(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS, game="polskpas")
    phone.visit("correct/1")
    phone.tap("never")
    dialog = phone.page.locator("dialog")
    expect(dialog.locator(".effect > li")).to_have_count(4)
    expect(dialog).not_to_contain_text("Betar")


def test_without_a_network_no_effect_of_a_correction_is_guessed(phone: Phone) -> None:
    open_e1(phone, 2)
    phone.visit("correct/1")
    expect(phone.page.locator('[data-key="never"]')).to_be_visible()
    phone.page.route(V1, lambda route: route.abort("internetdisconnected"))
    phone.tap("never")
    banner = phone.page.locator("dialog .banner")
    expect(banner).to_contain_text("Utan kontakt med servern går det inte att säga")
    expect(phone.page.locator("dialog .effect")).to_have_count(0)
    expect(phone.page.locator('[data-key="never-sure"]')).to_be_enabled()


def test_a_deal_that_never_counted_gives_its_stake_back(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS, ALL_PASS).visit("correct/1")
    phone.tap("never").tap("never-why-1").tap("never-sure")
    expect(phone.page.locator(".compare")).to_contain_text("Ett kort fattades")
    phone.see_balances((0, -10, 0, 0))
    phone.visit("deals")
    rows = phone.page.locator(".rows > li")
    expect(rows.last).to_contain_text("räknas inte")
    expect(phone.page.locator('[data-key="correct-1"]')).to_have_count(0)


def test_later_deals_that_break_are_named_before_they_are_voided(phone: Phone) -> None:
    record_and_open(phone, *[ALL_PASS] * 3, game="knektpass", options={"start": 5})
    phone.visit("correct/2/anew")
    phone.tap("with-p3-0").tap("together")
    phone.tap("correct")
    question = phone.page.locator("dialog")
    expect(question.locator(".deal-number")).to_have_text(["3"])
    expect(question.locator('[data-changes="p3"] .amount')).to_be_visible()
    phone.tap("later-back")
    expect(phone.page.locator(".action-rows > li")).to_have_count(4)
    phone.tap("correct").tap("later-void")
    expect(phone.page.locator(".compare .version")).to_have_count(2)
    assert phone.read("")["winner"] == ["p3"]
    assert phone.read("/deals/3")["status"] == "voided"


def test_a_refused_row_says_why_beside_it(phone: Phone) -> None:
    record_and_open(phone, COUNTED, game="spader", options={}).visit("correct/1")
    phone.page.locator('select[name="row-2-p1"]').select_option("9")
    phone.tap("correct")
    expect(phone.page.locator('[data-row="2"] .wrong')).to_contain_text("19 stick")
    assert phone.read("/deals/1")["before"] == []


BIDS = [
    {"type": "side_bid", "side": "p2+p4", "tricks": 7},
    {"type": "side_bid", "side": "p1+p3", "tricks": 5},
]
COUNTED = deal_actions(*BIDS, {"type": "tricks", "taken": {"p1": 3, "p2": 4, "p3": 2, "p4": 4}})


def test_an_incomplete_deal_is_not_accepted(phone: Phone) -> None:
    open_e1(phone, 1).visit("correct/1")
    phone.tap("row-5-off").tap("correct")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("one-more").tap("row-5-p1").tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    expect(phone.page.locator(".compare .version").nth(1)).to_contain_text("Stick 5: Ada")


def test_a_count_of_spader_is_corrected(phone: Phone) -> None:
    record_and_open(phone, COUNTED, game="spader", options={}).visit("correct/1/anew")
    phone.tap("bid-7").tap("bid-4").tap("pad-5")
    phone.tap("send")
    expect(phone.page.locator(".action-rows > li")).to_have_count(3)
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    assert phone.read("")["scores"] == {"p1+p3": 41, "p2+p4": 71}


def test_numbers_of_a_row_can_be_changed(phone: Phone) -> None:
    record_and_open(phone, COUNTED, game="spader", options={}).visit("correct/1")
    phone.page.locator('select[name="row-0-tricks"]').select_option("6")
    phone.page.locator('select[name="row-1-nil"]').select_option("nil p1")
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    expect(phone.page.locator(".compare .version").nth(1)).to_contain_text("Ada noll + 5")


def test_exchanges_of_knektpass_are_corrected(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS, game="knektpass", options={}).visit("correct/1/anew")
    phone.tap("with-p2-2").tap("with-p4-0").tap("together")
    phone.tap("pad-3").tap("send")
    phone.tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    expect(phone.page.locator(".compare")).to_contain_text("Bo byter 2 kort")


def test_a_deal_recorded_by_cards_is_corrected_card_by_card(phone: Phone) -> None:
    actions = deal_actions(
        {"type": "turn_up", "card": "10H"},
        {"type": "bid", "player": "p2", "call": "accept"},
        {"type": "discard", "player": "p2", "card": "9H"},
        {"type": "result", "winner": "p3"},
    )
    record_and_open(phone, actions, game="polskpas").visit("correct/1")
    phone.tap("row-0-card").tap("card-KH")
    phone.tap("row-3-p2").tap("correct").tap("correct-sure")
    see_correction(phone, 1)
    expect(phone.page.locator(".compare .version").nth(1)).to_contain_text("hjärter kung")


def test_the_table_is_shown_as_it_was_at_an_earlier_moment(phone: Phone) -> None:
    open_e1(phone, 2)
    phone.visit("deals")
    phone.tap("earlier")
    caption = phone.page.locator(".past-outcome")
    expect(caption).to_have_text("Disa sätter bet, 20 kr.")
    slider = phone.page.locator('[data-key="slider"]')
    slider.fill("8")
    expect(caption).to_have_text("Stick 5: Bo")
    expect(phone.page.locator(".past-state .felt")).to_be_visible()
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_hidden()
    slider.fill("2")
    expect(caption).to_have_text("Ada ger giv 1.")
    expect(phone.page.locator(".past-state .sum")).to_have_text(["−10 kr", *["0 kr"] * 3])
    phone.tap("now")
    expect(phone.page.locator(".past-state")).to_be_hidden()
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    phone.visit("")
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in (10, -20, 10, -20)])


def test_a_step_back_without_a_network_leaves_the_deals_on_screen(phone: Phone) -> None:
    open_e1(phone, 1)
    phone.visit("deals")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    unplug(phone)
    phone.tap("earlier")
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt med Vola")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    phone.page.locator("#notice button").tap()
    plug_in(phone)
    phone.tap("earlier")
    expect(phone.page.locator(".past-state .felt")).to_be_visible()
    outcome = phone.page.locator(".past-outcome").inner_text()
    unplug(phone)
    phone.tap("earlier")
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt med Vola")
    expect(phone.page.locator(".past-outcome")).to_have_text(outcome)
    phone.page.locator("#notice button").tap()
    phone.tap("later")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()


def test_a_correction_without_a_network_is_kept_and_sent_later(phone: Phone) -> None:
    open_e1(phone, 1).visit("correct/1")
    phone.tap("row-1-p1")
    phone.page.context.set_offline(True)
    phone.tap("correct").tap("correct-sure")
    expect(phone.page.locator(".banner", has_text="Sparat i telefonen")).to_be_visible()
    phone.page.context.set_offline(False)
    see_correction(phone, 1)


def test_a_deal_recorded_meanwhile_does_not_hinder_a_correction(phone: Phone) -> None:
    recorder = record_elsewhere(phone, ALL_PASS, ALL_PASS)
    open_as_host(phone, recorder).visit("correct/1")
    phone.tap("anew").seat("B").seat("BBB").tap("finish")
    expect(phone.page.locator('[data-key="correct"]')).to_be_enabled()
    statuses: list[int] = []

    def is_correction(answer: Response) -> bool:
        if answer.request.method == "PUT":
            statuses.append(answer.status)
        return answer.request.method == "PUT"

    read_nothing_until(phone, is_correction)
    phone.tap("correct")
    expect(phone.page.locator('[data-key="correct-sure"]')).to_be_enabled()
    recorder.act(*ALL_PASS)
    phone.tap("correct-sure")
    expect(phone.page.locator(".effect")).to_be_visible()  # the effect as it is now
    phone.tap("correct-sure")
    see_correction(phone, 1)
    assert statuses == [412, 200]


def test_a_viewer_corrects_nothing(lend: Callable[..., Phone]) -> None:
    phone = lend()
    open_e1(phone, 1)
    phone.page.evaluate(
        "localStorage.setItem('vola.role.' + location.hash.split('/')[2], '\"viewer\"')"
    )
    phone.visit("deals")
    expect(phone.page.locator('[data-key="deal-1"]')).to_be_visible()
    expect(phone.page.locator('[data-key="correct-1"]')).to_have_count(0)
    phone.visit("correct/1")
    phone.see_result(1)
    expect(phone.page.locator('[data-key="correct"]')).to_have_count(0)


@sizes()
def test_correcting_fits_a_small_phone_and_a_thumb(
    lend: Callable[..., Phone], language: str, text: str
) -> None:
    phone = lend(width=320, height=640, language=language)
    open_e1(phone, 2)

    def check(phone: Phone) -> list[str]:
        wait_until_drawn(phone)
        return find_misfits(phone, text)

    screens = ScreenChecks(check)
    walk(phone, screens)
    assert screens.faults == {}


@looks(("dark", "en-GB"), ("light", "da-DK"))
def test_axe_finds_nothing_in_corrections(styled_phone: Phone) -> None:
    open_e1(styled_phone, 2)
    screens = ScreenChecks(find_violations)
    walk(styled_phone, screens)
    assert screens.faults == {}


def walk(phone: Phone, screens: ScreenChecks) -> None:
    """Check every screen of a correction, each with content."""
    phone.visit("correct/1")
    expect(phone.page.locator(".action-rows > li")).to_have_count(6)
    screens.look(phone, "correcting")
    phone.tap("never")
    screens.look(phone, "never counted", "dialog .effect")
    phone.tap("never-back")
    phone.tap("anew")
    phone.seat("BB")
    screens.look(phone, "anew")
    phone.visit("correct/1")
    phone.tap("row-1-p1")
    phone.tap("reason-0").tap("correct")
    screens.look(phone, "what it changes", "dialog .effect")
    phone.tap("correct-sure")
    expect(phone.page.locator(".compare .version")).to_have_count(2)
    screens.look(phone, "before and after")
    phone.visit("deals")
    phone.tap("earlier")
    screens.look(phone, "back in time", ".past-state .felt")
    phone.tap("now")
    screens.look(phone, "now")


QUOTED = f"""async (language) => {{
  const {{ loadLanguage }} = await {imported_module()};
  const {{ quoteText }} = await {imported_module("features/correcting/deal_changes.js")};
  await loadLanguage(language);
  return quoteText('Fel');
}}"""


@pytest.mark.parametrize(
    ("language", "quotation"), [("sv", "”Fel”"), ("en", "“Fel”"), ("da", "»Fel«"), ("de", "„Fel“")]
)
def test_a_remark_stands_in_the_quotation_marks_of_the_language(
    phone: Phone, language: str, quotation: str
) -> None:
    phone.page.goto(phone.url)
    assert phone.page.evaluate(QUOTED, language) == quotation
