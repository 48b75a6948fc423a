"""Idempotency keys: a write repeated with the same key gets the same response.

The store keeps under each key the digest of its request and what it appended, from which the
response is rendered again (ledger.store.event_store); this module builds key and digest from the
HTTP request.
"""

import hmac
import json
from typing import cast

from flask import g, request

from api.http.app_state import current_request, request_globals, token_secret
from api.http.conditional import read_expected_version
from api.http.json_body import read_json_body
from api.http.problems import Problem
from api.http.responses import prefers_minimal
from ledger.store.append_request import (
    MIN_SECRET_KEY_LENGTH,
    AppendRequest,
    ExpectedVersion,
    creation_key,
)

CANONICAL_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def read_write_request(*, creates: bool = False) -> None:
    """Set `g.body`, `g.key` and `g.expected` from the request. Raise a Problem (4xx).

    `creates`: the write needs no token and its response contains one. Repeating the request
    returns the same tokens, so its key must be as good as a secret.
    """
    values = request_globals()
    values.body = read_json_body() if request.method in ("POST", "PUT") else None
    values.key = read_idempotency_key()
    if creates and len(values.key) < MIN_SECRET_KEY_LENGTH:
        raise Problem(400, "idempotency_key_too_short", least=MIN_SECRET_KEY_LENGTH)
    values.expected = read_expected_version()


def read_idempotency_key() -> str:
    """Return the key, which may be quoted. Raise Problem 400 when missing or out of bounds."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not key:
        raise Problem(400, "idempotency_key_missing")
    if len(key) > 255 or not key.isascii() or not key.isprintable():
        raise Problem(400, "idempotency_key_malformed")
    return key


def append_request(
    expected: ExpectedVersion | None, key: str | None = None, by: str | None = None
) -> AppendRequest:
    """Return the request for the store; its digest distinguishes it from others with its key.

    By default the expected version, the key and the author are those that the request names.
    """
    current, values = current_request(), request_globals()
    metadata = values.get("metadata")  # of the session, at whose access version `by` was checked
    body = CANONICAL_ENCODER.encode(values.body)
    target = current.path.rstrip("/")
    if current.query_string:
        target += "?" + current.query_string.decode("latin-1")
    content = f"{current.method} {target}\n{body}"
    # keyed, or a name could be guessed from the stored digest
    return AppendRequest(
        key=key or values.key,
        digest=hmac.digest(token_secret(), b"vola request 1" + content.encode(), "sha256"),
        by=by or values.get("by", "host.0"),
        access_version=metadata.access_version if metadata and by is None else None,
        expected_version=values.expected if expected is None else expected,
        status=201 if current.method == "POST" else 200,
        with_names=not prefers_minimal(),
    )


def optional_version() -> ExpectedVersion:
    """Return the expected version of a write that needs none; one that the request names must match
    all the same (RFC 9110 §13.1.1)."""
    return "any" if g.expected == "missing" else cast(ExpectedVersion, g.expected)


def creation_request() -> AppendRequest:
    """Return the request that opens a session or a group: its key is scoped to the server."""
    return append_request("any", creation_key(g.key))
