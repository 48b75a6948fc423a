"""What the book says of some evenings and a group, in a form in which two runs can be compared.

It leaves out what a rival did, and what always differs between two evenings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

import msgspec

from ledger.groups import groups
from ledger.store.connection_pool import Connection
from tests.verification.chaos.boundaries.scenarios import RIVAL, RIVAL_PAYS

EVENTS = """
SELECT type, "by", data FROM vola.events WHERE session_id = %s ORDER BY version
"""
ACCESS = """
SELECT 'device', device_number, role, label, player_id, ended_at IS NOT NULL FROM vola.devices
 WHERE session_id = %(id)s
 UNION ALL
SELECT 'join request', request_number, role, label,
       CASE WHEN withdrawn THEN 'withdrawn' ELSE device_number::text END, refused
  FROM vola.join_requests
 WHERE session_id = %(id)s
 UNION ALL
SELECT 'code', 0, NULL, NULL, NULL, expires_at > now() FROM vola.join_codes
 WHERE session_id = %(id)s
 UNION ALL
SELECT 'links', 0, token_generations::text, NULL, NULL, true FROM vola.sessions
 WHERE session_id = %(id)s
 ORDER BY 1, 2, 6
"""
PAYMENT = re.compile(r'"([0-9]+)((?:\.[0-9]+)?-p[0-9]+-p[0-9]+)"')
"""A payment's id begins with a version, which a rival's events may shift."""
VARIABLE_FIELDS = frozenset({"names", "name", "to", "session", "hash", "version"})
"""Fields that always differ: salted names, ids, hashes, and their versions."""


def session_summary(db: Connection, session_id: UUID) -> list[Any]:
    """Return the session's events (type, writer, data), and who has access to it."""
    numbers: dict[str, str] = {}

    def renumbered(match: re.Match[str]) -> str:
        return f'"{numbers.setdefault(match[1], f"#{len(numbers) + 1}")}{match[2]}"'

    events = [
        (kind, by, _comparable(kind, msgspec.json.decode(PAYMENT.sub(renumbered, data))))
        for kind, by, data in db.execute(EVENTS, (session_id,))
        if not (kind == "transfer_recorded" and f":{RIVAL_PAYS}" in data)
    ]
    return [*events, *db.execute(ACCESS, {"id": session_id}).fetchall()]


def group_summary(db: Connection, group_id: UUID, excluded_ids: Collection[UUID]) -> list[Any]:
    """Return the group's links, its members, and who was who in its evenings, but for the
    `excluded_ids` that a rival opened."""
    group = groups.load_group(db, group_id)
    assert group is not None
    names = group.members
    return [
        group.generations,
        sorted(str(name) for name in names.values() if name != RIVAL),
        *(
            (e.number, e.title, sorted((player, names[m]) for player, m in e.members.items()))
            for e in group.sessions
            if e.session_id not in excluded_ids
        ),
    ]


def summarize(
    db: Connection,
    evenings: Iterable[UUID],
    group_id: UUID | None = None,
    excluded_ids: Collection[UUID] = (),
) -> list[Any]:
    lines = [event for session_id in evenings for event in session_summary(db, session_id)]
    return lines if group_id is None else lines + group_summary(db, group_id, excluded_ids)


def _comparable(kind: str, data: Any) -> Any:
    variable = (
        VARIABLE_FIELDS | {"balances"} if kind == "brought_forward" else VARIABLE_FIELDS
    )  # a rival may have paid
    return {key: value for key, value in data.items() if key not in variable}
