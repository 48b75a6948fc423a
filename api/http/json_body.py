"""The JSON body of a request, decoded strictly."""

import json
import re
from collections import Counter
from typing import Any, NoReturn

from flask import current_app

from api.http.app_state import current_request
from api.http.problems import Problem

JSON = "application/json"
MAX_BODY_BYTES = 128 * 1024
MAX_DEPTH = 32


def read_json_body() -> Any:
    """Return the body decoded strictly: UTF-8, no duplicate keys, no NaN, no NUL, no surrogates.

    Raise Problem 415 for another media type, 413 for more bytes than the policy of the view allows
    (api.rate_limit.policy), 400 for anything else.
    """
    request = current_request()
    view = current_app.view_functions[request.endpoint or ""]
    max_bytes = view.policy.max_bytes if hasattr(view, "policy") else MAX_BODY_BYTES
    encoding = request.headers.get("Content-Encoding", "identity").lower()
    is_json = request.content_type == JSON or request.mimetype == JSON
    if not is_json or encoding != "identity":
        raise Problem(415, "unsupported_media_type")
    if (request.content_length or 0) > max_bytes:
        raise Problem(413, "too_large", most=max_bytes)
    raw = request.stream.read(max_bytes + 1)
    if len(raw) > max_bytes:
        raise Problem(413, "too_large", most=max_bytes)
    return decode_strict_json(raw)


def decode_strict_json(raw: bytes) -> Any:
    """Return the decoded JSON. Raise Problem 400 with the reason."""
    try:
        text = raw.decode("utf-8")
        if text.startswith("\ufeff"):
            raise json.JSONDecodeError("Unexpected byte order mark", text, 0)
        value = STRICT_DECODER.decode(text)
        if "\\u" in text or text.count("{") + text.count("[") > MAX_DEPTH:
            _check_texts(value)  # not needed otherwise: too few brackets, and no escapes
        return value
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Problem(400, "malformed_json", reason=_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        problem = error.msg.removesuffix(" at")  # some of its messages end in it
        return f"{problem} at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return "too deeply nested" if isinstance(error, RecursionError) else "too many digits"


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        duplicate = next(key for key, count in counts.items() if count > 1)
        raise Problem(400, "malformed_json", reason=f"duplicate key {ascii(duplicate)[:60]}")
    return members


def _reject_constant(constant: str) -> NoReturn:
    raise Problem(400, "malformed_json", reason=f"{constant} is not JSON")


STRICT_DECODER = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant
)


def _check_texts(value: Any, depth: int = 0) -> None:
    """Raise Problem 400 for a text that a database, a log or another JSON reader cannot handle."""
    if depth > MAX_DEPTH:
        raise Problem(400, "malformed_json", reason="too deeply nested")
    if isinstance(value, dict):
        for key, member in value.items():
            _check_texts(key, depth)
            _check_texts(member, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_texts(item, depth + 1)
    elif isinstance(value, str) and re.search("[\x00\ud800-\udfff]", value):
        raise Problem(400, "malformed_json", reason="NUL or lone surrogate in a text")
