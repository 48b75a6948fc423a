"""The results as one picture, saved or shared: its figures are those of the statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.appearance import SCHEMES, languages
from tests.support.browser.group_screens import (
    create_resource,
    create_season,
    found_group,
    read_group,
    record_group_deal,
)
from tests.support.browser.page_conditions import wait_until
from tests.support.browser.phone import Phone, format_kronor
from tests.support.browser.played_evenings import E7, record_knektpass_deal, record_spader_deal
from tests.support.browser.recorded_sessions import ALL_PASS, open_as_host
from tests.support.player_names import FIVE_NAMES, FOUR_NAMES

Lend = Callable[..., Phone]

KEEP_WRITTEN = """
window.writtenTexts = [];
const {fillText} = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  writtenTexts.push(text);
  fillText.call(this, text, ...place);
};"""
KEEP_COLORS = """
window.usedColors = {};
const {fillText, fillRect, fill} = CanvasRenderingContext2D.prototype;
const {prototype} = CanvasRenderingContext2D;
prototype.fillText = function (text, ...place) {
  usedColors[text] = this.fillStyle;
  fillText.call(this, text, ...place);
};
prototype.fillRect = function (...box) {
  usedColors.background ??= this.fillStyle;
  fillRect.call(this, ...box);
};
prototype.fill = function (shape) {
  (usedColors.tokens ??= []).push(this.fillStyle);
  fill.call(this, shape);
};"""
COLORS_OF_FORM = """(names) => names.map((name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())"""
KEEP_SHARED = """
window.sharedFiles = [];
navigator.canShare = ({files}) => files.length > 0;
navigator.share = async ({files}) => {
  sharedFiles.push(...files.map(({name, type}) => [name, type]));
};
"""
SHARE_ONCE_AT_A_TIME = """
window.attempts = [];
navigator.canShare = () => true;
navigator.share = () => (attempts.push('share') === 1 ? new Promise(() => {})
  : Promise.reject(new DOMException('a share is under way', 'InvalidStateError')));
HTMLAnchorElement.prototype.click = () => { attempts.push('save'); };
"""
PNG = b"\x89PNG\r\n\x1a\n"
LABELS = {
    "sv-SE": "Dela som bild",
    "da-DK": "Del som billede",
    "en-GB": "Share as a picture",
    "de-DE": "Als Bild teilen",
}


def show_pictures_of_one_deal(phone: Phone) -> None:
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.see_saved()
    phone.visit("pictures")


def save_picture(page: Page) -> tuple[str, bytes]:
    with page.expect_download() as download:
        page.locator('[data-key="share-picture"]').click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def texts(phone: Phone) -> list[str]:
    result: list[str] = phone.page.evaluate("writtenTexts")
    return result


def statement(phone: Phone) -> Any:
    return phone.read("/statement?format=json")


@languages(LABELS)
def test_an_evening_is_saved_with_the_results_of_its_statement(lend: Lend, language: str) -> None:
    phone = lend(language=language)
    phone.page.add_init_script(KEEP_WRITTEN)
    phone.begin()
    phone.play(1, "B", "CCDCB")
    phone.play(2, "D", "AABDD")
    phone.see_saved()
    phone.visit("pictures")
    expect(phone.page.locator('[data-key="share-picture"]')).to_have_text(LABELS[language])
    name, picture = save_picture(phone.page)
    assert re.fullmatch(r"vola-\d{4}-\d\d-\d\d\.png", name)
    assert picture.startswith(PNG)
    results = statement(phone)["results"]
    shown = [re.sub(r"\s", " ", text) for text in texts(phone)]
    for amount in results.values():
        digits = str(abs(amount) // 100)
        assert any(re.search(rf"\b{digits}\b", text) for text in shown), (amount, shown)
    names = [text for text in shown if text in ("Ada", "Bo", "Cilla", "Disa")]
    by_result = sorted(results, key=lambda player: -results[player])
    assert names == [["Ada", "Bo", "Cilla", "Disa"][int(player[1:]) - 1] for player in by_result]


def test_a_game_of_points_is_saved_with_its_scores(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_WRITTEN)
    phone.begin(game="spader")
    bids, tricks, _ = E7[0]
    record_spader_deal(phone, 1, bids, tricks)
    phone.see_saved()
    phone.visit("pictures")
    _, picture = save_picture(phone.page)
    assert picture.startswith(PNG)
    assert {"53", "−20"} <= set(texts(phone))


def test_the_lowest_score_comes_first_where_it_wins(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_COLORS)
    phone.begin(game="knektpass")
    record_knektpass_deal(phone, 1, "+---", {}, "", counted=True)
    phone.see_result(1)
    phone.see_saved()
    phone.visit("pictures")
    save_picture(phone.page)
    colors = phone.page.evaluate("usedColors")
    assert [text for text in colors if text in FOUR_NAMES] == ["Bo", "Ada", "Cilla", "Disa"]
    assert colors["7"] == colors["12"] == colors["Bo"]  # a high score is no gain


def test_a_long_title_and_name_stand_whole_on_a_picture(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_WRITTEN)
    title, name = "Torsdag hemma hos Cilla och Disa", "Maximiliana-Wilhelmina af Vasa"
    players = [{"name": player} for player in (name, "Bo", "Cilla")]
    body = {"game": "polskt_pass", "players": players, "title": title}
    session = create_resource(phone, "/v1/sessions", body)
    recorder = RemoteSession(phone.url, session["id"], session["tokens"]["host"])
    assert recorder.act(*ALL_PASS).status == 201
    open_as_host(phone, recorder).visit("pictures")
    save_picture(phone.page)
    assert {title, name} <= set(texts(phone))


def test_a_season_is_saved_with_the_results_of_the_group(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_WRITTEN)
    group = create_season(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    _, picture = save_picture(phone.page)
    assert picture.startswith(PNG)
    shown = [re.sub(r"\s", " ", text) for text in texts(phone)]
    results = read_group(phone, group, "/statement?format=json")["results"]
    assert sorted(results.values()) == [-2000, -2000, 1000, 1000]
    for amount in results.values():
        assert shown.count(format_kronor(amount // 100)) == 2


def test_a_phone_that_can_share_files_shares_the_picture(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_SHARED)
    show_pictures_of_one_deal(phone)
    phone.tap("share-picture")
    wait_until(phone.page, "() => sharedFiles.length === 1")
    ((name, kind),) = phone.page.evaluate("sharedFiles")
    assert kind == "image/png"
    assert name.endswith(".png")


def test_a_second_tap_while_a_picture_is_shared_saves_nothing(phone: Phone) -> None:
    phone.page.add_init_script(SHARE_ONCE_AT_A_TIME)
    show_pictures_of_one_deal(phone)
    phone.tap("share-picture").tap("share-picture")
    wait_until(phone.page, "() => attempts.length >= 2")
    assert phone.page.evaluate("attempts") == ["share", "share"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_picture_has_the_colors_of_the_form(lend: Lend, scheme: str) -> None:
    phone = lend(scheme=scheme)
    phone.page.add_init_script(KEEP_COLORS)
    show_pictures_of_one_deal(phone)
    save_picture(phone.page)
    used = phone.page.evaluate("usedColors")
    background, accent, text, *hues = phone.page.evaluate(
        COLORS_OF_FORM, ["background", "accent", "text", "hue0", "hue1", "hue2", "hue3"]
    )
    assert (used["background"], used["Vola"], used["Ada"]) == (background, accent, text)
    assert sorted(used["tokens"]) == sorted(hues)


def test_members_keep_their_colors_in_the_picture_of_a_season(phone: Phone) -> None:
    phone.page.add_init_script(KEEP_COLORS)
    group = found_group(phone, FIVE_NAMES)
    seats = [f"m{n}" for n in (2, 3, 4, 5)]
    record_group_deal(phone, group, ALL_PASS, members=seats, game="polskt_pass")
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    save_picture(phone.page)
    hues = phone.page.evaluate(COLORS_OF_FORM, ["hue1", "hue2", "hue3", "hue4"])
    assert sorted(phone.page.evaluate("usedColors.tokens")) == sorted(hues)
    assert "Ada" not in phone.page.evaluate("usedColors")
