"""A season as clients see it: everybody's numbers, and what they have come to by evening."""

from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from api.circles.view import called
from api.statements.asked import begins, ends, moment, zone
from ledger import season
from ledger.circles import Circle, Evening
from ledger.movements import FOREVER
from ledger.season import Night
from ledger.session import Session
from ledger.store import Store
from ledger.times import iso


def period() -> tuple[int, int]:
    """From when to when (`?from=`, `?to=`, `?tz=`), in microseconds; the end itself not within."""
    here: ZoneInfo = zone()
    since, until = moment("from"), moment("to")
    return (
        begins("from", since, here) if since else -FOREVER,
        ends("to", until, here) if until else FOREVER,
    )


def within(circle: Circle, store: Store, first: int, end: int) -> list[tuple[Evening, Session]]:
    """The evenings that began in the period, the oldest first."""
    found = ((evening, store.read(evening.session_id)) for evening in circle.evenings)
    chosen = [(evening, session) for evening, session in found if first <= session.begun < end]
    return sorted(chosen, key=lambda one: (one[1].begun, one[0].number))


def season_view(circle: Circle, store: Store, first: int, end: int) -> dict[str, Any]:
    """Of the evenings that began in the period."""
    evenings = within(circle, store, first, end)
    told = season.season(circle.members, [(s, evening.members) for evening, s in evenings])
    return {
        "circle": str(circle.id),
        "members": [
            {"id": member, "name": called(member, circle), **msgspec.to_builtins(tally)}
            for member, tally in told.tallies.items()
        ],
        "evenings": [
            _night(evening, night)
            for (evening, _), night in zip(evenings, told.nights, strict=True)
        ],
    }


def _night(evening: Evening, night: Night) -> dict[str, Any]:
    session = night.session
    return {
        "number": evening.number,
        "session": str(session.id),
        "title": evening.title,
        "game": session.opening.game,
        "begun_at": iso(session.begun),
        "status": session.status,
        "currency": session.opening.currency if session.for_money else None,
        "results": night.results,
        "totals": night.totals,
        "on_table": night.on_table,
        "scores": dict(session.sheet.scores) if session.sheet else None,
        "members": evening.members,
    }
