"""Files on the page /verify: dropped anywhere, pasted, sorted by their kinds, and named in the
first line of the verdict."""

import gzip
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from api.i18n.catalog import LANGUAGES, catalog
from tests.support.browser.layout_checks import find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.verify_page_files import (
    choose_file,
    drop_files,
    make_transfer,
    paste_files,
    read_file_names,
)
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.group_statements import true_group_statement
from tests.support.proofs.verifier import verify

LOCALES = {"sv": "sv-SE", "en": "en-GB", "da": "da-DK", "de": "de-DE"}
BOOK = SignedBook(Random(5), 12)
ID = str(BOOK.session)[:8]


def titled_statement(player: str | None, **fields: Any) -> dict[str, Any]:
    doc = BOOK.true_statement(player)
    return BOOK.sign_document({**doc, "title": "Torsdagskväll", **fields})


@pytest.fixture
def page(phone: Phone) -> Phone:
    phone.page.goto(f"{phone.url}/verify")
    expect(phone.page.locator("button")).to_be_enabled()
    return phone


def heading(phone: Phone) -> Locator:
    return phone.page.get_by_role("status").get_by_role("heading")


def first_sentence(phone: Phone) -> Locator:
    return phone.page.get_by_role("status").locator("p").first


def test_a_file_dropped_anywhere_is_checked_at_once(page: Phone) -> None:
    asked: list[str] = []
    page.page.on("request", lambda request: asked.append(request.url))
    for place in ("h1", "body", "form", ".note >> nth=-1", "[name=key]"):
        drop_files(page, BOOK.export(), on=place)
        expect(heading(page)).to_have_text(
            f"Exporten av kväll {ID} till och med version 12 den 31 januari 2024 håller."
        )
        assert read_file_names(page) == ["0.json", None, None]
        page.page.reload()
        expect(page.page.locator("button")).to_be_enabled()
    assert [url for url in asked if "/verify" not in url and "/icon.svg" not in url] == []


def test_while_a_file_is_dragged_the_page_says_where_to_drop_it(page: Phone) -> None:
    hint = page.page.get_by_text(catalog("sv")["verify"]["dropping"], exact=True)
    expect(hint).to_be_hidden()
    dragged = {"dataTransfer": make_transfer(page, BOOK.export())}
    page.page.dispatch_event("h1", "dragover", dragged)
    expect(hint).to_be_visible()
    page.page.dispatch_event("h1", "dragleave", dragged)
    expect(hint).to_be_hidden()
    page.page.dispatch_event("h1", "dragover", dragged)
    page.page.dispatch_event("h1", "drop", dragged)
    expect(hint).to_be_hidden()
    expect(heading(page)).not_to_be_empty()


def test_dragged_text_is_left_to_the_browser(page: Phone) -> None:
    was_left = page.page.evaluate(
        """() => {
          const dataTransfer = new DataTransfer();
          dataTransfer.setData('text/plain', 'ab12');
          return ['dragover', 'drop'].map((kind) => document.querySelector('[name=key]')
            .dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true })));
        }"""
    )
    assert was_left == [True, True]
    expect(page.page.get_by_role("status")).to_be_empty()


def test_three_files_dropped_together_find_their_fields(page: Phone) -> None:
    statement, export, receipt = titled_statement("p1"), BOOK.labelled_export(), BOOK.receipt(12)
    words = catalog("sv")["verify"]["said"]
    for documents, names in (
        ((statement, export, receipt), ["0.json", "1.json", "2.json"]),
        ((receipt, statement, export), ["1.json", "2.json", "0.json"]),
        ((export, receipt, statement), ["2.json", "0.json", "1.json"]),
    ):
        drop_files(page, *documents)
        expect(heading(page)).to_have_text(
            "Kontoutdraget för Ada, Torsdagskväll, till och med version 12"
            " den 31 januari 2024 håller."
        )
        expect(first_sentence(page)).to_have_text(words["remade"].format(version=12))
        expect(page.page.get_by_role("status")).to_contain_text(words["earlier"])
        assert read_file_names(page) == names


def test_two_files_of_a_kind_are_told_apart_by_how_far_they_go(page: Phone) -> None:
    for documents, names in (
        ((BOOK.export(5), BOOK.export()), ["1.json", None, "0.json"]),
        ((BOOK.receipt(3, 9), BOOK.receipt(9)), ["1.json", None, "0.json"]),
        ((BOOK.receipt(3, 9), BOOK.export()), ["1.json", None, "0.json"]),
        ((true_group_statement(BOOK), BOOK.export()), ["0.json", "1.json", None]),
        ((true_group_statement(BOOK), BOOK.true_statement()), ["0.json", None, "1.json"]),
        ((BOOK.export(5), BOOK.export(), titled_statement("p1")), ["2.json", "1.json", "0.json"]),
    ):
        drop_files(page, *documents)
        expect(heading(page)).to_contain_text("håller.")
        assert read_file_names(page) == names


def test_files_that_cannot_be_told_apart_are_refused_in_one_sentence(page: Phone) -> None:
    words = catalog("sv")["verify"]
    drop_files(page, BOOK.export())
    expect(heading(page)).to_contain_text("håller")
    for documents in (
        (BOOK.export(), BOOK.export()),
        (titled_statement("p1"), titled_statement("p2")),
        (titled_statement("p1"), BOOK.export(), BOOK.receipt(3), BOOK.receipt(4)),
        (true_group_statement(BOOK), true_group_statement(BOOK)),
    ):
        drop_files(page, *documents)
        expect(first_sentence(page)).to_have_text(words["ambiguous"])
        expect(heading(page)).to_have_text(words["unread"])
        assert read_file_names(page) == ["0.json", None, None], "the fields stay as they were"


def test_a_file_that_was_cut_off_or_packed_is_called_so(page: Phone) -> None:
    words, receipt = catalog("sv")["verify"], encode_document(BOOK.receipt(3))
    for end in (-9, receipt.rindex(b"}", 0, -9) + 1):
        drop_files(page, BOOK.export(), receipt[:end])
        expect(first_sentence(page)).to_have_text(words["said"]["unreadable"])
        expect(page.page.get_by_role("status")).to_contain_text(words["said"]["cut_off"])
        assert read_file_names(page) == ["1.json", None, None]
    for code, content in (
        ("archive", b"PK\x03\x04"),
        ("compressed", gzip.compress(receipt)),
        ("utf_16", receipt.decode().encode("utf-16")),
    ):
        drop_files(page, content)
        expect(page.page.get_by_role("status")).to_contain_text(words["said"][code])


def test_files_that_do_not_go_together_say_nothing_against_any(page: Phone) -> None:
    words, other = catalog("sv")["verify"], SignedBook(Random(6), 12)
    imported = SignedBook.from_events(BOOK.session, BOOK.events, other.signing_key)
    for documents, code in (
        ((titled_statement("p1"), other.export()), "export_other"),
        ((titled_statement("p1"), BOOK.export(5)), "export_short"),
        ((BOOK.export(), other.receipt(4)), "other_session"),
        ((imported.export(), BOOK.receipt(4)), "keys_differ"),
        ((titled_statement("p1"), imported.export()), "keys_differ"),
    ):
        drop_files(page, *documents)
        expect(first_sentence(page)).to_have_text(words["said"][code].format(version=12))
        expect(heading(page)).to_have_text(words["apart"])


def test_a_file_dropped_on_a_field_goes_into_that_field_alone(page: Phone) -> None:
    drop_files(page, titled_statement("p1"))
    expect(heading(page)).to_contain_text("Spelare 1")
    drop_files(page, BOOK.labelled_export(), on="[name=export]")
    expect(heading(page)).to_contain_text("Ada")
    assert read_file_names(page) == ["0.json", "0.json", None]


def test_a_file_is_pasted_and_text_is_pasted_as_text(page: Phone) -> None:
    page.page.locator("[name=key]").focus()
    was_left = page.page.evaluate(
        """() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', 'ab12');
          return document.activeElement.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        }"""
    )
    assert was_left
    paste_files(page, BOOK.receipt(4, 9))
    expect(heading(page)).to_have_text(
        f"Kvittot på version 4 av kväll {ID}, den 31 januari 2024, håller."
    )


def test_the_keyboard_alone_chooses_and_checks(page: Phone) -> None:
    page.page.keyboard.press("Tab")
    focused = page.page.evaluate("document.activeElement.name")
    assert focused == "file"
    choose_file(page, "file", encode_document(BOOK.export()))
    page.page.locator("button").focus()
    page.page.keyboard.press("Enter")
    expect(heading(page)).to_contain_text("håller")
    expect(page.page.get_by_role("status")).to_be_in_viewport(ratio=0.99)


PERIOD = {"from": "2026-09-03T18:00:00.000000Z", "to": "2026-11-05T22:10:00.000000Z"}


def documents() -> dict[str, tuple[Any, Any]]:
    """Documents of each kind and outcome, each with its export."""
    group, statement_of_all = BOOK.group_statement(), true_group_statement(BOOK, None)
    unsigned = {n: x for n, x in titled_statement("p2").items() if n != "signature"}
    return {
        "export": (BOOK.labelled_export(), None),
        "receipt": (BOOK.receipt(4, 9), None),
        "player": (titled_statement("p1"), BOOK.labelled_export()),
        "session": (titled_statement(None), None),
        "member_without_lines": (group, None),
        "group": ({**statement_of_all, "period": PERIOD}, None),
        "player adds up": (unsigned, None),
        "export fails": ({**BOOK.labelled_export(), "version": 11}, None),
        "bare": (BOOK.bare_receipt(4), None),
    }


FIRST_LINES = {
    "sv": {
        "export": "Exporten av Fredag ♠ till och med version 12 den 31 januari 2024 håller.",
        "receipt": f"Kvittot på version 4 av kväll {ID}, den 31 januari 2024, håller.",
        "player": "Kontoutdraget för Ada, Torsdagskväll, till och med version 12"
        " den 31 januari 2024 håller.",
        "session": "Kontoutdraget för alla, Torsdagskväll, till och med version 12"
        " den 31 januari 2024 håller.",
        "member_without_lines": "Kontoutdraget utan rader för Medlem 1 i sällskapet Torsdag"
        " håller.",
        "group": "Filen håller inte; den säger sig vara kontoutdraget för alla i sällskapet"
        " Torsdagarna, 3 september–5 november 2026.",
        "player adds up": "Summorna går ihop, men filen är inte underskriven; den säger sig vara"
        " kontoutdraget för Spelare 2, Torsdagskväll, till och med version 12 den 31 januari 2024.",
        "export fails": "Filen håller inte; den säger sig vara exporten av Fredag ♠ till och med"
        " version 11 den 31 januari 2024.",
        "bare": "Ensamt visar det här kvittot på version 4 den 31 januari 2024 ingenting: ange det"
        " som det du sparat från förr, tillsammans med en export av kvällen.",
    },
    "en": {
        "export": "The export of Fredag ♠ up to version 12 of 31 January 2024 holds.",
        "receipt": f"The receipt for version 4 of evening {ID}, dated 31 January 2024, holds.",
        "player": "The statement of Ada, Torsdagskväll, up to version 12 of 31 January 2024 holds.",
        "session": "The statement of everybody, Torsdagskväll, up to version 12"
        " of 31 January 2024 holds.",
        "member_without_lines": "The statement without lines of Member 1 in the group Torsdag"
        " holds.",
        "group": "The file does not hold; it claims to be the statement of everybody in the group"
        " Torsdagarna, 3 September – 5 November 2026.",
        "player adds up": "The sums add up, but the file is not signed; it claims to be the"
        " statement of Player 2, Torsdagskväll, up to version 12 of 31 January 2024.",
        "export fails": "The file does not hold; it claims to be the export of Fredag ♠ up to"
        " version 11 of 31 January 2024.",
        "bare": "Alone this receipt for version 4 of 31 January 2024 shows nothing: give it as the"
        " one you kept earlier, with an export of the evening.",
    },
}


@pytest.mark.parametrize("language", FIRST_LINES)
def test_the_first_line_says_what_the_file_is_and_whether_it_holds(
    lend: Callable[..., Phone], language: str
) -> None:
    phone = lend(language=LOCALES[language])
    phone.page.goto(f"{phone.url}/verify")
    for name, (document, export) in documents().items():
        drop_files(phone, document, *([export] if export else []))
        expect(heading(phone)).to_have_text(FIRST_LINES[language][name])


def test_the_program_begins_with_the_same_line() -> None:
    for name, (document, export) in documents().items():
        raw, exported = encode_document(document), export and encode_document(export)
        exit_code, _, _ = verify.verify_document(raw, export=exported)
        line = verify.summary_line(exit_code, raw, exported)
        assert line == FIRST_LINES["en"][name].replace("3 September – 5", "3 September 2026 – 5")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_subject_has_a_sentence_for_each_outcome(language: str) -> None:
    summaries = catalog(language)["verify"]["summary"]
    assert {subject: {*outcomes} for subject, outcomes in summaries.items()} == {
        subject: {*outcomes} for subject, outcomes in verify.SUMMARIES.items()
    }


HOSTILE = {
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "\u202eadA\u202c \u2066": "\ufffdadA\ufffd \ufffd",
    "{date}{who}$&": "{date}{who}$&",
    "x" * 60: "x" * 40 + "…",
    "שלום": "שלום",
    " \t": f"kväll {ID}",
}


@pytest.mark.parametrize("title", HOSTILE, ids=ascii)
def test_a_hostile_title_is_shown_as_text_in_an_element_of_its_own(page: Phone, title: str) -> None:
    drop_files(page, titled_statement("p1", title=title))
    expect(heading(page)).to_have_text(
        f"Kontoutdraget för Spelare 1, {HOSTILE[title]}, till och med version 12"
        " den 31 januari 2024 håller."
    )
    isolated = heading(page).locator("bdi")
    expect(isolated).to_have_text(["Spelare 1", HOSTILE[title]])
    assert heading(page).locator("*:not(bdi)").count() == 0


def test_times_that_are_no_times_leave_the_short_verdict(page: Phone) -> None:
    """The page puts the ends of a period in order if it ends before it begins."""
    words = catalog("sv")["verify"]
    drop_files(page, {**BOOK.export(), "at": "2024-99-99T00:00:00.000000Z"})
    expect(heading(page)).to_have_text(words["fails"])
    group = true_group_statement(BOOK, None)
    drop_files(page, {**group, "period": {"from": PERIOD["to"], "to": PERIOD["from"]}})
    expect(heading(page)).to_contain_text("3 september–5 november 2026")


def test_axe_finds_nothing_with_a_long_verdict_or_a_file_in_the_air(
    small_verify_page: Phone,
) -> None:
    phone = small_verify_page
    for document, export in documents().values():
        drop_files(phone, document, *([export] if export else []))
        expect(heading(phone)).not_to_be_empty()
        assert find_violations(phone) == []
        wide = phone.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, json.dumps(document)[:80]
    dragged = {"dataTransfer": make_transfer(phone, BOOK.export())}
    phone.page.dispatch_event("h1", "dragover", dragged)
    expect(phone.page.locator("p.dropping")).to_be_visible()
    assert find_violations(phone) == []
