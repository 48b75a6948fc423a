"""The cosigners of a document are named if its names have been checked."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.proofs.cosigned_documents import cosigned_group, witness, witness_claim
from tests.support.proofs.exported_files import Doc, SignedBook, encode_document
from tests.support.proofs.group_statements import true_group_statement
from tests.support.proofs.verifier import verify


def cosigned(book: SignedBook, doc: Doc) -> Doc:
    """Return the document with a version that the phones of Ada and Bo have cosigned."""
    return {**doc, "witnessed": witness_claim(book, 6, "p1", "p2")}


def clauses(doc: Doc, export: Doc | None = None, exit_code: int = 0) -> str:
    """Return what verify.py says of the cosigners of a valid document."""
    raw, exported = encode_document(doc), export and encode_document(export)
    assert verify.verify_document(raw, export=exported)[0] == exit_code
    return "".join(verify.cosigner_clauses(verify.read_document(raw), exported))


@pytest.fixture
def book() -> SignedBook:
    return SignedBook(Random(5), 8)


def test_an_export_with_names_says_who_has_confirmed_by_name(book: SignedBook) -> None:
    assert "version 6 is confirmed by Ada, Bo, each" in clauses(
        cosigned(book, book.labelled_export())
    )


def test_an_erased_name_is_said_by_its_number(book: SignedBook) -> None:
    doc = cosigned(book, book.labelled_export(erased=True))
    assert "is confirmed by Ada, Player 2, each" in clauses(doc)


@pytest.mark.parametrize("kind", ["export", "receipt", "statement"])
def test_without_names_players_are_said_by_their_number(book: SignedBook, kind: str) -> None:
    docs = {"export": book.export(), "receipt": book.receipt(3), "statement": book.true_statement()}
    doc = cosigned(book, docs[kind])
    text = clauses(book.sign_document(doc) if kind == "statement" else doc)
    assert "is confirmed by Player 1, Player 2, each" in text


def test_the_export_of_a_statement_gives_it_names(book: SignedBook) -> None:
    doc = book.sign_document(cosigned(book, book.true_statement()))
    assert "is confirmed by Ada, Bo, each" in clauses(doc, book.labelled_export())
    assert "is confirmed by Player 1, Player 2, each" in clauses(doc, book.export())


@pytest.mark.parametrize("kind", ["receipt", "statement"])
def test_unchecked_names_are_not_shown(book: SignedBook, kind: str) -> None:
    doc = book.receipt(3) if kind == "receipt" else book.true_statement()
    unsigned = {name: value for name, value in doc.items() if name != "signature"}
    doc = cosigned(book, {**unsigned, "names": book.labelled_export()["names"]})
    text = clauses(doc, exit_code=3 if kind == "statement" else 0)
    assert "is confirmed by Player 1, Player 2, each" in text


def test_other_names_for_an_export_are_refused(book: SignedBook) -> None:
    doc = cosigned(book, book.labelled_export())
    doc["names"][0]["name"], doc["names"][1]["name"] = "Bo", "Ada"
    assert verify.verify_document(encode_document(doc))[:2] == (1, "names_wrong")


def test_a_name_is_no_part_of_the_sentence(book: SignedBook) -> None:
    book = book.with_first_name("{version}\x1b[2J\u202e")
    text = clauses(cosigned(book, book.labelled_export()))
    assert "is confirmed by {version}\ufffd[2J\ufffd, Bo, each" in text


def test_a_group_says_who_has_confirmed_the_evening_of_the_export(book: SignedBook) -> None:
    books = (witness(book, 8), witness(book, 6, "bo"))
    doc = cosigned_group(book, statement=true_group_statement(book), witnesses=books)
    alone = (
        "; the sums of 1 of its 1 evenings are confirmed by phones of their players{}"
        "; 1 of its 1 evenings are witnessed by kortklubben, bo (another book)"
    )
    assert clauses(doc) == alone.format("")
    for export, names in (
        (book.labelled_export(), "Ada, Bo"),
        (book.export(), "Player 1, Player 2"),
    ):
        of_evening = f"; those of the export's evening, at version 6, by {names}"
        assert clauses(doc, export) == alone.format(of_evening)
