"""Evenings by taps: docs/rules.md §8 E1 and E3, recorded on a phone as people would record them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.played_evenings import E1, play_evening
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES

USUAL = 8  # taps, from the table to the result


E3 = [
    ("C", "BBACD", (-10, 10, -10, 0, 0)),
    ("D", "ABCDE", (-10, 0, -10, -20, 0)),
    ("", "", (-10, 0, -20, -20, 0)),
    ("DC", "EACDB", (-10, 0, -60, -70, 0)),
    ("A", "AABBB", (-60, 50, -60, -70, -10)),
    ("E", "EEABC", (-70, 50, -60, -70, 20)),
]


def test_an_evening_is_recorded_by_tapping(phone: Phone) -> None:
    phone.begin_by_tapping()
    taps = play_evening(phone, E1)
    assert max(taps) <= USUAL, taps
    print(f"taps per deal: {taps}")
    phone.tap("table")
    phone.see_table()
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[-1][2]])
    expect(phone.page.locator(".pot")).to_have_text("0 kr")
    expect(phone.bets()).to_have_count(0)


def test_the_stack_of_bets_lies_smallest_first_with_its_owners(phone: Phone) -> None:
    phone.begin_by_tapping()
    for number, (declarers, tricks, _) in enumerate(E1[:4], start=1):
        phone.play(number, declarers, tricks)
    phone.tap("table")
    expect(phone.bets()).to_have_count(2)
    expect(phone.bets().nth(0)).to_contain_text("40 kr")
    expect(phone.bets().nth(0)).to_contain_text("Cilla, giv 4")
    expect(phone.bets().nth(1)).to_contain_text("Disa, giv 4")


def test_the_amount_played_for_on_the_screen_is_what_is_paid(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    expect(phone.page.locator(".table-center .subtext")).to_contain_text("20 kr")
    phone.play(2, "D", "AABDD")
    deal = phone.read("/deals/2")
    paid = sum(p["amount"] for p in deal["postings"] if p["to"] == "player:p1")  # type: ignore[attr-defined]
    assert paid == 2000


@pytest.mark.parametrize(
    ("declarers", "taps_on", "balances"),
    [
        pytest.param(
            "B", ["depth-result", "seat-p3"], (-10, -10, 20 - 10, 0), id="only the winner"
        ),
        pytest.param(
            "B",
            ["depth-result", "vola", "seat-p3", "vola-won"],
            (-20, -10, 40, -10),
            id="la vola won, no tricks written",
        ),
        pytest.param(
            "B",
            ["depth-result", "vola", "seat-p2", "vola-lost"],
            (-10, 0, 0, 0),
            id="la vola lost, no tricks written",
        ),
    ],
)
def test_only_the_outcome_may_be_recorded(
    phone: Phone, declarers: str, taps_on: list[str], balances: tuple[int, ...]
) -> None:
    phone.begin()
    phone.tap("record").seat(declarers)
    for key in taps_on:
        phone.tap(key)
    phone.see_result(1)
    phone.see_balances(balances)


def test_a_certain_winner_ends_the_deal_in_fewer_taps(phone: Phone) -> None:
    phone.begin()
    assert phone.play(1, "B", "BBAB.") <= USUAL
    phone.see_balances((-10, 10, 0, 0))


def test_la_vola_is_offered_exactly_to_who_has_tricks_one_and_two(phone: Phone) -> None:
    phone.begin()
    phone.tap("record").seat("AA")
    offer = phone.page.locator('[data-key="vola"]')
    expect(offer).to_have_count(0)
    phone.seat("A")
    expect(offer).to_contain_text("Ada")
    phone.seat("A")
    expect(offer).to_have_count(0)


def test_undo_takes_back_the_last_tap_and_then_the_last_deal(phone: Phone) -> None:
    phone.begin().tap("record").seat("BCC")
    slots = phone.page.locator(".slot .player-token")
    expect(slots).to_have_count(2)
    phone.tap("undo-tap")
    expect(slots).to_have_count(1)
    phone.seat("CDCB")
    phone.see_result(1)
    phone.tap("undo")
    expect(phone.page.locator("body.record")).to_be_visible()
    expect(slots).to_have_count(4)  # the deal is open again without its last trick
    phone.seat("C")
    phone.see_result(1)
    phone.see_balances((-10, -10, 10, 0))


def test_two_losing_bets_may_be_put_together(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "AD", "BBCBA")
    phone.tap("merge-true")
    expect(phone.page.locator('[data-key="merge-true"]')).to_have_count(0)
    phone.tap("table")
    expect(phone.bets()).to_have_count(1)
    expect(phone.bets()).to_contain_text("20 kr")


def test_an_evening_of_five_is_recorded_and_closed_by_tapping(phone: Phone) -> None:
    phone.begin_by_tapping(FIVE_NAMES)
    for number, (declarers, tricks, balances) in enumerate(E3, start=1):
        phone.play(number, declarers, tricks)
        phone.see_balances(balances)
    phone.visit("close")
    phone.tap("refund_bets")
    phone.tap("close")
    phone.tap("table")
    refunded = (-20, 50, -20, -30, 20)
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in refunded])


def test_people_come_and_go_between_deals(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("players")
    phone.page.locator('[data-key="newcomer"]').fill("Emil")
    phone.tap("newcomer-add")
    phone.tap("away-p2")
    phone.tap("sit")
    phone.see_table()
    expect(phone.page.locator(".seat .name")).to_have_text(["Ada", "Cilla", "Disa", "Emil"])
    expect(phone.page.locator(".absent-players")).to_contain_text("−10 kr")


def test_the_shares_shown_before_closing_are_the_ones_paid(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.play(2, "", "")
    phone.visit("close")
    phone.tap("split_equal")
    shares = phone.page.locator(".option", has=phone.page.locator("input:checked")).locator(
        ".inline-item"
    )
    expect(shares).to_have_count(4)
    expect(shares.first).to_contain_text("+5 kr")
    phone.tap("close")
    phone.tap("table")
    expect(phone.page.locator(".sum")).to_have_text(["−5 kr", "−15 kr", "+15 kr", "+5 kr"])


def test_while_the_evening_is_being_closed_no_tap_meets_another_button(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    closings: list[Route] = []
    phone.page.route("**/closure", lambda route: closings.append(route))
    phone.visit("close")
    with phone.page.expect_request("**/closure"):
        phone.tap("close")
    expect(phone.page.locator("#bar button")).to_be_disabled()  # the request has no response yet
    phone.wait_until(lambda: bool(closings))
    closings.pop().abort("internetdisconnected")
    expect(phone.page.locator("#bar a[data-key=table]")).to_be_visible()  # the request has failed
    phone.page.unroute("**/closure")
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.page.locator(".payment-plan, .all-settled").first).to_be_visible()


def test_a_stake_with_ore_is_written_in_full_everywhere(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/new")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.page.locator('input[name=stake][value="free"]').tap()
    phone.page.locator("#free-stake").fill("12,50")
    phone.page.locator("#free-stake").press("Enter")  # as the keyboard's own "go"
    phone.see_table()
    expect(phone.page.locator(".table-center")).to_contain_text("12,50 kr")
    phone.play(1, "", "")
    phone.visit("close")
    shares = phone.page.locator(".option", has_text="Allt delas lika").locator(".inline-item b")
    expect(shares).to_have_text(["+3,12 kr", "+3,13 kr", "+3,13 kr", "+3,12 kr"])


def test_shares_with_half_kronor_show_both_decimals(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "", "")
    phone.visit("close")
    shares = phone.page.locator(".option", has_text="Allt delas lika").locator(".inline-item b")
    expect(shares).to_have_text(["+2,50 kr"] * 4)


def test_a_payment_marked_by_mistake_is_taken_back(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("settlement")
    banner = phone.page.locator(".banner")
    expect(banner).to_contain_text("10 kr ligger kvar")  # nobody has taken Bo's bet
    paid = phone.page.locator('[data-key^="paid-"]')
    expect(paid).to_have_count(1)
    paid.tap()
    expect(paid).to_have_count(0)
    phone.page.locator('[data-key^="back-"]').tap()
    expect(paid).to_have_count(1)
    phone.visit("")
    expect(phone.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[0][2]])


def test_closing_shows_a_deal_that_another_phone_records_meanwhile(
    lend: Callable[..., Phone], phone: Phone
) -> None:
    """Another phone records a deal while this one is about to close the evening."""
    host = lend()
    host.begin()
    phone.page.goto(host.page.url)
    host.visit("share")
    link = host.page.locator(".share-code", has_text="Skriva in").locator("input").input_value()
    phone.page.goto(link)
    phone.see_table()
    host.visit("close")
    expect(host.page.locator(".lead")).to_contain_text("tomt")
    phone.play(1, "B", "CCDCB")
    expect(host.page.locator(".lead")).to_contain_text("10 kr")
    host.mark("policy", "split_equal").tap("close")
    expect(host.page.locator("h1")).to_have_text("Gör upp")
    assert host.read("")["status"] == "closed"


def test_carried_money_is_not_offered_for_closing_again(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("close")
    phone.tap("carry")
    phone.tap("close")
    expect(phone.page.locator("h1")).to_have_text("Gör upp")
    expect(phone.page.locator(".banner")).to_contain_text("till nästa gång")
    expect(phone.page.locator('[data-key="to-close"]')).to_have_count(0)


def test_another_phone_sees_the_deal(lend: Callable[..., Phone]) -> None:
    scorer, viewer = lend(), lend()
    scorer.begin()
    scorer.visit("share")
    link = scorer.page.locator(".share-code", has_text="Titta").locator("input")
    viewer.page.goto(link.input_value())
    viewer.see_table()
    assert "viewer" not in viewer.page.url  # the token has left the address bar
    expect(viewer.page.locator('[data-key="record"]')).to_have_count(0)
    scorer.visit("")
    scorer.play(1, "B", "CCDCB")
    expect(viewer.page.locator(".last-deal")).to_contain_text("Cilla")
    expect(viewer.page.locator(".sum")).to_have_text([format_kronor(k) for k in E1[0][2]])


def test_two_quick_taps_on_undo_take_one_thing_back(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.visit("")
    phone.page.locator('[data-key="undo"]').dblclick()
    expect(phone.page.locator("body.record .question")).to_be_visible()
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_enabled()
    expect(phone.page.locator(".slot .player-token")).to_have_count(4)


def test_a_deal_undone_on_another_phone_disappears(lend: Callable[..., Phone]) -> None:
    first, second = lend(), lend()
    first.begin()
    first.play(1, "", "")
    first.visit("share")
    link = first.page.locator(".share-code", has_text="Skriva in").locator("input").input_value()
    second.page.goto(link)
    second.see_table()
    second.visit("deal/1")
    second.see_result(1)
    first.visit("")
    first.tap("undo")  # all passed
    first.tap("undo-tap")  # … and was never opened
    second.see_table()
    second.visit("deal/1")
    expect(second.page.locator("h1")).to_have_text("Giv 1 finns inte.")
    second.tap("table")
    second.see_table()


def test_an_ended_link_does_not_shut_out_a_phone_that_is_in(phone: Phone) -> None:
    phone.begin()
    phone.page.goto(f"{phone.table_url()}/host.{'x' * 43}")
    phone.see_table()


def test_danish_sentences_end_with_one_full_stop(lend: Callable[..., Phone]) -> None:
    phone = lend(language="da-DK")
    phone.begin()
    phone.play(1, "B", "CCDCB")
    expect(phone.page.locator(".verdict")).to_have_text(
        "Cilla vandt 10 kr. Bo var spilfører og satte bet."
    )
    assert "kr.." not in phone.page.locator("main").inner_text()


def test_two_quick_taps_on_two_bets_put_them_together_once(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "AD", "BBABC")
    phone.page.locator('[data-key="merge-true"]').dblclick()
    expect(phone.page.locator('[data-key="merge-false"]')).to_be_enabled()
    expect(phone.page.locator(".warning")).to_have_count(0)
    actions = [event["type"] for event in phone.read("/events")["events"]]  # type: ignore[attr-defined]
    assert actions.count("bets_merged") == 1
    assert "bets_parted" not in actions


def test_the_second_of_a_slow_double_click_is_not_counted(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "AD", "BBABC")
    button = phone.page.locator('[data-key="merge-true"]')
    box = button.bounding_box()
    assert box
    button.click()
    expect(phone.page.locator('[data-key="merge-false"]')).to_be_enabled()
    phone.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    phone.page.evaluate("addEventListener('click', () => { window.counted = true; })")
    phone.page.mouse.down(click_count=2)
    phone.page.mouse.up(click_count=2)
    assert phone.page.evaluate("window.counted") is None
    phone.page.mouse.down()  # a separate click counts
    phone.page.mouse.up()
    assert phone.page.evaluate("window.counted") is True
    expect(phone.page.locator('[data-key="merge-true"]')).to_be_enabled()


def test_an_action_that_must_wait_says_so(phone: Phone) -> None:
    phone.begin()
    phone.page.route("**/actions", lambda route: route.abort("internetdisconnected"))
    phone.play(1, "B", "CCDCB")
    for screen in ("close", "players"):
        phone.visit(screen)
        expect(phone.page.locator(".banner")).to_contain_text("Det här går först när")


def test_the_fewest_who_can_play_are_named_when_there_are_no_more(phone: Phone) -> None:
    phone.begin()
    phone.visit("players")
    expect(phone.page.locator("main")).not_to_contain_text("minst 3")
    phone.tap("away-p1")
    expect(phone.page.locator("main")).to_contain_text("Det behövs minst 3 vid bordet.")


@pytest.mark.parametrize(("language", "code"), [("da-DK", "DKK"), ("de-DE", "EUR")])
def test_a_phone_begins_in_the_money_of_its_language(
    lend: Callable[..., Phone], language: str, code: str
) -> None:
    phone = lend(language=language)
    phone.page.goto(f"{phone.url}/#/new")
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value(code)


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en-GB", "Declarer: Bo", "Declarers: Ada and Disa"),
        ("da-DK", "Spilfører: Bo", "Spilførere: Ada og Disa"),
    ],
)
def test_two_declarers_are_named_in_the_plural(
    lend: Callable[..., Phone], language: str, one: str, two: str
) -> None:
    phone = lend(language=language)
    phone.begin()
    phone.tap("record").tap("both")
    expect(phone.page.locator(".subtext")).to_have_text(two)
    phone.tap("undo-tap").seat("B")
    expect(phone.page.locator(".subtext")).to_have_text(one)
