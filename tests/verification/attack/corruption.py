"""The registry of corruptions, and one attempt: plant, audit, roll back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding, is_clean
from ledger.audit.run import audit_session
from tests.verification.attack.forger import Forger, NotApplicable

Plant = Callable[[Forger], None]

EVENT_ATTACKS: dict[str, Plant] = {}
"""Attacks on the stored events."""

OTHER_ATTACKS: dict[str, Plant] = {}
"""Attacks on heads, projections and the other tables."""


def event_attack(name: str) -> Callable[[Plant], Plant]:
    return lambda plant: EVENT_ATTACKS.setdefault(name, plant)


def other_attack(name: str) -> Callable[[Plant], Plant]:
    return lambda plant: OTHER_ATTACKS.setdefault(name, plant)


def statement_attacks(
    statements: dict[str, str],
    where: str = "",
    pick_parameters: Callable[[Forger], tuple[Any, ...]] = lambda forger: (forger.session_id,),
) -> None:
    """Register attacks that each execute one SQL statement, by default on the whole session."""

    def run_statement(statement: str, forger: Forger) -> None:
        forger.execute(statement, *pick_parameters(forger))

    for name, statement in statements.items():
        OTHER_ATTACKS[name] = partial(run_statement, statement + where)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One corruption with the audit's findings, or one that did not apply to the session."""

    kind: str
    session_id: UUID
    findings: tuple[Finding, ...]
    not_applicable: bool = False

    @property
    def detected(self) -> bool:
        return not is_clean(self.findings)


def plant_and_audit(
    db: psycopg.Connection[Any], kind: str, session_id: UUID, other_ids: list[UUID], die: Random
) -> Attempt:
    """Plant one corruption, audit in the same transaction, and roll back."""
    plant = EVENT_ATTACKS.get(kind) or OTHER_ATTACKS[kind]
    try:
        forger = Forger(db, session_id, die, other_ids)
        try:
            plant(forger)
        except NotApplicable:
            return Attempt(kind=kind, session_id=session_id, findings=(), not_applicable=True)
        findings = audit_session(db, session_id, forger.receipts)
        for extra_id in forger.also_audited_ids:
            findings += audit_session(db, extra_id)
        return Attempt(kind=kind, session_id=session_id, findings=tuple(findings))
    finally:
        db.rollback()
