"""Evenings of the other games by taps: docs/rules.md §8 E5, E7 and E8, as people would record
them."""

from collections.abc import Callable
from typing import cast

import pytest
from playwright.sync_api import expect

from tests.support.browser.connection import ACTIONS, unplug
from tests.support.browser.layout_checks import wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.browser.played_evenings import (
    E5,
    E7,
    E8,
    play_evening,
    record_knektpass_deal,
    record_spader_deal,
)
from tests.support.browser.recorded_sessions import open_as_host, record_elsewhere
from tests.support.player_names import FOUR_NAMES

USUAL = 8  # taps, from the table to the result


def test_an_evening_of_polskpas_is_recorded_by_tapping(phone: Phone) -> None:
    phone.begin_by_tapping(game="polskpas", options={"stake": "500"})
    taps = play_evening(phone, E5)
    assert max(taps) <= USUAL, taps
    print(f"taps per deal of Polskpas: {taps}")
    phone.tap("table")
    expect(phone.page.locator(".pot")).to_have_text("0 kr")
    expect(phone.page.locator(".bets")).to_have_count(0)


@pytest.mark.parametrize(
    ("taps_on", "balances"),
    [
        pytest.param("vola-won", (-20, 40, -10, -10), id="all five"),
        pytest.param("vola-lost", (-10, 0, 0, 0), id="won, not all"),
        pytest.param("seat-p3", (-10, -10, 0, 0), id="lost outright"),
    ],
)
def test_a_vole_is_recorded_by_its_result_alone(
    phone: Phone, taps_on: str, balances: tuple[int, ...]
) -> None:
    phone.begin_by_tapping(game="polskpas")
    phone.tap("record").seat("B")
    phone.tap("depth-result").tap("vola").tap(taps_on)
    phone.see_result(1)
    phone.see_balances(balances)
    phone.tap("table")
    expect(phone.page.locator(".pot")).to_have_text(f"{-sum(balances)} kr")


def test_a_vole_has_its_own_name_and_rule_wherever_it_is_shown(phone: Phone) -> None:
    phone.begin(game="polskpas")
    phone.play(1, "C", "CC!*")
    phone.tap("table")
    expect(phone.page.locator('[data-key="booked"]')).to_have_text("Vole: bokfört")
    phone.tap("booked").tap("hint-vole")
    expect(phone.page.locator("dialog")).to_contain_text("betalar var och en lika mycket som")
    phone.close_dialog()
    phone.visit("deals")
    slider = phone.page.locator('[data-key="slider"]')
    expect(slider).to_be_visible()
    events = cast(list[dict[str, str]], phone.read("/events")["events"])
    slider.fill(str([event["type"] for event in events].index("la_vola_won") + 1))
    sentence = phone.page.locator(".past-outcome")
    expect(sentence).to_have_text("Cilla vann vole: 10 kr från var och en.")


def test_after_a_vole_has_lost_a_trick_the_cards_may_be_thrown_in(phone: Phone) -> None:
    phone.begin_by_tapping(game="polskpas")
    phone.tap("record").seat("BBB").tap("vola")
    caption = phone.page.locator(".prompt")
    expect(caption).to_contain_text("ska ta alla fem")
    phone.seat("A")
    expect(caption).to_contain_text("Bo säger vole men tar inte alla fem")
    phone.seat("B").tap("finish")
    phone.see_result(1)
    phone.see_balances((-10, 0, 0, 0))


def test_an_evening_of_spader_is_recorded_by_tapping(phone: Phone) -> None:
    phone.begin(game="spader")
    taps = []
    for number, (bids, tricks, (north, east)) in enumerate(E7, start=1):
        taps.append(record_spader_deal(phone, number, bids, tricks))
        phone.see_points({"p1+p3": north, "p2+p4": east})
    print(f"taps per deal of Spader: {taps}")
    assert max(taps) <= USUAL, taps
    phone.tap("table")
    phone.see_table()
    expect(phone.page.locator(".sum")).to_have_text(["216", "40", "216", "40"])
    expect(phone.page.locator('[data-contestant="p1+p3"] .bags')).to_contain_text("6 överstick")


def test_a_blind_nil_is_offered_only_to_a_side_far_behind(phone: Phone) -> None:
    phone.begin_by_tapping(game="spader")
    phone.tap("record")
    blind = phone.page.locator('input[name=nil][value^="blind"]')
    expect(phone.page.locator('[data-key="bid-7"]')).to_be_visible()
    expect(blind).to_have_count(0)
    for bid in ("7", "13"):
        phone.tap(f"bid-{bid}")
    phone.tap("pad-13").tap("send")
    phone.see_result(1)
    phone.see_points({"p1+p3": 130, "p2+p4": -70})
    phone.tap("record").tap("bid-4")
    expect(blind).to_have_count(2)
    phone.mark("nil", "blind_nil p2")
    phone.tap("bid-3")
    expect(phone.page.locator(".question")).to_contain_text("Bytte Bo och Disa")
    phone.tap("swap")
    for count in (5, 0, 0):
        phone.tap(f"pad-{count}")
    expect(phone.page.locator('[data-tally="p4"]')).to_have_text("8")
    phone.tap("less-p4").tap("more-p1")
    phone.tap("send")
    phone.see_result(2)
    phone.see_points({"p1+p3": 172, "p2+p4": 64})


def test_tricks_that_do_not_add_up_cannot_be_sent(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").mark("nil", "nil p2")
    phone.tap("bid-7").tap("bid-6")
    send = phone.page.locator('[data-key="send"]')
    for count in (4, 3, 2):
        expect(send).to_be_disabled()
        phone.tap(f"pad-{count}")
    expect(send).to_be_enabled()
    phone.tap("more-p2")
    phone.tap("more-p4")
    expect(send).to_be_disabled()
    expect(send).to_have_text("14 av 13 stick")


def test_no_count_is_asked_for_once_no_trick_is_left(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").mark("nil", "nil p2")
    phone.tap("bid-7").tap("bid-6").tap("pad-9").tap("pad-4")
    expect(phone.page.locator("[data-tally]")).to_have_text(["9", "4", "0", "0"])
    phone.tap("send")
    phone.see_result(1)


def test_a_count_of_tricks_survives_a_reload(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").tap("bid-7").tap("bid-6").tap("pad-4")
    expect(phone.page.locator('[data-tally="p1+p3"]')).to_have_text("4")
    phone.page.reload()
    expect(phone.page.locator('[data-tally="p1+p3"]')).to_have_text("4")
    phone.tap("more-p2+p4")
    expect(phone.page.locator("[data-tally]")).to_have_text(["3", "10"])


def test_new_cards_are_asked_for_before_the_first_bid(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").tap("redeal").tap("redeal-p3-no_spade")
    expect(phone.page.locator("dialog")).to_have_count(0)
    expect(phone.page.locator('[data-key="undo-tap"]')).to_be_visible()
    phone.wait_until(lambda: phone.read("")["deal"]["phase"] == "bidding")  # type: ignore[index]


@pytest.mark.parametrize("counted", [True, False], ids=["counted", "trick by trick"])
def test_a_game_of_knektpass_is_recorded_to_its_winner(phone: Phone, counted: bool) -> None:
    phone.begin(game="knektpass")
    if not counted:
        phone.tap("record").tap("depth-tricks")
        phone.visit("")
    taps = []
    for number, (declarations, exchanged, tricks, scores) in enumerate(E8, start=1):
        taps.append(
            record_knektpass_deal(phone, number, declarations, exchanged, tricks, counted=counted)
        )
        if number < len(E8):
            phone.see_result(number)
            phone.see_points({f"p{place}": points for place, points in enumerate(scores, start=1)})
    print(f"taps per deal of Knektpass, {'counted' if counted else 'trick by trick'}: {taps}")
    if counted:
        assert sorted(taps)[len(taps) // 2] <= USUAL, taps
    expect(phone.page.locator(".winner .headline")).to_have_text("Cilla vann!")
    phone.see_points({f"p{place}": points for place, points in enumerate(E8[-1][3], start=1)})
    assert phone.page.locator(".scores li").first.get_attribute("data-contestant") == "p3"
    phone.tap("undo")
    expect(phone.page.locator("body.by-action")).to_be_visible()


def test_with_ten_at_knektpass_those_who_are_not_named_pass(phone: Phone) -> None:
    names = ("Ada", "Bo", "Cilla", "Disa", "Emil", "Frida", "Gun", "Hugo", "Ida", "Johan")
    phone.begin(names, game="knektpass")
    expect(phone.page.locator(".seat")).to_have_count(10)
    phone.tap("record").tap("with-p2-0").tap("with-p3-0").tap("together")
    phone.tap("pad-3").tap("send")
    phone.see_result(1)
    phone.see_points({"p2": 9, "p3": 10})


def test_undo_takes_back_one_bid_and_then_the_opening(phone: Phone) -> None:
    phone.begin_by_tapping(game="knektpass")
    phone.tap("record").tap("depth-tricks").tap("stay").tap("pass")
    for player in ("Disa", "Cilla"):
        expect(phone.page.locator(".question")).to_contain_text(player)
        phone.tap("undo-tap")
    expect(phone.page.locator(".question")).to_contain_text("Bo")
    expect(phone.page.locator('[data-key="undo-tap"]')).to_have_count(0)
    phone.wait_until(lambda: phone.read("")["deal"]["phase"] == "waiting")  # type: ignore[index]


def test_points_become_money_when_the_evening_ends(phone: Phone) -> None:
    phone.begin_by_tapping(
        game="spader", options={"target": "free", "point_value": "100"}, target="50"
    )
    phone.tap("record").tap("bid-7").tap("bid-5").tap("pad-8").tap("send")
    expect(phone.page.locator(".winner .headline")).to_have_text("Ada och Cilla vann!")
    phone.tap("close")
    expect(phone.page.locator(".lead")).to_contain_text("1 kr")
    phone.tap("close")
    expect(phone.page.locator("h1")).to_have_text("Gör upp")
    expect(phone.page.locator(".transfer")).to_have_count(2)


def test_before_points_are_money_only_costs_can_be_paid(phone: Phone) -> None:
    options = {"point_value": 100}
    recorder = record_elsewhere(phone, game="spader", options=options)
    open_as_host(phone, recorder).visit("close")
    wait_until_drawn(phone)
    pay_now = phone.page.locator('[data-key="pay-now"]')
    expect(pay_now).to_have_count(0)
    assert recorder.write("/costs", {"payer": "p1", "amount": 4_000}).status == 201
    expect(pay_now).to_be_visible()


def test_an_evening_for_points_alone_ends_without_payments(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.visit("close")
    wait_until_drawn(phone)
    expect(phone.page.locator("h1")).to_have_text("Avsluta kvällen")
    expect(phone.page.locator('[data-key="pay-now"]')).to_have_count(0)
    phone.tap("close")
    expect(phone.page.locator("main")).to_contain_text("Kvällen är slut.")


def test_another_game_with_the_same_people(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.tap("table")
    phone.tap("menu").tap("again")
    phone.choose_game("spader")
    fields = phone.page.locator(".lineup input")
    expect(fields).to_have_count(len(FOUR_NAMES))
    for place, name in enumerate(FOUR_NAMES):
        expect(fields.nth(place)).to_have_value(name)
    expect(phone.page.locator("input[name=dealer]:checked")).to_have_value("1")
    phone.tap("open")
    phone.see_table()
    expect(phone.page.locator(".seat-position", has=phone.page.locator(".dealer"))).to_contain_text(
        "Bo"
    )
    phone.page.goto(f"{phone.url}/#/")
    several = phone.page.locator(".title-group")
    expect(several).to_contain_text("Polskt pass")
    expect(several).to_contain_text("Spader")


def test_every_rule_of_every_game_is_asked_in_the_phones_language(
    lend: Callable[..., Phone],
) -> None:
    phone = lend(language="da-DK")
    phone.page.goto(phone.url + "/#/new")
    catalog = phone.page.request.get(f"{phone.url}/v1/games", headers={"Accept-Language": "da"})
    for game in catalog.json()["games"]:
        phone.choose_game(game["key"])
        expect(phone.page.locator(".game-description")).to_have_text(game["about"])
        phone.page.locator("summary").tap()
        for option in game["options"]:
            expect(phone.page.locator("#opening")).to_contain_text(option["label"])
            expect(phone.page.locator("#opening")).to_contain_text(
                option["explanation"] if option["type"] != "choice" else option["label"]
            )


def test_the_rules_fetched_once_are_there_without_a_network(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game("knektpass")
    phone.page.goto(phone.url + "/#/")
    phone.page.route("**/v1/games", lambda route: route.abort("internetdisconnected"))
    phone.tap("new")
    phone.choose_game("spader")
    phone.page.locator("summary").tap()
    expect(phone.page.locator("select[name=undertricks]")).to_be_visible()


def test_a_changed_rule_applies_to_the_game(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game("spader")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.page.locator("summary").tap()
    phone.page.locator("select[name=undertricks]").select_option("per_bid")
    phone.page.locator("#free-bag_limit").fill("5")
    phone.tap("open")
    phone.see_table()
    options = phone.read("")["options"]
    assert isinstance(options, dict)
    assert (options["undertricks"], options["bag_limit"]) == ("per_bid", 5)


def test_partners_are_shown_as_pairs_across_the_table(phone: Phone) -> None:
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game("spader")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    expect(phone.page.locator(".team .name")).to_have_text(["Ada + Cilla", "Bo + Disa"])


def test_a_deal_of_spader_can_be_recorded_from_the_keyboard(phone: Phone) -> None:
    phone.begin(game="spader")

    def press(key: str) -> None:
        phone.page.locator(f'[data-key="{key}"]:not(:disabled)').press("Enter")

    press("record")
    expect(phone.page.locator("h1")).to_be_focused()
    press("bid-7")
    expect(phone.page.locator('[data-key="bid-7"]')).to_be_focused()
    press("bid-5")
    expect(phone.page.locator(".question")).to_be_focused()
    press("pad-8")
    press("send")
    phone.see_result(1)
    phone.see_points({"p1+p3": 53, "p2+p4": -20})


@pytest.mark.parametrize(
    ("rule", "taps_on", "bid"),
    [
        ("blind_nil_partner_zero", ["bid-0"], {"blind_nil": "p3", "nil": "p1"}),
        ("double_blind_nil", ["both-blind"], {"blind_nil": ["p1", "p3"]}),
    ],
)
def test_rarer_bids_are_offered_where_the_table_has_agreed_on_them(
    phone: Phone, rule: str, taps_on: list[str], bid: dict[str, object]
) -> None:
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game("spader")
    for place, name in enumerate(FOUR_NAMES):
        phone.page.locator(".lineup input").nth(place).fill(name)
    phone.page.locator("input[name=dealer][value='3']").tap()
    phone.page.locator("summary").tap()
    phone.page.locator(f"select[name={rule}]").select_option("true")
    phone.page.locator("#free-blind_nil_deficit").fill("0")
    phone.tap("open")
    phone.see_table()
    phone.tap("record")
    if bid.get("nil"):
        phone.mark("nil", "blind_nil p3")
    for key in taps_on:
        phone.tap(key)
    expect(phone.page.locator(".question")).to_contain_text("Bo och Disa")
    deal = phone.read("")["deal"]
    assert deal["bids"] == [{"side": "p1+p3", **bid}]  # type: ignore[index]


def test_a_deal_of_knektpass_goes_on_without_the_turned_up_card(phone: Phone) -> None:
    phone.begin(game="knektpass")
    phone.tap("record").tap("depth-cards").tap("unseen")
    for word in ("stay", "stay", "pass", "pass"):
        phone.tap(word)
    phone.tap("exchanged")
    phone.seat("BBBCC")
    phone.see_result(1)
    phone.see_points({"p2": 9, "p3": 10})


@pytest.mark.parametrize("connected", [True, False], ids=["told at once", "reckoned ahead"])
def test_three_rounds_of_exchange_may_come_to_more_than_five_cards(
    phone: Phone, connected: bool
) -> None:
    """Bo exchanges three and three cards, and misses three of his six tricks, at five points
    each."""
    phone.begin(game="knektpass")
    if not connected:
        phone.page.route("**/v1/**", lambda route: route.abort("internetdisconnected"))
    phone.tap("record").tap("with-p2-more").tap("with-p2-6").tap("with-p4-2").tap("together")
    phone.tap("pad-3").tap("send")
    phone.see_result(1)
    phone.see_points({"p2": 27, "p4": 10})
    if not connected:
        phone.page.unroute("**/v1/**")
        expect(phone.page.locator(".sync")).to_contain_text("Sparat")
        phone.see_points({"p2": 27, "p4": 10})
    (deal,) = phone.read("/deals")["deals"]  # type: ignore[misc]
    exchanges = [x for x in deal["actions"] if x["type"] == "exchange"]  # type: ignore[index]
    exchanged = [(exchange["player"], exchange["cards"]) for exchange in exchanges]
    assert sum(cards for player, cards in exchanged if player == "p2") == 6
    assert phone.read("/audit")["clean"]


def test_everybody_exchanges_in_three_rounds_until_the_talon_is_empty(phone: Phone) -> None:
    phone.begin(game="knektpass")  # 52 cards, 31 in the talon
    phone.tap("record").tap("with-p2-more").tap("with-p2-15")
    phone.tap("with-p3-more").tap("with-p3-11").tap("with-p4-5")
    for too_many in ("with-p1-1", "with-p4-more", "with-p3-12"):
        expect(phone.page.locator(f'[data-key="{too_many}"]')).to_be_disabled()
    phone.tap("together").tap("pad-3").tap("pad-2").tap("send")
    phone.see_result(1)
    phone.see_points({"p2": 12 + 5 * 12, "p3": 12 + 5 * 9, "p4": 12 + 5 * 5})


LATE_HASHCHANGE = """addEventListener('hashchange', (event) => {
  if (!event.isTrusted) return;
  event.stopImmediatePropagation();
  setTimeout(() => dispatchEvent(new HashChangeEvent('hashchange')), 500);
})"""
"""A script with which a screen changes late, as on a busy phone, after news of the session."""


def test_news_of_a_deal_just_recorded_does_not_hide_its_result(phone: Phone) -> None:
    phone.page.add_init_script(LATE_HASHCHANGE)
    phone.begin(game="knektpass")
    phone.page.route(ACTIONS, lambda route: route.abort("internetdisconnected"))
    phone.tap("record").tap("with-p2-0").tap("together")
    phone.see_result(1)


def test_a_waiting_deal_of_knektpass_is_told_as_it_was_played(phone: Phone) -> None:
    phone.begin(game="knektpass")
    unplug(phone)
    phone.tap("record").tap("with-p2-0").tap("together")
    phone.see_result(1)
    phone.tap("waiting")
    said = phone.page.locator("[data-waits] .sentence")
    expect(said).to_have_text("Bo är med · Cilla passar · Disa passar · Ada passar")


def test_only_the_last_round_is_asked_where_it_alone_counts(phone: Phone) -> None:
    phone.begin_by_tapping(game="knektpass", options={})
    phone.page.goto(phone.url + "/#/new")
    phone.choose_game("knektpass")
    phone.page.locator("summary").tap()
    phone.page.locator("select[name=exchange_quota]").select_option("last_round")
    phone.tap("open")
    phone.see_table()
    phone.tap("record")
    expect(phone.page.locator(".prompt")).to_contain_text("i sin sista runda")
    expect(phone.page.locator('[data-key="with-p2-5"]')).to_be_visible()
    expect(phone.page.locator('[data-key="with-p2-more"]')).to_have_count(0)


def test_where_nobody_bid_nil_one_tap_counts_the_tricks_of_both_sides(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").tap("bid-7").tap("bid-5")
    expect(phone.page.locator("[data-tally]")).to_have_count(2)
    phone.tap("pad-8")
    expect(phone.page.locator("[data-tally]")).to_have_text(["8", "5"])
    phone.tap("send")
    phone.see_result(1)
    expect(phone.page.locator(".outcome-facts")).to_contain_text("Ada och Cilla 8")
    assert phone.read("/deals/1")["outcome"]["taken"] == {"p1+p3": 8, "p2+p4": 5}  # type: ignore[index]
    assert phone.read("/audit")["clean"]


def test_a_question_about_a_side_is_in_the_plural_in_german(lend: Callable[..., Phone]) -> None:
    phone = lend(language="de-DE")
    phone.begin(game="spader")
    phone.tap("record").tap("bid-5").tap("bid-4")
    question = phone.page.locator(".question")
    expect(question).to_contain_text("Wie viele Stiche gingen an Ada und Cilla?")


def test_a_nil_is_still_asked_of_every_player(phone: Phone) -> None:
    phone.begin(game="spader")
    phone.tap("record").mark("nil", "nil p2")
    phone.tap("bid-4").tap("bid-5")
    expect(phone.page.locator("[data-tally]")).to_have_count(4)


def test_the_mark_of_498_points_stands_before_the_goal_of_500(phone: Phone) -> None:
    """And with eight or nine overtricks the sheet says what the next ones cost."""
    phone.begin(game="spader")
    session = phone.page.evaluate("location.hash.split('/')[2]")
    address = f"{phone.url}/v1/sessions/{session}/actions"
    for number, (bid, tricks) in enumerate(
        ((12, 13), (12, 13), (12, 13), (11, 12), (2, 6)), start=1
    ):
        first = number % 2  # the forehand's side bids first
        sides = ("p2+p4", "p1+p3") if first else ("p1+p3", "p2+p4")
        bids = {"p1+p3": bid, "p2+p4": 1}
        actions = [
            {"type": "open_deal", "number": number},
            *({"type": "side_bid", "side": side, "tricks": bids[side]} for side in sides),
            {"type": "tricks", "taken": {"p1": tricks, "p2": 13 - tricks}},
        ]
        key = {"Idempotency-Key": f"498-{session}-{number}"}
        answer = phone.page.request.post(address, data={"actions": actions}, headers=key)
        assert answer.ok, answer.text()
    phone.page.reload()
    row = phone.page.locator('[data-contestant="p1+p3"]')
    expect(row.locator("[data-points]")).to_have_text("498")
    edges = row.evaluate("""(row) => {
      const [bead, track] = ['.bead', '.track'].map((one) =>
        row.querySelector(one).getBoundingClientRect());
      return [bead.left - track.left, track.right - bead.right];
    }""")
    assert min(edges) >= -1, edges  # the goal begins where the track ends
    assert edges[1] > 0
    expect(row.locator(".near-limit")).to_have_text("2 överstick till kostar 100 poäng")
    expect(phone.page.locator('[data-contestant="p2+p4"] .near-limit')).to_have_count(0)
    phone.tap("record")  # where the next bid is made, too
    expect(phone.page.locator(".facing .near-limit")).to_have_count(1)


def test_the_list_of_deals_names_who_gained_most_points(phone: Phone) -> None:
    phone.begin(game="spader")
    record_spader_deal(phone, 1, *E7[0][:2])
    phone.visit("deals")
    expect(phone.page.locator(".trick-takers")).to_have_text("AC+53")
    phone.begin(game="knektpass")
    record_knektpass_deal(phone, 1, *E8[0][:3], counted=True)
    phone.see_result(1)
    phone.visit("deals")
    expect(phone.page.locator(".trick-takers")).to_have_text("A−2")
