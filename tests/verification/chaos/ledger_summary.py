"""What the book says of some evenings and a circle, so that two of them can be compared.

Without what a rival did, and without what no two evenings have in common.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

import msgspec

from ledger import circles
from ledger.database import Connection
from tests.chaos.host import RIVAL, RIVAL_PAYS

EVENTS = """
SELECT type, "by", data FROM vola.events WHERE session_id = %s ORDER BY version
"""
LET_IN = """
SELECT 'phone', phone, role, label, player_id, ended_at IS NOT NULL FROM vola.phones
 WHERE session_id = %(id)s
 UNION ALL
SELECT 'knock', knock, role, label, CASE WHEN withdrawn THEN 'gone' ELSE phone::text END, refused
  FROM vola.knocks
 WHERE session_id = %(id)s
 UNION ALL
SELECT 'pin', misses, player_id, NULL, NULL, again > now() FROM vola.pins WHERE session_id = %(id)s
 UNION ALL
SELECT 'code', 0, NULL, NULL, NULL, until > now() FROM vola.codes WHERE session_id = %(id)s
 UNION ALL
SELECT 'links', 0, tokens::text, NULL, NULL, true FROM vola.sessions WHERE session_id = %(id)s
 ORDER BY 1, 2
"""
PAYMENT = re.compile(r'"([0-9]+)((?:\.[0-9]+)?-p[0-9]+-p[0-9]+)"')
"""A payment's id begins with a version, which a rival may move."""
DRAWN = frozenset({"names", "name", "to", "session", "hash", "version"})
"""Salted names, ids, seals, and where they lie."""


def evening(db: Connection, session_id: UUID) -> list[Any]:
    """Its events: type, who wrote it, data; and who has been let in."""
    numbers = dict[str, str]()

    def renumbered(found: re.Match[str]) -> str:
        return f'"{numbers.setdefault(found[1], f"#{len(numbers) + 1}")}{found[2]}"'

    events = [
        (kind, by, _comparable(kind, msgspec.json.decode(PAYMENT.sub(renumbered, data))))
        for kind, by, data in db.execute(EVENTS, (session_id,))
        if not (kind == "transfer_recorded" and f":{RIVAL_PAYS}" in data)
    ]
    return [*events, *db.execute(LET_IN, {"id": session_id}).fetchall()]


def circle(db: Connection, circle_id: UUID, without: Collection[UUID]) -> list[Any]:
    """Its links, who is of it, and who was who on its evenings, `without` those that a rival
    opened."""
    found = circles.read(db, circle_id)
    assert found is not None
    names = found.members
    return [
        found.generations,
        sorted(str(name) for name in names.values() if name != RIVAL),
        *(
            (e.number, e.title, sorted((player, names[m]) for player, m in e.members.items()))
            for e in found.evenings
            if e.session_id not in without
        ),
    ]


def both(
    db: Connection,
    evenings: Iterable[UUID],
    circle_id: UUID | None = None,
    without: Collection[UUID] = (),
) -> list[Any]:
    told = [event for one in evenings for event in evening(db, one)]
    return told if circle_id is None else told + circle(db, circle_id, without)


def _comparable(kind: str, data: Any) -> Any:
    drawn = DRAWN | {"balances"} if kind == "brought_forward" else DRAWN  # a rival may have paid
    return {key: value for key, value in data.items() if key not in drawn}
