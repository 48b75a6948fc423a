"""Forgeries of documents that the forger signs, with the book's key or with another one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.statement_forgeries import recompute_balances
from tests.support.proofs.tampered_exports import Vector
from tests.verification.attack.agreement.cases import Case, Unchanged
from tests.verification.attack.agreement.documents import Original


def signed_by_another(original: Original, die: Random) -> Case:
    key = SigningKey(Ed25519PrivateKey.from_private_bytes(die.randbytes(32)))
    book = SignedBook.from_events(original.book.session, original.book.events, key)
    return signed_case("signed with another key", original, book, die)


def signed_rewritten(original: Original, die: Random) -> Case:
    """Return a document of other events from a random version on, signed with the book's key."""
    first_version = die.randint(1, len(original.book.events))
    book = original.book.rewrite(first_version)
    return signed_case("rewritten by the host", original, book, die)


def signed_case(way: str, original: Original, book: SignedBook, die: Random) -> Case:
    """Return an export or a receipt of this book, beside a receipt kept of the original book."""
    last = len(book.events)
    version = die.randint(1, last)
    document = book.export() if original.kind == "export" else book.receipt(version)
    earlier = encode_document(original.book.bare_receipt(last))
    vector = Vector(way, encode_document(document), earlier, original.key)
    return Case(original.kind, vector, "audit")


def signed_statement(original: Original, die: Random) -> Case:
    """Return a statement with other figures that add up, signed by the host.

    Raise Unchanged if no line changes a balance."""
    doc = original.fields
    session = str(original.book.session)
    lines = [line for line in doc["lines"] if line.get("session", session) == session]
    changes = [line for line in lines if line.get("change")]
    if not changes:
        raise Unchanged
    die.choice(changes)["change"] += die.choice((1, 7, 1000))
    recompute_balances(doc)
    signed_id = UUID(doc.get("group") or doc["session"])
    document = encode_document(original.book.sign_document(doc, signed_id))
    vector = Vector(
        "signed with other figures", document, None, original.key, export=original.export
    )
    return Case(original.kind, vector, "audit")


HISTORY_WAYS: dict[str, Callable[[Original, Random], Case]] = {
    "signed with another key": signed_by_another,
    "rewritten by the host": signed_rewritten,
}
SIGNED_WAYS_OF = {
    "export": HISTORY_WAYS,
    "receipt": HISTORY_WAYS,
    "statement": {"signed with other figures": signed_statement},
    "group statement": {"signed with other figures": signed_statement},
}
