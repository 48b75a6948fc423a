"""Every known way to tamper with a statement, alone and with an export, each with its verdict."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from random import Random
from typing import Any
from uuid import UUID

from tests.support.proofs.exported_files import Doc, SignedBook
from tests.support.proofs.group_statements import true_group_statement
from tests.support.proofs.malformed_events import MALFORMED, Forgery, Pair

Change = Callable[[Doc], Any]
Table = dict[str, tuple[str, Change]]
ZERO_HASH = "00" * 32
MAX_SAFE_INTEGER = 2**53 - 1


def flip_signature_bit(doc: Doc, member: str = "checkpoint") -> None:
    """Flip the last bit of the signature, in the canonical encoding."""
    note, _, line = doc[member].rstrip("\n").rpartition(" ")
    signature = bytearray(b64decode(line))
    signature[-1] ^= 1
    doc[member] = f"{note} {b64encode(signature).decode()}\n"


def without_members(doc: Doc, *names: str) -> Doc:
    return {name: value for name, value in doc.items() if name not in names}


def top(**fields: Any) -> Change:
    return lambda doc: doc.update(fields)


STATEMENT: Table = {
    "a statement": ("statement", lambda doc: None),
    "of everybody": ("statement", top(player=None, lines=[{}])),
    "of points": ("statement", top(balances=None, bets=None, pot=None)),
    "written from right to left": ("statement", top(title="\u2067عدا\u2069 👩\u200d👩\u200d👧")),
    "signs that JSON escapes": ("statement", top(title='"\\/\b\f\n\r\t\x1f\x7f\u2028\ue000😀')),
    "as much as counts": (
        "statement",
        top(
            opening=MAX_SAFE_INTEGER - 5,
            closing=MAX_SAFE_INTEGER,
            lines=[{"change": 5, "balance": MAX_SAFE_INTEGER}],
        ),
    ),
    "its line's sum": ("sum_wrong", lambda doc: doc["lines"][0].update(change=6)),
    "its line without a sum": ("sum_wrong", lambda doc: doc["lines"][0].update(change=None)),
    "its closing": ("sum_wrong", top(closing=6)),
    "somebody's balance": ("sum_wrong", lambda doc: doc["balances"].update(p2=-36)),
    "balances beyond counting": (
        "sum_wrong",
        lambda doc: doc["balances"].update(
            p3=MAX_SAFE_INTEGER, p4=MAX_SAFE_INTEGER, p5=1 - MAX_SAFE_INTEGER
        ),
    ),
    "a claim counted as paid": ("sum_wrong", lambda doc: doc["bets"][1].update(paid=None)),
}
"""Changes before the book signs."""

CHANGED: Table = {
    "a title that was not signed": ("statement_wrong", top(title="Lördag")),
    "one more member": ("statement_wrong", top(more=1)),
    "members beyond the plane": ("statement_wrong", top(𝔸=1, ﬀ=2)),
    "the note of another": (
        "statement_wrong",
        lambda doc: doc.update(signature=doc["checkpoint"]),
    ),
    "a bit of its note": ("statement_wrong", lambda doc: flip_signature_bit(doc, "signature")),
    "no note": ("adds_up", lambda doc: doc.pop("signature")),
    "neither note nor checkpoint": ("adds_up", top(signature=None, checkpoint=None)),
    "nothing of the book": ("adds_up", top(signature=None, checkpoint=None, key=None)),
    "half a sign in it": ("unreadable", top(more="\ud800")),
    "a note without its key": ("unsigned", top(key=None)),
}
"""Changes after the signing."""

GROUP: Table = {
    "of a group": ("group", lambda doc: None),
    "of all of a group": ("group", top(member=None, lines=[{}])),
    "a group's sum": ("sum_wrong", top(others=0)),
    "a group's line": ("sum_wrong", lambda doc: doc["lines"][0].update(change=7)),
    "an evening's seal": (
        "checkpoint_wrong",
        lambda doc: doc["sessions"][0].update(hash=ZERO_HASH),
    ),
    "an evening of another book": ("other_key", top(key=ZERO_HASH)),
}
CHANGED_GROUP: Table = {
    "a group's name": ("statement_wrong", top(name="Fredag")),
    "a group without a note": ("adds_up", lambda doc: doc.pop("signature")),
}


def signed_as(**fields: Any) -> Forgery:
    """Return a forgery that the book signs with these fields, next to its export."""
    return lambda book, _: (book.sign_document({**book.true_statement(), **fields}), book.export())


def of_another(kind: str) -> Forgery:
    def forge(book: SignedBook, random: Random) -> Pair:
        other_book = SignedBook(random, 8, book.session if kind == "book" else None)
        return book.true_statement(), other_book.export()

    return forge


def shorter(book: SignedBook, _: Random) -> Pair:
    doc = book.true_statement(None)
    return book.sign_document({**doc, "lines": doc["lines"][:-1]}), book.export()


def of_group(
    member: str | None = "m1",
    changed_lines: Callable[[list[Doc]], list[Doc]] = lambda lines: lines,
    **fields: Any,
) -> Forgery:
    """Return a group's statement that its book signs with these fields, next to its export."""

    def forge(book: SignedBook, _: Random) -> Pair:
        doc = true_group_statement(book, member)
        changed = {**doc, "lines": changed_lines(doc["lines"]), **fields}
        signed = (
            changed if "signature" in fields else book.sign_document(changed, UUID(doc["group"]))
        )
        return {n: x for n, x in signed.items() if x is not None or n == "member"}, book.export()

    return forge


def add_line(lines: list[Doc]) -> list[Doc]:
    return [*lines[:-1], {**lines[-1], "amount": lines[-1]["amount"] + 1}]


def renamed(line: Doc) -> Doc:
    """Return the line with one name for all members."""
    ends = {
        end: "member:m1" if line[end].startswith("member:") else line[end] for end in ("from", "to")
    }
    return {**line, **ends}


def without_key(book: SignedBook, _: Random) -> Pair:
    """Return an export without a key, which says that the statement's key was there before."""
    earlier = [{"key": book.key, "note": ""}]
    return book.true_statement(), {**book.export(), "key": None, "earlier_keys": earlier}


def with_fewer_names(book: SignedBook, _: Random) -> Pair:
    """Return a statement and an export whose first event has more players than names."""
    book.events[0]["data"] = json.dumps({**json.loads(book.events[0]["data"]), "names": []})
    book.hash_events()
    return book.true_statement(), book.export()


def with_bets(change: Callable[[list[Doc]], list[Doc]]) -> Forgery:
    """Return a forgery that changes the bets of a true statement."""

    def forge(book: SignedBook, _: Random) -> Pair:
        bet = {"deal": 4, "bet": 4, "by": ["p1", "p2"], "each": 100}
        book.events[3] |= {"type": "bet_laid", "data": json.dumps(bet)}
        book.hash_events(3)
        doc = book.true_statement()
        return book.sign_document({**doc, "bets": change(doc["bets"])}), book.export()

    return forge


def with_other_ids(bets: list[Doc]) -> list[Doc]:
    return [{**bet, "id": f"z{bet['id'][1:]}"} for bet in bets]


def with_two_more(bets: list[Doc]) -> list[Doc]:
    """Return the bets after two others with the id of the first."""
    return [{**bets[0], "amount": amount} for amount in (500, -500)] + bets


def exported(book: SignedBook, _: Random) -> Pair:
    return book.true_statement(), {**book.export(), "hash": ZERO_HASH}


WITH_EXPORT: dict[str, tuple[str, Forgery]] = {
    "made anew": ("remade", lambda b, _: (b.true_statement(), b.export())),
    "made anew after a rotation": (
        "remade",
        lambda b, r: (b.true_statement(), b.rotate_key(r).export()),
    ),
    "made anew from an export before the rotation": (
        "remade",
        lambda b, r: (b.rotate_key(r).true_statement(), b.export()),
    ),
    "made anew, signed by another key": (
        "other_key",
        lambda b, r: (b.rotate_key(r, endorsed=False).true_statement(), b.export()),
    ),
    "made anew, of everybody": ("remade", lambda b, _: (b.true_statement(None), b.export())),
    "made anew, of then": ("remade", lambda b, _: (b.true_statement("p2", 5), b.labelled_export())),
    "made anew, without a note": (
        "figures",
        lambda b, _: (without_members(b.true_statement(), "signature"), b.export()),
    ),
    "signed, and other figures": ("remade_wrong", lambda b, r: (b.statement(r, (5,)), b.export())),
    "a line less": ("remade_wrong", shorter),
    "another's lines": ("remade_wrong", signed_as(player="p3")),
    "nobody's": ("remade_wrong", signed_as(player="p9", lines=[], opening=0, closing=0)),
    "other money": ("remade_wrong", signed_as(currency="EUR")),
    "points that nobody has": ("remade_wrong", signed_as(scores={"p1": 7})),
    "balances of fewer": ("remade_wrong", signed_as(balances={}, pot=0, bets=[])),
    "an export that was changed": ("export_wrong", exported),
    "an export without a key, after the statement's": ("export_wrong", without_key),
    "an export with fewer names than players": ("export_wrong", with_fewer_names),
    "bets as they are": ("remade", with_bets(lambda bets: bets)),
    "bets of other ids": ("remade_wrong", with_bets(with_other_ids)),
    "a bet that is listed three times": ("remade_wrong", with_bets(with_two_more)),
    "an export of another evening": ("export_other", of_another("evening")),
    "an export of another book": ("other_key", of_another("book")),
    "an export of before": ("export_short", lambda b, _: (b.true_statement(), b.export(7))),
    "an export rewritten": (
        "export_differs",
        lambda b, _: (b.true_statement(), b.rewrite(8).export()),
    ),
    **MALFORMED,
    "an export to an export": ("no_statement", lambda b, _: (b.export(), b.export())),
    "an export to a receipt": ("no_statement", lambda b, _: (b.receipt(3), b.export())),
    "a group's made anew": ("group_remade", of_group()),
    "a group's made anew, of everybody": ("group_remade", of_group(None)),
    "a group's made anew, of then": (
        "group_remade",
        lambda b, _: (true_group_statement(b, "m2", 5), b.labelled_export()),
    ),
    "a group's made anew, without a note": ("group_figures", of_group(signature=None)),
    "a group's with a line less": ("remade_wrong", of_group(None, changed_lines=lambda x: x[:-1])),
    "a group's with other lines": ("remade_wrong", of_group(None, changed_lines=add_line)),
    "a group's with no lines": ("remade_wrong", of_group(lines=[], closing=0)),
    "a group's with two members for one": (
        "remade_wrong",
        of_group(None, changed_lines=lambda x: [*map(renamed, x)]),
    ),
    "a group's in other money": ("remade_wrong", of_group(currency="EUR")),
    "a group's, and another evening": (
        "export_other",
        lambda b, r: (b.group_statement(), SignedBook(r, 8).export()),
    ),
    "a group's, and an export by the key before": (
        "group_remade",
        lambda b, r: (true_group_statement(b.rotate_key(r)), b.export()),
    ),
    "a group's, and an export by a key of its own": (
        "other_key",
        lambda b, r: (true_group_statement(b), b.rotate_key(r, endorsed=False).export()),
    ),
    "a group's, and an export of before": (
        "export_short",
        lambda b, _: (true_group_statement(b), b.export(7)),
    ),
    "a group's, and an export rewritten": (
        "export_differs",
        lambda b, _: (true_group_statement(b), b.rewrite(8).export()),
    ),
    "a receipt for an export": (
        "export_unreadable",
        lambda b, _: (b.true_statement(), b.receipt(3)),
    ),
}
"""The statement and its export."""
