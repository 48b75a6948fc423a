"""Forgeries of documents by somebody without a signing key."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.support.proofs.statement_forgeries import FORGERIES, change_random_value
from tests.support.proofs.tampered_exports import EXPORT, LABELLED, NO_DOCUMENT, RECEIPT
from tests.support.proofs.tampered_statements import ZERO_HASH, flip_signature_bit
from tests.verification.attack.agreement.documents import Doc
from tests.verification.attack.agreement.forged_cosigners import (
    COSIGNED,
    IN_A_SESSION,
    WITNESSED,
    Change,
)


def plain_changes(table: dict[str, tuple[str, Callable[[Doc], object]]]) -> dict[str, Change]:
    return {way: lambda doc, _, change=change: change(doc) for way, (_, change) in table.items()}


TOP: dict[str, Change] = {
    "the hash": lambda doc, die: doc.update(hash=die.randbytes(32).hex()),
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
    f"any value, {number}": lambda doc, die: doc.update(change_random_value(die, doc)[1])
    for number in range(8)
}
ENDORSED: dict[str, Change] = {
    "a bit of an endorsement": lambda doc, die: flip_signature_bit(
        die.choice(doc["earlier_keys"]), "note"
    ),
    "an endorsement left out": lambda doc, die: doc["earlier_keys"].pop(
        die.randrange(len(doc["earlier_keys"]))
    ),
    "an endorsement of the document": lambda doc, _: doc["earlier_keys"][-1].update(
        note=doc["checkpoint"]
    ),
}
STATEMENT: dict[str, Change] = {
    way: lambda doc, _, change=change: change(doc) for way, change in FORGERIES.items()
}
UNSIGNED_WAYS: dict[str, Change] = {
    f"{way}, without its note": lambda doc, die, change=change: (
        change(doc, die),
        doc.pop("signature"),
    )
    for way, change in (STATEMENT | {"nothing": lambda doc, die: None}).items()
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
    "cut short": lambda raw, die: raw[: die.randrange(len(raw) - 2)],
    "something after it": lambda raw, die: raw + b"{}",
    **{way: lambda raw, die, content=content: content for way, content in NO_DOCUMENT.items()},
}
