"""No screen violates axe-core's rules, in either colour scheme.

tests/support/browser/vendor holds axe-core (MPL-2.0), so that the tests download nothing.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.games.registry import GAMES
from tests.support.browser import group_screens, join_requests
from tests.support.browser.appearance import looks
from tests.support.browser.layout_checks import (
    ScreenChecks,
    find_violations,
    find_violations_when_drawn,
)
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

STEPS = [
    ("polskpas", "record p2 depth-result vola vola-won table menu"),
    ("spader", "record bid-7 bid-5 pad-8 send close close table"),
    ("knektpass", "record depth-cards card-7H stay stay stay stay exchange-p2-3 exchanged card-9H"),
    ("knektpass", "record depth-tricks stay pass pass stay exchanged p2 p1 p2 p1 p2 table menu"),
    ("knektpass", "record depth-result with-p2-2 with-p3-0 together pad-3 send table"),
    ("polskt_pass", "record depth-cards card-JC card-9H unseen unseen hand"),
]
SUGGESTED_POINT_VALUES = {"de-DE": "10"}  # in euros; "100" in the crowns of the other languages
SCREENS = ["", "deals", "pictures", "deal/1", "statement", "settlement", "share", "players"]
SCREENS += ["close", "rules", "board", "check", "costs", "paper", "late"]


@pytest.fixture
def phone(styled_phone: Phone) -> Phone:
    """A phone in the colour scheme and the language of the test."""
    return styled_phone


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing(phone: Phone) -> None:
    screens = ScreenChecks(find_violations)

    phone.page.goto(phone.url + "/")
    phone.begin()
    phone.play(1, "AD", "BBCBA")
    screens.look(phone, "result with a choice")
    for screen in SCREENS:
        phone.page.evaluate(
            f"location.hash = location.hash.split('/').slice(0, 3).join('/') + '/{screen}'"
        )
        place = phone.page.evaluate("location.hash")
        expect(phone.page.locator("body")).to_have_attribute("data-at", place)
        screens.look(phone, screen or "table")
    phone.visit("")
    phone.see_table()
    phone.tap("menu")
    expect(phone.page.locator("dialog.sheet nav").first).to_be_visible()
    screens.look(phone, "menu")
    phone.close_dialog()
    phone.tap("record")
    screens.look(phone, "who declares", "body.record .question")
    phone.seat("BCC")
    screens.look(phone, "recording")
    for address in ("/#/new", "/#/"):
        phone.page.goto(phone.url + address)
        expect(phone.page.locator("body")).to_have_attribute("data-at", address[1:])
        screens.look(phone, address)
    phone.page.goto(phone.url + "/#/new")
    phone.page.locator(".lineup input").first.fill("Ada")
    for rest in phone.page.locator(".lineup input").all()[1:]:
        rest.fill("")
    phone.tap("open")
    screens.look(phone, "a complaint", ".wrong")
    assert screens.faults == {}


@looks(("dark", "en-GB"), ("light", "da-DK"))
def test_axe_finds_nothing_in_any_game(phone: Phone) -> None:
    assert dict(STEPS).keys() == GAMES.keys(), "STEPS records a deal of every game"
    screens = ScreenChecks(find_violations_when_drawn)
    point_value = SUGGESTED_POINT_VALUES.get(phone.page.evaluate("navigator.language"), "100")
    spader: dict[str, Any] = {"target": "free", "point_value": point_value}
    options = {"spader": {"options": spader, "target": "50"}}

    phone.page.goto(phone.url + "/#/new")
    for game in GAMES:
        phone.choose_game(game)
        phone.page.locator("summary").tap()
        screens.look(phone, f"opening {game}")
    for game, steps in STEPS:
        phone.begin_by_tapping(game=game, **options.get(game, {}))
        for step in steps.split():
            if step.startswith("p") and step[1:].isdigit():
                phone.page.locator(f'[data-seat="{step}"]').tap()
            else:
                phone.tap(step)
            screens.look(phone, f"{game}: {step}")
    assert screens.faults == {}


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_in_a_group(phone: Phone) -> None:
    screens = ScreenChecks(find_violations_when_drawn)

    phone.page.goto(phone.url + "/#/c")
    phone.tap("found")
    screens.look(phone, "a group without a name", ".wrong")
    group = group_screens.found_group(phone, FOUR_NAMES)
    screens.look(phone, "an empty group")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    screens.look(phone, "an empty season")
    group_screens.open_group_session(phone, group, "ABCD")
    group_screens.play_two_deals(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    screens.look(phone, "what lies over cannot come along yet")
    phone.tap("to-earlier")
    phone.see_table()
    group_screens.close_session(phone)
    earlier = phone.table_url()
    screens.look(phone, "what stays for the next evening")
    for screen in ("", "tonight", "season", "members", "share", "statement", "check"):
        phone.page.goto(f"{phone.url}/#/c/{group}/{screen}".rstrip("/"))
        screens.look(phone, screen or "circle")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    phone.tap("line-m2")
    screens.look(phone, "a line brought out")
    phone.mark("span", "own")
    screens.look(phone, "from day to day")
    phone.page.goto(f"{phone.url}/#/c/{group}/tonight")
    phone.tap("as-last")
    screens.look(phone, "everybody seated")
    phone.tap("open")
    phone.see_table()
    screens.look(phone, "a table with what lay over")
    phone.visit("deals")
    screens.look(phone, "what came along", '[data-key="along"]')
    phone.page.goto(f"{earlier}/settlement")
    screens.look(phone, "an evening that went on", ".other-settlement")
    phone.page.goto(f"{phone.url}/#/c/{group}/members")
    phone.page.locator('[data-key="forgetting"] summary').tap()
    phone.tap("forget-m1")
    screens.look(phone, "asked once more")
    phone.begin()
    phone.visit("group")
    screens.look(phone, "an evening becomes a group's")
    phone.mark("group", group)
    expect(phone.page.locator(".member-match select")).to_have_count(4)
    screens.look(phone, "who is who")
    phone.page.goto(phone.url + "/#/")
    screens.look(phone, "the front page with a group")
    assert screens.faults == {}


@looks(("dark", "en-GB"), ("light", "da-DK"))
def test_axe_finds_nothing_while_joining(
    lend: Callable[..., Phone], scheme: str, language: str
) -> None:
    host, bo, cilla = (lend(scheme=scheme, language=language) for _ in range(3))
    screens = ScreenChecks(find_violations_when_drawn)

    host.begin()
    code = join_requests.create_join_code(host)
    screens.look(host, "an open door")
    bo.page.goto(bo.url + "/#/join")
    bo.tap("request-join")
    screens.look(bo, "no code", ".wrong")
    join_requests.send_join_request(bo, code)
    screens.look(bo, "at the door")
    screens.look(host, "somebody knocks", ".join-request")
    host.visit("")
    screens.look(host, "somebody knocks at the table", ".join-requests-link")
    host.tap("join-requests")
    join_requests.answer_join_request(host, "refuse")
    screens.look(bo, "refused", '[data-key="request-again"]')
    bo.tap("request-again").tap("request-join")
    join_requests.answer_join_request(host)
    bo.see_table()
    bo.play(1, "B", "CCDCB")
    screens.look(bo, "who wrote", "main > p.muted:not(.outcome-facts)")
    host.tap("mine")
    screens.look(host, "whose", "dialog[open]")
    host.tap("whose-p1")
    expect(host.page.locator("[data-phone]")).to_have_count(2)
    for fold in host.page.locator("details").all():
        if fold.get_attribute("open") is None:
            fold.locator("summary").tap()
    screens.look(host, "all unfolded")
    cilla.page.goto(join_requests.read_link(host))
    screens.look(cilla, "asked whose", ".player-buttons")
    host.tap("out-phone1")
    screens.look(host, "asked once more", '[data-key="sure"]')
    host.tap("sure")
    screens.look(bo, "outside", '[data-key="again"]')
    assert screens.faults == {}


def test_nothing_shows_through_the_bar_in_forced_colors(lend: Callable[..., Phone]) -> None:
    phone = lend()
    phone.page.emulate_media(forced_colors="active")
    phone.begin()
    opaque = re.compile(r"^rgb\(")
    expect(phone.page.locator("#bar")).to_have_css("background-color", opaque)
