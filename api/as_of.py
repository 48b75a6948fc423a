"""The evening as it stood: `?at=` a version, or a moment. Asked in one place, for every reading.

Knows nothing of what is read.
"""

import re
from datetime import datetime

from flask import g, request

from api.problems import ShapeWrong
from ledger.store import Store
from ledger.times import EPOCH
from ledger.writing import UnknownSession

NEWEST = 2**31 - 1
DETAIL = "A version, or a moment such as 2026-11-21T21:30:00Z."


def wanted(store: Store) -> int | None:
    """The version that is asked for; none: as it stands. UnknownSession before it began."""
    given = request.args.get("at")
    if given is None:
        return None
    if re.fullmatch(r"[1-9][0-9]{0,9}", given) and int(given) <= NEWEST:
        return int(given)
    found = store.version_at(g.session_id, _moment(given))
    if found is None:
        raise UnknownSession
    return found


def _moment(given: str) -> int:
    """Microseconds since 1970. A moment without its zone could be anywhere: refused."""
    try:
        at = datetime.fromisoformat(given.replace(" ", "+"))  # a plus comes as a space
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ShapeWrong([{"pointer": "?at", "detail": DETAIL}])
    since = at - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
