"""Which versions the sessions of a group had when its statement was printed.

A printed link has a time and a digest of the sessions' last hashes. What was recorded after the
printing can have the same time or an earlier one, because a clock was set back or another table was
recording; the digest tells which versions were printed.
"""

from collections.abc import Sequence
from itertools import combinations, product
from uuid import UUID

from api.statements.printed_link.link import StatementLink, history_digest
from api.statements.statement import Statement
from ledger.events.recorded_event import RecordedEvent

SESSIONS_TO_TRY = 3
"""The sessions that may have gone on at the time of printing: those with the latest events."""
DIGESTS_TO_TRY = 20_000
EVENTS_TO_TRY = 500
"""The events that may be left out of one session."""


def versions_when_printed(link: StatementLink, statement: Statement) -> dict[UUID, int]:
    """Return the earlier versions of the sessions that went on last, with which the digest is the
    printed one; nothing if there are none. `statement` is the one as of the time of the link."""
    sections = statement.sections
    latest_first = sorted(range(len(sections)), key=lambda place: -sections[place].session.at)
    latest = latest_first[:SESSIONS_TO_TRY]
    for count in range(1, len(latest) + 1):
        limit = min(EVENTS_TO_TRY, int(DIGESTS_TO_TRY ** (1 / count)))
        for places in combinations(latest, count):
            versions = _matching_versions(link, statement, places, limit)
            if versions:
                return versions
    return {}


def _matching_versions(
    link: StatementLink, statement: Statement, places: Sequence[int], limit: int
) -> dict[UUID, int]:
    """Return the versions of the sessions at these places that lead to the printed digest."""
    hashes = [section.session.hash for section in statement.sections]
    sessions = [statement.sections[place].session for place in places]
    for events in product(*(_last_events(statement, place, limit) for place in places)):
        for place, event in zip(places, events, strict=True):
            hashes[place] = event.hash
        if history_digest(hashes) == link.history:
            return {s.id: event.version for s, event in zip(sessions, events, strict=True)}
    return {}


def _last_events(statement: Statement, place: int, limit: int) -> Sequence[RecordedEvent]:
    session = statement.sections[place].session
    first = max(0, session.version - limit)
    return statement.context.store.load_events(session.id, first, session.version - first)
