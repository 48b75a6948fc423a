"""Files that a phone or a witness saves when it raises an alarm, each with its verdict."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.support.proofs.exported_files import Doc, SignedBook
from tests.support.proofs.tampered_statements import flip_signature_bit

SEEN_NAMES = {"p1": ["Ada", "Adda"], "p2": ["Bo"], "p3": ["Cilla"]}


def alarm_file(book: SignedBook, reason: str, version: int | None, **documents: Any) -> Doc:
    """Return the file with these documents, `kept` and `received`."""
    return {
        "format": "vola contradiction 1",
        "session": str(book.session),
        "reason": reason,
        "version": version,
        "at": "2026-11-26T12:00:00.000Z",
        **documents,
    }


def phone_record(book: SignedBook, head: int | None, *receipts: int) -> Doc:
    """Return the record that a phone keeps: a checkpoint, and receipts of its own writes."""
    return {
        "key": book.key,
        "head": head and fields_of(book, head, "version", "hash", "checkpoint"),
        "receipts": [fields_of(book, version, "version", "hash") for version in receipts],
        "names": SEEN_NAMES,
    }


def fields_of(book: SignedBook, version: int, *names: str) -> Doc:
    return {name: book.checkpoint_fields(version)[name] for name in names}


def contradiction_file(
    book: SignedBook, version: int, keeper: str, kept_book: SignedBook | None = None
) -> Doc:
    """Return the file of a phone or a witness that keeps a checkpoint of the book `kept_book` and
    receives a receipt of this one."""
    kept_book = kept_book or book
    record = phone_record(kept_book, version)
    if keeper == "a witness":
        head, document = kept_book.checkpoint_fields(version), kept_book.receipt(1, version)
        record = {"key": kept_book.key, "head": head, "receipts": [], "document": document}
    received = book.receipt(version, len(book.events))
    return alarm_file(kept_book, "rewritten", version, kept=record, received=received)


def kept_receipts(book: SignedBook, kept_book: SignedBook, head: int | None, *receipts: int) -> Doc:
    """Return the file of a phone that keeps these receipts of another book, and receives a receipt
    of this one from its fourth version on."""
    record, received = phone_record(kept_book, head, *receipts), book.receipt(4)
    return alarm_file(kept_book, "rewritten", max(receipts), kept=record, received=received)


def with_record(book: SignedBook, **fields: Any) -> Doc:
    """Return the file of a phone with other fields in the record that it has kept."""
    doc = kept_receipts(book, book, 4, 4, 8)
    return {**doc, "kept": {**doc["kept"], **fields}}


def without_head(book: SignedBook, _: Random) -> Doc:
    doc = with_record(book)
    del doc["kept"]["head"]
    return doc


def without_session(book: SignedBook, _: Random) -> Doc:
    doc = with_record(book)
    del doc["session"]
    return doc


def names_file(book: SignedBook, **names: str) -> Doc:
    """Return the file of a phone that was shown these names, by player, after `SEEN_NAMES`."""
    players = [{"id": player, "name": name} for player, name in names.items()]
    kept = phone_record(book, None)
    return alarm_file(book, "names_swapped", None, kept=kept, received={"players": players})


def denial_file(book: SignedBook, head: int | None = 4, code: str = "unknown_version") -> Doc:
    """Return the file of a phone whose server denies the version that the phone keeps."""
    problem = {"type": "about:blank", "status": 404, "code": code, "version": 4}
    kept = phone_record(book, head, 4)
    return alarm_file(book, "tail_missing", 4, kept=kept, received=problem)


def unsigned_denial(book: SignedBook, _: Random) -> Doc:
    doc = denial_file(book)
    flip_signature_bit(doc["kept"]["head"])
    return doc


# fmt: off
ALARMS: dict[str, tuple[str, Callable[[SignedBook, Random], Doc]]] = {
    "a checkpoint that a phone kept stands": (
        "receipt", lambda b, r: contradiction_file(b, 4, "a phone")),
    "a checkpoint that a phone kept was rewritten": (
        "rewritten", lambda b, r: contradiction_file(b.rewrite(2), 4, "a phone", b)),
    "the key was rotated since, and the checkpoint stands": (
        "receipt", lambda b, r: contradiction_file(b.rotate_key(r), 4, "a phone", b)),
    "the key was rotated since, and the checkpoint was rewritten": (
        "rewritten", lambda b, r: contradiction_file(b.rewrite(2).rotate_key(r), 4, "a phone", b)),
    "the key was rotated since a witness looked": (
        "rewritten",
        lambda b, r: contradiction_file(b.rewrite(2).rotate_key(r), 4, "a witness", b)),
    "a phone knows a key that does not lead to this one": (
        "other_key",
        lambda b, r: contradiction_file(b.rotate_key(r, endorsed=False), 4, "a phone", b)),
    "a phone got the receipt of another session": (
        "other_session", lambda b, r: contradiction_file(SignedBook(r, 8), 4, "a phone", b)),
    "a write of a phone stands": ("receipt", lambda b, r: kept_receipts(b, b, None, 4, 8)),
    "a write of a phone was rewritten": (
        "rewritten", lambda b, r: kept_receipts(b.rewrite(3), b, None, 4)),
    "a write after the checkpoint was rewritten": (
        "rewritten", lambda b, r: kept_receipts(b.rewrite(8), b, 4, 6, 8)),
    "a write after the checkpoint is gone": (
        "tail_missing", lambda b, r: alarm_file(
            b, "tail_missing", 8, kept=phone_record(b, 4, 8), received=b.receipt(4, 7))),
    "a phone had kept nothing": (
        "unreadable", lambda b, r: alarm_file(
            b, "rewritten", 4, kept=phone_record(b, None), received=b.receipt(4))),
    "a record without a checkpoint": ("receipt", without_head),
    "a file without a session": ("unreadable", without_session),
    "a record whose document is empty": (
        "earlier_unreadable", lambda b, r: with_record(b, document={})),
    "a record whose checkpoint has more to it": (
        "receipt",
        lambda b, r: with_record(
            b, head={**fields_of(b, 4, "version", "hash", "checkpoint"), "at": "then"})),
    "a record whose checkpoint is empty": ("unreadable", lambda b, r: with_record(b, head={})),
    "a record whose checkpoint is a list": (
        "unreadable",
        lambda b, r: with_record(b, head=[*fields_of(b, 4, "version", "hash").items()])),
    "a record whose receipts are none": (
        "unreadable", lambda b, r: with_record(b, receipts=False)),
    "a record with a receipt of no version": (
        "unreadable", lambda b, r: with_record(b, head=None, receipts=[{}, {}])),
    "two names have changed places": (
        "names_moved", lambda b, r: names_file(b, p1="Bo", p2="Ada", p3="Cilla")),
    "a name that was corrected has gone to another": (
        "names_moved", lambda b, r: names_file(b, p1="Ada", p2="ａｄｄａ", p3="Cilla")),
    "names as they were": (
        "names_agree", lambda b, r: names_file(b, p1="Ada", p2="Bo", p3="Disa")),
    "the name of a player whose own is erased": (
        "names_agree", lambda b, r: names_file(b, p1="Bo", p2="Spelare 2", p3="Cilla")),
    "names of who is no player": ("unreadable", lambda b, r: names_file(b, constructor="Bo")),
    "a version that the server denies": ("version_denied", lambda b, r: denial_file(b)),
    "a version that the server denies and nobody signed": (
        "unsigned", lambda b, r: denial_file(b, None)),
    "a denied version with a signature by nobody": ("signature_wrong", unsigned_denial),
    "an answer that denies nothing": ("unreadable", lambda b, r: denial_file(b, 4, "busy")),
}
# fmt: on
