"""Earlier evenings are imported from a file on the group's screen, in each language."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from api.i18n.translator import Translator
from tests.support.api.balance_import import real_file
from tests.support.browser.appearance import languages, looks
from tests.support.browser.connection import lose_answer
from tests.support.browser.group_screens import (
    choose_removed_file,
    found_group,
    read_group,
    record_group_deal,
)
from tests.support.browser.keyboard import Keys
from tests.support.browser.layout_checks import find_misfits, find_violations, wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

Lend = Callable[..., Phone]

FILE = real_file("swedish_excel.csv")
WITH_GUEST = b"Date;Ada;Bo;Guest\n05/06/2024;10;-4;-6\n07/06/2024;5;x;-5\n"


def open_screen(phone: Phone) -> str:
    group = found_group(phone, FOUR_NAMES)
    phone.tap("imports")
    wait_until_drawn(phone)
    return group


def choose(phone: Phone, content: bytes, name: str = "kvällar.csv") -> None:
    field = phone.page.locator('[data-key="file"]')
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    expect(phone.page.locator('[data-key="import"], [data-key="file-error"]')).to_be_visible()


def imports(phone: Phone, group: str) -> list[Any]:
    listed: list[Any] = read_group(phone, group, "/imports")["imports"]
    return listed


@pytest.mark.parametrize(
    ("language", "title"),
    [
        *(("sv-SE", "Tidigare kvällar"), ("da-DK", "Tidligere aftener")),
        *(("en-GB", "Earlier evenings"), ("de-DE", "Frühere Abende")),
    ],
)
def test_a_file_becomes_an_import_in_every_language(lend: Lend, language: str, title: str) -> None:
    phone = lend(width=320, height=640, language=language)
    group = open_screen(phone)
    expect(phone.page.locator("h1")).to_have_text(title)
    choose(phone, FILE)
    difference = phone.page.locator('[data-key="difference-7"]')
    expect(difference.locator(".minus")).to_contain_text("10")
    expect(difference.locator(".icon")).to_be_visible()
    expect(phone.page.locator('[data-key="import"]')).to_be_disabled()
    phone.page.locator('[data-key="decide-7"]').select_option("m2")
    expect(difference).to_contain_text("Bo")
    phone.page.locator('input[name="settled"][value="false"]').check(force=True)
    assert "imports." not in phone.page.locator("main").inner_text()
    assert find_misfits(phone, "200%") == []
    assert find_misfits(phone, "100%") == []
    phone.tap("import")
    expect(phone.page.locator('[data-key="recorded"]')).to_be_visible()
    (recorded,) = imports(phone, group)
    assert (recorded["evening_count"], recorded["settled"]) == (5, False)
    assert recorded["totals"]["m2"] == 101_250 + 1_000
    phone.tap("void-1")
    phone.tap("sure")
    expect(phone.page.locator('[data-key="void-1"]')).to_have_count(0)
    assert imports(phone, group)[0]["status"] == "voided"


def test_a_voided_file_is_imported_again(phone: Phone) -> None:
    group = open_screen(phone)
    for number in (1, 2):
        choose(phone, b"Date;Ada;Bo\n2024-05-06;10;-10\n")
        phone.page.locator('input[name="settled"][value="true"]').check(force=True)
        phone.tap("import")
        phone.tap(f"void-{number}")
        phone.tap("sure")
        expect(phone.page.locator(f'[data-key="void-{number}"]')).to_have_count(0)
    assert [entry["status"] for entry in imports(phone, group)] == ["voided", "voided"]


def test_an_import_is_voided_though_the_first_answer_was_lost(phone: Phone) -> None:
    open_screen(phone)
    choose(phone, b"Date;Ada;Bo\n2024-05-06;10;-10\n")
    phone.page.locator('input[name="settled"][value="true"]').check(force=True)
    phone.tap("import")
    phone.page.route("**/imports/1", lose_answer, times=1)
    phone.tap("void-1").tap("sure")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.tap("void-1").tap("sure")
    expect(phone.page.locator('[data-key="void-1"]')).to_have_count(0)


def test_columns_names_and_rows_are_chosen_before_anything_is_written(phone: Phone) -> None:
    group = open_screen(phone)
    choose(phone, WITH_GUEST)
    phone.page.locator('input[name="date-order"][value="mdy"]').check(force=True)
    guest = phone.page.locator('select[name="name-2"]')
    guest.select_option("new")
    expect(guest).to_have_value("m5")
    phone.page.locator('[data-key^="skip-3"]').click()
    expect(phone.page.locator('[data-key="back-3"]')).to_be_visible()
    expect(phone.page.locator('[data-key="totals"]')).to_contain_text("Guest")
    phone.page.locator('input[name="settled"][value="true"]').check(force=True)
    phone.tap("import")
    expect(phone.page.locator('[data-key="recorded"]')).to_be_visible()
    evenings = read_group(phone, group, "/imports/1")["evenings"]
    assert evenings == [{"date": "2024-05-06", "results": {"m1": 1000, "m2": -400, "m5": -600}}]


def test_a_file_that_is_no_table_is_refused_in_a_sentence(phone: Phone) -> None:
    group = open_screen(phone)
    choose(phone, b"PK\x03\x04 a workbook", "kvällar.xlsx")
    expect(phone.page.locator('[data-key="file-error"]')).to_contain_text("CSV")
    choose(phone, FILE)
    expect(phone.page.locator('[data-key="file-error"]')).to_have_count(0)
    assert imports(phone, group) == []


def test_a_file_that_is_too_large_is_named_beside_the_refusal(phone: Phone) -> None:
    open_screen(phone)
    choose(phone, FILE)
    expect(phone.page.locator("#file-help")).to_contain_text("kvällar.csv")
    choose(phone, b"Datum;Ada\n" * 200_000, "allt.csv")
    expect(phone.page.locator('[data-key="file-error"]')).to_contain_text("högst en megabyte")
    expect(phone.page.locator("#file-help")).to_have_text("Vald fil: allt.csv")


def test_nothing_is_chosen_while_an_import_is_recorded(phone: Phone) -> None:
    open_screen(phone)
    choose(phone, FILE)
    phone.page.locator('[data-key="decide-7"]').select_option("m2")
    phone.page.locator('input[name="settled"][value="false"]').check(force=True)
    held: list[Route] = []
    phone.page.route("**/imports", lambda route: held.append(route), times=1)
    phone.tap("import")
    phone.wait_until(lambda: len(held) == 1)
    for field in ('[data-key="file"]', '[data-key="decide-7"]', 'input[name="settled"]'):
        expect(phone.page.locator(field).first).to_be_disabled()
    held[0].abort()
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    expect(phone.page.locator('[data-key="decide-7"]')).to_be_enabled()
    phone.tap("import")
    expect(phone.page.locator('[data-key="recorded"]')).to_be_visible()
    expect(phone.page.locator('[data-key="file"]')).to_be_enabled()


def test_a_file_removed_after_the_choice_is_said_to_be_unread(phone: Phone, tmp_path: Path) -> None:
    open_screen(phone)
    choose_removed_file(phone, '[data-key="file"]', tmp_path)
    expect(phone.page.locator('[data-key="file-error"]')).to_contain_text("kunde inte läsas")
    expect(phone.page.locator("#file-help")).to_have_text("Vald fil: removed.csv")


def test_a_corrected_file_can_be_chosen_again(phone: Phone) -> None:
    open_screen(phone)
    choose(phone, b"Date;Ada;Bo\n2024-13-06;10;-10\n")
    field = phone.page.locator('[data-key="file"]')
    expect(field).to_have_value(re.compile("csv$"))
    with phone.page.expect_file_chooser():
        field.click()
    expect(field).to_have_value("")  # else the browser would not announce the same file


def test_a_file_without_a_network_is_not_said_to_be_read(phone: Phone) -> None:
    open_screen(phone)
    phone.page.route("**/imports/preview?*", lambda route: route.abort(), times=1)
    content = {"name": "a.csv", "mimeType": "text/csv", "buffer": WITH_GUEST}
    phone.page.locator('[data-key="file"]').set_input_files(content)
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    phone.page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    expect(phone.page.locator("#status")).to_be_empty()
    choose(phone, WITH_GUEST, "a.csv")
    expect(phone.page.locator("#status")).to_contain_text("a.csv är läst")


def test_an_import_is_made_from_the_keyboard_alone(phone: Phone) -> None:
    """Only the file itself is chosen with the browser's own dialog."""
    group = open_screen(phone)
    choose(phone, FILE)
    keys = Keys(phone)
    keys.go_to('[data-key="decide-7"]')
    for name in ("Ada", "Bo", "Cilla"):
        keys.keys.press("ArrowDown")
        expect(phone.page.locator('[data-key="difference-7"] .row-note')).to_contain_text(name)
    assert keys.check_focus('[data-key="decide-7"]')["arrived"]
    keys.go_to('input[name="settled"]').keys.press("Space")
    expect(phone.page.locator('[data-key="import"]')).to_be_enabled()
    keys.press("import")
    expect(phone.page.locator('[data-key="recorded"]')).to_be_visible()
    assert imports(phone, group)[0]["totals"]["m3"] == -40_300 + 1_000


@languages()
def test_an_evening_that_vola_has_already_can_be_left_out(lend: Lend, language: str) -> None:
    phone = lend(language=language)
    group = found_group(phone, FOUR_NAMES)
    members = [f"m{n}" for n in range(1, 5)]
    record_group_deal(
        phone,
        group,
        [{"type": "open_deal"}],
        game="polskt_pass",
        members=members,
        title="Lussekatter",
    )
    day = phone.page.evaluate("new Date().toLocaleDateString('sv-SE')")
    phone.page.goto(f"{phone.url}/#/c/{group}")
    phone.tap("imports")
    wait_until_drawn(phone)
    choose(phone, f"Date;Ada;Bo\n2024-06-05;10;-10\n{day};5;-5\n2190-01-05;2 €;-2\n".encode())
    unlikely = phone.page.locator('[data-key="unlikely"] li')
    expect(unlikely).to_have_count(2)
    write_day = Translator(language[:2]).format_day
    expect(unlikely.first).to_contain_text(write_day("2190-01-05"))
    expect(unlikely.last).to_contain_text("€")
    phone.tap("leave-4-2")
    expect(phone.page.locator('[data-key="unlikely"]')).to_have_count(0)
    warnings = phone.page.locator('[data-key="same-days"] li')
    expect(warnings).to_have_count(1)
    expect(warnings).to_contain_text("Lussekatter")
    expect(warnings).to_contain_text(write_day(day))
    phone.page.locator('input[name="settled"][value="true"]').check(force=True)
    expect(phone.page.locator('[data-key="import"]')).to_be_enabled()
    assert find_violations(phone) == []
    assert find_misfits(phone, "200%") == []
    phone.tap("leave-3-0")
    expect(phone.page.locator('[data-key="same-days"]')).to_have_count(0)
    expect(phone.page.locator('[data-key="back-3"]')).to_be_visible()
    phone.tap("import")
    expect(phone.page.locator('[data-key="recorded"]')).to_be_visible()
    assert imports(phone, group)[0]["evening_count"] == 1


DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name, {type: 'text/csv'}));
  const at = document.querySelector('.file-drop');
  at.dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}));
}"""


def test_a_file_can_be_dropped_and_a_long_wait_shows(phone: Phone) -> None:
    open_screen(phone)
    held: list[Route] = []
    phone.page.route("**/imports/preview?*", lambda route: held.append(route))
    phone.page.evaluate(DROP, ["book.csv", WITH_GUEST.decode()])
    expect(phone.page.locator("progress")).to_be_visible()
    held[0].continue_()
    expect(phone.page.locator('[data-key="import"]')).to_be_visible()
    expect(phone.page.locator("progress")).to_have_count(0)


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_on_the_way_to_an_import(lend: Lend, scheme: str, language: str) -> None:
    phone = lend(scheme=scheme, language=language)
    open_screen(phone)
    assert find_violations(phone) == []
    choose(phone, FILE)
    phone.tap("evenings")
    assert find_violations(phone) == []
