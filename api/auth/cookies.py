"""The form's HttpOnly cookie, with the tokens of the sessions and groups that were opened last.

It is not signed, since every token in it is. Older versions set a cookie for each session: those
are still read, and move into the one cookie when it is next set.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from uuid import UUID

from flask import Response, g, request

from api.auth.tokens import ID

MAX_AGE_SECONDS = 400 * 24 * 3600
MAX_COOKIE_BYTES = 3800
"""Some fifty tokens; a browser keeps 4,096 bytes and refuses more."""
ENTRY = re.compile(r"([A-Za-z0-9_-]{22}):([a-z]{4,8}[0-9]{1,9}\.[A-Za-z0-9_-]{43})")
SEPARATOR = "~"


def cookie_name() -> str:
    """Browsers accept `__Host-` cookies over https only; over http the name has no prefix."""
    return f"{'__Host-' if request.is_secure else ''}vola"


def cookie_token(target_id: UUID) -> str | None:
    key, entries = f"{_key(target_id)}:", request.cookies.get(cookie_name(), "").split(SEPARATOR)
    tokens = (entry.removeprefix(key) for entry in entries if entry.startswith(key))
    return next(tokens, None) or request.cookies.get(_old_name(target_id))


def set_token(response: Response, target_id: UUID, token: str) -> Response:
    """Set the cookie with this token first; the oldest are dropped when there are too many."""
    stored_tokens = dict(_tokens())
    stored_tokens.pop(target_id, None)
    return _set(response, {target_id: token, **stored_tokens})


def drop_ended_token(response: Response) -> Response:
    """Remove a token that ended from the cookie, unless the response grants something: a group's
    host reads the new link with the old one (authenticate_replaced_host)."""
    ended_target_id: UUID | None = g.get("ended_target_id")
    if ended_target_id is None or response.status_code != 404:
        return response
    return _set(
        response, {target: token for target, token in _tokens() if target != ended_target_id}
    )


def _set(response: Response, tokens: dict[UUID, str]) -> Response:
    size = 0
    entries: list[str] = []
    for target_id, token in tokens.items():
        entry = f"{_key(target_id)}:{token}"
        size += len(entry) + len(SEPARATOR)
        if size > MAX_COOKIE_BYTES:
            break
        entries.append(entry)
    _send(response, cookie_name(), SEPARATOR.join(entries))
    for name, _ in _old_cookies():
        _send(response, name, "")
    return response


def _send(response: Response, name: str, value: str) -> None:
    """Set the cookie; an empty value deletes it."""
    age = MAX_AGE_SECONDS if value else 0
    response.set_cookie(
        name, value, max_age=age, secure=request.is_secure, httponly=True, samesite="Strict"
    )


def _tokens() -> Iterator[tuple[UUID, str]]:
    """Yield the tokens in the cookie, the latest first."""
    for entry in request.cookies.get(cookie_name(), "").split(SEPARATOR):
        if match := ENTRY.fullmatch(entry):
            yield UUID(bytes=urlsafe_b64decode(match[1] + "==")), match[2]
    for name, token in _old_cookies():
        if ENTRY.fullmatch(f"{'A' * 22}:{token}"):
            yield UUID(name[-36:]), token


def _old_cookies() -> Iterator[tuple[str, str]]:
    """Yield the older cookies of one session each, by name."""
    prefix = _old_name("")
    for name, token in request.cookies.items():
        if name.startswith(prefix) and ID.fullmatch(name.removeprefix(prefix)):
            yield name, token


def _old_name(target_id: UUID | str) -> str:
    return f"{cookie_name()}-{target_id}"


def _key(target_id: UUID) -> str:
    return urlsafe_b64encode(target_id.bytes).decode()[:22]
