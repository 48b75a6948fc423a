"""An evening kept on paper and typed in afterwards: each line forecast, and the sums compared."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from engine.games.registry import GAMES
from tests.support.browser.appearance import languages
from tests.support.browser.connection import read_deals
from tests.support.browser.keyboard import Keys
from tests.support.browser.late_entry import (
    SECONDS_PER_KEY,
    open_late_entry,
    see_sums_agree,
    sum_comparison,
    type_lines,
    type_sums,
    typed_lines,
)
from tests.support.browser.paper_evenings import PAPER_EVENINGS, TWENTY_DEALS, TWENTY_SUMS
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

AGREES = {"sv-SE": "Stämmer", "en-GB": "Agrees", "da-DK": "Stemmer", "de-DE": "Stimmt"}
MAX_SECONDS = 4 * 60


def begin_late_entry(phone: Phone, game: str = "polskt_pass") -> Locator:
    """Open an evening and the screen, and return its line, which has the focus."""
    phone.begin(game=game)
    return open_late_entry(phone)


def recorded_sums(phone: Phone) -> dict[str, str]:
    """Return what each player has won or lost, as people write it: `-2,50`."""
    results = phone.read("")["results"]
    assert isinstance(results, dict)
    signs = {player: "-" if amount < 0 else "" for player, amount in results.items()}
    coins = {player: divmod(abs(amount), 100) for player, amount in results.items()}
    return {p: f"{signs[p]}{kronor},{ore:02}" for p, (kronor, ore) in coins.items()}


@pytest.mark.parametrize("game", GAMES)
def test_an_evening_of_every_game_is_typed_and_its_sums_agree(phone: Phone, game: str) -> None:
    lines, sums = PAPER_EVENINGS[game]
    begin_late_entry(phone, game)
    type_lines(phone, lines)
    expect(typed_lines(phone)).to_have_text(lines[::-1])
    see_sums_agree(phone, sums)
    phone.wait_until(lambda: len(read_deals(phone)) == len(lines))
    assert all(deal["actions"][0]["late_entry"] for deal in read_deals(phone))  # type: ignore[index]


@pytest.mark.parametrize(
    ("names", "example"),
    [(("Emil", "Disa", "Cilla", "Bo"), "D EECDE"), (("Emil", "Disa", "Cilla"), "D EECDE")],
)
def test_the_example_of_a_line_can_be_typed(
    phone: Phone, names: tuple[str, ...], example: str
) -> None:
    phone.begin(names)
    open_late_entry(phone)
    expect(phone.page.locator("#main")).to_contain_text(example)
    type_lines(phone, [example])
    expect(typed_lines(phone)).to_have_text([example])


@pytest.mark.parametrize("game", GAMES)
def test_what_each_line_may_say_stands_on_its_own(phone: Phone, game: str) -> None:
    begin_late_entry(phone, game)
    rules = phone.page.locator(".late-how li")
    expect(rules.last).to_have_text("Felgiv: !")  # a full stop would be read as part of the line
    assert rules.count() >= 6


@languages()
def test_an_evening_is_typed_in_each_language(lend: Callable[..., Phone], language: str) -> None:
    phone = lend(language=language)
    lines, _ = PAPER_EVENINGS["polskt_pass"]
    begin_late_entry(phone)
    type_lines(phone, lines)
    phone.wait_until(lambda: len(read_deals(phone)) == len(lines))
    see_sums_agree(phone, recorded_sums(phone), AGREES[language])
    assert "late." not in phone.page.locator("#main").inner_text(), "every sentence is there"
    phone.see_saved()


def test_twenty_deals_are_typed_without_touching_the_screen(phone: Phone) -> None:
    """From the front page to the last sum; the number of keys gives the time that a person
    needs."""
    start = time.monotonic()
    keys = Keys(phone).begin()
    keys.press("menu", "paper").see_screen("/paper").press("late")
    expect(phone.page.locator('[data-key="line"]')).to_be_focused()
    count = type_lines(phone, TWENTY_DEALS)
    expect(typed_lines(phone)).to_have_count(len(TWENTY_DEALS))
    for contestant, written in TWENTY_SUMS.items():
        keys.go_to(f'[data-key="sum-{contestant}"]').keys.type(written)
        count += 1 + len(written)
    for contestant in TWENTY_SUMS:
        expect(sum_comparison(phone, contestant)).to_have_text("Stämmer")
    phone.wait_until(lambda: len(read_deals(phone)) == len(TWENTY_DEALS))
    assert [deal["number"] for deal in read_deals(phone)] == [*range(1, 21)]
    assert recorded_sums(phone) == {p: f"{written},00" for p, written in TWENTY_SUMS.items()}
    seconds = count * SECONDS_PER_KEY
    print(f"20 deals: {count} keys, {seconds:.0f} s at {SECONDS_PER_KEY} s a key;", end=" ")
    print(f"the test took {time.monotonic() - start:.1f} s")
    assert seconds < MAX_SECONDS


def test_a_line_is_read_while_it_is_typed(phone: Phone) -> None:
    begin_late_entry(phone)
    reading = phone.page.locator("#late-reading")
    type_one = phone.page.keyboard.type
    type_one("B ")
    expect(reading).to_have_text("Sticken fattas.")
    type_one("CC")
    expect(reading).to_have_text("Sticken fattas.")
    type_one("C")
    expect(reading).to_contain_text("Cilla vann 10 kr")
    expect(reading.locator(".late-changes span")).to_have_text(
        ["Ada −10", "Bo −10", "Cilla +10", "Disa 0"]
    )
    assert phone.read("")["version"] == 1, "nothing is recorded before Enter"


def test_fewer_points_are_better_in_a_game_that_counts_down(phone: Phone) -> None:
    begin_late_entry(phone, "knektpass")
    phone.page.keyboard.type("- 0 3 - BBCCC")
    changes = phone.page.locator("#late-reading .late-changes span")
    expect(changes).to_have_text(["Ada 0", "Bo −2", "Cilla −3", "Disa 0"])
    expect(changes).to_have_class(["", "plus", "plus", ""])


NO_DEALS = {
    "X ABC": "X är inget tecken för en spelare.",
    "B": "Sticken fattas.",
    "B AB": "Sticken fattas.",
    "AB CCC": "Bara givaren och den som kuperar kan vara spelförare båda två.",
    "B 0": "Med så många spelare vinner alltid någon.",
    "B ABCDAB": "Sticken ska bli 5 tillsammans.",
    "B AB+CCC": "Så kan given inte ha gått enligt reglerna.",
}


def test_a_line_that_is_no_deal_says_why(phone: Phone) -> None:
    field = begin_late_entry(phone)
    for line, reason in NO_DEALS.items():
        type_lines(phone, [line])
        expect(phone.page.locator(".wrong")).to_have_text(reason)
        expect(field).to_have_value(line)
        expect(field).to_be_focused()
        assert phone.read("")["version"] == 1
        field.fill("")
        expect(phone.page.locator(".wrong")).to_have_count(0)
    type_lines(phone, ["B C"])
    expect(typed_lines(phone)).to_have_text(["B C"])


def test_a_difference_from_the_paper_is_shown_and_corrected(phone: Phone) -> None:
    begin_late_entry(phone)
    type_lines(phone, ["B CCC", "C A"])
    type_sums(phone, {"p1": "10", "p2": "-20", "p3": "x"})
    expect(sum_comparison(phone, "p1")).to_have_text("Stämmer")
    expect(sum_comparison(phone, "p2")).to_have_text("Stämmer")
    expect(sum_comparison(phone, "p3")).to_have_text("Inget belopp")
    phone.page.locator('[data-key="sum-p3"]').fill("5,50")
    expect(sum_comparison(phone, "p3")).to_contain_text("skiljer")
    phone.tap("fix-2")
    expect(phone.page.locator("body")).to_have_attribute("data-at", re.compile("/correct/2$"))


def test_a_deal_typed_from_paper_says_so(phone: Phone) -> None:
    begin_late_entry(phone)
    type_lines(phone, ["B CCC"])
    phone.see_saved()
    phone.visit("")
    phone.play(2, "C", "AAA.")
    phone.visit("deals")
    tags = phone.page.locator(".row", has_text="från papper")
    expect(tags).to_have_count(1)
    expect(tags.locator(".deal-number")).to_have_text("1")
    page = phone.page.request.get(
        f"{phone.url}/v1/sessions/{phone.table_url().rpartition('/')[2]}/statement?format=html&lang=en"
    )
    assert "Entered afterwards from paper: deal 1." in page.text()


def test_lines_wait_on_the_phone_without_a_network(lend: Callable[..., Phone]) -> None:
    phone = lend()
    lines, sums = PAPER_EVENINGS["polskt_pass"]
    begin_late_entry(phone)
    phone.page.context.set_offline(True)
    type_lines(phone, lines)
    expect(typed_lines(phone)).to_have_count(len(lines))
    see_sums_agree(phone, sums)
    phone.page.context.set_offline(False)
    phone.see_saved()
    assert [deal["number"] for deal in read_deals(phone)] == [*range(1, 8)]


def test_players_who_share_a_letter_are_told_apart_by_their_seats(phone: Phone) -> None:
    phone.begin(("Anna", "Anders", *FOUR_NAMES[2:]))
    phone.tap("menu").tap("paper").tap("late")
    expect(phone.page.locator("kbd")).to_have_text(["A1", "A2", "C", "D"])
    type_lines(phone, ["A2 A1A1CDA1", "2 1C33"])
    expect(typed_lines(phone)).to_have_text(["2 1C33", "A2 A1A1CDA1"])


def test_a_viewer_prints_and_enters_nothing(phone: Phone, lend: Callable[..., Phone]) -> None:
    phone.begin()
    links = phone.read("/links")["links"]
    assert isinstance(links, list)
    viewer = lend()
    viewer.page.goto(viewer.url + next(link["path"] for link in links if link["role"] == "viewer"))
    viewer.see_table()
    viewer.tap("menu").tap("paper")
    sheet = viewer.page.locator('[data-key="sheet-a5"]')
    expect(sheet).to_be_visible()
    expect(viewer.page.locator('[data-key="late"]')).to_have_count(0)
    answer = viewer.page.request.get(viewer.url + str(sheet.get_attribute("href")))
    assert answer.headers["content-type"] == "application/pdf"
