"""Cases for all verifiers, and why the server judges some of them differently by design."""

from __future__ import annotations

from typing import NamedTuple

from tests.support.proofs.tampered_exports import Vector

BY_SHAPE = "all refuse it; an import takes it for unreadable, as it is not in the form it writes"
UNKNOWN_FIELDS = "an import takes no fields that it does not know; verifiers pass over them"
OWN_HISTORY = "an audit has the history itself, and does not read proofs and endorsements in a file"
UNSIGNED = "an audit compares what is not signed with the book; verifiers need the signature"
STRICT_WITNESSES = "an audit and an import read witnesses by strict shapes; verifiers do not"

SERVER_DIFFERENCES = {
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

AUDIT_DIFFERENCES = {
    "a bit of an endorsement": OWN_HISTORY,
    "an endorsement left out": OWN_HISTORY,
    "an endorsement of the document": OWN_HISTORY,
    "witness: a proof turned": OWN_HISTORY,
    "witness: a proof longer": OWN_HISTORY,
}
"""The same for receipts and statements only."""


class Case(NamedTuple):
    """A vector, the server's command that reads it (`import` or `audit`), and why the
    server judges it differently, if it does so by design."""

    kind: str
    vector: Vector
    server: str
    server_difference: str | None = None
    forged: bool = True


class Unchanged(Exception):
    """The document has nothing that this way of forging could change."""
