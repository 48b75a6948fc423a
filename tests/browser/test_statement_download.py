"""Downloads of statements: of which player, period and format; their progress; their check."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from api.i18n.catalog import LANGUAGES, catalog
from tests.support.browser.downloads import FIRST_BYTES, SEND_CSV_PIECE, SLOW_CSV, download
from tests.support.browser.layout_checks import TOO_WIDE, find_broken_words
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, open_e1, record_and_open


def test_each_format_downloads_a_file_of_that_format(phone: Phone) -> None:
    record_and_open(phone, ALL_PASS, title="Kräftskiva på Ö").visit("statement")
    for form, (begins, ending) in FIRST_BYTES.items():
        name, content = download(phone, form)
        assert content.startswith(begins), (form, content[:40])
        kind = " - export" if form == "export" else ""
        pattern = rf"Kräftskiva på Ö - \d{{4}}-\d\d-\d\d - Polskt pass{kind}{re.escape(ending)}"
        assert re.fullmatch(pattern, name), name
    with phone.page.context.expect_page() as opened:
        phone.tap("take-html")
    assert opened.value.content().lower().startswith("<!doctype html>")
    expect(opened.value.locator("h1")).to_be_visible()


def test_the_statement_covers_the_chosen_person_and_period(phone: Phone) -> None:
    open_e1(phone).visit("statement")
    phone.mark("whose", "p3")
    name, content = download(phone, "csv")
    assert name.endswith(" - Polskt pass - Cilla.csv")
    assert b"closing,,,,,15000" in content.replace(b'"', b"")
    phone.page.locator('[data-key="from"]').fill("2001-01-01")
    phone.page.locator('[data-key="to"]').fill("2001-01-31")
    name, content = download(phone, "csv")
    assert content.count(b"\r\n") == 5  # the head, opening, result, what is to settle, closing
    assert b"2001-01-01" in content
    phone.page.locator('[data-key="to"]').fill("2000-12-31")
    expect(phone.page.locator(".statement-choices .wrong")).to_have_text(
        "Den sista dagen ligger före den första."
    )
    expect(phone.page.locator('[data-key="take-csv"]')).to_be_hidden()
    days = [phone.page.locator(f'[data-key="{key}"]').bounding_box() for key in ("from", "to")]
    assert len({(day["y"], day["height"]) for day in days if day}) == 1  # the error moves neither
    phone.page.locator('[data-key="to"]').fill("")
    expect(phone.page.locator('[data-key="take-csv"]')).to_be_visible()


def test_the_fields_of_both_days_stand_on_one_line(lend: Callable[..., Phone]) -> None:
    phone = open_e1(lend(language="en-GB"), 1)  # whose labels differ most in length
    phone.visit("statement")
    fields = phone.page.locator('[data-key="from"], [data-key="to"]')
    expect(fields).to_have_count(2)
    tops = fields.evaluate_all("(all) => all.map((field) => field.getBoundingClientRect().top)")
    assert tops == [tops[0]] * 2


def test_a_game_for_points_and_money_is_told_in_either(phone: Phone) -> None:
    record_and_open(phone, game="knektpass", options={"point_value": 100}).visit("statement")
    assert (
        b"point" in download(phone, "csv")[1].lower()
        or b"po\xc3\xa4ng" in download(phone, "csv")[1]
    )
    phone.mark("unit", "money")
    assert b"SEK" in download(phone, "csv")[1]


def test_a_slow_download_shows_progress_and_reports_a_break(phone: Phone) -> None:
    open_e1(phone, 1).visit("statement")
    phone.page.evaluate(SLOW_CSV)
    phone.tap("take-csv")
    phone.page.evaluate(SEND_CSV_PIECE, "a\r\n" * 1_500)
    coming = phone.page.locator(
        ".download-progress", has=phone.page.locator('[data-key="stop-csv"]')
    )
    expect(coming).to_be_visible()
    expect(coming).to_contain_text(re.compile(r"1.500 rader, 4,5.kB"))
    phone.page.evaluate("globalThis.line.error(new Error('cut'))")
    expect(phone.page.locator("#notice")).to_contain_text("Filen kom inte fram hel")
    expect(coming).to_be_hidden()


def test_a_refusal_is_said_in_the_servers_words(phone: Phone) -> None:
    open_e1(phone, 1).visit("statement")
    refusal = '{"code": "too_long", "detail": "Välj en period."}'
    phone.page.route(
        "**/statement?format=pdf*", lambda route: route.fulfill(status=409, body=refusal)
    )
    phone.tap("take-pdf")
    expect(phone.page.locator("#notice")).to_contain_text("Välj en period.")
    phone.page.context.set_offline(True)
    phone.tap("take-xlsx")
    expect(phone.page.locator("#notice")).to_contain_text("Ingen kontakt")


def test_a_downloaded_statement_is_checked_on_the_linked_page(phone: Phone) -> None:
    open_e1(phone).visit("statement")
    _, content = download(phone, "export")
    with phone.page.context.expect_page() as opened:
        phone.tap("take-verify")
    page = opened.value
    file = {"name": "vola.json", "mimeType": "application/json", "buffer": content}
    page.locator('input[name="file"]').set_input_files(file)  # type: ignore[arg-type]
    page.locator("button").click()
    verdict = page.get_by_role("status")
    expect(verdict).to_contain_text(catalog("sv")["verify"]["said"]["export"].split("{")[0])
    expect(verdict.locator("h2")).to_contain_text("håller.")


def test_the_names_of_the_days_stay_whole(lend: Callable[..., Phone]) -> None:
    phone = lend(width=320, height=640, language="de-DE")
    record_and_open(phone, ALL_PASS).visit("statement")
    assert find_broken_words(phone, ".fields") == []


def test_no_heading_of_a_statement_is_broken(lend: Callable[..., Phone]) -> None:
    phone = record_and_open(lend(width=320, height=640), ALL_PASS)
    page = f"{phone.url}/v1/sessions/{phone.table_url().rpartition('/')[2]}/statement?format=html"
    for language in LANGUAGES:
        phone.page.goto(f"{page}&lang={language}")
        assert find_broken_words(phone, ".lines thead", "100%") == []


@pytest.mark.parametrize("query", ["", "&player=p1"])
def test_a_statement_is_read_on_a_small_phone(lend: Callable[..., Phone], query: str) -> None:
    """The sentences get the whole width, and nothing is cut off, whatever the names and amounts."""
    phone = lend(width=320, height=640)
    names = ("Åke-Göran Wachtmeister", "Bo", "Cilla", "Disa")
    phone.begin_by_tapping(names, options={"stake": "free"}, stake="123456,50")
    phone.play(1, "A", "AAA.")
    session = phone.table_url().rpartition("/")[2]
    phone.page.goto(f"{phone.url}/v1/sessions/{session}/statement?format=html{query}")
    phone.page.locator("summary").tap()
    assert phone.page.evaluate(TOO_WIDE) <= 0
    sentence = phone.page.locator(".lines td:nth-child(3)", has_text="Wachtmeister vinner")
    assert sentence.evaluate("(cell) => cell.clientWidth") > 250
