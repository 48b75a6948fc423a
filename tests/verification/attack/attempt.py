"""One attempt at a corruption: attack, audit, roll back."""

from __future__ import annotations

from random import Random
from typing import Any
from uuid import UUID

import psycopg

from ledger.audit.findings import Finding
from ledger.audit.run import audit_session
from tests.verification.attack.attacks import Attack
from tests.verification.attack.forger import Forger, NotApplicable


def attack_and_audit(
    db: psycopg.Connection[Any],
    attack: Attack,
    session_id: UUID,
    other_ids: list[UUID],
    die: Random,
) -> list[Finding] | None:
    """Attack a session, audit in the same transaction, and roll back.

    Return the findings, or None if the attack does not apply to the session."""
    try:
        forger = Forger(db, session_id, die, other_ids)
        attack(forger)
        findings = audit_session(db, session_id, forger.receipts)
        for also_audited_id in forger.also_audited_ids:
            findings += audit_session(db, also_audited_id)
        return findings
    except NotApplicable:
        return None
    finally:
        db.rollback()
