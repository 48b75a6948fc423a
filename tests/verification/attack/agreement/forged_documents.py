"""Vectors for all verifiers: documents as the API returned them, and many forgeries of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.support.proofs.exported_files import encode_document
from tests.support.proofs.tampered_exports import Vector
from tests.verification.attack.agreement.cases import (
    AUDIT_DIFFERENCES,
    SERVER_DIFFERENCES,
    Case,
    Unchanged,
)
from tests.verification.attack.agreement.documents import Original
from tests.verification.attack.agreement.forged_cosigners import Change
from tests.verification.attack.agreement.signed_forgeries import SIGNED_WAYS_OF
from tests.verification.attack.agreement.unsigned_forgeries import BYTES, WAYS_OF


def unchanged_case(original: Original, die: Random) -> Case:
    """Return the document unchanged; some come with a receipt that was saved earlier."""
    is_export = original.kind.startswith("export")
    if is_export and die.random() < 0.7:
        vector = Vector("whole", original.document)
        return Case(original.kind, vector, "import", forged=False)
    version = original.fields.get("version")
    earlier = None
    if original.kind in ("export", "receipt") and version:
        earlier = encode_document(original.book.bare_receipt(version))
    vector = Vector("whole", original.document, earlier, original.key, export=original.export)
    return Case(original.kind, vector, "audit", forged=False)


def changed_case(original: Original, way: str, change: Change, die: Random) -> Case:
    """Return the document with one unsigned change. Raise Unchanged if the change has no effect."""
    doc = original.fields
    try:
        change(doc, die)
    except (LookupError, TypeError, AttributeError, ValueError):
        raise Unchanged from None
    if doc == original.fields:
        raise Unchanged
    is_export = original.kind.startswith("export")
    key = None if is_export else original.key
    vector = Vector(way, encode_document(doc), None, key, export=original.export)
    differences = SERVER_DIFFERENCES if is_export else SERVER_DIFFERENCES | AUDIT_DIFFERENCES
    return Case(original.kind, vector, "import" if is_export else "audit", differences.get(way))


def draw_case(original: Original, die: Random) -> Case:
    """Return the document forged in a random way that applies to it."""
    while True:
        try:
            return _draw(original, die)
        except Unchanged:
            continue


def _draw(original: Original, die: Random) -> Case:
    ways, signed_ways = WAYS_OF[original.kind], SIGNED_WAYS_OF.get(original.kind, {})
    way = die.choice([*ways, *BYTES, *signed_ways])
    if way in signed_ways:
        return signed_ways[way](original, die)
    if way in BYTES:
        document = BYTES[way](original.document, die)
        server = "import" if original.kind.startswith("export") else "audit"
        vector = Vector(way, document, export=original.export)
        return Case(original.kind, vector, server)
    return changed_case(original, way, ways[way], die)


def draw_cases(originals: list[Original], die: Random, forged: int) -> Iterator[Case]:
    """Yield each document unchanged, and then `forged` forgeries of it."""
    for original in originals:
        yield unchanged_case(original, die)
        for _ in range(forged):
            yield draw_case(original, die)
