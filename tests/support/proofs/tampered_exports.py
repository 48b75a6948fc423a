"""Every known way to tamper with exports, receipts and statements, each with its verdict.

`vectors` depends on the seed alone: genuine documents, every way in turn, and flipped bits.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from ledger.events.timestamps import format_timestamp
from tests.support.proofs.contradiction_files import ALARMS
from tests.support.proofs.cosigned_documents import COSIGNED, witness_claim
from tests.support.proofs.exported_files import Doc, SignedBook, encode_document
from tests.support.proofs.tampered_statements import (
    CHANGED,
    CHANGED_GROUP,
    GROUP,
    STATEMENT,
    WITH_EXPORT,
    ZERO_HASH,
    Change,
    Table,
    flip_signature_bit,
    without_members,
)
from tests.support.proofs.verifier import verify

VALID_KINDS = ("export", "receipt", "statement", "remade", "group", "group_remade")
ADDS_UP = ("adds_up", "figures", "group_figures", "names_agree")
UNREADABLE = (
    *("unreadable", "earlier_unreadable", "key_unreadable", "export_unreadable", "no_statement"),
    "event_unknown",
)


class Vector(NamedTuple):
    """The documents to verify, and the expected code where it is known."""

    way: str
    document: bytes
    earlier: bytes | None = None
    key: str | None = None
    code: str | None = None
    export: bytes | None = None

    @property
    def exit(self) -> int | None:
        if self.code is None:
            return None
        kinds = ((VALID_KINDS, 0), (UNREADABLE, 2), (ADDS_UP, 3))
        return next((exit_code for codes, exit_code in kinds if self.code in codes), 1)

    def judged(self) -> tuple[int, str, int | None]:
        """Return the verdict of `verify.py`: code, kind and version."""
        document, earlier = self.document, self.earlier
        if earlier is None:
            document, earlier = verify.split_contradiction(document)
        verdict: tuple[int, str, int | None] = verify.verify_document(
            document, earlier, self.key, self.export
        )
        return verdict


def cut_line(doc: Doc) -> None:
    doc["checkpoint"] = doc["checkpoint"].rstrip("=\n") + "\n"


def nested(depth: int) -> Any:
    return [] if depth == 1 else [nested(depth - 1)]


def event(**fields: Any) -> Change:
    return lambda doc: doc["events"][2].update(fields)


def note(old: str, new: str) -> Change:
    return lambda doc: doc.update(checkpoint=doc["checkpoint"].replace(old, new))


def with_flipped_endorsement(doc: Doc) -> Doc:
    flip_signature_bit(doc["earlier_keys"][0], "note")
    return doc


def without_last_endorsement(doc: Doc) -> Doc:
    doc["earlier_keys"].pop()
    return doc


# fmt: off
EXPORT: Table = {
    "an event's data": ("hash_wrong", event(data="{}")),
    "an event's type": ("hash_wrong", event(type="deal_voided")),
    "an event's schema": ("hash_wrong", event(schema=2)),
    "an event's writer": ("hash_wrong", event(by="host.1")),
    "an event's time": ("hash_wrong", event(at=5)),
    "an event in the middle is gone": ("hole", lambda doc: doc["events"].pop(3)),
    "two events changed places": ("hole", lambda doc: doc["events"].insert(2, doc["events"].pop())),
    "the tail is cut": ("head_wrong", lambda doc: doc["events"].pop()),
    "nothing is left": ("head_wrong", lambda doc: doc["events"].clear()),
    "it ends at another time": ("head_wrong", lambda doc: doc.update(at=format_timestamp(5))),
    "it has no checkpoint": ("unsigned", lambda doc: doc.pop("checkpoint")),
    "it has no key": ("unsigned", lambda doc: doc.update(key=None)),
    "the key is another": ("signature_wrong", lambda doc: doc.update(key=ZERO_HASH)),
    "a bit of the signature": ("signature_wrong", flip_signature_bit),
    "the signature's name": ("signature_wrong", note("— vola/", "— Vola/")),
    "the signature's end": ("signature_wrong", cut_line),
    "a line of the note": ("checkpoint_wrong", note("time", "Time")),
    "the note's size": ("checkpoint_wrong", note("\n8\n", "\n9\n")),
    "somebody else signed, too": ("export", note("\n\n", "\n\n— witness.example AAAA\n")),
    "keys of something else": ("unreadable", lambda doc: doc.update(earlier_keys=[{"key": "0"}])),
    "a version with a point": ("unreadable", lambda doc: doc.update(version=8.0)),
    "a version that is true": ("unreadable", lambda doc: doc["events"][0].update(version=True)),
    "an event without a time": ("unreadable", lambda doc: doc["events"][0].pop("at")),
    "another format": ("unreadable", lambda doc: doc.update(format="vola session 2")),
    "half a sign": ("unreadable", event(by="\ud800")),
    "deeply nested": ("export", lambda doc: doc.update(more=nested(31))),
    "too deeply nested": ("unreadable", lambda doc: doc.update(more=nested(32))),
}
LABELLED: Table = {
    "with names": ("export", lambda doc: None),
    "with names, and more of them": ("export", lambda doc: doc["names"][0].update(more=1)),
    "the title": ("labels_wrong", lambda doc: doc.update(title="Fredag ♣")),
    "no title": ("labels_wrong", lambda doc: doc.update(title=None)),
    "an empty title": ("labels_wrong", lambda doc: doc.update(title="")),
    "a name": ("names_wrong", lambda doc: doc["names"][1].update(name="Bob")),
    "an empty name": ("names_wrong", lambda doc: doc["names"][1].update(name="")),
    "a name taken out": ("names_wrong", lambda doc: doc["names"][1].update(name=None)),
    "a name and its salt taken out": (
        "labels_wrong", lambda doc: doc["names"][1].update(name=None, salt=None)),
    "a salt": ("names_wrong", lambda doc: doc["names"][1].update(salt="00" * 16)),
    "a salt with half a byte": ("unreadable", lambda doc: doc["names"][1].update(salt="000")),
    "somebody is somebody else": ("names_wrong", lambda doc: doc["names"][1].update(id="p3")),
    "two names changed places": ("names_wrong", lambda doc: doc["names"].reverse()),
    "somebody is left out": ("names_wrong", lambda doc: doc["names"].pop()),
    "somebody never came": ("names_wrong", lambda doc: doc["names"].append(doc["names"][0])),
    "no names": ("labels_wrong", lambda doc: doc.pop("names")),
    "a remark": ("labels_wrong", lambda doc: doc["remarks"][0].update(remark="Rätt kort")),
    "a remark on another": ("labels_wrong", lambda doc: doc["remarks"][0].update(version=3)),
    "a remark less": ("labels_wrong", lambda doc: doc["remarks"].pop()),
    "a remark without a version": ("unreadable", lambda doc: doc["remarks"][0].pop("version")),
    "no remarks": ("labels_wrong", lambda doc: doc.pop("remarks")),
    "names and no note": ("labels_wrong", lambda doc: doc.pop("labels")),
    "a note and no names": (
        "labels_wrong", lambda doc: doc.update(title=None, names=None, remarks=None)),
    "a note about another version": (
        "labels_wrong", lambda doc: doc.update(labels=doc["labels"].replace("\n8\n", "\n9\n"))),
    "a note that is torn": ("labels_wrong", lambda doc: doc.update(labels=doc["labels"][:-2])),
    "a note with more to it": ("labels_wrong", lambda doc: doc.update(labels=doc["labels"] + "\n")),
    "a note signed with a bit": ("labels_wrong", lambda doc: flip_signature_bit(doc, "labels")),
    "a checkpoint for a note": (
        "labels_wrong", lambda doc: doc.update(labels=doc["checkpoint"])),
}
RECEIPT: Table = {
    "its seal": ("checkpoint_wrong", lambda doc: doc.update(hash=ZERO_HASH)),
    "its time": ("checkpoint_wrong", lambda doc: doc.update(at=format_timestamp(7))),
    "its version": ("checkpoint_wrong", lambda doc: doc.update(version=4)),
    "its evening": ("checkpoint_wrong", lambda doc: doc.update(session=str(UUID(int=1)))),
    "its head": ("checkpoint_wrong", lambda doc: doc["head"].update(hash=ZERO_HASH)),
    "its head is unsigned": ("checkpoint_wrong", lambda doc: doc["head"].pop("checkpoint")),
    "the path, turned": ("inclusion_wrong", lambda doc: doc["inclusion"].reverse()),
    "the path, shorter": ("inclusion_wrong", lambda doc: doc["inclusion"].pop()),
    "the path, longer": ("inclusion_wrong", lambda doc: doc["inclusion"].append(ZERO_HASH)),
    "the way on, turned": ("consistency_wrong", lambda doc: doc["consistency"].reverse()),
    "the way on, shorter": ("consistency_wrong", lambda doc: doc["consistency"].pop()),
    "the way on, longer": ("consistency_wrong", lambda doc: doc["consistency"].append(ZERO_HASH)),
    "no way on": ("consistency_wrong", lambda doc: doc["consistency"].clear()),
    "a path of something else": ("unreadable", lambda doc: doc["inclusion"].append("AA" * 32)),
}
EARLIER: dict[str, tuple[str, Callable[[SignedBook, Random], tuple[Doc, Doc]]]] = {
    "an earlier receipt stands": ("export", lambda b, r: (b.export(), b.receipt(2, 5))),
    "a bare receipt stands": ("export", lambda b, r: (b.export(), b.bare_receipt(4))),
    "an earlier export stands": ("export", lambda b, r: (b.export(), b.export(3))),
    "a receipt leads on": ("receipt", lambda b, r: (b.receipt(5), b.receipt(2, 5))),
    "a statement of then": ("statement", lambda b, r: (b.statement(r), b.statement(r))),
    "the tail cut and signed": ("tail_missing", lambda b, r: (b.export(6), b.bare_receipt(7))),
    "names erased meanwhile": (
        "export", lambda b, r: (b.labelled_export(erased=True), b.labelled_export())),
    "a receipt of less": ("tail_missing", lambda b, r: (b.receipt(2, 5), b.receipt(2, 6))),
    "rewritten": ("rewritten", lambda b, r: (b.rewrite(3).export(), b.bare_receipt(3))),
    "rewritten, signed": ("rewritten", lambda b, r: (b.rewrite(3).export(), b.receipt(5, 7))),
    "rewritten before": ("rewritten", lambda b, r: (b.rewrite(1).receipt(5), b.receipt(5))),
    "rewritten behind": ("export", lambda b, r: (b.rewrite(6).export(), b.receipt(2, 5))),
    "not what was asked": ("not_shown", lambda b, r: (b.receipt(2, 7), b.receipt(2, 5))),
    "another evening": ("other_session", lambda b, r: (b.export(), SignedBook(r, 8).receipt(2))),
    "another book": (
        "other_key", lambda b, r: (b.export(), SignedBook(r, 8, b.session).receipt(2))),
    "the earlier one mended": (
        "earlier_wrong", lambda b, r: (b.export(), {**b.receipt(2), "at": format_timestamp(1)})),
    "an earlier one that leads elsewhere": (
        "earlier_wrong", lambda b, r: (b.export(), {**b.receipt(2, 5), "consistency": []})),
    "an earlier one that is not in its head": (
        "earlier_wrong", lambda b, r: (b.receipt(5), {**b.receipt(2, 5), "inclusion": []})),
    "an earlier one with a forged cosignature": (
        "earlier_wrong", lambda b, r: (
            b.export(), {**b.receipt(2, 7), "witnessed": witness_claim(b.rewrite(3), 5, "p1")})),
    "an evening of a group": ("group", lambda b, r: (b.group_statement(), b.receipt(8))),
    "an evening not of it": (
        "other_session", lambda b, r: (b.group_statement(), SignedBook(r, 8).receipt(2))),
    "a group kept earlier": ("earlier_unreadable", lambda b, r: (b.export(), b.group_statement())),
    "no checkpoint to compare": (
        "unsigned",
        lambda b, r: (
            without_members(b.true_statement(), "signature", "checkpoint"), b.receipt(8))),
    "a receipt by itself": ("unsigned", lambda b, r: (b.bare_receipt(4), b.bare_receipt(4))),
    "a receipt by the key before": (
        "export", lambda b, r: (b.rotate_key(r).export(), b.receipt(2))),
    "a receipt by the key before that": (
        "receipt", lambda b, r: (b.rotate_key(r).rotate_key(r).receipt(2), b.receipt(2, 8))),
    "a receipt by a key in between": (
        "export", lambda b, r: ((new := b.rotate_key(r)).rotate_key(r).export(), new.receipt(2))),
    "a group's evening by the key before": (
        "group", lambda b, r: (b.rotate_key(r).group_statement(), b.receipt(8))),
    "a receipt by a key that came later": (
        "other_key", lambda b, r: (b.export(), b.rotate_key(r).receipt(2))),
    "rewritten after a rotation": (
        "rewritten", lambda b, r: (b.rewrite(3).rotate_key(r).export(), b.receipt(3))),
    "a key that no key endorses": (
        "other_key", lambda b, r: (b.rotate_key(r, endorsed=False).export(), b.receipt(2))),
    "an endorsement of another key": (
        "other_key", lambda b, r: (b.rotate_key(r).export() | {
            "earlier_keys": b.rotate_key(r).signing_key.json_fields()["earlier_keys"]},
            b.receipt(2))),
    "an endorsement with a bit changed": (
        "other_key",
        lambda b, r: (with_flipped_endorsement(b.rotate_key(r).export()), b.receipt(2))),
    "an endorsement left out in between": (
        "other_key", lambda b, r: (without_last_endorsement(b.rotate_key(r).rotate_key(r).export()),
                                   b.receipt(2))),
}
NO_DOCUMENT = {
    "nothing": b"",
    "a list": b"[]",
    "not UTF-8": b"\xff{}",
    "two marks before": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "a name twice": b'{"lines":1,"lines":2}',
    "not a number": b'{"lines":NaN}',
    "a tail": b"{}{}",
    "a pit": b"[" * 5000 + b"]" * 5000,
    "more than counts": b'{"version":9007199254740992}',
}
# fmt: on
KEYS = ("known", "earlier", "unknown", "short", "torn", "group of no key", "group of nobody")
WAYS = (
    *(*EXPORT, *LABELLED, *RECEIPT, *STATEMENT, *CHANGED, *GROUP, *CHANGED_GROUP, *WITH_EXPORT),
    *(*EARLIER, *COSIGNED, *ALARMS, *NO_DOCUMENT, *KEYS, "a mark before"),
)


def vector(way: str, book: SignedBook, random: Random) -> Vector:
    """Return the vector of this way of tampering, made from a book of eight events."""
    export = encode_document(book.export())
    match way:
        case "known":
            return Vector(way, export, None, book.key.upper(), "export")
        case "earlier":
            return Vector(
                way, encode_document(book.rotate_key(random).export()), None, book.key, "export"
            )
        case "unknown":
            return Vector(way, export, None, ZERO_HASH, "other_key")
        case "short":
            return Vector(way, export, None, book.key[1:], "key_unreadable")
        case "a mark before":
            return Vector(way, codecs.BOM_UTF8 + export, None, None, "export")
        case "torn":
            return Vector(way, export, b"{", None, "earlier_unreadable")
        case "group of no key":
            earlier = [{"key": book.key, "note": ""}]
            doc = {**book.group_statement(), "key": None, "earlier_keys": earlier}
            document = encode_document({**doc, "sessions": []})
            return Vector(way, document, None, book.key, "other_key")
        case "group of nobody":
            doc = without_members({**book.group_statement(), "sessions": []}, "signature")
            return Vector(way, encode_document(doc), None, ZERO_HASH, "other_key")
    if way in NO_DOCUMENT:
        return Vector(way, NO_DOCUMENT[way], code="unreadable")
    if way in EARLIER:
        code, documents = EARLIER[way]
        doc, earlier = documents(book, random)
        return Vector(way, encode_document(doc), encode_document(earlier), code=code)
    if way in COSIGNED or way in ALARMS:
        code, document = (COSIGNED | ALARMS)[way]
        return Vector(way, encode_document(document(book, random)), code=code)
    if way in WITH_EXPORT:
        code, documents = WITH_EXPORT[way]
        doc, export = documents(book, random)
        return Vector(way, encode_document(doc), code=code, export=encode_document(export))
    group = book.group_statement()
    for table, doc, of in (
        (EXPORT, book.export(), None),
        (LABELLED, book.labelled_export(), None),
        (RECEIPT, book.receipt(3, 7), None),
        (STATEMENT, book.statement(random, changes=(5,)), book.session),
        (CHANGED, book.statement(random, changes=(5,)), None),
        (GROUP, group, UUID(group["group"])),
        (CHANGED_GROUP, group, None),
    ):
        if way in table:
            code, change = table[way]
            change(doc)
            return Vector(
                way, encode_document(book.sign_document(doc, of) if of else doc), code=code
            )
    raise KeyError(way)


def flip_bit(random: Random, document: bytes) -> bytes:
    """Return the document with one random bit changed."""
    changed = bytearray(document)
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def vectors(seed: int, count: int) -> Iterator[Vector]:
    random = Random(seed)
    for number in range(count):
        turn, kind = divmod(number, 3)
        book = SignedBook(random, 8 if kind == 1 else random.randrange(8, 40))
        if kind == 1:
            yield vector(WAYS[turn % len(WAYS)], book, random)
            continue
        version = random.randrange(1, len(book.events) + 1)
        head_version = random.randrange(version, len(book.events) + 1)
        export = book.export(head_version) if version % 2 else book.labelled_export()
        docs = {"export": export, "receipt": book.receipt(version, head_version)}
        name = random.choice(list(docs))
        if kind == 0:
            yield Vector(
                "whole",
                encode_document(docs[name]),
                encode_document(book.bare_receipt(version)),
                book.key,
                name,
            )
        else:
            docs |= {"statement": book.statement(random), "group": book.group_statement()}
            yield Vector(
                "flipped", flip_bit(random, encode_document(random.choice(list(docs.values()))))
            )
