"""What a write must bring: a strict JSON body, a key of its own, and the version it believes in."""

import hmac
import json
import re
from typing import Any, NoReturn

import msgspec
from flask import Response, current_app, g, request
from werkzeug.exceptions import PreconditionFailed

from api.problems import Problem, ShapeWrong
from ledger.writing import Expected, Request, opening_key

MOST_BYTES = 128 * 1024
DEEPEST = 32


def body(most: int = MOST_BYTES) -> Any:
    """The JSON body, strictly: UTF-8, no duplicate keys, no NaN, no NUL, no lone surrogates.

    415 for another media type, 413 for more than `most` bytes, 400 for what is not such JSON.
    """
    if request.mimetype != "application/json":
        raise Problem(415, "unsupported_media_type")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem(415, "unsupported_media_type")
    if (request.content_length or 0) > most:
        raise Problem(413, "too_large", most=most)
    raw = request.stream.read(most + 1)
    if len(raw) > most:
        raise Problem(413, "too_large", most=most)
    return strict_json(raw)


def strict_json(raw: bytes) -> Any:
    """Decode, or Problem(400) with the reason."""
    try:
        text = raw.decode("utf-8")
        if text.startswith("\ufeff"):
            raise json.JSONDecodeError("Unexpected byte order mark", text, 0)
        value = STRICT.decode(text)
        _clean(value)
        return value
    except Problem:
        raise
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Problem(400, "malformed_json", reason=_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return "too deeply nested" if isinstance(error, RecursionError) else "not valid UTF-8 JSON"


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Problem(400, "malformed_json", reason=f"duplicate key {ascii(twice)[:60]}")
    return made


def _not_json(constant: str) -> NoReturn:
    raise Problem(400, "malformed_json", reason=f"{constant} is not JSON")


STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_not_json)
SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _clean(value: Any, depth: int = 0) -> None:
    """No text that a database, a log or another reader would choke on."""
    if depth > DEEPEST:
        raise Problem(400, "malformed_json", reason="too deeply nested")
    if isinstance(value, dict):
        for key, inner in value.items():
            _clean(key, depth)
            _clean(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _clean(inner, depth + 1)
    elif isinstance(value, str) and re.search("[\x00\ud800-\udfff]", value):
        raise Problem(400, "malformed_json", reason="NUL or lone surrogate in a text")


def idempotency_key() -> str:
    """The key, bare or as a quoted string. 400 when missing or out of bounds."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not key:
        raise Problem(400, "idempotency_key_missing")
    if len(key) > 255 or not key.isascii() or not key.isprintable():
        raise Problem(400, "idempotency_key_malformed")
    return key


def if_match() -> Expected:
    """The version named in If-Match. 400 when it is not one of our ETags."""
    header = request.headers.get("If-Match")
    if header is None:
        return "missing"
    header = header.strip()
    if header == "*":
        return "any"
    named = re.fullmatch(r'"([1-9][0-9]{0,8})"', header)
    if named is None:
        raise Problem(400, "if_match_malformed")
    return int(named.group(1))


def conditional(made: Response) -> Response:
    """Only if it is wanted: 304 when `If-None-Match` has it already, 412 when `If-Match` is about
    something else (RFC 9110 §13.2.2). `*` is whatever there is; Werkzeug takes it for a tag."""
    tag, _ = made.get_etag()
    assert tag is not None, "what is compared has been named"
    wanted = request.if_match
    if wanted and not (wanted.star_tag or wanted.is_strong(tag)):
        raise PreconditionFailed
    if request.if_none_match.contains_weak(tag):
        made.status_code = 304
    return made


def read_write(most: int = MOST_BYTES) -> None:
    """Read what every write brings into `g.body`, `g.key` and `g.expected`; 4xx when malformed."""
    g.body = body(most) if request.method in ("POST", "PUT") else None
    g.key = idempotency_key()
    g.expected = if_match()


def asked(expected: Expected | None = None) -> Request:
    """Who asks for what, for the store: the digest tells the same request from another one."""
    asked_for = SORTED.encode(g.body)
    target = request.path.rstrip("/")
    if request.query_string:
        target += "?" + request.query_string.decode("latin-1")
    what = f"{request.method} {target}\n{asked_for}"
    secret: bytes = current_app.extensions["cards"].secret  # or a name could be guessed from it
    return Request(
        key=g.key,
        digest=hmac.digest(secret, b"vola request 1" + what.encode(), "sha256"),
        by=g.get("by", "host.0"),
        expected=g.expected if expected is None else expected,
        status=201 if request.method == "POST" else 200,
    )


def asked_beside() -> Request:
    """As `asked`, of what is written beside an evening and appends nothing: no version is asked
    for, and one that is named is held to (RFC 9110 §13.1.1)."""
    return asked(expected="any" if g.expected == "missing" else None)


def opening() -> Request:
    """As `asked`, of what is opened: the key is the server's, and what it opens has its own."""
    return msgspec.structs.replace(asked(expected="any"), key=opening_key(g.key))


def number(name: str, default: int, least: int, most: int) -> int:
    """A whole number from the query. 422 when it is something else."""
    given = request.args.get(name)
    if given is None:
        return default
    if not re.fullmatch(r"[0-9]{1,10}", given) or not least <= int(given) <= most:
        raise ShapeWrong(
            [{"pointer": f"?{name}", "detail": f"A whole number from {least} to {most}."}]
        )
    return int(given)


def as_json(value: Any) -> bytes:
    return msgspec.json.encode(value)
