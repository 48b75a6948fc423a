"""The kinds of corruption by name, and how one of them is planted and looked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit import audit
from ledger.auditing.findings import Finding, clean
from tests.attack.forger import Forger, Nothing

Plant = Callable[[Forger], None]

ROWS: dict[str, Plant] = {}
"""Attacks on the stored events themselves (promises.md A1, the first half)."""

REST: dict[str, Plant] = {}
"""Corruption of the head, the projections, and what lies beside the events."""


def on_rows(name: str) -> Callable[[Plant], Plant]:
    return lambda plant: ROWS.setdefault(name, plant)


def elsewhere(name: str) -> Callable[[Plant], Plant]:
    return lambda plant: REST.setdefault(name, plant)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """One corruption: what the audit found, or that there was nothing to spoil."""

    kind: str
    session_id: UUID
    findings: tuple[Finding, ...]
    nothing: bool = False

    @property
    def found(self) -> bool:
        return not clean(self.findings)


def attempt(
    db: psycopg.Connection[Any], kind: str, session_id: UUID, others: list[UUID], die: Random
) -> Tried:
    """Plant one, audit in the same transaction, and take it all back."""
    plant = ROWS.get(kind) or REST[kind]
    try:
        forger = Forger(db, session_id, die, others)
        try:
            plant(forger)
        except Nothing:
            return Tried(kind=kind, session_id=session_id, findings=(), nothing=True)
        found = audit(db, session_id, forger.receipts)
        for also in forger.also:
            found += audit(db, also)
        return Tried(kind=kind, session_id=session_id, findings=tuple(found))
    finally:
        db.rollback()
