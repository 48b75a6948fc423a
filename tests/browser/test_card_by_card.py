"""One deal of each game, recorded card by card."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser.card_by_card import begin_by_cards, play_trick
from tests.support.browser.connection import recording_phones
from tests.support.browser.phone import Phone

# who leads, then the four cards in the order played; hearts and all jacks are trumps
FIVE_TRICKS = [
    "AC KC QC 10C",
    "AS KS QS 10S",
    "AD KD QD 10D",
    "9C 9S KH 9H",
    "AH 10H JD JC",
]


def test_polskt_pass_card_by_card(phone: Phone) -> None:
    begin_by_cards(phone, "polskt_pass")
    question = phone.page.locator(".question")
    expect(question).to_contain_text("Disa")  # at the dealer's right: she cuts
    phone.tap("card-9D").tap("card-QH")
    phone.tap("call-pass").tap("call-accept")
    expect(phone.page.locator(".prompt .suitH")).to_be_visible()
    expect(phone.page.locator('[data-key="card-QH"]')).to_be_disabled()  # it lies on the table
    for number, trick in enumerate(FIVE_TRICKS, start=1):
        play_trick(phone, trick)
        if number == 2:
            expect(phone.page.locator('[data-key="vola"]')).to_contain_text("Bo")
    phone.see_result(1)
    phone.see_balances((-10, 10, -10, 0))


def test_two_declarers_lay_a_card_away_before_the_first_lead(phone: Phone) -> None:
    begin_by_cards(phone, "polskt_pass")
    phone.tap("card-JC").tap("card-9H")
    question = phone.page.locator(".question")
    expect(question).to_contain_text("lägger")
    phone.tap("unseen")
    expect(phone.page.locator(".prompt")).to_contain_text("Vad lägger")
    phone.tap("unseen")
    expect(question).to_contain_text("Vad spelar Bo?")
    deal = phone.read("")["deal"]
    assert deal["declarers"] == ["p4", "p1"]  # type: ignore[index]


def test_the_dealer_may_leave_an_ace_lying(phone: Phone) -> None:
    begin_by_cards(phone, "polskt_pass")
    phone.tap("card-9D").tap("card-AH").tap("decline")
    for _ in "BCDA":
        phone.tap("call-pass")
    expect(phone.page.locator(".call")).to_have_count(4)  # forehand may name any suit
    phone.tap("call-pass")
    expect(phone.page.locator(".call")).to_have_count(3)
    phone.tap("call-S")
    expect(phone.page.locator(".prompt .suitS")).to_be_visible()


def test_polskpas_card_by_card_until_the_winner_is_certain(phone: Phone) -> None:
    begin_by_cards(phone, "polskpas")
    phone.tap("card-QH").tap("call-pass").tap("call-accept").tap("unseen")
    for trick in FIVE_TRICKS[:3]:
        play_trick(phone, trick)
    phone.tap("finish")
    phone.see_result(1)
    phone.see_balances((-10, 0, -10, 0))


def spades() -> Iterator[str]:
    """Yield a deal in which everybody holds one suit: after the first trick Disa's spades take
    all."""
    ranks = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    yield "2C 2D 2H 2S"
    yield "3C 3D 3H 3S"
    for rank in ranks[2:]:
        yield f"{rank}S {rank}C {rank}D {rank}H"


def test_spader_card_by_card(phone: Phone) -> None:
    begin_by_cards(phone, "spader")
    phone.tap("bid-12").tap("bid-1")
    first, *tricks = spades()
    expect(phone.page.locator(".question")).to_contain_text("klöver 2")
    phone.seat("A")
    play_trick(phone, first.removeprefix("2C "))
    prompt = phone.page.locator(".prompt")
    expect(prompt).to_contain_text("Ada och Cilla: 1 · bud 1")
    expect(prompt).to_contain_text("Bo och Disa: 0 · bud 12")
    for trick in tricks:
        play_trick(phone, trick)
    phone.see_result(1)
    phone.see_points({"p1+p3": 10, "p2+p4": 120})
    print(f"taps for a deal of Spader, card by card: {phone.taps}")


def test_only_what_a_known_hand_may_play_can_be_tapped(phone: Phone) -> None:
    begin_by_cards(phone, "spader")
    phone.tap("bid-6").tap("bid-6").tap("hand")
    phone.mark("hand", "p2")
    for rank in ["K", "Q", "J", "10", "9", "8"]:
        phone.tap(f"card-{rank}C")
    for card in ["AS", "KS", "QS", "AH", "KH", "QH", "AD"]:
        phone.tap(f"card-{card}")
    phone.tap("show-hand")
    phone.page.locator('[data-seat="p1"]').tap()
    expect(phone.page.locator(".card-button:not(:disabled)")).to_have_count(1)  # the lowest club
    expect(phone.page.locator('[data-key="card-8C"]')).to_be_enabled()


def test_the_players_whose_hand_is_shown_are_a_named_group(phone: Phone) -> None:
    begin_by_cards(phone, "spader").tap("hand")
    players = phone.page.get_by_role("group", name="Tryck på en spelare")
    expect(players.get_by_role("radio")).to_have_count(4)


def test_knektpass_card_by_card(phone: Phone) -> None:
    begin_by_cards(phone, "knektpass")
    phone.tap("card-7H").tap("swap-turn-up")
    for word in ("stay", "pass", "pass", "stay"):
        phone.tap(word)
    phone.tap("exchange-p2-1")
    expect(phone.page.locator(".exchange b").first).to_have_text("1")
    phone.tap("exchanged")
    for trick in ("AC 3C", "AS 3S", "AD 3D", "KC 4C", "KS 7H"):
        play_trick(phone, trick)
    phone.see_result(1)
    phone.see_points({"p1": 11, "p2": 8, "p3": 12, "p4": 12})


def test_a_deal_begun_with_cards_goes_on_from_another_phone(lend: Callable[..., Phone]) -> None:
    first, second = recording_phones(lend)
    first.tap("record").tap("depth-cards").tap("card-9D").tap("card-QH").tap("call-accept")
    expect(second.page.locator('[data-key="record"]')).to_contain_text("Fortsätt")
    second.tap("record")
    expect(second.page.locator(".question")).to_contain_text("Vad spelar Bo?")  # the call has come
    play_trick(second, FIVE_TRICKS[0])
    expect(first.page.locator('[data-seat="p2"], .plate.turn')).to_contain_text("Bo")
    for trick in FIVE_TRICKS[1:]:
        play_trick(second, trick)
    second.see_result(1)
    second.see_balances((-10, 10, 0, 0))


def test_a_card_is_taken_back_like_any_tap(phone: Phone) -> None:
    begin_by_cards(phone, "polskpas")
    phone.tap("card-QH").tap("call-accept").tap("unseen").tap("card-AC")
    expect(phone.page.locator(".question")).to_contain_text("Cilla")
    phone.tap("undo-tap")
    expect(phone.page.locator(".question")).to_contain_text("Bo")
    expect(phone.page.locator('[data-key="card-AC"]')).to_be_enabled()


def test_a_refusal_is_said_in_a_sentence(phone: Phone) -> None:
    begin_by_cards(phone, "polskpas")
    phone.tap("card-QH")
    expect(phone.page.locator(".question")).to_contain_text("Bo")
    refused = '{"code": "not_your_turn", "detail": "Nu är det Bos tur.", "status": 409}'
    phone.page.route(
        "**/actions",
        lambda route: route.fulfill(
            status=409, body=refused, content_type="application/problem+json"
        ),
        times=1,
    )
    phone.tap("call-pass")
    expect(phone.page.locator("#notice")).to_contain_text("Nu är det Bos tur.")
    phone.tap("call-pass")
    expect(phone.page.locator(".question")).to_contain_text("Cilla")


@pytest.mark.parametrize("width", [320, 390])
def test_cards_are_as_large_as_a_thumb_and_fit(lend: Callable[..., Phone], width: int) -> None:
    phone = begin_by_cards(lend(width=width), "spader")
    phone.tap("bid-6").tap("bid-6").seat("A")
    cards = phone.page.locator(".card-button")
    expect(cards.first).to_be_visible()
    boxes = [card.bounding_box() for card in cards.all()]
    assert min(box["width"] for box in boxes if box) >= 47.5
    assert min(box["height"] for box in boxes if box) >= 48
    assert max(box["x"] + box["width"] for box in boxes if box) <= width
