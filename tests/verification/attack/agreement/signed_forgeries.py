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


def make_key(random: Random) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(random.randbytes(32)))


def rewrite_book(book: SignedBook, random: Random) -> SignedBook:
    """Return the book with other events from a random version on, signed with its own key."""
    return book.rewrite(random.randint(1, len(book.events)))


def signed_by_another(original: Original, random: Random) -> Case:
    book = SignedBook.from_events(original.book.session, original.book.events, make_key(random))
    return signed_case("signed with another key", original, book, random)


def signed_rewritten(original: Original, random: Random) -> Case:
    book = rewrite_book(original.book, random)
    return signed_case("rewritten by the host", original, book, random)


def signed_case(way: str, original: Original, book: SignedBook, random: Random) -> Case:
    """Return an export or a receipt of this book, beside a receipt kept of the original book."""
    last = len(book.events)
    version = random.randint(1, last)
    document = book.export() if original.kind == "export" else book.receipt(version)
    earlier = encode_document(original.book.bare_receipt(last))
    vector = Vector(way, encode_document(document), earlier, original.key)
    return Case(original.kind, vector, "audit")


def signed_statement(original: Original, random: Random) -> Case:
    """Return a statement with other figures that add up, signed by the host.

    Raise Unchanged if no line changes a balance."""
    doc = original.fields
    session = str(original.book.session)
    lines = [line for line in doc["lines"] if line.get("session", session) == session]
    changes = [line for line in lines if line.get("change")]
    if not changes:
        raise Unchanged
    random.choice(changes)["change"] += random.choice((1, 7, 1000))
    recompute_balances(doc)
    signed_id = UUID(doc.get("group") or doc["session"])
    document = encode_document(original.book.sign_document(doc, signed_id))
    vector = Vector(
        "signed with other figures", document, None, original.key, export=original.export
    )
    return Case(original.kind, vector, "audit")


HISTORY: dict[str, Callable[[Original, Random], Case]] = {
    "signed with another key": signed_by_another,
    "rewritten by the host": signed_rewritten,
}
SIGNED_WAYS_OF = {
    "export": HISTORY,
    "receipt": HISTORY,
    "statement": {"signed with other figures": signed_statement},
    "group statement": {"signed with other figures": signed_statement},
}
