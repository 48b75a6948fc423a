"""The kinds of corruption by name, and how one of them is planted and looked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding, is_clean
from ledger.audit.run import audit_session
from tests.verification.attack.forger import Forger, Nothing

Plant = Callable[[Forger], None]

ROWS: dict[str, Plant] = {}
"""Attacks on the stored events themselves."""

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
        return not is_clean(self.findings)


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
        found = audit_session(db, session_id, forger.receipts)
        for also in forger.also:
            found += audit_session(db, also)
        return Tried(kind=kind, session_id=session_id, findings=tuple(found))
    finally:
        db.rollback()
