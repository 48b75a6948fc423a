"""Vectors for all verifiers: documents as the API returned them, and many forgeries of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.signing_key import SigningKey
from tests.support.proofs.exported_files import SignedBook, encode_document
from tests.support.proofs.statement_forgeries import (
    FORGERIES,
    change_random_value,
    recompute_balances,
)
from tests.support.proofs.tampered_exports import EXPORT, LABELLED, NO_DOCUMENT, RECEIPT, Vector
from tests.support.proofs.tampered_statements import ZERO_HASH, flip_signature_bit
from tests.verification.attack.agreement.documents import Doc, Original
from tests.verification.attack.agreement.forged_cosigners import (
    COSIGNED,
    IN_A_SESSION,
    WITNESSED,
    Change,
)

BY_SHAPE = "all refuse it; an import takes it for unreadable, as it is not in the form it writes"
UNKNOWN_FIELDS = "an import takes no fields that it does not know; verifiers pass over them"
OWN_HISTORY = "an audit has the history itself, and does not read proofs and endorsements in a file"
UNSIGNED = "an audit compares what is not signed with the book; verifiers need the signature"
STRICT_WITNESSES = "an audit and an import read witnesses by strict shapes; verifiers do not"
ONLY_THE_BOOK = "only the book knows whether what was signed with its own key is what it has"

APART = {
    "it has no checkpoint": BY_SHAPE,
    "it has no key": BY_SHAPE,
    "nothing is left": BY_SHAPE,
    "an empty name": BY_SHAPE,
    "a note and no names": BY_SHAPE,
    "deeply nested": UNKNOWN_FIELDS,
    "with names, and more of them": UNKNOWN_FIELDS,
    "the path, turned": OWN_HISTORY,
    "the path, shorter": OWN_HISTORY,
    "the path, longer": OWN_HISTORY,
    "the way on, turned": OWN_HISTORY,
    "the way on, shorter": OWN_HISTORY,
    "the way on, longer": OWN_HISTORY,
    "no way on": OWN_HISTORY,
    "a path of something else": OWN_HISTORY,
    "its head is unsigned": UNSIGNED,
    "witness: no signature": STRICT_WITNESSES,
    "witness: half a signature": STRICT_WITNESSES,
    "witness: no checkpoint": STRICT_WITNESSES,
    "witness: something more": STRICT_WITNESSES,
    "witness: nine of them": STRICT_WITNESSES,
}
"""Forgeries that the server, by design, judges differently from the two verifiers, and why."""

OF_OTHERS = {
    "a bit of an endorsement": OWN_HISTORY,
    "an endorsement left out": OWN_HISTORY,
    "an endorsement of the document": OWN_HISTORY,
    "witness: a proof turned": OWN_HISTORY,
    "witness: a proof longer": OWN_HISTORY,
}
"""The same for receipts and statements only."""


class Case(NamedTuple):
    """A vector, the server's command that reads it (`import` or `audit`), and why it is apart."""

    kind: str
    vector: Vector
    server: str
    apart: str | None = None
    forged: bool = True


class Unchanged(Exception):
    """The document has nothing that this way of forging could change."""


def unchanged_case(original: Original, random: Random) -> Case:
    """Return the document unchanged; some come with a receipt that was saved earlier."""
    is_export = original.kind.startswith("export")
    if is_export and random.random() < 0.7:
        vector = Vector("whole", original.document)
        return Case(original.kind, vector, "import", forged=False)
    version = original.fields.get("version")
    earlier = None
    if original.kind in ("export", "receipt") and version:
        earlier = encode_document(original.book.bare_receipt(version))
    vector = Vector("whole", original.document, earlier, original.key, export=original.export)
    return Case(original.kind, vector, "audit", forged=False)


def changed_case(original: Original, way: str, change: Change, random: Random) -> Case:
    """Return the document with one unsigned change. Raise Unchanged if the change has no effect."""
    doc = original.fields
    try:
        change(doc, random)
    except (LookupError, TypeError, AttributeError, ValueError):
        raise Unchanged from None
    if doc == original.fields:
        raise Unchanged
    is_export = original.kind.startswith("export")
    key = None if is_export else original.key
    vector = Vector(way, encode_document(doc), None, key, export=original.export)
    apart = APART if is_export else APART | OF_OTHERS
    return Case(original.kind, vector, "import" if is_export else "audit", apart.get(way))


def draw_case(original: Original, random: Random) -> Case:
    """Return the document forged in a random way that applies to it."""
    while True:
        try:
            return _draw(original, random)
        except Unchanged:
            continue


def _draw(original: Original, random: Random) -> Case:
    ways, signed_ways = WAYS_OF[original.kind], SIGNED_WAYS_OF.get(original.kind, {})
    way = random.choice([*ways, *BYTES, *signed_ways])
    if way in signed_ways:
        return signed_ways[way](original, random)
    if way in BYTES:
        document = BYTES[way](original.document, random)
        server = "import" if original.kind.startswith("export") else "audit"
        vector = Vector(way, document, export=original.export)
        return Case(original.kind, vector, server)
    return changed_case(original, way, ways[way], random)


# --- unsigned changes --------------------------------------------------------------------------


def plain_changes(table: dict[str, tuple[str, Callable[[Doc], object]]]) -> dict[str, Change]:
    return {way: lambda doc, _, change=change: change(doc) for way, (_, change) in table.items()}


TOP: dict[str, Change] = {
    "the hash": lambda doc, random: doc.update(hash=random.randbytes(32).hex()),
    "the version, one more": lambda doc, _: doc.update(version=doc["version"] + 1),
    "the version, as text": lambda doc, _: doc.update(version=str(doc["version"])),
    "no version": lambda doc, _: doc.pop("version"),
    "the hash in capitals": lambda doc, _: doc.update(hash="AB" * 32),
    "a bit of the checkpoint": lambda doc, _: flip_signature_bit(doc),
    "the checkpoint of another session": lambda doc, _: doc.update(
        checkpoint=doc["checkpoint"].replace(doc["session"], ZERO_HASH[:36])
    ),
    "another session": lambda doc, _: doc.update(session=f"{ZERO_HASH[:8]}{doc['session'][8:]}"),
    "a session that is no id": lambda doc, _: doc.update(session="an evening"),
}
VALUES: dict[str, Change] = {
    f"any value, {number}": lambda doc, random: doc.update(change_random_value(random, doc)[1])
    for number in range(8)
}
ENDORSED: dict[str, Change] = {
    "a bit of an endorsement": lambda doc, random: flip_signature_bit(
        random.choice(doc["earlier_keys"]), "note"
    ),
    "an endorsement left out": lambda doc, random: doc["earlier_keys"].pop(
        random.randrange(len(doc["earlier_keys"]))
    ),
    "an endorsement of the document": lambda doc, _: doc["earlier_keys"][-1].update(
        note=doc["checkpoint"]
    ),
}
STATEMENT: dict[str, Change] = {
    way: lambda doc, _, change=change: change(doc) for way, change in FORGERIES.items()
}
UNSIGNED_WAYS: dict[str, Change] = {
    f"{way}, without its note": lambda doc, random, change=change: (
        change(doc, random),
        doc.pop("signature"),
    )
    for way, change in (STATEMENT | {"nothing": lambda doc, random: None}).items()
}
WAYS_OF: dict[str, dict[str, Change]] = {
    "export": plain_changes(EXPORT) | COSIGNED | WITNESSED | ENDORSED,
    "export with names": plain_changes(EXPORT) | plain_changes(LABELLED) | COSIGNED | WITNESSED,
    "receipt": plain_changes(RECEIPT) | TOP | COSIGNED | WITNESSED | ENDORSED,
    "statement": STATEMENT | UNSIGNED_WAYS | VALUES | TOP | COSIGNED | WITNESSED | ENDORSED,
    "group statement": VALUES
    | IN_A_SESSION
    | {"the name": lambda doc, _: doc.update(name="Fredagarna")},
}
BYTES: dict[str, Callable[[bytes, Random], bytes]] = {
    "cut short": lambda raw, random: raw[: random.randrange(len(raw) - 2)],
    "something after it": lambda raw, random: raw + b"{}",
    **{way: lambda raw, random, content=content: content for way, content in NO_DOCUMENT.items()},
}

# --- changes that a host signs -----------------------------------------------------------------


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


def draw_cases(originals: list[Original], random: Random, forged: int) -> Iterator[Case]:
    """Yield each document unchanged, and then `forged` forgeries of it."""
    for original in originals:
        yield unchanged_case(original, random)
        for _ in range(forged):
            yield draw_case(original, random)
