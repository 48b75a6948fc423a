"""What can be checked: exports, receipts, statements and alarms, each with its shape.

Defines the shape of a document, not what must be true of its content.
"""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import Any

from api.verify.program.strict_json import MAX_INTEGER, document_digest, parse_object, require

Document = dict[str, Any]
ProvenVersions = Mapping[int, tuple[str, Callable[[], bytes]]]
"""What a document proves: by version the hash of the event, and a function that returns the root of
the tree. The largest version is the last that the document knows of."""


class Refused(Exception):
    """The document is not valid: a code of SENTENCES, and the version that it is about."""

    def __init__(self, code: str, version: int | None = None) -> None:
        self.code, self.version = code, version


def read_document(raw: bytes) -> Document:
    """Parse a document and add its kind."""
    fields = parse_object(raw.decode("utf-8-sig"))
    shape: dict[str, Any]
    match fields.get("format"):
        case "vola session 1":
            kind, shape = "export", EXPORT
        case "vola receipt 1":
            kind, shape = "receipt", RECEIPT
        case "vola contradiction 1":
            received = fields.get("received")
            has_players = isinstance(received, dict) and "players" in received
            kind, shape = ("names", NAMES_ALARM) if has_players else ("denial", DENIAL)
        case None if "lines" in fields and ("group" in fields or "circle" in fields):
            kind, shape = "group", GROUP_STATEMENT
        case None if "lines" in fields:
            kind, shape = "statement", STATEMENT
        case None:
            kind, shape = "bare", BARE
        case _:
            raise ValueError
    renamed = {
        FIELDS_BEFORE_1_0.get(name, name) if "circle" in fields else name: value
        for name, value in fields.items()
    }
    document = {**fit_shape(renamed, shape), "kind": kind}
    if kind in ("statement", "group"):
        unsigned = {name: value for name, value in fields.items() if name != "signature"}
        document["digest"] = document_digest(unsigned)
    if kind == "group":
        document["version"] = len(document["sessions"])
    return document


def split_contradiction(raw: bytes) -> tuple[bytes, bytes | None]:
    """Return what was received and what had been kept, of the file in which a phone or a witness
    keeps two documents; of every other file, itself and None."""
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        fields = parse_object(raw.decode("utf-8-sig"))
        record, received = fields["kept"], fields["received"]
        if fields["format"] == "vola contradiction 1" and "hash" in received:
            kept_document = record.get("document")
            if kept_document is None:
                claim = kept_claim(fit_shape(record, KEPT_RECORD))
                kept_document = {**claim, "session": fields["session"]}
            return json.dumps(received).encode(), json.dumps(kept_document).encode()
    return raw, None


def kept_claim(record: Document) -> Document:
    """Return what a phone or a witness has kept as one claim, signed if a checkpoint was kept."""
    receipts = record.get("receipts") or []
    newest = record["head"] or max(receipts, key=lambda receipt: receipt["version"])
    return {"key": record["key"], **newest, "receipts": receipts}


def fit_shape(value: Any, shape: Any) -> Any:
    """Return the value with only the members that the shape names, None for an absent one.

    A shape is a pattern, a range of numbers, `[shape]` for a list, a dict of shapes (`*`: of every
    member), a tuple of alternatives, None, True, False, or `object` for any value.
    """
    match shape:
        case tuple():
            for alternative in shape[:-1]:
                try:
                    return fit_shape(value, alternative)
                except ValueError:
                    continue
            return fit_shape(value, shape[-1])
        case [inner]:
            require(isinstance(value, list))
            return [fit_shape(item, inner) for item in value]
        case dict():
            require(isinstance(value, dict))
            if "*" in shape:
                return {name: fit_shape(item, shape["*"]) for name, item in value.items()}
            return {name: fit_shape(value.get(name), inner) for name, inner in shape.items()}
        case str():
            require(isinstance(value, str) and re.fullmatch(shape, value, re.DOTALL))
            value.encode()  # UnicodeEncodeError, a ValueError, for a lone surrogate
        case range():
            require(type(value) is int and value in shape)
        case None | bool():
            require(value is shape)
    return value


def hash_bytes(hashes: list[str]) -> list[bytes]:
    return [bytes.fromhex(digits) for digits in hashes]


def iso_time(at: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=at)  # noqa: UP017
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


FIELDS_BEFORE_1_0 = {"circle": "group", "evenings": "sessions"}
"""What a group's statement called its fields before version 1.0; it is signed with those names."""
HASH, UUID, TEXT = "[0-9a-f]{64}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", ".*"
TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z"
VERSION, MICROSECONDS = range(1, 2**31), range(MAX_INTEGER + 1)
AMOUNT = range(-MAX_INTEGER, MAX_INTEGER + 1)
CLAIM = {"version": VERSION, "hash": HASH, "at": TIME, "checkpoint": (TEXT, None)}
WRITE_RECEIPTS = ([{"version": VERSION, "hash": HASH}], None)
BARE = {
    **CLAIM,
    "at": (TIME, None),
    "session": (UUID, None),
    "key": (HASH, None),
    "receipts": WRITE_RECEIPTS,
}
PLAYER = "p[1-9][0-9]{0,2}"
ALARM = {"session": UUID, "at": TEXT}
NAMES_ALARM = {
    **ALARM,
    "kept": {"names": {"*": [TEXT]}},
    "received": {"players": [{"id": PLAYER, "name": TEXT}]},
}
KEPT_HEAD = {"version": VERSION, "hash": HASH, "checkpoint": TEXT}
KEPT_RECORD = {"key": (HASH, None), "head": (KEPT_HEAD, None), "receipts": WRITE_RECEIPTS}
DENIAL = {**ALARM, "kept": KEPT_RECORD, "received": {"code": "unknown_version"}}
WITNESSED = (
    {
        **CLAIM,
        "consistency": [HASH],
        "cosignatures": [{"player": PLAYER, "key": HASH, "signature": TEXT}],
    },
    None,
)
WITNESS_NAME = "[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?"
WITNESS = {**CLAIM, "consistency": [HASH], "name": WITNESS_NAME, "key": HASH, "signature": TEXT}
COSIGNED = {"witnessed": WITNESSED, "witnesses": ([WITNESS], None)}
EARLIER_KEYS = ([{"key": HASH, "note": TEXT}], None)
SIGNED_CLAIM = {
    **CLAIM,
    "session": UUID,
    "key": (HASH, None),
    "earlier_keys": EARLIER_KEYS,
    **COSIGNED,
}
EVENT = {
    "version": VERSION,
    "type": TEXT,
    "schema": VERSION,
    "at": MICROSECONDS,
    "by": TEXT,
    "data": TEXT,
    "hash": HASH,
}
JOINING_EVENTS = {
    "session_opened": {"players": [TEXT], "names": [TEXT]},
    "player_joined": {"player": TEXT, "name": TEXT},
}
EXPORTED_NAME = {
    "id": TEXT,
    "name": (TEXT, None),
    "salt": ("(?:[0-9a-f]{2}){1,64}", None),
    "spellings": ([{"name": TEXT, "until": MICROSECONDS, "by": TEXT}], None),
}
LABELS = {
    "title": (TEXT, None),
    "names": ([EXPORTED_NAME], None),
    "remarks": ([{"version": VERSION, "remark": TEXT}], None),
    "labels": (TEXT, None),
}
EXPORT = {**SIGNED_CLAIM, **LABELS, "events": [EVENT]}
RECEIPT = {**SIGNED_CLAIM, "head": CLAIM, "inclusion": [HASH], "consistency": [HASH]}
LINE = {
    "version": (VERSION, None),
    "at": (TIME, None),
    "deal": (VERSION, None),
    "kind": (TEXT, None),
    "from": (TEXT, None),
    "to": (TEXT, None),
    "amount": (AMOUNT, None),
    "change": (AMOUNT, None),
    "balance": (AMOUNT, None),
}
DATES = {"from": (TEXT, None), "to": (TEXT, None)}
ANY_STATEMENT = {
    "currency": (TEXT, None),
    "opening": AMOUNT,
    "closing": AMOUNT,
    "lines": [LINE],
    "period": (DATES, None),
    "filters": ({**DATES, "begins": (TIME, None), "ends": (TIME, None)}, None),
    "key": (HASH, None),
    "earlier_keys": EARLIER_KEYS,
    "signature": (TEXT, None),
}
STATEMENT = {
    **ANY_STATEMENT,
    "session": UUID,
    "version": VERSION,
    "hash": HASH,
    "checkpoint": (TEXT, None),
    **COSIGNED,
    "game": (TEXT, None),
    "player": (TEXT, None),
    "unit": ("money", "points", None),
    "balances": ({"*": AMOUNT}, None),
    "scores": ({"*": AMOUNT}, None),
    "pot": (AMOUNT, None),
    "bets": ([{"id": (TEXT, None), "amount": AMOUNT, "paid": object}], None),
}
GROUP_STATEMENT = {
    **ANY_STATEMENT,
    "group": UUID,
    "member": (TEXT, None),
    "lines": [{**LINE, "session": (TEXT, None)}],
    "sessions": [
        {
            "session": UUID,
            "version": VERSION,
            "hash": HASH,
            "key": HASH,
            "checkpoint": TEXT,
            **COSIGNED,
            "results": ({"*": AMOUNT}, None),
        }
    ],
    "balances": {"*": AMOUNT},
    "others": AMOUNT,
    "on_tables": AMOUNT,
}
