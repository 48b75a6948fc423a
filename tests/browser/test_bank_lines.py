"""A person approves the proposals that the form makes from a bank's file, in four languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import FilePayload, Route, expect

from tests.support.api.http_client import RemoteSession
from tests.support.browser.appearance import languages, looks
from tests.support.browser.connection import lose_answer
from tests.support.browser.group_screens import (
    choose_removed_file,
    create_resource,
    read_group,
    record_group_deal,
    record_group_transfer,
    see_group,
)
from tests.support.browser.layout_checks import find_misfits, find_violations, wait_until_drawn
from tests.support.browser.phone import Phone
from tests.support.browser.recorded_sessions import ALL_PASS, record_transfer
from tests.support.ledger.bank_files import Row, debit_credit_file, semicolon_file, tab_file
from tests.support.player_names import FIVE_NAMES

Lend = Callable[..., Phone]

TODAY = datetime.now(UTC).date()
PIZZA = 10_750
"""Each player's share, in öre, of a pizza for 430 kr that Disa paid."""
ROWS: list[Row] = [
    (TODAY, PIZZA, "SWISH FRÅN ADA A, Fredag"),
    (TODAY, -24_900, "ICA NÄRA, mat"),
    (TODAY + timedelta(1), 5_000, "Swish Bo, Vola"),
    (TODAY + timedelta(1), PIZZA, "Swish Cilla, pizza"),
    (TODAY + timedelta(2), PIZZA, "Swish Cilla, tack"),
]
SENTENCES = {
    "sv-SE": ("Rader från banken", "samma belopp, namnet står i texten", "1 rad blev över"),
    "da-DK": ("Linjer fra banken", "samme beløb, navnet står i teksten", "1 linje blev til overs"),
    "en-GB": ("Lines from the bank", "same amount, the text has the name", "1 line left over"),
    "de-DE": ("Zeilen von der Bank", "gleicher Betrag, Name im Text", "1 Zeile bleibt übrig"),
}
FILES = {
    "sv-SE": semicolon_file,
    "da-DK": tab_file,
    "en-GB": semicolon_file,
    "de-DE": debit_credit_file,
}


def pizza_group(phone: Phone) -> tuple[str, RemoteSession]:
    """Create a group with a closed evening in which three owe Disa for a pizza, and open it as its
    host. Return the group's id and the evening's recorder."""
    members = [{"name": name} for name in FIVE_NAMES]
    group = create_resource(phone, "/v1/groups", {"name": "Torsdagarna", "members": members})
    host = group["tokens"]["host"]
    agreed = {"game": "polskt_pass", "members": ["m1", "m2", "m3", "m4"], "title": "Fredag"}
    evening = create_resource(phone, f"/v1/groups/{group['id']}/sessions", agreed, host)
    recorder = RemoteSession(phone.url, evening["id"], evening["tokens"]["host"])
    assert recorder.write("/costs", {"payer": "p4", "amount": 4 * PIZZA}).status == 201
    assert recorder.write("/closure", {}, version=recorder.state()["version"]).status == 201
    phone.page.goto(f"{phone.url}/#/c/{group['id']}/{host}")
    see_group(phone)
    return str(group["id"]), recorder


def choose_file(phone: Phone, content: bytes) -> None:
    """Choose this file for Disa's account."""
    phone.page.locator('select[name="account"]').select_option("m4")
    file: FilePayload = {"name": "konto.csv", "mimeType": "text/csv", "buffer": content}
    phone.page.locator('input[name="file"]').set_input_files(file)


def card(phone: Phone, row: int) -> Any:
    return phone.page.locator(f'[data-line="{row}"]')


@languages(SENTENCES)
def test_lines_of_a_bank_file_are_approved_and_taken_back(lend: Lend, language: str) -> None:
    title, reasons, left_over = SENTENCES[language]
    phone = lend(language=language)
    group, evening = pizza_group(phone)
    phone.tap("bank-lines")
    expect(phone.page.locator("h1")).to_have_text(title)
    choose_file(phone, FILES[language](ROWS))
    cards = phone.page.locator('[data-key="proposed"] .callout')
    expect(cards).to_have_count(2)  # all of Ada's, and a part of Bo's
    expect(cards.first).to_contain_text("SWISH FRÅN ADA A")
    expect(cards.first.locator('[data-key="reasons"]')).to_contain_text(reasons)
    expect(phone.page.locator('[data-key="ambiguous"] .callout')).to_have_count(2)
    expect(phone.page.locator('[data-key="left-over"] summary')).to_have_text(left_over)
    phone.tap("approve-certain")  # Ada's; a person decides on the others
    used = phone.page.locator('[data-key="used"] li')
    expect(used).to_have_count(1)
    cards.first.locator("button").tap()
    expect(used).to_have_count(2)
    phone.page.locator('[data-key="ambiguous"] .callout button').first.tap()
    expect(used).to_have_count(3)
    assert evening.state()["balances"] == {"p1": 0, "p2": 5_000 - PIZZA, "p3": 0, "p4": 5_750}
    used.first.locator("button").tap()
    phone.tap("sure")
    expect(used).to_have_count(2)
    assert evening.state()["balances"]["p3"] == -PIZZA
    lines = read_group(phone, group, "/bank-lines")["lines"]
    assert [(line["from"], line["amount"]) for line in lines] == [("m2", 5_000), ("m1", PIZZA)]
    assert "bank." not in phone.page.locator("main").inner_text()


def test_a_line_of_a_payment_that_may_be_recorded_is_not_certain(phone: Phone) -> None:
    group, recorder = pizza_group(phone)
    record_transfer(recorder, "p1", "p4", 5_000)
    phone.page.goto(f"{phone.url}/#/c/{group}/bank-lines")
    wait_until_drawn(phone)
    choose_file(phone, semicolon_file([(TODAY, 5_000, "Swish Ada")]))
    doubted = phone.page.locator('[data-key="ambiguous"]')
    expect(doubted.locator('[data-key^="approve-"]')).to_have_count(1)
    expect(doubted.locator('[data-key="reasons"]')).to_contain_text("redan inskriven?")
    expect(doubted.locator("h2")).to_have_text("Osäkra")


def test_a_line_taken_back_is_approved_again(phone: Phone) -> None:
    group, _ = pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS[:2]))
    used = phone.page.locator('[data-key="used"] li')
    phone.tap("approve-certain")
    used.locator("button").tap()
    phone.tap("sure")
    expect(used).to_have_count(0)
    phone.tap("approve-certain")
    expect(used).to_have_count(1)
    assert len(read_group(phone, group, "/bank-lines")["lines"]) == 1


def test_a_line_is_taken_back_though_the_first_answer_was_lost(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS[:2]))
    used = phone.page.locator('[data-key="used"] li')
    phone.tap("approve-certain")
    phone.page.route(re.compile("/bank-lines/[0-9a-f]{64}$"), lose_answer, times=1)
    used.locator("button").tap()
    phone.tap("sure")
    expect(phone.page.locator("#notice .warning")).to_be_visible()
    used.locator("button").tap()
    phone.tap("sure")
    expect(used).to_have_count(0)
    expect(phone.page.locator("#notice .warning")).to_have_count(0)


def test_lines_can_be_approved_once_the_network_is_back(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS))
    expect(phone.page.locator('[data-key="approve-certain"]')).to_be_visible()
    phone.page.context.set_offline(True)
    phone.tap("approve-certain")
    expect(phone.page.locator("[role=alert]").first).to_be_visible()
    expect(phone.page.locator('[data-key="approve-certain"]')).to_be_enabled()
    phone.page.context.set_offline(False)
    phone.tap("approve-certain")
    expect(phone.page.locator('[data-key="used"] li')).to_have_count(1)


def test_the_user_chooses_whether_the_day_or_the_month_comes_first(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, b"Date;Text;Amount\n12/11/2090;Swish Ada;107,50\n11/12/2090;Swish Bo;107,50")
    expect(phone.page.locator(".wrong")).to_be_visible()
    phone.mark("date-order", "mdy")
    expect(card(phone, 2)).to_contain_text("11 december")


def test_the_user_chooses_the_column_of_the_amounts(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    content = f"Datum;Text;Avgift;Summa\n{TODAY};Swish Ada;0,00;107,5\n{TODAY};Swish Bo;1,00;107,5"
    choose_file(phone, content.encode())
    expect(phone.page.locator('[data-key="left-over"]')).to_be_visible()
    phone.page.locator('[data-key="columns"] summary').tap()
    phone.page.locator('select[name="amount"]').select_option(label="Summa")
    expect(phone.page.locator('[data-key="proposed"] .callout')).to_have_count(2)


def test_the_user_chooses_the_columns_of_a_file_that_is_not_understood(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    day = TODAY.isoformat()
    choose_file(phone, f"Nar;Text;A;B\n{day};Swish Ada;x;107,50\nSlut;;y;".encode())
    expect(phone.page.locator(".wrong")).to_have_text("Välj kolumnen med datum.")
    phone.page.locator('select[name="date"]').select_option(label="Nar")
    phone.page.locator('select[name="amount"]').select_option(label="A")
    expect(phone.page.locator(".wrong")).to_contain_text("kolumn 3")
    phone.page.locator('select[name="amount"]').select_option(label="B")
    expect(phone.page.locator('[data-key="proposed"] .callout')).to_have_count(1)


def test_a_file_that_is_no_table_is_refused_in_a_sentence(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, b"PK\x03\x04")
    expect(phone.page.locator("main [role=alert]")).to_contain_text("CSV")


def test_a_long_wait_for_a_file_shows(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    held: list[Route] = []
    phone.page.route("**/bank-lines/preview", lambda route: held.append(route))
    choose_file(phone, semicolon_file(ROWS))
    expect(phone.page.locator("progress")).to_be_visible()
    held[0].continue_()
    expect(phone.page.locator('[data-key="approve-certain"]')).to_be_visible()
    expect(phone.page.locator("progress")).to_have_count(0)


def test_a_file_that_is_too_large_is_refused_in_words_for_people(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, b"Datum;Belopp\n" * 200_000)
    expect(phone.page.locator("main [role=alert]")).to_contain_text("högst en megabyte")


def test_a_file_removed_after_the_choice_is_said_to_be_unread(phone: Phone, tmp_path: Path) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_removed_file(phone, 'input[name="file"]', tmp_path)
    expect(phone.page.locator("main [role=alert]")).to_contain_text("kunde inte läsas")


def test_a_corrected_file_of_a_bank_can_be_chosen_again(phone: Phone) -> None:
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS))
    field = phone.page.locator('input[name="file"]')
    expect(field).to_have_value(re.compile("konto.csv$"))
    with phone.page.expect_file_chooser():
        field.click()
    expect(field).to_have_value("")  # else the browser would not announce the same file


def test_no_line_of_a_bank_is_read_in_chips(phone: Phone) -> None:
    group, _ = pizza_group(phone)
    members = ["m1", "m2", "m3"]
    record_group_deal(phone, group, ALL_PASS, game="polskt_pass", members=members, currency="chips")
    phone.page.reload()
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS))
    expect(phone.page.locator('[data-key="proposed"] .callout')).to_have_count(2)
    expect(phone.page.locator('select[name="currency"]')).to_have_count(0)


def test_lines_pay_balances_in_a_currency_of_no_evening(phone: Phone) -> None:
    group, _ = pizza_group(phone)
    record_group_transfer(
        phone, group, {"from": "m4", "to": "m1", "amount": 900, "currency": "EUR"}
    )
    phone.tap("bank-lines")
    expect(phone.page.locator('select[name="currency"]')).to_have_value("SEK")
    phone.page.locator('select[name="currency"]').select_option("EUR")
    choose_file(phone, semicolon_file([(TODAY, 900, "Swish Ada")]))
    phone.tap("approve-certain")
    expect(phone.page.locator('[data-key="used"] li')).to_contain_text("9 €")


@looks(("dark", "sv-SE"), ("light", "de-DE"))
def test_axe_finds_nothing_on_the_lines_of_a_bank(lend: Lend, scheme: str, language: str) -> None:
    phone = lend(scheme=scheme, language=language, width=320, height=640)
    pizza_group(phone)
    phone.tap("bank-lines")
    choose_file(phone, semicolon_file(ROWS))
    phone.tap("approve-certain")
    expect(phone.page.locator('[data-key="used"] li')).to_have_count(1)
    wait_until_drawn(phone)
    assert find_violations(phone) == []
    assert find_misfits(phone, "200%") == []
