"""One attempt at a corruption: attack, audit, roll back."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding, is_clean
from ledger.audit.run import audit_session
from tests.verification.attack.forger import Forger, NotApplicable
from tests.verification.attack.kinds import EVENT_ATTACKS, OTHER_ATTACKS


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


def attack_and_audit(
    db: psycopg.Connection[Any], kind: str, session_id: UUID, other_ids: list[UUID], die: Random
) -> Attempt:
    """Make one attack, audit in the same transaction, and roll back."""
    attack = EVENT_ATTACKS.get(kind) or OTHER_ATTACKS[kind]
    try:
        forger = Forger(db, session_id, die, other_ids)
        try:
            attack(forger)
        except NotApplicable:
            return Attempt(kind=kind, session_id=session_id, findings=(), not_applicable=True)
        findings = audit_session(db, session_id, forger.receipts)
        for extra_id in forger.also_audited_ids:
            findings += audit_session(db, extra_id)
        return Attempt(kind=kind, session_id=session_id, findings=tuple(findings))
    finally:
        db.rollback()
