"""Compare a saved JSON statement with the ledger: did this book sign it, and does the ledger make
the same one from the sessions as they stood then?

A signed statement may differ in its text alone, because names can be erased and sentences reworded.
An unsigned one has to be the same in every word.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any
from uuid import UUID

from flask import Flask
from marshmallow import ValidationError

from api.http.app_state import event_store, group_store, session_metadata
from api.http.problems import InvalidFields, Problem
from api.i18n.catalog import LANGUAGES
from api.representations.qr import svg
from api.statements.context import statement_context
from api.statements.formats.json import write_json
from api.statements.groups.builder import build_group_statement
from api.statements.groups.loaded_sessions import GroupExtent
from api.statements.session_statement import build_session_statement
from api.statements.statement import Statement
from engine.errors import RuleViolation
from ledger.audit.findings import Finding
from ledger.events.recorded_event import UnknownSession
from ledger.events.timestamps import to_microseconds
from ledger.groups.groups import UnknownGroup
from ledger.proofs import checkpoint, statement_note
from ledger.proofs.signing_key import endorsed_keys
from ledger.proofs.statement_note import NOTE_MEMBER, rename_fields
from ledger.store.connection_pool import Connection
from ledger.store.event_store import EventStore
from ledger.transfer.archive.group_transfer import is_imported_group
from ledger.transfer.import_session import last_imported_version

Document = Mapping[str, Any]

NOT_COMPARED = frozenset(
    {"receipt", "page", "verify", "key", "earlier_keys", "checkpoint", "witnessed", "witnesses"}
    | {NOTE_MEMBER}
)
"""Addresses of the server, which only the note can confirm, and fields with their own signature."""
TEXT_FIELDS = frozenset({"why", "title", "name", "purpose"})
ADDED_SINCE_0_1 = NOT_COMPARED - {"receipt"} | {"lang", "results", "overtricks", "as_of"}
"""The fields that a statement of the first version does not have."""


class Signature(Enum):
    """Whose note a statement has, as far as this book can tell."""

    OURS = "by one of this book's keys"
    OF_SESSION = "by the key in a session's statement, which is checked with the receipt"
    ANOTHER_BOOK = "by another book's key, of nothing but what was imported into a group"
    WRONG = "it does not fit, or its key is unknown"
    MISSING = "there is none"


class NoSuchStatement(Exception):
    """The ledger cannot make it: no such session, player, version or period."""


def check_saved_statement(app: Flask, raw: bytes) -> Iterator[tuple[str, Finding]]:
    """Yield the findings with their session or group; none for JSON that is no statement."""
    document = json.loads(raw)
    if isinstance(document, dict) and "lines" in document:
        for statement_finding in _findings(app, document):
            yield str(_subject_id(document)), statement_finding


def _findings(app: Flask, document: Document) -> Iterator[Finding]:
    version = document.get("version")
    with app.app_context():
        signature = _signature(document)
        if signature is Signature.WRONG:
            yield Finding("statement_wrong", "A statement is not what was signed.", version)
        try:
            pointers = _differences(rename_fields(document), signature)
        except NoSuchStatement:
            yield Finding("statement_differs", "The book has no such statement.", version)
            return
    figures = [pointer for pointer in pointers if pointer.rpartition("/")[2] not in TEXT_FIELDS]
    if figures:
        detail = f"Made anew from the book, a statement has something else at {figures[0]}."
        yield Finding("statement_differs", detail, version)
    elif pointers and signature in (Signature.ANOTHER_BOOK, Signature.MISSING):
        detail = f"A statement that this book has not signed has other words at {pointers[0]}."
        yield Finding("statement_differs", detail, version)


def _signature(document: Document) -> Signature:
    """Return which note it is that the key in the document has signed. A group has no receipt that
    its key is checked with, and the key of an earlier book of the group is not known."""
    if NOTE_MEMBER not in document:
        return Signature.MISSING
    try:
        key = bytes.fromhex(document["key"])
        subject_id = UUID(_subject_id(document))
        text = checkpoint.verified_body(document[NOTE_MEMBER], subject_id, key)
        digest = statement_note.statement_digest(document)
        if text != statement_note.statement_body(subject_id, digest):
            return Signature.WRONG
        with event_store().pool.connection() as db:
            if key in endorsed_keys(db):
                return Signature.OURS
            if "session" in document:
                return Signature.OF_SESSION
            return Signature.ANOTHER_BOOK if _is_imported(db, document) else Signature.WRONG
    except (
        *(KeyError, TypeError, ValueError, AttributeError, RecursionError),
        *(checkpoint.MalformedNote, checkpoint.UnverifiedNote),
    ):
        return Signature.WRONG


def _is_imported(db: Connection, document: Document) -> bool:
    """Return whether a group's statement has imported versions alone: another book signed it. One
    without sessions must be of an imported group."""
    versions = _versions(rename_fields(document))
    if not versions:
        return is_imported_group(db, UUID(_subject_id(document)))
    return all(
        version <= last_imported_version(db, session_id) for session_id, version in versions.items()
    )


def _versions(document: Document) -> dict[UUID, int]:
    """Return the version of each session in a group's statement."""
    return {UUID(session["session"]): session["version"] for session in document["sessions"]}


def _subject_id(document: Document) -> Any:
    """Return the id of the session or of the group; a group was a circle before version 1.0."""
    return document.get("session") or document.get("group") or document.get("circle")


def _differences(document: Document, signature: Signature) -> list[str]:
    """Return pointers to what the ledger has otherwise. Raise NoSuchStatement."""
    # version 0.1 did not write its language: the nearest one counts
    languages = [document["lang"]] if document.get("lang") in LANGUAGES else LANGUAGES
    differences = []
    for language in languages:
        rebuilt = _rebuild(document, language, signature)
        pointers = [*_differing_pointers(document, rebuilt, "")]
        if signature is Signature.MISSING:
            pointers += _missing_pointers(document, rebuilt)
        differences.append(pointers)
    receipt = _receipt_pointers(document) if signature is Signature.MISSING else ()
    return [*min(differences, key=len), *receipt]


def _rebuild(document: Document, language: str, signature: Signature) -> Document:
    """Return the same statement as the ledger has it. Raise NoSuchStatement."""
    try:
        statement = _build(document, language, signature)
        rebuilt: dict[str, Any] = json.loads(b"".join(write_json(statement)))
    except (
        *(KeyError, TypeError, ValueError, AttributeError, UnknownSession, UnknownGroup),
        *(RuleViolation, Problem, InvalidFields, ValidationError),
    ):
        raise NoSuchStatement from None
    if signature is Signature.OURS:
        rebuilt["filters"] = document["filters"]
    return rebuilt


def _build(document: Document, language: str, signature: Signature) -> Statement:
    """Return the statement of the document's session or group, as of then."""
    context, filters = statement_context(language), document["filters"]
    # days may begin otherwise by now, because the rules of a time zone can change
    start, end = ("begins", "ends") if signature is Signature.OURS else ("from", "to")
    parameters = {name: document.get(name) for name in ("member", "currency", "player", "unit")}
    parameters |= {"from": filters.get(start), "to": filters.get(end), "tz": filters.get("tz")}
    arguments = {name: value for name, value in parameters.items() if value} | {"format": "json"}
    if "group" in document:
        group = group_store().load(UUID(document["group"]))
        extent = _extent(context.store, document, signature)
        return build_group_statement(group, context, arguments, extent)
    session_id = UUID(document["session"])
    session = context.store.load(session_id, document["version"])
    metadata = session_metadata().load(session_id)
    return build_session_statement(session, metadata, context, arguments)


def _extent(store: EventStore, document: Document, signature: Signature) -> GroupExtent:
    """Return how far a group's statement goes. Only a signature of this book vouches for events of
    the group that it leaves out although its time is later."""
    versions = _versions(document)
    if "as_of" not in document:  # of version 0.1: as far as its sessions went
        ends = (store.load(session, version).at for session, version in versions.items())
        count = max((session["number"] for session in document["sessions"]), default=0)
        return GroupExtent(as_of=max(ends, default=0), session_count=count)
    as_of, is_signed = document["as_of"], signature in (Signature.OURS, Signature.ANOTHER_BOOK)
    return GroupExtent(
        as_of=to_microseconds(datetime.fromisoformat(as_of["at"])),
        session_count=as_of["sessions"],
        versions=versions if is_signed else {},
        # before the first version that writes this number, groups had no events
        event_count=as_of.get("events", 0) if signature is Signature.OURS else None,
    )


def _differing_pointers(document: Any, rebuilt: Any, pointer: str) -> Iterator[str]:
    """Yield pointers to what differs. An older statement may lack what the rebuilt one has, but not
    the other way round."""
    if isinstance(document, dict) and isinstance(rebuilt, dict):
        for name, value in document.items():
            if name not in NOT_COMPARED:
                compare = partial(_differing_pointers, value, pointer=f"{pointer}/{name}")
                yield from compare(rebuilt[name]) if name in rebuilt else [f"{pointer}/{name}"]
    elif isinstance(document, list) and isinstance(rebuilt, list):
        for i, (value, rebuilt_value) in enumerate(zip(document, rebuilt, strict=False)):
            yield from _differing_pointers(value, rebuilt_value, f"{pointer}/{i}")
        if len(document) != len(rebuilt):
            yield f"{pointer}/{min(len(document), len(rebuilt))}"
    elif type(document) is not type(rebuilt) or _plain(document) != _plain(rebuilt):
        yield pointer


def _plain(value: Any) -> Any:
    """Return a text as earlier versions wrote it: plain spaces between `10` and `chips`, and behind
    points paid in money the option instead of the paragraph (§3.4, §4.4)."""
    if not isinstance(value, str):
        return value
    return re.sub(r"\(§[34]\.4\)$", "(point_value)", value.replace("\xa0", " "))


def _missing_pointers(document: Document, rebuilt: Document) -> Iterator[str]:
    """Yield pointers to what an unsigned statement has left out."""
    for name in rebuilt:
        if name not in document and name not in ADDED_SINCE_0_1:
            yield f"/{name}"
    for name in ("balances", "scores"):
        values = document.get(name)
        for key, value in (rebuilt.get(name) or {}).items():
            is_new_member = "group" in document and value == 0
            if not isinstance(values, dict) or not (key in values or is_new_member):
                yield f"/{name}/{key}"


def _receipt_pointers(document: Document) -> Iterator[str]:
    """Yield pointers to a wrong address of the receipt, on whatever server. A group's statement
    has a receipt for each session."""
    if "receipt" not in document:
        return
    path = f"/v1/sessions/{document.get('session')}/receipts/{document['version']}"
    receipt = document["receipt"]
    if not isinstance(receipt, dict) or not str(receipt.get("url")).endswith(path):
        yield "/receipt/url"
    elif not any(
        _is_qr_code(receipt.get("qr"), of) for of in (receipt["url"], document.get("page"))
    ):
        yield "/receipt/qr"


def _is_qr_code(drawing: Any, address: Any) -> bool:
    with suppress(ValueError):  # no code can hold the address
        return bool(drawing == svg(str(address)))
    return False
