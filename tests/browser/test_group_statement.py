"""The download of a statement over many evenings: of which member, period and format."""

import re

from playwright.sync_api import expect

from tests.support.browser.downloads import FIRST_BYTES, SEND_CSV_PIECE, SLOW_CSV, download
from tests.support.browser.group_screens import (
    create_season,
    found_group,
    open_group_session,
    read_group,
    record_group_deal,
    record_group_transfer,
    see_group,
)
from tests.support.browser.phone import Phone
from tests.support.player_names import FOUR_NAMES

DAYS = r"\d{4}-\d\d-\d\d( – \d{4}-\d\d-\d\d)?"
ALL_PASS = [{"type": "open_deal"}, {"type": "all_pass"}]
OF_CIRCLE = {
    "csv": (b"session_number,session,version,at,", ".csv"),
    "excel": ("\ufeffsession_number;session;version;at;".encode(), ".csv"),
    "json": (b'{"group":', ".json"),
}


def statement(phone: Phone, group: str) -> None:
    phone.page.goto(f"{phone.url}/#/c/{group}/statement")
    expect(phone.page.locator('[data-key="take-csv"]')).to_be_visible()


def lines(content: bytes) -> list[list[str]]:
    """Return a table's rows between opening and closing, without the headings and results of the
    evenings and what is to settle."""
    statement_rows = rows(content)
    kinds = [row[5] for row in statement_rows]
    between = statement_rows[kinds.index("opening") + 1 : kinds.index("closing")]
    return [row for row in between if row[5] not in ("session", "result", "to_settle")]


def rows(content: bytes) -> list[list[str]]:
    return [row.split(",") for row in content.decode().split("\r\n")[1:-1]]


def test_each_format_downloads_a_file_of_that_format(phone: Phone) -> None:
    group = create_season(phone)
    open_group_session(phone, group, "ABCD")
    phone.page.goto(f"{phone.url}/#/c/{group}")
    see_group(phone)
    phone.tap("statement")
    expect(phone.page.locator("h1")).to_have_text("Kontoutdrag")
    for form, (begins, ending) in {**FIRST_BYTES, **OF_CIRCLE}.items():
        if form == "export":
            expect(phone.page.locator('[data-key="take-export"]')).to_have_count(0)
            continue
        name, content = download(phone, form)
        assert content.startswith(begins), (form, content[:40])
        assert re.fullmatch(rf"Torsdagarna - {DAYS}{re.escape(ending)}", name), name
    with phone.page.context.expect_page() as opened:
        phone.tap("take-html")
    expect(opened.value.locator("body")).to_contain_text("Torsdagarna")
    with phone.page.context.expect_page() as opened:
        phone.tap("take-verify")
    expect(opened.value.locator('input[name="file"]')).to_be_visible()


def test_the_season_links_to_the_statement_which_leads_back_to_the_group(phone: Phone) -> None:
    group = create_season(phone)
    phone.page.goto(f"{phone.url}/#/c/{group}/season")
    expect(phone.page.locator(".plot")).to_be_visible()
    phone.tap("statement")
    expect(phone.page.locator('[data-key="take-pdf"]')).to_be_visible()
    phone.tap("back")
    expect(phone.page.locator("h1")).to_have_text("Torsdagarna")


def test_a_group_without_evenings_offers_no_statement(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    expect(phone.page.locator('[data-key="statement"]')).to_have_count(0)
    phone.page.goto(f"{phone.url}/#/c/{group}/statement")
    expect(phone.page.locator(".empty")).to_have_text("Inga kvällar har spelats om pengar än.")


def test_the_statement_covers_the_chosen_person_and_period(phone: Phone) -> None:
    group = create_season(phone)
    open_group_session(phone, group, "ABCD")
    phone.play(1, "A", "AABBA")
    statement(phone, group)
    phone.mark("whose", "m2")
    name, content = download(phone, "csv")
    assert re.fullmatch(rf"Torsdagarna - {DAYS} - Bo\.csv", name), name
    reply = read_group(phone, group, "/statement?member=m2")
    assert [row[0] for row in lines(content)] == [
        str(line["session_number"]) for line in reply["lines"]
    ]
    [closing] = [row for row in rows(content) if row[5] == "closing"]
    assert closing[10] == str(reply["closing"])
    phone.page.locator('[data-key="from"]').fill("2001-01-01")
    phone.page.locator('[data-key="to"]').fill("2001-01-31")
    assert lines(download(phone, "csv")[1]) == []
    phone.page.locator('[data-key="to"]').fill("2000-12-31")
    expect(phone.page.locator(".statement-choices .wrong")).to_have_text(
        "Den sista dagen ligger före den första."
    )
    expect(phone.page.locator('[data-key="take-csv"]')).to_be_hidden()


def test_amounts_of_different_currencies_are_never_added(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=["m1", "m2", "m3"])
    statement(phone, group)
    expect(phone.page.locator('input[name="currency"]')).to_have_count(0)
    assert b"SEK" in download(phone, "csv")[1]
    record_group_deal(
        phone, group, ALL_PASS, game="polskt_pass", members=["m1", "m2", "m3"], currency="chips"
    )
    phone.page.reload()
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value("chips")
    assert [row[0] for row in lines(download(phone, "csv")[1])] == ["2"]
    phone.mark("currency", "SEK")
    assert [row[0] for row in lines(download(phone, "csv")[1])] == ["1"]
    # neither currency was played for before then, so there is no choice; later it comes back
    phone.page.locator('[data-key="to"]').fill("2001-01-31")
    expect(phone.page.locator('input[name="currency"]')).to_have_count(0)
    assert lines(download(phone, "csv")[1]) == []
    phone.page.locator('[data-key="to"]').fill("")
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value("SEK")


def test_a_currency_of_payments_alone_has_a_statement(phone: Phone) -> None:
    group = found_group(phone, FOUR_NAMES)
    record_group_transfer(
        phone, group, {"from": "m1", "to": "m2", "amount": 900, "currency": "EUR"}
    )
    statement(phone, group)
    assert b"group_transfer_recorded" in download(phone, "csv")[1]
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=["m1", "m2", "m3"])
    phone.page.reload()
    expect(phone.page.locator('input[name="currency"]:checked')).to_have_value("SEK")
    phone.mark("currency", "EUR")
    assert b"group_transfer_recorded" in download(phone, "csv")[1]


def test_a_slow_download_shows_progress_and_a_refusal_its_reason(phone: Phone) -> None:
    group = create_season(phone)
    statement(phone, group)
    refusal = '{"code": "too_long", "detail": "Välj en period."}'
    phone.page.route(
        "**/statement?format=pdf*", lambda route: route.fulfill(status=409, body=refusal)
    )
    phone.tap("take-pdf")
    expect(phone.page.locator("#notice")).to_contain_text("Välj en period.")
    phone.page.evaluate(SLOW_CSV)
    phone.tap("take-csv")
    phone.page.evaluate(SEND_CSV_PIECE, "a\r\n" * 1_500)
    coming = phone.page.locator(
        ".download-progress", has=phone.page.locator('[data-key="stop-csv"]')
    )
    expect(coming).to_contain_text(re.compile(r"1.500 rader"))
    phone.tap("stop-csv")
    expect(coming).to_be_hidden()
