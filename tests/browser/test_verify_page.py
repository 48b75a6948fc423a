"""The page /verify says what verify.py says, in the reader's language, and sends nothing anywhere.

`VOLA_VECTORS=1000` compares 1,000 documents with verify.py; the default is 60.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from api.i18n.catalog import catalog
from tests.support.browser.appearance import languages
from tests.support.browser.layout_checks import find_violations
from tests.support.browser.phone import Phone
from tests.support.browser.verify_page import encode_part, judge_vectors
from tests.support.browser.verify_page_files import choose_file
from tests.support.proofs.contradiction_files import (
    contradiction_file,
    denial_file,
    names_file,
)
from tests.support.proofs.cosigned_documents import (
    cosigned_group,
    witness,
    witness_claim,
    witnessed_export,
)
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.group_statements import true_group_statement
from tests.support.proofs.tampered_exports import WAYS, Vector, vector, vectors
from tests.support.proofs.verifier import verify

GOLDEN = Path(__file__).parents[1] / "golden"
COUNT = int(os.environ.get("VOLA_VECTORS", "60"))


def test_page_and_program_give_the_same_verdict(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/verify")
    samples = [vector(what, SignedBook(Random(what), 8), Random(1)) for what in WAYS]
    samples += vectors(seed=1774, count=COUNT)
    verdicts = judge_vectors(phone.page, samples)
    for sample, verdict in zip(samples, verdicts, strict=True):
        assert verdict == sample.judged(), sample
    held_count = sum(verdict[0] == 0 for verdict in verdicts)
    codes = {verdict[1] for verdict in verdicts}
    print(f"{len(samples)} documents, {held_count} hold, {len(codes)} codes, 0 differences")
    assert held_count > COUNT // 4


def test_frozen_statements_of_a_group_go_with_the_export_of_each_evening(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/verify")
    samples = [
        Vector(
            f"{book.name} {name}",
            (book / "group-statement-m1.json").read_bytes(),
            export=(book / name / "export.json").read_bytes(),
        )
        for book in sorted(GOLDEN.glob("book-*"))
        for name in ("group_first", "group_second")
    ]
    verdicts = judge_vectors(phone.page, samples)
    assert verdicts == [sample.judged() for sample in samples]
    assert {code for _, code, _ in verdicts} == {"group_figures", "group_remade"}


def test_its_hashes_and_signatures_are_those_of_the_standards(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/verify")
    digests = phone.page.evaluate(
        """async () => {
          const { sha256, sha512 } = await import('/static/verify/sha2.js');
          const { toHex, utf8 } = await import('/static/verify/bytes.js');
          const digests = (text) => [sha256, sha512].map((sha) => toHex(sha(utf8(text))));
          return ['', 'abc'].flatMap(digests);
        }"""
    )
    assert digests == [  # FIPS 180-4
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ]


def test_the_page_sees_what_was_cut_off_as_the_program_does(phone: Phone) -> None:
    phone.page.goto(f"{phone.url}/verify")
    whole = encode_document(SignedBook(Random(5), 12).labelled_export())
    samples = [whole[:length] for length in range(1, len(whole) + 1)]
    samples += [b"", b"[1", b"x{", b'{"a": }', b'{"}": "\\"{"}', b'{"a\\', b"{}}", b"{]"]
    answers = phone.page.evaluate(
        """async (samples) => {
          const { isCutOff } = await import('/static/verify/strict_json.js');
          const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
          return samples.map((text) => isCutOff(bytes(text)));
        }""",
        [encode_part(sample) for sample in samples],
    )
    assert answers == [verify.is_cut_off(sample) for sample in samples]
    assert answers[: len(whole)] == [True] * (len(whole) - 1) + [False]


def test_an_export_is_checked_against_a_receipt(lend: Callable[..., Phone]) -> None:
    for language, locale in (("sv", "sv-SE"), ("en", "en-GB"), ("da", "da-DK"), ("de", "de-DE")):
        words = catalog(language)["verify"]
        phone, book = lend(language=locale), SignedBook(Random(5), 12)
        phone.page.goto(f"{phone.url}/verify")
        asked: list[str] = []
        phone.page.on("request", lambda request, asked=asked: asked.append(request.url))
        choose_file(phone, "file", encode_document(book.export()))
        choose_file(phone, "earlier", encode_document(book.receipt(4, 9)))
        phone.page.locator("button").click()
        verdict = phone.page.get_by_role("status")
        expect(verdict).to_contain_text(words["said"]["export"].format(version=12))
        expect(verdict).to_contain_text(words["said"]["earlier"])
        expect(verdict).to_contain_text(book.key)

        choose_file(phone, "file", encode_document(book.rewrite(2).export()))
        expect(verdict).to_be_empty()  # the verdict was on another file
        phone.page.locator("button").click()
        claim = words["summary"]["export"]["fails"].partition("{")[0]
        expect(verdict.get_by_role("heading")).to_contain_text(claim)
        expect(verdict).to_contain_text(words["said"]["rewritten"].format(version=4))
        phone.page.locator('input[name="key"]').fill("nothing")
        phone.page.locator("button").click()
        expect(verdict).to_contain_text(words["said"]["key_unreadable"])
        assert [url for url in asked if not url.endswith("/icon.svg")] == []


@pytest.mark.parametrize("keeper", ["a phone", "a witness"])
def test_the_page_compares_two_histories_in_one_file(phone: Phone, keeper: str) -> None:
    book, words = SignedBook(Random(5), 12), catalog("sv")["verify"]["said"]
    phone.page.goto(f"{phone.url}/verify")
    verdict = phone.page.locator("#verdict")
    for received, sentence in ((book, words["earlier"]), (book.rewrite(2), words["rewritten"])):
        document = contradiction_file(received, 4, keeper, book)
        choose_file(phone, "file", encode_document(document))
        phone.page.locator("button").click()
        expect(verdict).to_contain_text(sentence.format(version=4))
    choose_file(phone, "file", encode_document(document | {"kept": None}))
    phone.page.locator("button").click()
    expect(verdict).to_contain_text(words["unreadable"])


@languages(["sv", "en", "da", "de"])
def test_the_page_names_the_other_books_that_witness(
    lend: Callable[..., Phone], language: str
) -> None:
    phone, doc = lend(language=language), witnessed_export(SignedBook(Random(5), 8))
    phone.page.goto(f"{phone.url}/verify")
    choose_file(phone, "file", encode_document(doc))
    phone.page.locator("button").click()
    sentence, verdict = (
        catalog(language)["verify"]["said"]["witnesses"],
        phone.page.locator("#verdict"),
    )
    for seen, books in ((8, "kortklubben"), (6, "bo")):
        expect(verdict).to_contain_text(sentence.format(seen=seen, books=books))


@languages(["sv", "en", "da", "de"])
def test_the_page_says_what_a_file_of_moved_names_shows(
    lend: Callable[..., Phone], language: str
) -> None:
    phone, book, words = lend(language=language), SignedBook(Random(5), 8), catalog(language)
    phone.page.goto(f"{phone.url}/verify")
    verdict, sentences = phone.page.locator("#verdict"), words["verify"]["said"]
    first, second = (words["nameless"].format(number=number) for number in (1, 2))
    evening = words["verify"]["untitled"].format(id=str(book.session)[:8])
    for doc, outcome, expected in (
        (
            names_file(book, p1="Bo", p2="Ada"),
            "fails",
            [
                sentences["names_moved"].format(name="Bo", who=first, owner=second),
                sentences["names_moved"].format(name="Ada", who=second, owner=first),
                sentences["names_unsigned"],
            ],
        ),
        (
            names_file(book, p1="Ada", p2="Bo"),
            "adds_up",
            [sentences["names_agree"], sentences["names_unsigned"]],
        ),
    ):
        choose_file(phone, "file", encode_document(doc))
        phone.page.locator("button").click()
        opening = words["verify"]["summary"]["names"][outcome].partition("{date}")[0]
        expect(verdict.get_by_role("heading")).to_contain_text(opening.format(evening=evening))
        expect(verdict.locator("p")).to_have_text(expected)
    choose_file(phone, "earlier", encode_document(book.receipt(3)))
    phone.page.locator("button").click()
    expect(verdict.get_by_role("heading")).to_have_text(words["verify"]["fails"])
    expect(verdict.locator("p")).to_have_text([sentences["unsigned"]])
    phone.page.locator('input[name="earlier"]').set_input_files([])
    choose_file(phone, "file", encode_document(denial_file(book)))
    phone.page.locator("button").click()
    opening = words["verify"]["summary"]["denial"]["fails"].partition("{date}")[0]
    expect(verdict.get_by_role("heading")).to_contain_text(opening.format(evening=evening))
    expect(verdict.locator("p")).to_have_text([sentences["version_denied"].format(version=4)])


@languages(["sv", "en", "da", "de"])
def test_the_page_names_the_players_who_have_confirmed(
    lend: Callable[..., Phone], language: str
) -> None:
    phone, book = lend(language=language), SignedBook(Random(5), 8).with_first_name("{key} \u202e")
    words = catalog(language)
    statement = {**book.true_statement(), "witnessed": witness_claim(book, 6, "p1", "p2")}
    group = cosigned_group(
        book, statement=true_group_statement(book), witnesses=(witness(book, 8),)
    )
    phone.page.goto(f"{phone.url}/verify")
    verdict = phone.page.locator("#verdict")
    numbered = ", ".join(words["nameless"].format(number=number) for number in (1, 2))
    for doc, code in ((book.sign_document(statement), "witnessed"), (group, "confirmed_evening")):
        for export, names in (
            (book.export(), numbered),
            (book.labelled_export(), "{key} \ufffd, Bo"),
            (
                book.labelled_export(erased=True),
                f"{{key}} \ufffd, {words['nameless'].format(number=2)}",
            ),
        ):
            choose_file(phone, "file", encode_document(doc))
            choose_file(phone, "export", encode_document(export))
            phone.page.locator("button").click()
            sentence = words["verify"]["said"][code]
            expect(verdict).to_contain_text(sentence.format(confirmed=6, witnesses=names))
    counts = {"count": 1, "sessions": 1, "books": "kortklubben"}
    for code in ("confirmed_sessions", "witnessed_sessions"):
        expect(verdict).to_contain_text(words["verify"]["said"][code].format(**counts))


def test_a_statement_is_checked_with_and_without_the_export(lend: Callable[..., Phone]) -> None:
    words, book = catalog("sv")["verify"], SignedBook(Random(5), 12)
    phone = lend()
    phone.page.goto(f"{phone.url}/verify")
    verdict = phone.page.get_by_role("status")
    statement = book.true_statement("p1")
    unsigned = {name: x for name, x in statement.items() if name != "signature"}
    for doc, export, outcome, code in (
        (statement, None, "holds", "statement"),
        (unsigned, None, "adds_up", "adds_up"),
        (unsigned, book.export(), "adds_up", "figures"),
        (statement, book.export(), "holds", "remade"),
        ({**statement, "title": "Lördag"}, book.export(), "fails", "statement_wrong"),
    ):
        choose_file(phone, "file", encode_document(doc))
        if export:
            choose_file(phone, "export", encode_document(export))
        phone.page.locator("button").click()
        opening = words["summary"]["player"][outcome].partition("{")[0]
        expect(verdict.get_by_role("heading")).to_contain_text(opening)
        expect(verdict.locator("p").first).to_have_text(words["said"][code].format(version=12))


def test_it_works_where_the_browser_has_no_crypto(browser: Browser, server_url: str) -> None:
    """Over plain HTTP on a home network, `crypto.subtle` is missing."""
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
    page = context.new_page()
    page.goto(f"{server_url}/verify")
    assert page.evaluate("crypto.subtle === undefined")
    samples = [Vector("whole", encode_document(SignedBook(Random(6), 8).export()))]
    assert judge_vectors(page, samples) == [(0, "export", 8)]
    context.close()


def test_the_verify_page_fits_and_axe_finds_nothing(small_verify_page: Phone) -> None:
    phone = small_verify_page
    choose_file(phone, "file", encode_document(SignedBook(Random(5), 12).export()))
    phone.page.locator("button").click()
    expect(phone.page.get_by_role("status")).not_to_be_empty()
    assert find_violations(phone) == []
    wide = phone.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    for field in phone.page.locator("input, button").all():
        box = field.bounding_box()
        assert box is not None
        assert box["height"] >= 48, json.dumps(box)
