"""The worked evenings of the rules as taps, one list for each game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playwright.sync_api import expect

from tests.support.browser.phone import SEATS, Phone
from tests.support.player_names import FOUR_NAMES

E1 = [
    # declarers, taps on tricks, balances A B C D after the deal
    ("B", "CCDCB", (-10, -10, 10, 0)),
    ("D", "AABDD", (10, -20, 10, -20)),
    ("", "", (10, -20, 0, -20)),
    ("DC", "BBABD", (10, 20, -40, -70)),
    ("A", "CC!*", (-50, -30, 160, -120)),
    ("B", "BB!BC", (-50, -40, 160, -120)),
    ("D", "DADBC", (-50, -40, 150, -60)),
]


E5 = [
    # soloist, taps on tricks, balances A B C D after the deal
    ("B", "CBCAC", (-5, -5, 0, 0)),
    ("", "", (-5, -10, 0, 0)),
    ("D", "DD!ABD", (-5, -10, -5, 0)),
    ("A", "AA!BBB", (-30, -10, -5, -5)),
    ("C", "CC!*", (-90, -65, 215, -60)),
    ("D", "DADBC", (-90, -70, 215, -55)),
]


E7 = [
    # bids in order (a nil: player and tricks), tricks of A B C, points of both sides
    (("7", "5"), (4, 3, 4), (53, -20)),
    (("A:4", "8"), (0, 4, 5), (144, 60)),
    (("6", "7"), (5, 2, 4), (216, 40)),
]


E8 = [
    # declarations in order (+ stays, - passes), cards exchanged, tricks in order, scores A B C D
    ("+-++", {"A": 2, "D": 3}, "AABDD", (10, 11, 12, 17)),
    ("", {}, "", (10, 11, 12, 17)),
    ("---+", {}, "", (10, 11, 7, 17)),
    ("++++", {"A": 1, "B": 3, "D": 2}, "BBBAC", (9, 8, 6, 27)),
    ("++-+", {"B": 5, "C": 1}, "CCCAC", (8, 33, 2, 27)),
    ("+-++", {"C": 1, "A": 2, "B": 4}, "AACAC", (5, 53, 0, 27)),
]


EVENINGS: Mapping[str, Sequence[tuple[Any, ...]]] = {
    "polskt_pass": E1,
    "polskpas": E5,
    "spader": E7,
    "knektpass": E8,
}


def record_deal(phone: Phone, game: str, number: int) -> int:
    """Record this deal of a game's worked evening in the quickest way. Return the taps."""
    deal = EVENINGS[game][number - 1]
    match game:
        case "spader":
            return record_spader_deal(phone, number, *deal[:2])
        case "knektpass":
            taps = record_knektpass_deal(phone, number, *deal[:3], counted=True)
            if number < len(E8):  # the last one ends the game, and shows its winner
                phone.see_result(number)
            return taps
    return phone.play(number, *deal[:2])


def play_evening(phone: Phone, deals: Sequence[tuple[str, str, tuple[int, ...]]]) -> list[int]:
    """Record each deal, check the balances after it, and return the taps that it took."""
    taps = []
    for number, (declarers, tricks, balances) in enumerate(deals, start=1):
        taps.append(phone.play(number, declarers, tricks))
        phone.see_balances(balances)
    return taps


def record_spader_deal(
    phone: Phone, number: int, bids: tuple[str, str], tricks_taken: tuple[int, ...]
) -> int:
    """Record a deal of Spader by its bids and tricks; the fourth player's follow from the others'.
    Return the taps."""
    taps = phone.taps
    phone.tap("record")
    for bid in bids:
        nil, _, tricks = bid.rpartition(":")
        if nil:
            phone.mark("nil", f"nil p{SEATS.index(nil) + 1}")
        phone.tap(f"bid-{tricks}")
    by_player = zip("ACB", (tricks_taken[0], tricks_taken[2], tricks_taken[1]), strict=True)
    by_side = [("A", tricks_taken[0] + tricks_taken[2])]  # enough, where nobody bid nil
    for seat, count in by_player if ":" in "".join(bids) else by_side:
        expect(phone.page.locator(".question")).to_contain_text(FOUR_NAMES[SEATS.index(seat)])
        phone.tap(f"pad-{count}")
    phone.tap("send")
    phone.see_result(number)
    return phone.taps - taps


def record_knektpass_deal(
    phone: Phone,
    number: int,
    declarations: str,
    exchanged: dict[str, int],
    tricks: str,
    *,
    counted: bool,
) -> int:
    """Record a deal of Knektpass: who stays, who exchanges, and the tricks one by one or counted.
    Return the taps."""
    taps = phone.taps
    phone.tap("record")
    if not declarations:
        phone.tap("all-pass")
        return phone.taps - taps
    order = [SEATS[(number + place) % 4] for place in range(4)]  # the dealer's left speaks first
    if counted:
        for seat, word in zip(order, declarations, strict=True):
            if word == "+":
                phone.tap(f"with-p{SEATS.index(seat) + 1}-{exchanged.get(seat, 0)}")
        phone.tap("together")
    for word in "" if counted else declarations:
        phone.tap("stay" if word == "+" else "pass")
    for seat, cards in () if counted else exchanged.items():
        key = f"exchange-p{SEATS.index(seat) + 1}"
        phone.tap(f"{key}-{cards}")
        tapped = phone.page.locator(f".exchange:has([data-key='{key}-1']) .player-line b")
        expect(tapped).to_have_text(str(cards))
    if not tricks:
        return phone.taps - taps
    if not counted:
        phone.tap("exchanged")
    if counted:
        counters = phone.page.locator("[data-tally]")
        expect(counters.first).to_be_visible()
        staying = [row.get_attribute("data-tally") or "" for row in counters.all()]
        for player in staying[:-1]:
            phone.tap(f"pad-{tricks.count(SEATS[int(player[1:]) - 1])}")
        phone.tap("send")
    else:
        for place, seat in enumerate(tricks, start=1):
            expect(phone.page.locator(".question")).to_contain_text(str(place))
            phone.seat(seat)
    return phone.taps - taps
