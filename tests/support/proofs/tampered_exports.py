"""Every way we know to tamper with what was taken home, each with what must be said of it.

`vectors` is the same for the same seed: whole documents, every way in turn, and flipped bits.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from ledger.times import iso
from tests.taken_home import Book, Doc, raw

HOLDS = ("export", "receipt", "statement")
UNREADABLE = ("unreadable", "earlier_unreadable", "key_unreadable")
NOTHING = "00" * 32


class Vector(NamedTuple):
    """What is handed in, and the code that must come out, where we know it."""

    what: str
    document: bytes
    earlier: bytes | None = None
    key: str | None = None
    code: str | None = None

    @property
    def exit(self) -> int | None:
        if self.code is None:
            return None
        return 0 if self.code in HOLDS else 2 if self.code in UNREADABLE else 1


Change = Callable[[Doc], Any]
Table = dict[str, tuple[str, Change]]


def resigned(doc: Doc, what: str = "checkpoint") -> None:
    """The signature's last bit turned round, still written in the one way there is."""
    note, _, line = doc[what].rstrip("\n").rpartition(" ")
    signature = bytearray(b64decode(line))
    signature[-1] ^= 1
    doc[what] = f"{note} {b64encode(signature).decode()}\n"


def torn(doc: Doc) -> None:
    doc["checkpoint"] = doc["checkpoint"].rstrip("=\n") + "\n"


def nested(depth: int) -> Any:
    return [] if depth == 1 else [nested(depth - 1)]


def event(**fields: Any) -> Change:
    return lambda doc: doc["events"][2].update(fields)


def note(old: str, new: str) -> Change:
    return lambda doc: doc.update(checkpoint=doc["checkpoint"].replace(old, new))


# fmt: off
EXPORT: Table = {
    "an event's data": ("seal_broken", event(data="{}")),
    "an event's type": ("seal_broken", event(type="deal_voided")),
    "an event's schema": ("seal_broken", event(schema=2)),
    "an event's writer": ("seal_broken", event(by="host.1")),
    "an event's time": ("seal_broken", event(at=5)),
    "an event in the middle is gone": ("hole", lambda doc: doc["events"].pop(3)),
    "two events changed places": ("hole", lambda doc: doc["events"].insert(2, doc["events"].pop())),
    "the tail is cut": ("head_wrong", lambda doc: doc["events"].pop()),
    "nothing is left": ("head_wrong", lambda doc: doc["events"].clear()),
    "it ends at another time": ("head_wrong", lambda doc: doc.update(at=iso(5))),
    "it has no checkpoint": ("unsigned", lambda doc: doc.pop("checkpoint")),
    "it has no key": ("unsigned", lambda doc: doc.update(key=None)),
    "the key is another": ("signature_wrong", lambda doc: doc.update(key=NOTHING)),
    "a bit of the signature": ("signature_wrong", resigned),
    "the signature's name": ("signature_wrong", note("— vola/", "— Vola/")),
    "the signature's end": ("signature_wrong", torn),
    "a line of the note": ("checkpoint_wrong", note("time", "Time")),
    "the note's size": ("checkpoint_wrong", note("\n8\n", "\n9\n")),
    "somebody else signed, too": ("export", note("\n\n", "\n\n— witness.example AAAA\n")),
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
    "a note signed with a bit": ("labels_wrong", lambda doc: resigned(doc, "labels")),
    "a checkpoint for a note": (
        "labels_wrong", lambda doc: doc.update(labels=doc["checkpoint"])),
}
RECEIPT: Table = {
    "its seal": ("checkpoint_wrong", lambda doc: doc.update(hash=NOTHING)),
    "its time": ("checkpoint_wrong", lambda doc: doc.update(at=iso(7))),
    "its version": ("checkpoint_wrong", lambda doc: doc.update(version=4)),
    "its evening": ("checkpoint_wrong", lambda doc: doc.update(session=str(UUID(int=1)))),
    "its head": ("checkpoint_wrong", lambda doc: doc["head"].update(hash=NOTHING)),
    "its head is unsigned": ("checkpoint_wrong", lambda doc: doc["head"].pop("checkpoint")),
    "the path, turned": ("inclusion_wrong", lambda doc: doc["inclusion"].reverse()),
    "the path, shorter": ("inclusion_wrong", lambda doc: doc["inclusion"].pop()),
    "the path, longer": ("inclusion_wrong", lambda doc: doc["inclusion"].append(NOTHING)),
    "the way on, turned": ("consistency_wrong", lambda doc: doc["consistency"].reverse()),
    "the way on, shorter": ("consistency_wrong", lambda doc: doc["consistency"].pop()),
    "the way on, longer": ("consistency_wrong", lambda doc: doc["consistency"].append(NOTHING)),
    "no way on": ("consistency_wrong", lambda doc: doc["consistency"].clear()),
    "a path of something else": ("unreadable", lambda doc: doc["inclusion"].append("AA" * 32)),
}
STATEMENT: Table = {
    "a statement": ("statement", lambda doc: None),
    "of everybody": ("statement", lambda doc: doc.update(player=None, lines=[{}])),
    "of points": ("statement", lambda doc: doc.update(balances=None, bets=None, pot=None)),
    "its line's sum": ("sum_wrong", lambda doc: doc["lines"][0].update(change=6)),
    "its line without a sum": ("sum_wrong", lambda doc: doc["lines"][0].update(change=None)),
    "its closing": ("sum_wrong", lambda doc: doc.update(closing=6)),
    "somebody's balance": ("sum_wrong", lambda doc: doc["balances"].update(p2=-36)),
    "balances beyond counting": (
        "sum_wrong", lambda doc: doc["balances"].update(p3=2**53 - 1, p4=2**53 - 1, p5=2 - 2**53)),
    "a claim counted as paid": ("sum_wrong", lambda doc: doc["bets"][1].update(paid=None)),
}
EARLIER: dict[str, tuple[str, Callable[[Book, Random], tuple[Doc, Doc]]]] = {
    "an earlier receipt stands": ("export", lambda b, r: (b.export(), b.receipt(2, 5))),
    "a bare receipt stands": ("export", lambda b, r: (b.export(), b.bare(4))),
    "an earlier export stands": ("export", lambda b, r: (b.export(), b.export(3))),
    "a receipt leads on": ("receipt", lambda b, r: (b.receipt(5), b.receipt(2, 5))),
    "a statement of then": ("statement", lambda b, r: (b.statement(r), b.statement(r))),
    "the tail cut and signed": ("tail_missing", lambda b, r: (b.export(6), b.bare(7))),
    "names erased meanwhile": ("export", lambda b, r: (b.labelled(erased=True), b.labelled())),
    "a receipt of less": ("tail_missing", lambda b, r: (b.receipt(2, 5), b.receipt(2, 6))),
    "rewritten": ("rewritten", lambda b, r: (b.rewritten(3).export(), b.bare(3))),
    "rewritten, signed": ("rewritten", lambda b, r: (b.rewritten(3).export(), b.receipt(5, 7))),
    "rewritten before": ("rewritten", lambda b, r: (b.rewritten(1).receipt(5), b.receipt(5))),
    "rewritten behind": ("export", lambda b, r: (b.rewritten(6).export(), b.receipt(2, 5))),
    "not what was asked": ("not_shown", lambda b, r: (b.receipt(2, 7), b.receipt(2, 5))),
    "another evening": ("other_session", lambda b, r: (b.export(), Book(r, 8).receipt(2))),
    "another book": ("other_key", lambda b, r: (b.export(), Book(r, 8, b.session).receipt(2))),
    "the earlier one mended": (
        "earlier_wrong", lambda b, r: (b.export(), {**b.receipt(2), "at": iso(1)})),
    "a receipt by itself": ("unsigned", lambda b, r: (b.bare(4), b.bare(4))),
}
NO_DOCUMENT = {
    "nothing": b"",
    "a list": b"[]",
    "not UTF-8": b"\xff{}",
    "a mark before": b"\xef\xbb\xbf{}",
    "a name twice": b'{"lines":1,"lines":2}',
    "not a number": b'{"lines":NaN}',
    "a tail": b"{}{}",
    "a pit": b"[" * 5000 + b"]" * 5000,
    "more than counts": b'{"version":9007199254740992}',
}
# fmt: on
KEYS = ("known", "unknown", "short", "torn")
WAYS = (*EXPORT, *LABELLED, *RECEIPT, *STATEMENT, *EARLIER, *NO_DOCUMENT, *KEYS)


def vector(what: str, book: Book, random: Random) -> Vector:
    """This way with a book of eight events."""
    whole = raw(book.export())
    match what:
        case "known":
            return Vector(what, whole, None, book.key.upper(), "export")
        case "unknown":
            return Vector(what, whole, None, NOTHING, "other_key")
        case "short":
            return Vector(what, whole, None, book.key[1:], "key_unreadable")
        case "torn":
            return Vector(what, whole, b"{", None, "earlier_unreadable")
    if what in NO_DOCUMENT:
        return Vector(what, NO_DOCUMENT[what], code="unreadable")
    if what in EARLIER:
        code, made = EARLIER[what]
        doc, earlier = made(book, random)
        return Vector(what, raw(doc), raw(earlier), code=code)
    for table, doc in (
        (EXPORT, book.export()),
        (LABELLED, book.labelled()),
        (RECEIPT, book.receipt(3, 7)),
        (STATEMENT, book.statement(random, changes=(5,))),
    ):
        if what in table:
            code, change = table[what]
            change(doc)
            return Vector(what, raw(doc), code=code)
    raise KeyError(what)


def flipped(random: Random, document: bytes) -> bytes:
    """One bit of it is another."""
    made = bytearray(document)
    made[random.randrange(len(made))] ^= 1 << random.randrange(8)
    return bytes(made)


def vectors(seed: int, count: int) -> Iterator[Vector]:
    random = Random(seed)
    for number in range(count):
        turn, kind = divmod(number, 3)
        book = Book(random, 8 if kind == 1 else random.randrange(8, 40))
        if kind == 1:
            yield vector(WAYS[turn % len(WAYS)], book, random)
            continue
        version = random.randrange(1, len(book.events) + 1)
        to = random.randrange(version, len(book.events) + 1)
        export = book.export(to) if version % 2 else book.labelled()
        docs = {"export": export, "receipt": book.receipt(version, to)}
        name = random.choice(list(docs))
        if kind == 0:
            yield Vector("whole", raw(docs[name]), raw(book.bare(version)), book.key, name)
        else:
            docs["statement"] = book.statement(random)
            yield Vector("flipped", flipped(random, raw(random.choice(list(docs.values())))))
