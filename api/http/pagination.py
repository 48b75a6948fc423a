"""Pagination: `?limit=`, `?after=` and the signed cursor that a page gives as `next`.

A cursor is a MAC with the book's secret over the session, the listing and the position, so that it
is valid for this listing only. `?after=` also accepts the plain position.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

from flask import g, request

from api.http.app_state import token_secret
from api.http.query_parameters import MAX_INTEGER, integer_parameter, parameter_error
from api.i18n.field_errors import FieldError

T = TypeVar("T")

POSITION_BYTES, MAC_BYTES = 5, 13
"""18 bytes together: 24 characters of base64 without padding."""


def read_cursor(listing: str) -> int:
    """Return the position after which `?after=` continues; 0 without it. Raise InvalidFields for
    what is neither a position nor a cursor of this listing."""
    cursor = request.args.get("after", "0")
    if re.fullmatch(r"[0-9]{1,10}", cursor) and int(cursor) <= MAX_INTEGER:
        return int(cursor)
    position = decode_cursor(token_secret(), g.session_id, listing, cursor)
    if position is None:
        raise parameter_error("after", FieldError("cursor", least=0, most=MAX_INTEGER))
    return position


def read_limit() -> int:
    """Return `?limit=`, by default 100. Raise InvalidFields."""
    return integer_parameter("limit", 100, 1, 1000)


def next_cursor(listing: str, position: int) -> str:
    return encode_cursor(token_secret(), g.session_id, listing, position)


def paginate(
    listing: str,
    items: Sequence[T],
    position_of: Callable[[int, T], int] = lambda index, _: index + 1,
) -> tuple[Sequence[T], dict[str, str | None]]:
    """Return the requested page of `items` and its `next`, null after the last page.

    Positions ascend; by default an item's position is its number, from 1. Raise InvalidFields.
    """
    after, limit = read_cursor(listing), read_limit()
    positioned = ((position_of(index, item), item) for index, item in enumerate(items))
    rest = [(position, item) for position, item in positioned if position > after]
    page = rest[:limit]
    cursor = next_cursor(listing, page[-1][0]) if len(rest) > limit else None
    return [item for _, item in page], {"next": cursor}


def encode_cursor(key: bytes, session_id: UUID, listing: str, position: int) -> str:
    encoded = position.to_bytes(POSITION_BYTES, "big")
    return urlsafe_b64encode(encoded + _mac(key, session_id, listing, encoded)).decode()


def decode_cursor(key: bytes, session_id: UUID, listing: str, cursor: str) -> int | None:
    """Return the position, or None when this listing did not give the cursor."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{24}", cursor):
        return None
    raw = urlsafe_b64decode(cursor)
    encoded, mac = raw[:POSITION_BYTES], raw[POSITION_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, session_id, listing, encoded)):
        return None
    return int.from_bytes(encoded, "big")


def _mac(key: bytes, session_id: UUID, listing: str, position: bytes) -> bytes:
    message = b"vola cursor 1" + session_id.bytes + position + listing.encode()
    return hmac.digest(key, message, "sha256")[:MAC_BYTES]
