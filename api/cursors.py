"""Where a page ended: what a client hands back as it got it, and cannot make himself.

Signed with the book's secret over the session, the listing and the place, so that one listing's
`next` is no other's. A listing that is read from a known place may still be asked by its number.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

from flask import current_app, g, request

from api.preconditions import number
from api.problems import ShapeWrong

T = TypeVar("T")

PLACE, MAC = 5, 13
"""Bytes: 18 together, 24 signs without padding."""
MOST = 2**31 - 1


def after(listing: str) -> int:
    """The place behind which `?after=` wants to go on; 0 without it. 422 for what is neither a
    place nor a `next` of this session's listing."""
    given = request.args.get("after", "0")
    if re.fullmatch(r"[0-9]{1,10}", given) and int(given) <= MOST:
        return int(given)
    place = opened(_secret(), g.session_id, listing, given)
    if place is None:
        detail = f"The `next` of a page of this list, or from 0 to {MOST}."
        raise ShapeWrong([{"pointer": "?after", "detail": detail}])
    return place


def following(listing: str, place: int) -> str:
    """What the next page is asked with."""
    return sealed(_secret(), g.session_id, listing, place)


def page(
    listing: str, found: Sequence[T], place: Callable[[int, T], int] = lambda index, _: index + 1
) -> tuple[Sequence[T], dict[str, str | None]]:
    """What was asked for of a listing in its order, and `next`; all of it, as ever, and no `next`
    when neither `?limit=` nor `?after=` is there. `place` is ascending; by default, how many."""
    if not {"limit", "after"} & request.args.keys():
        return found, {}
    behind, limit = after(listing), number("limit", 100, 1, 1000)
    left = [(at, one) for index, one in enumerate(found) if (at := place(index, one)) > behind]
    shown = left[:limit]
    more = following(listing, shown[-1][0]) if len(left) > limit else None
    return [one for _, one in shown], {"next": more}


def sealed(key: bytes, session_id: UUID, listing: str, place: int) -> str:
    where = place.to_bytes(PLACE, "big")
    return urlsafe_b64encode(where + _mac(key, session_id, listing, where)).decode()


def opened(key: bytes, session_id: UUID, listing: str, cursor: str) -> int | None:
    """The place; none for a cursor that was not made here, for this."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{24}", cursor):
        return None
    raw = urlsafe_b64decode(cursor)
    where, mac = raw[:PLACE], raw[PLACE:]
    if not hmac.compare_digest(mac, _mac(key, session_id, listing, where)):
        return None
    return int.from_bytes(where, "big")


def _secret() -> bytes:
    found: bytes = current_app.extensions["cards"].secret
    return found


def _mac(key: bytes, session_id: UUID, listing: str, where: bytes) -> bytes:
    what = b"vola cursor 1" + session_id.bytes + where + listing.encode()
    return hmac.digest(key, what, "sha256")[:MAC]
