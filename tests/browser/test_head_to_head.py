"""Head to head: the screen shows what the server counts, in each language and on small phones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser.appearance import languages, looks
from tests.support.browser.group_screens import (
    close_session,
    found_group,
    open_group_session,
    read_group,
    record_group_deal,
    see_group,
)
from tests.support.browser.layout_checks import find_misfits, find_violations, wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES

Lend = Callable[..., Phone]

LA_VOLA: list[dict[str, Any]] = [
    {"type": "open_deal"},
    {"type": "declare", "players": ["p2"]},
    {"type": "result", "la_vola": {"player": "p2", "won": True}},
]
SPADER: list[dict[str, Any]] = [
    {"type": "open_deal"},
    {"type": "side_bid", "side": "p2+p4", "tricks": 6},
    {"type": "side_bid", "side": "p1+p3", "tricks": 6},
    {"type": "tricks", "taken": {"p1": 7, "p2": 6}},
]
TITLES = {
    "sv-SE": "Vem slår vem",
    "da-DK": "Hvem slår hvem",
    "en-GB": "Who beats whom",
    "de-DE": "Wer schlägt wen",
}


def season_of_two_games(phone: Phone) -> str:
    """Record an evening of Polskt pass with a la vola and a game of Spader. Return the group's
    id."""
    group = found_group(phone, FOUR_NAMES)
    members = [f"m{n}" for n in range(1, 5)]
    record_group_deal(
        phone, group, LA_VOLA, members=members, game="polskt_pass", options={"stake": 1_000}
    )
    record_group_deal(phone, group, SPADER, members=members, game="spader", options={"target": 60})
    return group


def open_screen(phone: Phone, group: str) -> None:
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    phone.tap("head-to-head")
    wait_until_drawn(phone)


def test_head_to_head_shows_the_numbers_of_the_server(phone: Phone) -> None:
    group = season_of_two_games(phone)
    open_screen(phone, group)
    reply = read_group(phone, group, "/head-to-head")
    ahead_counts = {tuple(pair["members"]): pair["sessions_ahead"] for pair in reply["pairs"]}
    rows = phone.page.locator('[data-key="sessions_ahead"] tbody tr')
    expect(rows).to_have_count(4)
    for row, member in zip(rows.all(), reply["members"], strict=True):
        shown = []
        for other in reply["members"]:
            counts = ahead_counts.get((member["id"], other["id"])) or ahead_counts.get(
                (other["id"], member["id"])
            )
            shown.append(f"{counts[member['id']]}–{counts[other['id']]}" if counts else "")
        expect(row.locator("td")).to_have_text(shown)
    partners = phone.page.locator('[data-key="partners"] tbody tr')
    expect(partners).to_have_count(len(reply["partners"]))
    expect(partners.first).to_contain_text("Ada och Cilla")
    streaks = phone.page.locator('[data-key="streaks"] tbody tr')
    expect(streaks).to_have_count(len(reply["streaks"]))


def test_the_picture_is_of_the_member_who_is_chosen(phone: Phone) -> None:
    group = season_of_two_games(phone)
    open_screen(phone, group)
    phone.page.locator('select[name="member"]').select_option("m2")
    picture = phone.page.locator("section", has=phone.page.locator(".bars"))
    expect(picture.locator("h2")).to_have_text("Bo mot de andra")
    # Bo won the la vola from all, and lost the game of Spader with Disa.
    expect(picture.locator(".bar-value")).to_have_text(
        ["före 1 av 2 kvällar", "före 1 av 2 kvällar", "före 1 av 2 kvällar"]
    )


TOKEN_COLOR = "(label) => label.className.match(/hue\\d/)[0]"


@pytest.mark.parametrize("screen", ["season", "head-to-head"])
def test_members_have_the_same_color_in_every_chart(phone: Phone, screen: str) -> None:
    group = found_group(phone, FIVE_NAMES)
    record_group_deal(
        phone,
        group,
        LA_VOLA,
        members=[f"m{n}" for n in (2, 3, 4, 5)],
        game="polskt_pass",
        options={"stake": 1_000},
    )
    phone.page.goto(f"{phone.url}/#/c/{group}")
    see_group(phone)
    people = phone.page.locator(".member-list .person").all()
    colors = {person.inner_text(): person.evaluate(TOKEN_COLOR) for person in people}
    assert len(set(colors.values())) == len(FIVE_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/{screen}")
    bars = phone.page.locator(".bars .person")
    expect(bars.first).to_be_visible()
    wrong = [
        name for bar in bars.all() if bar.evaluate(TOKEN_COLOR) != colors[name := bar.inner_text()]
    ]
    assert wrong == []


def test_each_record_links_to_its_evening(phone: Phone) -> None:
    group = season_of_two_games(phone)
    open_screen(phone, group)
    phone.tap("la-vola-1-1")
    phone.see_table()
    expect(phone.page.locator('[data-key="last"]')).to_contain_text("Bo")


def test_a_group_without_deals_says_when_records_appear(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    phone.page.goto(f"{phone.url}/#/c/{group}/head-to-head")
    expect(phone.page.locator(".empty")).to_contain_text("när den första given är spelad")


def test_a_period_without_deals_is_not_taken_for_a_new_group(phone: Phone) -> None:
    group = season_of_two_games(phone)
    open_screen(phone, group)
    phone.mark("span", "own")
    phone.page.locator('[data-key="to"]').fill("2001-01-31")
    expect(phone.page.locator(".empty")).to_have_text("Ingen giv spelades då.")
    phone.page.locator('[data-key="from"]').fill("2001-02-01")
    expect(phone.page.locator(".empty")).to_have_text("Den sista dagen ligger före den första.")


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_on_head_to_head(lend: Lend, scheme: str, language: str) -> None:
    phone = lend(scheme=scheme, language=language)
    group = season_of_two_games(phone)
    open_screen(phone, group)
    assert find_violations(phone) == []


@languages(TITLES)
def test_head_to_head_has_sentences_in_four_languages(lend: Lend, language: str) -> None:
    phone = lend(width=320, height=640, language=language)
    group = found_group(phone, ("Maximiliana-Wilhelmina af Korsholm", *FOUR_NAMES[1:]))
    open_group_session(phone, group, "ABCD")
    phone.play(1, "B", "CCDCB")
    close_session(phone)
    open_screen(phone, group)
    expect(phone.page.locator("h1")).to_have_text(TITLES[language])
    expect(phone.page.locator("main")).to_contain_text("0%" if language == "en-GB" else "0 %")
    assert find_misfits(phone, "200%") == []
    assert "head_to_head." not in phone.page.locator("main").inner_text()


def test_nobody_is_listed_against_himself_on_a_small_phone(lend: Lend) -> None:
    phone = lend(width=320, height=640)
    group = found_group(phone)
    open_group_session(phone, group, "ABCDE")
    phone.play(1, "B", "CCDCB")
    open_screen(phone, group)
    cells = phone.page.locator('[data-key="sessions_ahead"] td:visible')
    expect(cells).to_have_count(len(FIVE_NAMES) * (len(FIVE_NAMES) - 1))
