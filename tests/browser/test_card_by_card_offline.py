"""A deal recorded card by card survives the loss of the network, and its recording goes on."""

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.support.browser.card_by_card import begin_by_cards, play_trick
from tests.support.browser.connection import ACTIONS, plug_in, see_all_sent, unplug
from tests.support.browser.phone import Phone


def question(phone: Phone) -> Locator:
    return phone.page.locator(".question")


@pytest.mark.parametrize(
    ("game", "cards", "next_question"),
    [("polskt_pass", ("9D", "QH"), "Vad spelar Bo"), ("polskpas", ("QH",), "Vad lägger Bo")],
)
def test_a_deal_recorded_by_cards_goes_on_with_the_network(
    phone: Phone, game: str, cards: tuple[str, ...], next_question: str
) -> None:
    begin_by_cards(phone, game)
    for card in cards:
        phone.tap(f"card-{card}")
    expect(question(phone)).to_contain_text("Spelar Bo")
    unplug(phone)
    phone.tap("call-accept")
    expect(question(phone)).to_contain_text("Korten finns kvar")
    phone.page.reload()
    expect(question(phone)).to_contain_text("Korten finns kvar")
    plug_in(phone)
    expect(question(phone)).to_contain_text(next_question)


def test_cards_that_were_played_are_not_counted_anew(phone: Phone) -> None:
    begin_by_cards(phone, "spader").tap("bid-12").tap("bid-1").seat("A")
    play_trick(phone, "2D 2H")
    expect(question(phone)).to_contain_text("Vad spelar Disa")
    unplug(phone)
    phone.tap("card-2S")
    expect(question(phone)).to_contain_text("Korten finns kvar")
    phone.tap("table").tap("record")
    expect(question(phone)).to_contain_text("Korten finns kvar")
    plug_in(phone)
    expect(question(phone)).to_contain_text("Vad spelar Ada")
    see_all_sent(phone)


def test_a_card_turned_up_does_not_keep_a_deal_from_its_end(phone: Phone) -> None:
    begin_by_cards(phone, "knektpass").tap("card-7H")
    for word in ("stay", "pass", "pass"):
        phone.tap(word)
    expect(question(phone)).to_contain_text("Ada")
    unplug(phone)
    phone.tap("stay")
    phone.tap("pad-3").tap("send")
    phone.see_result(1)
    phone.see_points({"p1": 10, "p2": 9})
    plug_in(phone)
    see_all_sent(phone)
    phone.see_points({"p1": 10, "p2": 9})


def test_a_hand_that_was_shown_does_not_keep_a_deal_from_its_end(phone: Phone) -> None:
    begin_by_cards(phone, "spader").tap("hand")
    phone.mark("hand", "p2")
    for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"):
        phone.tap(f"card-{rank}H")
    phone.tap("show-hand").tap("bid-7")
    expect(question(phone)).to_contain_text("Ada och Cilla")
    unplug(phone)
    phone.tap("bid-5")
    phone.tap("pad-8")
    phone.tap("send")
    phone.see_result(1)
    phone.see_points({"p1+p3": 53, "p2+p4": -20})
    plug_in(phone)
    see_all_sent(phone)
    phone.see_points({"p1+p3": 53, "p2+p4": -20})


def test_no_question_is_repeated_while_a_deal_is_sent(phone: Phone) -> None:
    phone.begin(game="spader")
    unplug(phone)
    phone.tap("record").tap("bid-7").tap("bid-5")
    plug_in(phone)
    see_all_sent(phone)
    questions: list[str] = []

    def slow(route: Route) -> None:
        questions.append(question(phone).inner_text())
        route.continue_()

    phone.tap("pad-8")
    phone.page.route(ACTIONS, slow)
    phone.tap("send")
    phone.see_result(1)
    phone.see_points({"p1+p3": 53, "p2+p4": -20})
    assert questions == ["Skriver in …"]
